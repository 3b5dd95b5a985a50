// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "default_selector.h"
#include "domain_sums.h"
#include "natural_log.h"
#include "pod_counts.h"
#include "required_node_affinity.h"
#include "spread_args.h"
#include "spread_constraint.h"
#include "tolerations.h"

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

    /// Matching pods per domain, over the nodes that count.
    class Sums {
        std::shared_ptr<const DomainCounts> followed_;  // all nodes count
        std::shared_ptr<const std::vector<std::int64_t>> own_;
        std::vector<std::pair<std::uint32_t, std::int64_t>> changed_;  // in a dry run

    public:
        Sums() = default;
        explicit Sums(std::shared_ptr<const DomainCounts> followed) : followed_(std::move(followed)) {}
        explicit Sums(std::vector<std::int64_t> own)
            : own_(std::make_shared<const std::vector<std::int64_t>>(std::move(own))) {}
        std::int64_t of(std::uint32_t domain) const {
            std::int64_t n = followed_ ? followed_->of(domain) : own_ && domain < own_->size() ? (*own_)[domain] : 0;
            for (const auto &[d, by] : changed_)
                if (d == domain) n += by;
            return n;
        }
        void change(std::uint32_t domain, std::int64_t by) { DomainSums::change(changed_, domain, by); }
    };

    /// The two emptiest domains. As upstream, a dry run that adds and removes pods remembers no others.
    struct Emptiest {
        struct Path {
            std::uint32_t domain = TopologyKey::none;
            std::int64_t pods = INT32_MAX;
        };
        std::array<Path, 2> paths;

        void update(std::uint32_t domain, std::int64_t pods) {
            auto &[first, second] = paths;
            if (domain == first.domain || domain == second.domain) {
                (domain == first.domain ? first : second).pods = pods;
                if (first.pods > second.pods) std::swap(first, second);
            } else if (pods < first.pods) {
                second = first;
                first = {domain, pods};
            } else if (pods < second.pods) {
                second = {domain, pods};
            }
        }
    };

    // Which nodes count for a pod, as bits.
    static constexpr std::uint8_t has_keys = 1, fits_affinity = 2, fits_taints = 4;
    using NodeBits = std::vector<std::uint8_t>;  // by slot
    static bool counts(std::uint8_t bits, const SpreadConstraint &c) {
        return (bits & has_keys) && (!c.honors_affinity || (bits & fits_affinity)) &&
               (!c.honors_taints || (bits & fits_taints));
    }

    struct Hard {
        SpreadConstraint constraint;
        Key key;
        std::int64_t itself = 0;  ///< 1 if the pod matches its own selector
        Sums sums;
        std::int64_t domains = 0;
        Emptiest emptiest;

        std::int64_t least() const { return domains < constraint.min_domains ? 0 : emptiest.paths[0].pods; }
    };
    struct Filtering {
        std::vector<Hard> constraints;
        std::shared_ptr<const NodeBits> bits;  ///< null: all nodes count
    };
    struct Soft {
        Key key;
        std::shared_ptr<const PodCounter> per_node;  ///< of the hostname; null where nothing is counted
        bool hostname = false;
        Sums sums;
        double weight = 0, tolerance = 0;
    };
    struct Scoring {
        std::vector<Soft> constraints;
        std::vector<std::uint32_t> ignored;  ///< feasible nodes without all keys, sorted
        bool ignores(std::uint32_t slot) const { return std::binary_search(ignored.begin(), ignored.end(), slot); }
    };

    const berth::Host &host_;
    Constraints defaults_;
    bool system_defaults_;
    std::uint32_t taints_;
    berth::StateKey<Filtering> filtering_;
    berth::StateKey<Scoring> scoring_;
    std::optional<DefaultSelector> default_selector_;

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

    static berth::Value own_list(berth::Pod pod) { return pod.at("/spec/topologySpreadConstraints"); }

    /// A pod that has more constraints is not read anew for every event, and no further than need be.
    static constexpr std::size_t many = 64;
    bool has_many(berth::Pod pod) const { return own_list(pod).size() > many; }
    const SpreadHints &hints_of(berth::Pod pod) const { return host_.prepared<SpreadHints>(pod.raw()->obj); }

    /// The pod's own ones. Of very many only those up to the first whose key no node has: no node is looked at beyond
    /// it.
    Constraints own_of(berth::Pod pod, bool hard, const berth::Nodes *nodes) const {
        auto list = own_list(pod);
        if (!nodes || !has_many(pod) || (hard ? hints_of(pod).fault : hints_of(pod).soft_fault))
            return SpreadConstraint::own_list(list, pod.labels(), hard);
        Constraints out;
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto c = SpreadConstraint::own(list.at(i), pod.labels(), hard);
            if (!c) continue;
            out.push_back(std::move(*c));
            if (nodes->column(host_.column(BERTH_COLUMN_NODE_LABEL, out.back().key)).absent()) break;
        }
        return out;
    }

    /// The pod's constraints of a kind, or the default ones. Throws if a selector cannot be parsed.
    Constraints constraints_of(berth::Pod pod, bool hard, const berth::Nodes *nodes = nullptr) {
        if (own_list(pod).size() > 0) {
            try {
                return own_of(pod, hard, nodes);
            } catch (const std::runtime_error &e) {
                throw std::runtime_error(std::string("obtaining pod's ") + (hard ? "hard" : "soft") +
                                         " topology spread constraints: " + e.what());
            }
        }
        Constraints out;
        for (const auto &c : defaults_)
            if (c.hard == hard) out.push_back(c);
        if (out.empty()) return out;
        const auto &selector = default_selector_->of(pod);
        if (selector.empty()) return {};
        for (auto &c : out) c.selector = selector;
        return out;
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
    /// No node has all of them.
    static bool nowhere(std::span<const Key> keys) {
        return std::find(keys.begin(), keys.end(), Topology::nowhere()) != keys.end();
    }

    /// Which nodes count; null if all do.
    std::shared_ptr<const NodeBits> bits(berth::Pod pod, berth::Nodes nodes, const Constraints &constraints,
                                         std::span<const Key> needed) {
        if (nowhere(needed)) return std::make_shared<NodeBits>(nodes.slots());
        auto any = [&](auto what) { return std::any_of(constraints.begin(), constraints.end(), what); };
        RequiredNodeAffinity stated;
        if (any([](const auto &c) { return c.honors_affinity; })) stated = RequiredNodeAffinity::read(pod);
        bool taints = any([](const auto &c) { return c.honors_taints; });
        bool keys =
            std::any_of(needed.begin(), needed.end(), [&](const Key &key) { return key->nodes_with < nodes.count(); });
        if (stated.none() && !taints && !keys) return nullptr;
        const RequiredOfNodes affinity(stated, host_, nodes);
        LabelReader labels{nodes, affinity.columns};
        auto column = nodes.column(taints_);
        auto dict = column.dict<berth_taint>();
        std::vector<std::uint8_t> untolerated(taints ? dict.size() : 0);
        for (std::size_t i = 0; i < untolerated.size(); ++i)
            untolerated[i] = forbids(dict[i]) && !tolerated(pod.tolerations(), dict[i]);
        auto out = std::make_shared<NodeBits>(nodes.slots());
        for (auto slot : nodes.order()) {
            auto &b = (*out)[slot];
            if (std::all_of(needed.begin(), needed.end(),
                            [&](const Key &key) { return key->of(slot) != TopologyKey::none; }))
                b |= has_keys;
            if (affinity.matches(labels, slot)) b |= fits_affinity;
            auto codes = column.codes(slot);
            if (!taints || std::none_of(codes.begin(), codes.end(), [&](auto code) { return untolerated[code] != 0; }))
                b |= fits_taints;
        }
        return out;
    }

    Hard hard(SpreadConstraint &&c, const Key &of, berth::Pod pod, berth::Nodes nodes, const NodeBits *bits) {
        Hard out;
        const auto &key = *of;
        out.key = of;
        out.itself = c.selector.matches(pod.labels());
        auto counted = counter(pod, c, nodes);
        if (!bits) {
            if (counted) out.sums = Sums(counted->by(of));
            for (std::uint32_t d = 0; d < key.nodes.size(); ++d)
                if (key.nodes[d] > 0) out.emptiest.update(d, out.sums.of(d));
            out.domains = key.domains;
        } else {
            std::vector<std::int64_t> sums(key.nodes.size());
            std::vector<std::uint8_t> there(key.nodes.size());
            for (auto slot : nodes.order()) {
                if (!counts((*bits)[slot], c)) continue;
                there[key.of(slot)] = 1;
                if (counted) sums[key.of(slot)] += counted->of(slot);
            }
            for (std::uint32_t d = 0; d < sums.size(); ++d) {
                if (!there[d]) continue;
                ++out.domains;
                out.emptiest.update(d, sums[d]);
            }
            out.sums = Sums(std::move(sums));
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
    static Sums soft_sums(const SpreadConstraint &c, const TopologyKey &key, berth::Nodes nodes,
                          const PodCounter &counted, const NodeBits *bits) {
        std::vector<std::int64_t> sums(key.width());
        for (auto slot : nodes.order()) {
            if (bits && !counts((*bits)[slot], c)) continue;
            auto domain = key.of(slot);
            if (domain == TopologyKey::none) domain = key.empty_value;
            if (domain != TopologyKey::none) sums[domain] += counted.of(slot);
        }
        return Sums(std::move(sums));
    }

    berth::Verdict changed(berth::State state, berth::Pod pod, berth::Pod other, berth::Node node,
                           std::int64_t n) const;
    SpreadHints hints_now(berth::Pod pod);
    berth::Hint hint_of_pod(berth::Event event, berth::Pod pod);
    berth::Hint hint_of_node(berth::Event event, berth::Pod pod);

public:
    static constexpr const char *description = "Spreads pods over zones, nodes and other domains";
    static constexpr const char *watches[] = {"v1/services", "v1/replicationcontrollers", "apps/v1/replicasets",
                                              "apps/v1/statefulsets"};

    static void default_args(berth::ArgsReader &args) { default_spread_args(args); }

    PodTopologySpread(berth::Args args, const berth::Host &host)
        : host_(host),
          system_defaults_(args.string("defaultingType", "System") == "System"),
          taints_(host.column(BERTH_COLUMN_NODE_TAINTS)),
          filtering_(host.state_key<Filtering>("PreFilterPodTopologySpread")),
          scoring_(host.state_key<Scoring>("PreScorePodTopologySpread")) {
        auto add = [&](const char *key, std::int64_t skew) {
            auto &c = defaults_.emplace_back();
            c.key = key;
            c.max_skew = skew;
        };
        if (system_defaults_) {
            add("kubernetes.io/hostname", 3);
            add("topology.kubernetes.io/zone", 5);
        } else {
            auto list = args["defaultConstraints"];
            for (std::size_t i = 0; i < list.size(); ++i) defaults_.push_back(SpreadConstraint::read(list.at(i)));
        }
        if (!defaults_.empty()) default_selector_.emplace(host);
    }

    void declare(berth::Declare d) const {
        if (default_selector_) DefaultSelector::declare(d);
    }

    SpreadHints prepare(berth::Object pod) const {
        return SpreadHints::read(pod.at("/spec/topologySpreadConstraints"), pod.labels());
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) {
        Constraints constraints;
        try {
            constraints = constraints_of(pod, true, &nodes);
        } catch (const std::runtime_error &e) {
            return berth::error(std::string("get constraints from pod: ") + e.what());
        }
        if (constraints.empty()) return berth::skip();
        follow(nodes);
        auto keys = keys_of(constraints, nodes);
        Filtering out;
        out.bits = bits(pod, nodes, constraints, keys);
        const bool none = nowhere(keys);
        for (std::size_t i = 0; i < constraints.size(); ++i) {
            if (none) out.constraints.push_back(uncounted(std::move(constraints[i]), keys[i], pod));
            else out.constraints.push_back(hard(std::move(constraints[i]), keys[i], pod, nodes, out.bits.get()));
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
            constraints = constraints_of(pod, false, &nodes);
        } catch (const std::runtime_error &e) {
            return berth::error(std::string("calculating preScoreState: ") + e.what());
        }
        if (constraints.empty()) return berth::skip();
        follow(nodes);
        // The system's defaults spread over the nodes of a cluster that has no zones, too.
        bool need_all = own_list(pod).size() > 0 || !system_defaults_;
        auto keys = keys_of(constraints, nodes);
        Scoring out;
        if (need_all)
            for (auto slot : slots)
                if (std::any_of(keys.begin(), keys.end(),
                                [&](const Key &key) { return key->of(slot) == TopologyKey::none; }))
                    out.ignored.push_back(slot);
        std::sort(out.ignored.begin(), out.ignored.end());
        if (need_all && nowhere(keys)) {  // no node is scored
            state.put(scoring_, std::move(out));
            return berth::ok;
        }
        auto counted_nodes = bits(pod, nodes, constraints, need_all ? std::span(keys) : std::span(keys).first(0));
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
            else if (!counted_nodes && !joins) soft.sums = Sums(counted->by(keys[i]));
            else soft.sums = soft_sums(c, key, nodes, *counted, counted_nodes.get());
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
        return event.resource() == "Node" ? hint_of_node(event, pod) : hint_of_pod(event, pod);
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
        if (need->bits && !counts((*need->bits)[node.slot()], c.constraint)) continue;
        auto domain = c.key->of(node.slot());
        c.sums.change(domain, n);
        c.emptiest.update(domain, c.sums.of(domain));
    }
    return berth::ok;
}

/// Two lists say the same; none and an empty one are equal.
inline bool same_list(berth::Value a, berth::Value b) {
    return a.size() == 0 ? b.size() == 0 : berth::json(a) == berth::json(b);
}

/// The hard constraints as hints ask them; of default ones the selector may change with every Service.
inline SpreadHints PodTopologySpread::hints_now(berth::Pod pod) {
    SpreadHints out;
    std::set<std::string> seen;
    try {
        for (auto &c : constraints_of(pod, true)) out.take(std::move(c), seen);
    } catch (const std::runtime_error &) {
        out.fault = true;
    }
    return out;
}

inline berth::Hint PodTopologySpread::hint_of_pod(berth::Event event, berth::Pod pod) {
    auto before = event.old_pod(), after = event.new_pod();
    auto irrelevant = [&](const std::optional<berth::Pod> &p) {
        if (!p || p->uid() == pod.uid()) return false;
        return (p->node_name().empty() && p->nominated_node().empty()) || p->name_space() != pod.name_space();
    };
    if (irrelevant(after) || irrelevant(before)) return berth::Hint::Skip;
    std::optional<SpreadHints> defaults;
    if (own_list(pod).size() == 0) defaults = hints_now(pod);
    const auto &constraints = defaults ? *defaults : hints_of(pod);
    if (constraints.fault) return berth::Hint::Error;
    auto any = [&](auto what) {
        return std::any_of(constraints.selectors.begin(), constraints.selectors.end(), what) ? berth::Hint::Queue
                                                                                             : berth::Hint::Skip;
    };
    if (!before || !after) {
        auto labels = (after ? after : before)->labels();
        return any([&](const LabelSelector &s) { return s.matches(labels); });
    }
    constexpr std::string_view tolerations = "/spec/tolerations";
    if (after->uid() == pod.uid() && constraints.honors_taints &&
        !same_list(before->at(tolerations), after->at(tolerations)))
        return berth::Hint::Queue;
    return any([&](const LabelSelector &s) { return s.matches(before->labels()) != s.matches(after->labels()); });
}

inline berth::Hint PodTopologySpread::hint_of_node(berth::Event event, berth::Pod pod) {
    std::optional<SpreadHints> defaults;
    if (own_list(pod).size() == 0) defaults = hints_now(pod);
    const auto &constraints = defaults ? *defaults : hints_of(pod);
    if (constraints.fault) return berth::Hint::Error;
    auto before = event.old_node(), after = event.new_node();
    auto labels_of = [](const std::optional<berth::Node> &node) {
        return node ? node->at("/metadata/labels") : berth::Value{};
    };
    const auto old_labels = labels_of(before), labels = labels_of(after);
    auto all = [&](auto holds) { return std::all_of(constraints.keys.begin(), constraints.keys.end(), holds); };
    bool was = before && all([&](const std::string &key) { return bool(old_labels[key]); });
    bool is = after && all([&](const std::string &key) { return bool(labels[key]); });
    bool helps = was || is;
    if (was && is)
        helps = !all([&](const std::string &key) { return old_labels[key].string() == labels[key].string(); }) ||
                !same_list(before->at("/spec/taints"), after->at("/spec/taints"));
    return helps ? berth::Hint::Queue : berth::Hint::Skip;
}

}  // namespace kubernetes
