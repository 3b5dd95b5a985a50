// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The time series of a simulation: requested, stranded and allocatable resources and pending pods after every change.

#include "env/api.h"
#include "env/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace berth::report {

/// A resource of all nodes together, in its own unit.
struct Capacity {
    std::int64_t requested = 0, allocatable = 0;
    /// Free, but of no use to the pods that ask (docs/simulate.md, "Plots"): the sum over the nodes of their free
    /// amount times the share of the pods that ask for the resource and do not fit there.
    double stranded = 0;
};

struct Sample {
    std::int64_t time_ns = 0;   ///< simulated, from the start
    std::uint64_t decided = 0;  ///< attempts so far
    std::uint64_t pending = 0, nodes_in_use = 0;
    std::vector<Capacity> capacities;  ///< one for each resource
};

struct Curves {
    std::string name;
    std::vector<std::string> resources;  ///< cpu, memory, and scalars that a pod asks for
    std::vector<Sample> samples;         ///< in order; the last is the end
};

/// Records every change of a node or pod, and keeps the objects alive. Loop only.
class TimeSeries : public env::Observer {
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
    TimeSeries(const env::Clock &clock, std::function<std::uint64_t()> decided)
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

    /// Up to now. Pods of other schedulers do not count as pending.
    Curves curves(const std::vector<std::string> &profiles) const;

private:
    void note(model::NodePtr node_before, model::NodePtr node_after, model::PodPtr pod_before,
              model::PodPtr pod_after) {
        changes_.push_back({clock_.now_ns() - start_ns_, decided_(), std::move(node_before), std::move(node_after),
                            std::move(pod_before), std::move(pod_after)});
    }
};

}  // namespace berth::report
