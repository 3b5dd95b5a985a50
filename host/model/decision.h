// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The decision record: the result of one scheduling attempt, with all nodes, scores and reasons. One schema for the
/// command line, the files, the oracle and the explanations; docs/decision-record.md describes it to readers.

#include "model/status.h"
#include "model/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::model {

class ObjectBuilder;

struct PodRef {
    std::string name_space, name, uid;
};

/// The pods that would give way to another one, as a PostFilter plugin named them.
struct Victims {
    std::vector<std::string> pods;  ///< "namespace/name" of the first so many, in the plugin's order
    std::size_t more = 0;
    std::string reason;  ///< why these; empty: as Kubernetes' preemption

    /// So many are named, and so many bytes of a reason kept.
    static constexpr std::size_t most = 100, longest_reason = 512;
    bool operator==(const Victims &) const = default;
};

enum class AttemptResult { Scheduled, Unschedulable, Waiting, Gated, Error };
std::string_view result_name(AttemptResult result);

/// How much of a decision is recorded.
enum class Detail { Summary, Nodes, Events };

struct PluginScore {
    std::string plugin;
    std::int64_t raw = 0, normalized = 0, weighted = 0;
};

/// An evaluated node: rejected by `verdict`, or, if scoring ran, with scores.
struct NodeRecord {
    std::string name;
    Status verdict;  ///< success: feasible
    std::vector<PluginScore> scores;
    std::int64_t total = 0;
    bool scored = false;
};

struct PreFilterRecord {
    std::string plugin;
    Status status;
    bool limited = false;
    std::vector<std::string> nodes;  ///< if limited
};

/// What a PostFilter plugin answered.
struct PostFilterRecord {
    std::string plugin;
    Status status;
    std::optional<std::string> nominated;  ///< "": it took the nomination back
    Victims victims{};
};

/// So many nodes that a plugin rejected with the same reasons.
struct Rejection {
    std::string plugin;
    std::int32_t code = 0;
    std::vector<std::string> reasons;
    std::uint32_t nodes = 0;
};

/// One scheduling attempt.
struct Decision {
    std::uint64_t seq = 0;
    PodRef pod;
    std::string profile;
    std::uint32_t attempt = 0;
    std::uint64_t cycle = 0;
    std::int64_t time_ns = 0;
    AttemptResult result = AttemptResult::Error;
    std::string phase;  ///< where an attempt ended without success: "PreFilter" … "Bind"
    std::string node;
    std::string reason, message;  ///< of the PodScheduled condition
    std::vector<std::string> rejected_by;
    std::string nominated_node;             ///< of the pod, in memory, after the attempt
    Victims victims;                        ///< if a PostFilter plugin preempts in this attempt
    std::optional<std::string> nomination;  ///< what status.nominatedNodeName is to be; nothing: it stays as it is
    std::uint32_t evaluated_nodes = 0, feasible_nodes = 0, start_index = 0;
    // These two are no part of the record.
    std::vector<Rejection> rejections;          ///< the most frequent one first
    std::int64_t began_ns = 0, decided_ns = 0;  ///< monotonic
    // From here on with Detail::Nodes and above.
    std::vector<PreFilterRecord> pre_filter;
    std::vector<NodeRecord> nodes;
    std::vector<PostFilterRecord> post_filter;
};

/// Something that happened between decisions (Detail::Events).
struct DecisionEvent {
    std::uint64_t seq = 0;
    std::string type;  ///< Added, Modified, Deleted, Assumed, Forgotten, Bound, BindFailed
    std::string kind, name_space, name;
    TreePtr object;  ///< what a Modified object is now, or an Added one that is neither a Node nor a Pod
};

/// The record as readers get it: members in the order of docs/decision-record.md, empty texts and lists left out;
/// `preFilter` and `nodes` only with more detail than Summary, as is `postFilter`.
berth_value to_value(Arena &arena, const Decision &decision, Detail detail);
berth_value to_value(Arena &arena, const DecisionEvent &event);
/// The same members, for an object that has more.
void add_members(Arena &arena, ObjectBuilder &object, const Decision &decision, Detail detail);
/// Members for the victims; none without victims.
void add_victims(Arena &arena, ObjectBuilder &object, const Victims &victims);

}  // namespace berth::model
