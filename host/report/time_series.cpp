// SPDX-License-Identifier: Apache-2.0
#include "report/time_series.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

namespace berth::report {
namespace {

using Amounts = std::vector<std::int64_t>;  ///< by resource

constexpr std::size_t cpu = 0, memory = 1, first_scalar = 2;

/// The cluster as the changes make it.
class Replay {
    struct Node {
        bool is_there = false;
        Amounts allocatable, requested;
        std::int64_t allocatable_pods = 0, pods = 0;
        std::vector<double> stranded;  ///< as they were added to the sums
        bool changed = false;
    };
    const std::vector<std::string> &resources_;
    const std::map<Amounts, std::uint64_t> &shapes_;
    const std::vector<std::string> &profiles_;
    std::vector<double> asking_;  ///< by resource: how many pods ask for it
    std::unordered_map<std::string, Node> nodes_;
    std::vector<Node *> changed_;
    std::vector<Capacity> sums_;
    std::uint64_t pending_ = 0, in_use_ = 0;

    Node &changing(std::string_view name) {
        auto [at, fresh] = nodes_.try_emplace(std::string(name));
        auto &node = at->second;
        if (fresh) {
            node.allocatable.resize(resources_.size());
            node.requested.resize(resources_.size());
            node.stranded.resize(resources_.size());
        }
        if (!std::exchange(node.changed, true)) {
            count(node, -1);
            changed_.push_back(&node);
        }
        return node;
    }

    /// Adds the node to the sums, or takes it away.
    void count(const Node &node, int sign) {
        if (!node.is_there) return;
        for (std::size_t r = 0; r < resources_.size(); ++r) {
            sums_[r].requested += sign * node.requested[r];
            sums_[r].allocatable += sign * node.allocatable[r];
            sums_[r].stranded += sign * node.stranded[r];
        }
        if (node.pods > 0) in_use_ += static_cast<std::uint64_t>(sign);
    }

    bool fits(const Amounts &shape, const Node &node) const {
        if (node.pods >= node.allocatable_pods) return false;
        for (std::size_t r = 0; r < shape.size(); ++r)
            if (shape[r] > 0 && shape[r] > node.allocatable[r] - node.requested[r]) return false;
        return true;
    }

    void find_stranded(Node &node) const {
        std::vector<double> kept_away(resources_.size());
        for (const auto &[shape, pods] : shapes_) {
            if (fits(shape, node)) continue;
            for (std::size_t r = 0; r < shape.size(); ++r)
                if (shape[r] > 0) kept_away[r] += static_cast<double>(pods);
        }
        for (std::size_t r = 0; r < resources_.size(); ++r) {
            const auto free = std::max<std::int64_t>(0, node.allocatable[r] - node.requested[r]);
            node.stranded[r] = asking_[r] > 0 ? static_cast<double>(free) * kept_away[r] / asking_[r] : 0;
        }
    }

    bool waits(const model::Pod &pod) const {
        return pod.node_name().empty() && !pod.finished() && !pod.terminating() &&
               std::ranges::find(profiles_, pod.scheduler_name()) != profiles_.end();
    }

public:
    Replay(const std::vector<std::string> &resources, const std::map<Amounts, std::uint64_t> &shapes,
           const std::vector<std::string> &profiles)
        : resources_(resources),
          shapes_(shapes),
          profiles_(profiles),
          asking_(resources.size()),
          sums_(resources.size()) {
        for (const auto &[shape, pods] : shapes)
            for (std::size_t r = 0; r < shape.size(); ++r)
                if (shape[r] > 0) asking_[r] += static_cast<double>(pods);
    }

    static Amounts amounts(const berth_resources &of, const std::vector<std::string> &resources) {
        Amounts out(resources.size());
        out[cpu] = of.cpu;
        out[memory] = of.memory;
        for (std::uint64_t i = 0; i < of.scalars_len; ++i) {
            const auto at = std::ranges::find(resources, model::view(of.scalars[i].name));
            if (at != resources.end()) out[static_cast<std::size_t>(at - resources.begin())] = of.scalars[i].value;
        }
        return out;
    }

    void node(const model::Node &now, bool is_there) {
        auto &node = changing(now.name);
        node.is_there = is_there;
        node.allocatable = amounts(now.allocatable, resources_);
        node.allocatable_pods = now.allocatable_pods;
    }

    /// A pod comes (1) or goes (-1).
    void pod(const model::Pod &pod, int sign) {
        if (waits(pod)) pending_ += static_cast<std::uint64_t>(sign);
        if (pod.node_name().empty() || pod.finished()) return;
        auto &node = changing(pod.node_name());
        const auto requested = amounts(pod.effective(), resources_);
        for (std::size_t r = 0; r < requested.size(); ++r) node.requested[r] += sign * requested[r];
        node.pods += sign;
    }

    Sample sample(std::int64_t time_ns, std::uint64_t decided) {
        for (auto *node : changed_) {
            if (node->is_there) find_stranded(*node);
            count(*node, 1);
            node->changed = false;
        }
        changed_.clear();
        return {time_ns, decided, pending_, in_use_, sums_};
    }
};

}  // namespace

Curves TimeSeries::curves(const std::vector<std::string> &profiles) const {
    Curves out;
    std::set<std::string> scalars;
    for (const auto &c : changes_)
        for (std::uint64_t i = 0; c.pod_after && i < c.pod_after->effective().scalars_len; ++i)
            if (c.pod_after->effective().scalars[i].value > 0)
                scalars.emplace(model::view(c.pod_after->effective().scalars[i].name));
    out.resources = {"cpu", "memory"};
    out.resources.insert(out.resources.begin() + first_scalar, scalars.begin(), scalars.end());
    std::map<Amounts, std::uint64_t> shapes;
    for (const auto &c : changes_)
        if (c.pod_after && !c.pod_before) ++shapes[Replay::amounts(c.pod_after->effective(), out.resources)];

    Replay replay(out.resources, shapes, profiles);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
        const auto &c = changes_[i];
        if (c.node_after) replay.node(*c.node_after, true);
        else if (c.node_before) replay.node(*c.node_before, false);
        if (c.pod_before) replay.pod(*c.pod_before, -1);
        if (c.pod_after) replay.pod(*c.pod_after, 1);
        const bool last = i + 1 == changes_.size();
        if (last || changes_[i + 1].time_ns != c.time_ns || changes_[i + 1].decided != c.decided)
            out.samples.push_back(replay.sample(c.time_ns, c.decided));
    }
    // What was tried in vain afterwards.
    out.samples.push_back(replay.sample(clock_.now_ns() - start_ns_, decided_()));
    return out;
}

}  // namespace berth::report
