// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin NodeResourcesFit: requests against free resources, and scores such as LeastAllocated.

#include "device_classes.h"
#include "fit_args.h"
#include "own_update.h"
#include "scored_devices.h"
#include "shortages.h"
#include "wrapping.h"

#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

namespace kubernetes {

/// PreFilter, Filter: the node has what the pod requests. Score: how full the node would be, by one of three
/// strategies.
class NodeResourcesFit {
    /// What the pod requests beside cpu, memory and ephemeral-storage, and what is checked of it: ignored resources are
    /// not.
    struct Wanted {
        struct Scalar {
            std::uint32_t place;  ///< among the pod's scalars
            std::uint32_t allocatable_column, requested_column;
            bool of_devices;  ///< DynamicResources judges the nodes that have none of it
        };
        std::vector<Scalar> scalars;        ///< that some node offers
        std::vector<std::uint32_t> absent;  ///< places of those that none does
    };
    struct ScoreRequests {
        std::vector<std::int64_t> pod;
        std::weak_ptr<const OwnColumns> of_devices;
    };
    enum class Strategy { LeastAllocated, MostAllocated, RequestedToCapacityRatio };

    const berth::Host &host_;
    Rules rules_;
    DeviceClasses classes_;
    std::set<std::string, std::less<>> ignored_, ignored_groups_;
    Strategy strategy_ = Strategy::LeastAllocated;
    std::vector<ScoredResource> resources_;
    std::unique_ptr<ScoredDevices> devices_;  ///< nullptr: none are scored
    Shape shape_;
    berth::StateKey<Wanted> wanted_;
    berth::StateKey<ScoreRequests> score_requests_;

    bool is_ignored(std::string_view name) const {
        if (!is_extended_resource(name)) return false;
        return ignored_.contains(name) || ignored_groups_.contains(name.substr(0, name.find('/')));
    }

    /// One resource's score and whether it counts.
    std::optional<std::int64_t> score_one(std::int64_t requested, std::int64_t allocatable) const {
        if (allocatable == 0) return std::nullopt;
        auto percent = [&](std::int64_t part) { return wrapping::divided(wrapping::times(part, 100), allocatable); };
        switch (strategy_) {
            case Strategy::LeastAllocated:
                return requested > allocatable ? 0 : percent(wrapping::minus(allocatable, requested));
            case Strategy::MostAllocated: return percent(std::min(requested, allocatable));
            default: {
                auto r = shape_.at(requested > allocatable ? 100 : percent(requested));
                return r > 0 ? std::optional(r) : std::nullopt;
            }
        }
    }

    using ScalarColumns = std::vector<std::pair<berth::Column, berth::Column>>;  // allocatable, requested
    static ScalarColumns scalar_columns(const Wanted &wanted, berth::Nodes nodes) {
        ScalarColumns out;
        for (const auto &s : wanted.scalars)
            out.emplace_back(nodes.column(s.allocatable_column), nodes.column(s.requested_column));
        return out;
    }

    /// Calls `fn(what, request, allocatable, used)` for all that a node is short of, except for what none offers.
    template <class Fn>
    static void each_shortage(const Wanted &wanted, const ScalarColumns &scalars, const berth_resources &want,
                              berth::Nodes nodes, std::uint32_t s, Fn fn) {
        const auto *n = nodes.raw();
        auto check = [&](std::int64_t request, std::int64_t allocatable, std::int64_t used, std::uint32_t what) {
            if (request > 0 && request > wrapping::minus(allocatable, used)) fn(what, request, allocatable, used);
        };
        check(1, n->allocatable_pods[s], n->pod_count[s], Shortages::pods);
        check(want.cpu, n->allocatable_cpu[s], n->requested_cpu[s], Shortages::cpu);
        check(want.memory, n->allocatable_memory[s], n->requested_memory[s], Shortages::memory);
        check(want.ephemeral, n->allocatable_ephemeral[s], n->requested_ephemeral[s], Shortages::ephemeral);
        for (std::size_t k = 0; k < scalars.size(); ++k) {
            const auto &scalar = wanted.scalars[k];
            auto allocatable = scalars[k].first.int64(s);
            if (allocatable > 0 || !scalar.of_devices)
                check(want.scalars[scalar.place].value, allocatable, scalars[k].second.int64(s),
                      Shortages::first_scalar + scalar.place);
        }
    }

    std::vector<std::int64_t> score_requests_of(berth::Pod pod) const {
        std::vector<std::int64_t> out;
        // Upstream's flags for pod-level and status resources are never set on this scorer: kept so.
        for (const auto &r : resources_) out.push_back(amount(pod.container_requests_nonzero(), r));
        return out;
    }

public:
    static constexpr const char *description = "Requires that the node has what the pod requests; scores by use";

    static constexpr std::array watches = ScoredDevices::watches;

    static void default_args(berth::ArgsReader &args) { FitArgs::check(args); }

    NodeResourcesFit(berth::Args args, const berth::Host &host)
        : host_(host),
          rules_(host),
          classes_(host),
          wanted_(host.state_key<Wanted>("PreFilterNodeResourcesFit")),
          score_requests_(host.state_key<ScoreRequests>("PreScoreNodeResourcesFit")) {
        auto strings = [](berth::Value list, auto &into) {
            for (std::size_t i = 0; i < list.size(); ++i) into.emplace(list.at(i).string());
        };
        strings(args["ignoredResources"], ignored_);
        strings(args["ignoredResourceGroups"], ignored_groups_);
        auto strategy = args["scoringStrategy"];
        auto type = strategy["type"].string();
        if (type == "MostAllocated") strategy_ = Strategy::MostAllocated;
        if (type == "RequestedToCapacityRatio") strategy_ = Strategy::RequestedToCapacityRatio;
        resources_ = read_resources(strategy["resources"], host);
        devices_ = ScoredDevices::of(resources_, host);
        shape_ = Shape::read(strategy["requestedToCapacityRatio"]["shape"]);
    }

    void declare(berth::Declare d) const {
        if (devices_) devices_->declare(d);
        else d.watch("resource.k8s.io", "v1", "deviceclasses");
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) const {
        Wanted wanted;
        const auto &r = pod.requests();
        std::uint32_t none = 0;  // the column of what no node offers
        for (std::uint32_t i = 0; i < r.scalars_len; ++i) {
            auto name = berth::view(r.scalars[i].name);
            if (r.scalars[i].value == 0 || is_ignored(name)) continue;
            const bool of_devices = classes_.is_of_devices(name);
            auto id = host_.column(BERTH_COLUMN_NODE_ALLOCATABLE, name);
            if (id != none && nodes.column(id).absent()) none = id;
            if (id != none)
                wanted.scalars.push_back({i, id, host_.column(BERTH_COLUMN_NODE_REQUESTED, name), of_devices});
            else if (!of_devices && r.scalars[i].value > 0) wanted.absent.push_back(i);
        }
        state.put(wanted_, std::move(wanted));
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto *wanted = state.get(wanted_);
        if (!wanted) throw std::runtime_error("error reading \"PreFilterNodeResourcesFit\" from cycleState: not found");
        const auto scalars = scalar_columns(*wanted, nodes);
        Shortages shortages(call, pod.requests(), wanted->absent);
        for (std::size_t i : call.each(slots)) {
            bool unresolvable = !wanted->absent.empty();
            shortages.clear();
            each_shortage(*wanted, scalars, pod.requests(), nodes, slots[i],
                          [&](std::uint32_t what, std::int64_t request, std::int64_t allocatable, std::int64_t) {
                              shortages.add(what);
                              unresolvable = unresolvable || (what != Shortages::pods && request > allocatable);
                          });
            if (shortages.none()) out.accept(i);
            else
                out.reject(i, unresolvable ? BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE : BERTH_STATUS_UNSCHEDULABLE,
                           shortages.reasons());
        }
    }

    void remedy(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Remedies out) const {
        const auto *wanted = state.get(wanted_);
        // A node that has none of a device at all gets it by no change of its own.
        if (!wanted || !wanted->absent.empty()) return;
        const auto &want = pod.requests();
        const auto scalars = scalar_columns(*wanted, nodes);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            std::map<std::uint32_t, std::int64_t> missing;  // as the reasons: pods first, scalars by name
            bool has_all = true;
            each_shortage(*wanted, scalars, want, nodes, slots[i],
                          [&](std::uint32_t what, std::int64_t request, std::int64_t allocatable, std::int64_t used) {
                              missing[what] = request + used - allocatable;
                              has_all = has_all && (what < Shortages::first_scalar || allocatable > 0);
                          });
            if (!has_all) continue;
            berth::Remedy remedy;
            for (const auto &[what, more] : missing)
                remedy.push_back(what == Shortages::pods
                                     ? berth::Change::pods(more)
                                     : berth::Change::resource(Shortages::resource(want, what), more));
            out.add(i, remedy);
        }
    }

    berth::Verdict pre_score(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes,
                             berth::Slots slots) const {
        auto requests = score_requests_of(pod);
        std::weak_ptr<const OwnColumns> of_devices;
        if (devices_) of_devices = devices_->columns(resources_, requests, nodes, slots, call);
        state.put(score_requests_, ScoreRequests{std::move(requests), std::move(of_devices)});
        return berth::ok;
    }

    void score(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto *kept = state.get(score_requests_);
        auto requests = kept ? kept->pod : score_requests_of(pod);
        const auto own = kept ? kept->of_devices.lock() : nullptr;
        std::vector<berth::Column> keep;
        auto columns = scored_columns(nodes, resources_, requests, true, own.get(), keep);
        for (std::size_t i : call.each(slots)) {
            std::int64_t sum = 0, weights = 0;
            for (const auto &c : columns) {
                auto r = score_one(wrapping::plus(c.used[slots[i]], c.pod), c.allocatable[slots[i]]);
                if (!r) continue;
                sum = wrapping::plus(sum, wrapping::times(*r, c.weight));
                weights += c.weight;
            }
            if (weights == 0) out[i] = 0;
            else if (strategy_ == Strategy::RequestedToCapacityRatio)
                out[i] = static_cast<std::int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
            else out[i] = wrapping::divided(sum, weights);
        }
    }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        if (devices_ && !devices_->sign(resources_, score_requests_of(pod), signature)) return false;
        const auto &want = pod.requests();
        signature.add(want);
        signature.add(pod.container_requests_nonzero());
        for (std::uint64_t i = 0; i < want.scalars_len; ++i)
            signature.add(classes_.is_of_devices(berth::view(want.scalars[i].name)));
        return true;
    }

    void events(berth::Events on) const {
        on.add_hinted("Pod", BERTH_EVENT_DELETE | BERTH_EVENT_UPDATE_POD_SCALE_DOWN);
        on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_ALLOCATABLE);
        on.add_hinted("resource.k8s.io/DeviceClass", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        bool helps = event.resource() == "Node" ? node_helps(event, pod)
                     : event.resource() == "resource.k8s.io/DeviceClass"
                         ? class_helps(event.old_object(), event.new_object(), pod)
                         : pod_helps(event, pod);
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }

private:
    bool node_helps(berth::Event event, berth::Pod pod) const {
        auto now = event.new_nodes();
        if (!now) return false;
        const auto &want = pod.requests();
        const auto *n = now->raw();
        // Would it fit the node if that were empty? Ignored resources count here, as upstream.
        if (n->allocatable_pods[0] < 1 || want.cpu > n->allocatable_cpu[0] || want.memory > n->allocatable_memory[0] ||
            want.ephemeral > n->allocatable_ephemeral[0])
            return false;
        for (std::uint64_t i = 0; i < want.scalars_len; ++i) {
            auto name = berth::view(want.scalars[i].name);
            if (want.scalars[i].value > offered(*now, name) && !left_to_devices(*now, name)) return false;
        }
        auto then = event.old_nodes();
        if (!then) return true;
        const auto *o = then->raw();
        if (n->allocatable_pods[0] > o->allocatable_pods[0] ||
            (want.cpu > 0 && n->allocatable_cpu[0] > o->allocatable_cpu[0]) ||
            (want.memory > 0 && n->allocatable_memory[0] > o->allocatable_memory[0]) ||
            (want.ephemeral > 0 && n->allocatable_ephemeral[0] > o->allocatable_ephemeral[0]))
            return true;
        for (std::uint64_t i = 0; i < want.scalars_len; ++i) {
            auto name = berth::view(want.scalars[i].name);
            if (want.scalars[i].value != 0 &&
                (offered(*now, name) > offered(*then, name) || left_to_devices(*now, name)))
                return true;
        }
        return false;
    }

    /// Whether devices may have to stand for a scalar, since the node has none of it.
    bool left_to_devices(berth::Nodes one_node, std::string_view name) const {
        return offered(one_node, name) <= 0 && classes_.is_of_devices(name);
    }

    /// Whether a class was given the name of a resource that the pod requests.
    static bool class_helps(const berth::Object &before, const berth::Object &after, berth::Pod pod) {
        auto requested = [&](std::string_view name) { return find_scalar(pod.requests(), name) != nullptr; };
        auto named = [](const berth::Object &c) { return c.at("/spec/extendedResourceName").string(); };
        if (before) return named(before) != named(after) && requested(named(after));
        return requested(named(after)) || requested(DeviceClasses::implicit_name(after.name()));
    }

    bool pod_helps(berth::Event event, berth::Pod pod) const {
        auto before = event.old_pod(), after = event.new_pod();
        if (!after)  // deleted: any pod that had or was nominated to a place
            return before && (!before->node_name().empty() || !berth::view(before->raw()->nominated_node).empty());
        if (own_update(event, pod, rules_)) return true;
        if (after->node_name().empty() || !before) return false;
        const auto &want = pod.current_requests(), &was = before->current_requests(), &is = after->current_requests();
        if ((want.cpu != 0 && was.cpu > is.cpu) || (want.memory != 0 && was.memory > is.memory) ||
            (want.ephemeral != 0 && was.ephemeral > is.ephemeral))
            return true;
        for (std::uint64_t i = 0; i < want.scalars_len; ++i) {
            auto name = berth::view(want.scalars[i].name);
            if (want.scalars[i].value != 0 && scalar_of(was, name) > scalar_of(is, name)) return true;
        }
        return false;
    }
};

}  // namespace kubernetes
