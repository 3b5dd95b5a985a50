// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin PodTopologySpread: topologySpreadConstraints with maxSkew, in Filter and Score.

#include "natural_log.h"
#include "pod_counts.h"
#include "spread_args.h"
#include "spread_hints.h"
#include "spread_nodes.h"
#include "spread_sums.h"

#include <cmath>

namespace kubernetes {

/// PreFilter, Filter: no domain may hold more matching pods than the emptiest one by more than maxSkew. PreScore,
/// Score: the fewer matching pods in a node's domains, the better. Pods without constraints of their own get default
/// ones.
///
/// Pods per selector and node follow the changes of the snapshot; where all nodes count, so do the sums per domain.
class PodTopologySpread {
    using Constraints = std::vector<SpreadConstraint>;
    using Key = std::shared_ptr<const TopologyKey>;

    struct Hard {
        SpreadConstraint constraint;
        Key key;
        std::int64_t itself = 0;  ///< 1 if the pod matches its own selector
        SpreadSums sums;
        std::int64_t domains = 0;
        EmptiestDomains emptiest;

        std::int64_t least() const { return domains < constraint.min_domains ? 0 : emptiest.paths[0].pods; }
    };
    struct Filtering {
        std::vector<Hard> constraints;
        SpreadNodes nodes;
    };
    struct Soft {
        Key key;
        std::shared_ptr<const PodCounter> per_node;  ///< of the hostname; null where nothing is counted
        bool hostname = false;
        SpreadSums sums;
        double weight = 0, tolerance = 0;
    };
    struct Scoring {
        std::vector<Soft> constraints;
        std::vector<std::uint32_t> ignored;  ///< feasible nodes without all keys, sorted
        bool ignores(std::uint32_t slot) const { return std::binary_search(ignored.begin(), ignored.end(), slot); }
    };

    const berth::Host &host_;
    Rules rules_;
    SpreadConstraints constraints_;
    std::uint32_t taints_;
    berth::StateKey<Filtering> filtering_;
    berth::StateKey<Scoring> scoring_;

    Topology topology_;
    PodCounts counts_;
    PodFollower follower_;

    struct Listener {
        PodTopologySpread &of;
        berth::Nodes nodes;

        void restart() const {
            of.counts_.clear();
            of.topology_.refill(of.host_, nodes);
        }
        void left(std::uint32_t, const PlacedPod &pod) const { of.counts_.left(pod, nodes.pods()); }
        void nodes_changed(std::span<const std::uint32_t> slots) const {
            of.topology_.read(of.host_, nodes, slots,
                              [&](const TopologyKey &key, std::uint32_t slot, std::uint32_t from, std::uint32_t to) {
                                  of.counts_.moved(key, slot, from, to);
                              });
        }
        void came(std::uint32_t, const PlacedPod &pod) const { of.counts_.came(pod, nodes.pods()); }
    };
    void follow(berth::Nodes nodes) {
        if (!topology_.same_domains(host_, nodes)) follower_.forget();
        Listener listener{*this, nodes};
        follower_.follow(host_, nodes, listener);
    }

    /// Pods of the namespace that match, terminating ones excepted. Null for a selector of everything: upstream counts
    /// nothing then.
    std::shared_ptr<PodCounter> counter(berth::Pod pod, const SpreadConstraint &c, berth::Nodes nodes) {
        if (c.selector.empty()) return nullptr;
        PodFilter filter{{{{false, {std::string(pod.name_space())}}, c.selector}}, false};
        return counts_.of(filter, follower_.rows(), nodes.pods());
    }

    std::vector<Key> keys_of(const Constraints &constraints, berth::Nodes nodes) {
        std::vector<Key> keys;
        for (const auto &c : constraints) keys.push_back(topology_.key(host_, nodes, c.key));
        return keys;
    }
    Hard hard(SpreadConstraint &&c, const Key &of, berth::Pod pod, berth::Nodes nodes, const SpreadNodes &counting) {
        Hard out;
        const auto &key = *of;
        out.key = of;
        out.itself = c.selector.matches(pod.labels());
        auto counted = counter(pod, c, nodes);
        if (counting.all()) {
            if (counted) out.sums = SpreadSums(counted->by(of));
            for (std::uint32_t d = 0; d < key.nodes.size(); ++d)
                if (key.nodes[d] > 0) out.emptiest.update(d, out.sums.of(d));
            out.domains = key.domains;
        } else {
            std::vector<std::int64_t> sums(key.nodes.size());
            std::vector<std::uint8_t> there(key.nodes.size());
            for (auto slot : nodes.order()) {
                if (!counting.count(slot, c)) continue;
                there[key.of(slot)] = 1;
                if (counted) sums[key.of(slot)] += counted->of(slot);
            }
            for (std::uint32_t d = 0; d < sums.size(); ++d) {
                if (!there[d]) continue;
                ++out.domains;
                out.emptiest.update(d, sums[d]);
            }
            out.sums = SpreadSums(std::move(sums));
        }
        out.constraint = std::move(c);
        return out;
    }

    /// Where no node counts.
    static Hard uncounted(SpreadConstraint &&c, const Key &key, berth::Pod pod) {
        Hard out;
        out.key = key;
        out.itself = c.selector.matches(pod.labels());
        out.constraint = std::move(c);
        return out;
    }

    /// Over how many domains the feasible nodes are spread. A node without the key, which only the system's defaults
    /// admit, is in the domain of the value "".
    static std::size_t domains_of(const TopologyKey &key, berth::Slots slots, const Scoring &scoring) {
        std::vector<std::uint8_t> seen(key.width() + 1);
        std::size_t n = 0;
        for (auto slot : slots) {
            if (scoring.ignores(slot)) continue;
            auto domain = key.of(slot);
            if (domain == TopologyKey::none) domain = key.empty_value;
            auto &s = domain == TopologyKey::none ? seen.back() : seen[domain];
            if (!s) ++n;
            s = 1;
        }
        return n;
    }

    /// The sums of a soft constraint where not all nodes count.
    static SpreadSums soft_sums(const SpreadConstraint &c, const TopologyKey &key, berth::Nodes nodes,
                                const PodCounter &counted, const SpreadNodes &counting) {
        std::vector<std::int64_t> sums(key.width());
        for (auto slot : nodes.order()) {
            if (!counting.count(slot, c)) continue;
            auto domain = key.of(slot);
            if (domain == TopologyKey::none) domain = key.empty_value;
            if (domain != TopologyKey::none) sums[domain] += counted.of(slot);
        }
        return SpreadSums(std::move(sums));
    }

    berth::Verdict changed(berth::State state, berth::Pod pod, berth::Pod other, berth::Node node,
                           std::int64_t n) const;

public:
    static constexpr const char *description = "Spreads pods over zones, nodes and other domains";
    static constexpr const char *watches[] = {"v1/services", "v1/replicationcontrollers", "apps/v1/replicasets",
                                              "apps/v1/statefulsets"};

    static void default_args(berth::ArgsReader &args) { default_spread_args(args); }

    PodTopologySpread(berth::Args args, const berth::Host &host)
        : host_(host),
          rules_(host),
          constraints_(args, host),
          taints_(host.column(BERTH_COLUMN_NODE_TAINTS)),
          filtering_(host.state_key<Filtering>("PreFilterPodTopologySpread")),
          scoring_(host.state_key<Scoring>("PreScorePodTopologySpread")) {}

    void declare(berth::Declare d) const { constraints_.declare(d); }

    SpreadHints prepare(berth::Object pod) const { return SpreadConstraints::prepare(pod); }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) {
        Constraints constraints;
        try {
            constraints = constraints_.of(pod, true, &nodes);
        } catch (const std::runtime_error &e) {
            return berth::error(std::string("get constraints from pod: ") + e.what());
        }
        if (constraints.empty()) return berth::skip();
        follow(nodes);
        auto keys = keys_of(constraints, nodes);
        Filtering out;
        out.nodes = SpreadNodes::of(pod, host_, nodes, taints_, constraints, keys);
        const bool none = SpreadNodes::have_no_node(keys);
        for (std::size_t i = 0; i < constraints.size(); ++i) {
            if (none) out.constraints.push_back(uncounted(std::move(constraints[i]), keys[i], pod));
            else out.constraints.push_back(hard(std::move(constraints[i]), keys[i], pod, nodes, out.nodes));
        }
        state.put(filtering_, std::move(out));
        return berth::ok;
    }

    berth::Verdict add_pod(berth::Call, berth::State state, berth::Pod pod, berth::Pod other, berth::Node node) const {
        return changed(state, pod, other, node, 1);
    }
    berth::Verdict remove_pod(berth::Call, berth::State state, berth::Pod pod, berth::Pod other,
                              berth::Node node) const {
        return changed(state, pod, other, node, -1);
    }

    void filter(berth::Call call, berth::State state, berth::Pod, berth::Nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto *need = state.get(filtering_);
        if (!need) throw std::runtime_error("reading \"PreFilterPodTopologySpread\" from cycleState: not found");
        std::vector<std::int64_t> most;  // pods that a domain may hold already
        for (const auto &c : need->constraints) most.push_back(c.constraint.max_skew + c.least() - c.itself);
        for (std::size_t i : call.each(slots)) {
            out.accept(i);
            for (std::size_t k = 0; k < need->constraints.size(); ++k) {
                const auto &c = need->constraints[k];
                auto domain = c.key->of(slots[i]);
                if (domain == TopologyKey::none)
                    out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE,
                               call.reason("node(s) didn't match pod topology spread constraints (missing required "
                                           "label)"));
                else if (c.sums.of(domain) > most[k])
                    out.reject(i, BERTH_STATUS_UNSCHEDULABLE,
                               call.reason("node(s) didn't match pod topology spread constraints"));
                else continue;
                break;
            }
        }
    }

    berth::Verdict pre_score(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots) {
        if (nodes.count() == 0) return berth::skip();
        Constraints constraints;
        try {
            constraints = constraints_.of(pod, false, &nodes);
        } catch (const std::runtime_error &e) {
            return berth::error(std::string("calculating preScoreState: ") + e.what());
        }
        if (constraints.empty()) return berth::skip();
        follow(nodes);
        // The system's defaults spread over the nodes of a cluster that has no zones, too.
        const bool need_all = !constraints_.are_system_defaults(pod);
        auto keys = keys_of(constraints, nodes);
        Scoring out;
        if (need_all)
            for (auto slot : slots)
                if (std::any_of(keys.begin(), keys.end(),
                                [&](const Key &key) { return key->of(slot) == TopologyKey::none; }))
                    out.ignored.push_back(slot);
        std::sort(out.ignored.begin(), out.ignored.end());
        if (need_all && SpreadNodes::have_no_node(keys)) {  // no node is scored
            state.put(scoring_, std::move(out));
            return berth::ok;
        }
        const auto counting = SpreadNodes::of(pod, host_, nodes, taints_, constraints,
                                              need_all ? std::span(keys) : std::span(keys).first(0));
        for (std::size_t i = 0; i < constraints.size(); ++i) {
            const auto &c = constraints[i];
            const auto &key = *keys[i];
            auto &soft = out.constraints.emplace_back();
            soft.key = keys[i];
            soft.hostname = c.key == SpreadConstraint::hostname;
            soft.tolerance = static_cast<double>(c.max_skew - 1);
            auto size = soft.hostname ? slots.size() - out.ignored.size() : domains_of(key, slots, out);
            soft.weight = natural_log(static_cast<double>(size + 2));
            auto counted = counter(pod, c, nodes);
            if (!counted) continue;
            // A node without the key adds to the domain of "", if there is such a one.
            bool joins = key.nodes_with < nodes.count() && key.empty_value != TopologyKey::none;
            if (soft.hostname) soft.per_node = counted;
            else if (counting.all() && !joins) soft.sums = SpreadSums(counted->by(keys[i]));
            else soft.sums = soft_sums(c, key, nodes, *counted, counting);
        }
        state.put(scoring_, std::move(out));
        return berth::ok;
    }

    void score(berth::Call call, berth::State state, berth::Pod, berth::Nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto *likes = state.get(scoring_);
        if (!likes) throw std::runtime_error("error reading \"PreScorePodTopologySpread\" from cycleState: not found");
        for (std::size_t i : call.each(slots)) {
            out[i] = 0;
            if (likes->ignores(slots[i])) continue;
            double sum = 0;
            for (const auto &c : likes->constraints) {
                auto domain = c.key->of(slots[i]);
                if (domain == TopologyKey::none) continue;
                std::int64_t n = c.hostname ? (c.per_node ? c.per_node->of(slots[i]) : 0) : c.sums.of(domain);
                // maxSkew - 1 waters down small differences between domains.
                sum += static_cast<double>(n) * c.weight + c.tolerance;
            }
            out[i] = static_cast<std::int64_t>(std::round(sum));
        }
    }

    void normalize(berth::Call, berth::State state, berth::Pod, berth::Nodes, berth::Slots slots,
                   berth::Scores scores) const {
        const auto *likes = state.get(scoring_);
        if (!likes) throw std::runtime_error("error reading \"PreScorePodTopologySpread\" from cycleState: not found");
        std::int64_t least = INT64_MAX, greatest = 0;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (likes->ignores(slots[i])) continue;
            least = std::min(least, scores[i]);
            greatest = std::max(greatest, scores[i]);
        }
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (likes->ignores(slots[i])) scores[i] = 0;
            else scores[i] = greatest == 0 ? 100 : 100 * (greatest + least - scores[i]) / greatest;
        }
    }

    void events(berth::Events on) const {
        on.add_hinted("Pod", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_POD_LABEL | BERTH_EVENT_UPDATE_POD_TOLERATION |
                                 BERTH_EVENT_DELETE);
        on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_DELETE | BERTH_EVENT_UPDATE_NODE_LABEL |
                                  BERTH_EVENT_UPDATE_NODE_TAINT);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) {
        return event.resource() == "Node" ? spread_hint_of_node(event, pod, constraints_)
                                          : spread_hint_of_pod(event, pod, constraints_, rules_);
    }
};

/// A dry run added another pod to the node, or removed it. As upstream, one that is terminating counts here,
/// and a selector of everything matches.
inline berth::Verdict PodTopologySpread::changed(berth::State state, berth::Pod pod, berth::Pod other, berth::Node node,
                                                 std::int64_t n) const {
    auto *need = state.get(filtering_);
    if (!need) return berth::error("reading \"PreFilterPodTopologySpread\" from cycleState: not found");
    if (other.name_space() != pod.name_space()) return berth::ok;
    for (auto &c : need->constraints) {
        if (!c.constraint.selector.matches(other.labels())) continue;
        if (!need->nodes.count(node.slot(), c.constraint)) continue;
        auto domain = c.key->of(node.slot());
        c.sums.change(domain, n);
        c.emptiest.update(domain, c.sums.of(domain));
    }
    return berth::ok;
}

}  // namespace kubernetes
