// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One checked call into a plugin: what it was lent, and what it did wrong.

#include "plugin/call.h"
#include "plugin/guarded_memory.h"

#include <atomic>
#include <deque>
#include <thread>
#include <unordered_set>

namespace berth::plugin {

class Strict;

/// The thread tags of the ABI.
enum class Tag : std::uint8_t { Loop, Par, Bind };

/// Stands in for all that the host passes to one call. Its views and handles are its own, so that each use of one says
/// which call it was lent to. They stay readable for some calls after the end of their own, as poison.
class Frame {
public:
    Frame(Strict &owner, std::string_view point, Tag tag, const berth_pod *pod);
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;

    const berth_call *lend(const berth_call *real);
    berth_state *lend(berth_state *real);
    const berth_pod *lend(const berth_pod *real);
    const berth_nodes *lend(const berth_nodes *real);
    const berth_restrict *lend(const berth_restrict *real);
    berth_status *lend(berth_status *real);
    const berth_done *lend(const berth_done *real);
    const berth_outcome *lend(const berth_outcome *real);
    const berth_nomination *lend(const berth_nomination *real);
    berth_str lend(berth_str text) { return memory.copy(text); }

    /// Whether these are nodes, or the pod, that the call was given.
    bool lent(const berth_nodes *nodes) const;
    bool lent(const berth_pod *view) const { return !pods_.empty() && pods_.front() == view; }
    /// The call was given this object by a service.
    void show(const berth_object *object) { shown_.insert(object); }
    /// Whether the object is one that the call was given, itself, through a view or by a service.
    bool shows(const berth_object *object) const;
    /// The host's own behind what was lent.
    berth_status *real_of(berth_status *lent);
    /// The lent nodes again show what the host's own show: a trial has changed them.
    void renew();
    /// Hands the codes that the plugin wrote on to the host's.
    void pass_codes_on();
    /// Everything lent reads as poison from here on.
    void end();
    std::string where() const;  ///< `Filter for pod "default/web"`

    Strict &owner;
    const std::string_view point;
    const Tag tag;
    const std::string pod;  ///< "namespace/name", or empty
    const std::thread::id thread = std::this_thread::get_id();
    GuardedMemory memory;
    std::atomic<bool> open{true};
    std::vector<std::string> faults;  ///< what was done wrong; guarded by the owner's mutex
    berth_call call{};
    const berth_call *real_call = nullptr;
    berth_state *real_state = nullptr;
    const berth_pod *real_pod = nullptr;  ///< the first that was lent
    bool narrowed = false;                ///< PreFilter called berth_restrict
    // An answer that may come later; guarded by the owner's mutex.
    enum class Answer : std::uint8_t { Immediate, Running, Owed, Given } answer = Answer::Immediate;
    berth_status *given = nullptr;  ///< the host's, once the plugin has ended the call
    berth_done done{}, real_done{};

    const berth_nodes *real_nodes() const { return nodes_.empty() ? nullptr : nodes_.front().real; }
    const berth_state *state_handle() const { return reinterpret_cast<const berth_state *>(&state_place_); }

private:
    struct Nodes {
        Frame *frame;
        const berth_nodes *real;
        berth_nodes view;
        berth_pods pods;
        mutable std::unordered_set<const berth_object *> objects;  ///< filled in when first asked
    };
    struct Status {
        Frame *frame;
        berth_status *real;
        berth_status view;
    };
    struct Restrict {
        Frame *frame;
        const berth_restrict *real;
        berth_restrict view;
    };
    struct Outcome {
        Frame *frame;
        const berth_outcome *real;
        berth_outcome view;
    };
    struct Nomination {
        Frame *frame;
        const berth_nomination *real;
        berth_nomination view;
    };
    struct Calls;  ///< the functions of the views

    void show(Nodes &nodes);

    std::deque<Nodes> nodes_;
    std::deque<Status> statuses_;
    std::deque<Restrict> restricts_;
    std::deque<Outcome> outcomes_;
    std::deque<Nomination> nominations_;
    std::vector<berth_pod *> pods_;
    std::vector<const berth_object *> pod_objects_;
    std::unordered_set<const berth_object *> shown_;
    std::byte state_place_{};
};

}  // namespace berth::plugin
