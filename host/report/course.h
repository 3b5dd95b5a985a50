// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The course of a simulation: what was in use, what was of no use, and who waited, after every change.

#include "env/api.h"
#include "env/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace berth::report {

/// A resource of all nodes together, in its own unit.
struct Supply {
    std::int64_t requested = 0, allocatable = 0;
    /// What is free and of no use to who may come (docs/simulate.md, "Plots"): the sum over the nodes of what is free
    /// there times the share of the pods that ask for the resource and do not fit there.
    double fragments = 0;
};

struct Moment {
    std::int64_t time_ns = 0;   ///< simulated, from the start
    std::uint64_t decided = 0;  ///< attempts so far
    std::uint64_t pending = 0, nodes_in_use = 0;
    std::vector<Supply> supplies;  ///< one for each resource
};

struct Curves {
    std::string name;
    std::vector<std::string> resources;  ///< cpu, memory, and scalars that a pod asks for
    std::vector<Moment> moments;         ///< in order; the last is the end
};

/// Notes what the world says. Objects stay alive as long as this. Loop only.
class Course : public env::Observer {
    struct Change {
        std::int64_t time_ns;
        std::uint64_t decided;
        model::NodePtr node_before, node_after;
        model::PodPtr pod_before, pod_after;
    };
    const env::Clock &clock_;
    std::function<std::uint64_t()> decided_;
    std::int64_t start_ns_;
    std::vector<Change> changes_;

public:
    /// `decided`: how many attempts there were so far; both outlive it.
    Course(const env::Clock &clock, std::function<std::uint64_t()> decided)
        : clock_(clock), decided_(std::move(decided)), start_ns_(clock.now_ns()) {}

    void node_added(model::NodePtr node) override { note({}, std::move(node), {}, {}); }
    void node_updated(model::NodePtr before, model::NodePtr after) override {
        note(std::move(before), std::move(after), {}, {});
    }
    void node_deleted(model::NodePtr node) override { note(std::move(node), {}, {}, {}); }
    void pod_added(model::PodPtr pod) override { note({}, {}, {}, std::move(pod)); }
    void pod_updated(model::PodPtr before, model::PodPtr after) override {
        note({}, {}, std::move(before), std::move(after));
    }
    void pod_deleted(model::PodPtr pod) override { note({}, {}, std::move(pod), {}); }
    void object_changed(const model::Kind &, model::AnyPtr, model::AnyPtr) override {}

    /// Up to now. Pods that ask for none of these profiles wait for somebody else and do not count as pending.
    Curves curves(const std::vector<std::string> &profiles) const;

private:
    void note(model::NodePtr node_before, model::NodePtr node_after, model::PodPtr pod_before,
              model::PodPtr pod_after) {
        changes_.push_back({clock_.now_ns() - start_ns_, decided_(), std::move(node_before), std::move(node_after),
                            std::move(pod_before), std::move(pod_after)});
    }
};

}  // namespace berth::report
