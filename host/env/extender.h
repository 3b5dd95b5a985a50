// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface of an extender: a server that filters, scores, preempts or binds beside the plugins.

#include "model/node.h"
#include "model/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::env {

/// What an extender does, and the weight of its scores.
struct ExtenderTraits {
    std::string url;  ///< what it is called
    bool filters = false, prioritizes = false, preempts = false, binds = false;
    std::int64_t weight = 1;                               ///< of its scores
    bool ignorable = false;                                ///< scheduling goes on without it when it fails
    std::set<std::string, std::less<>> managed_resources;  ///< none: every pod is its business
};

/// Everything on the loop. Answers may come from within the call, or later; each once.
class Extender {
    ExtenderTraits traits_;

public:
    struct Node {
        std::string_view name;
        const model::Object *object = nullptr;
    };
    struct Filtered {
        std::vector<std::string> left;  ///< names of the nodes in the request
        /// Why it left out others, by name; of those in `unresolvable` no preemption changes that.
        std::map<std::string, std::string> failed, unresolvable;
    };
    struct Score {
        std::string node;
        std::int64_t score = 0;  ///< 0 to 10
    };
    /// A node on which room can be made for a pod, and what that costs.
    struct Candidate {
        std::string_view node;
        std::vector<const model::Object *> victims;
        std::int64_t violations = 0;  ///< of disruption budgets
    };
    /// What it makes of one.
    struct Victims {
        std::vector<std::string> uids;
        std::int64_t violations = 0;
    };
    using Preempted = std::map<std::string, Victims>;  ///< by node
    template <class T>
    using Done = std::function<void(model::Result<T>)>;

    explicit Extender(ExtenderTraits traits) : traits_(std::move(traits)) {}
    virtual ~Extender() = default;

    const ExtenderTraits &traits() const { return traits_; }
    /// Whether a container of the pod requests one of the resources that the extender manages.
    bool interested(const model::Object &pod) const;

    /// Called only where the traits say so. What the arguments refer to need not outlive the call. The error of an
    /// answer is the text that people see.
    virtual void filter(const model::Object &pod, std::span<const Node> nodes, Done<Filtered> done) = 0;
    virtual void prioritize(const model::Object &pod, std::span<const Node> nodes, Done<std::vector<Score>> done) = 0;
    virtual void preempt(const model::Object &pod, std::span<const Candidate> candidates, Done<Preempted> done) = 0;
    virtual void bind(const model::Pod &pod, std::string_view node, Done<void> done) = 0;
};

}  // namespace berth::env
