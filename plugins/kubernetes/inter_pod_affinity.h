// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin InterPodAffinity: required and preferred pod affinity and anti-affinity.

#include "domain_sums.h"
#include "existing_terms.h"
#include "own_update.h"
#include "pod_counts.h"
#include "release.h"

#include <berth/remembered.hpp>

#include <map>

namespace kubernetes {

/// PreFilter, Filter: required pod affinity and anti-affinity, of the pod and of those that are placed. PreScore,
/// Score: the preferred ones of both, and the required affinity of placed pods.
///
/// Nothing is counted anew for a pod: the counts of pods per term and domain follow the changes of the snapshot.
class InterPodAffinity {
    /// Terms of a pod in a dry run with a key that no placed pod and no pod in an attempt has named before.
    struct Elsewhere {
        std::string key, value;
        std::int64_t n;
    };
    struct Required {
        std::shared_ptr<const PodAffinityTerms> terms;
        std::vector<std::pair<std::string, std::string>> namespace_labels;  ///< of the pod's own namespace
        SumsByKey affinity, anti_affinity, existing;
        std::vector<Elsewhere> elsewhere;
        bool matches_itself = false;  ///< the pod matches all its own affinity terms
    };
    struct Preferred {
        WeightedCounts weighted;
    };

    const berth::Host &host_;
    Rules rules_;
    std::int64_t hard_weight_;
    bool ignores_existing_preferences_;
    berth::Kind namespaces_;
    berth::StateKey<Required> required_;
    berth::StateKey<Preferred> preferred_;

    Topology topology_;
    PodCounts counts_;
    ExistingTerms existing_;
    PodFollower follower_;
    std::uint64_t namespaces_version_ = 0, label_keys_ = 0;
    berth::Remembered<std::vector<std::string>> selected_;  ///< namespaces, by the selector's text

    /// Applies the changes of the snapshot to the counts.
    struct Listener {
        InterPodAffinity &of;
        berth::Nodes nodes;

        void restart() const {
            of.counts_.clear();
            of.existing_.clear();
            of.topology_.refill(of.host_, nodes);
        }
        void left(std::uint32_t row, const PlacedPod &pod) const {
            of.counts_.left(pod, nodes.pods());
            of.existing_.left(row, pod.slot);
        }
        void nodes_changed(std::span<const std::uint32_t> slots) const {
            of.topology_.read(of.host_, nodes, slots,
                              [&](const TopologyKey &key, std::uint32_t slot, std::uint32_t from, std::uint32_t to) {
                                  of.counts_.moved(key, slot, from, to);
                                  of.existing_.moved(key, nodes.pods().on(slot), from, to);
                              });
        }
        void came(std::uint32_t row, const PlacedPod &pod) const {
            of.counts_.came(pod, nodes.pods());
            if (pod.flags & BERTH_FLAG_POD_HAS_AFFINITY) of.read_terms(nodes, row, pod.slot);
        }
    };

    using Key = std::shared_ptr<const TopologyKey>;
    /// Nothing for a key that no node has.
    Key key(berth::Nodes nodes, std::string_view name) {
        auto found = topology_.key(host_, nodes, name);
        return found == Topology::nowhere() ? nullptr : found;
    }

    void read_terms(berth::Nodes nodes, std::uint32_t row, std::uint32_t slot) {
        existing_.came(row, slot, PodAffinityTerms::read(nodes.pods()[row]),
                       [&](std::string_view name) { return key(nodes, name); });
    }

    /// Nodes have other label keys than before: terms that said nothing may say something now.
    void read_unsaid_terms(berth::Nodes nodes) {
        for (auto row : existing_.unsaid()) {
            auto pod = nodes.pods()[row];
            if (!PodAffinityTerms::any_key(pod, [&](std::string_view name) { return key(nodes, name) != nullptr; }))
                continue;
            auto slot = follower_.rows()[row].slot;
            existing_.left(row, slot);
            read_terms(nodes, row, slot);
        }
    }

    void follow(berth::Nodes nodes) {
        if (!topology_.same_domains(host_, nodes)) follower_.forget();
        Listener listener{*this, nodes};
        follower_.follow(host_, nodes, listener);
        if (std::exchange(label_keys_, nodes.label_keys_version()) != nodes.label_keys_version())
            read_unsaid_terms(nodes);
        auto version = host_.version_of(namespaces_);
        if (version == namespaces_version_) return;
        namespaces_version_ = version;
        existing_.forget_matches();
        selected_.clear();
    }

    std::span<const berth_label> labels_of(std::string_view name_space) const {
        auto object = host_.get(namespaces_, {}, name_space);
        return object ? object.labels() : std::span<const berth_label>{};
    }

    void select(const LabelSelector &selector, std::vector<std::string> &names) {
        host_.each(namespaces_, {}, [&](const berth::Object &n) {
            if (!selector.matches(n.labels())) return;
            names.emplace_back(n.name());
            selected_.grow(names.back().size() + sizeof(std::string));
        });
    }
    /// Adds the namespaces that a term's selector selects now to those it names. In 1.36, whose helper is handed the
    /// term by value, the selector itself stays behind: for pods, which it meets without their namespace's labels, one
    /// of NotIn or DoesNotExist means all namespaces. Since 1.37 an empty one alone stays.
    void name_namespaces(std::vector<PodAffinityTerm> &terms) {
        for (auto &term : terms) {
            auto &selector = term.namespace_selector;
            term.namespaces.all =
                rules_.selected_namespaces_only ? selector.empty() : selector.matches(std::span<const berth_label>{});
            if (selector.is_nothing() || term.namespaces.all) continue;
            std::string text;
            kubernetes::write(selector, text);
            auto [names, fresh] = selected_.of(std::move(text));
            if (fresh) select(selector, names);
            term.namespaces.add(names);
            if (rules_.selected_namespaces_only) selector = LabelSelector::nothing();
        }
    }

    static DomainSums &by(SumsByKey &sums, const Key &key) {
        for (auto &s : sums)
            if (s.key == key) return s;
        sums.push_back({key, {}, {}});
        return sums.back();
    }

    std::shared_ptr<PodCounter> counter(std::span<const PodAffinityTerm> all_of, berth::Nodes nodes) {
        PodFilter filter;
        for (const auto &term : all_of) filter.parts.push_back({term.namespaces, term.selector});
        return counts_.of(filter, follower_.rows(), nodes.pods());
    }

    /// A pod that matches all terms counts in the domains of each.
    void find_affinity(SumsByKey &sums, const std::vector<PodAffinityTerm> &terms, berth::Nodes nodes) {
        std::vector<Key> keys;
        for (const auto &term : terms) {
            keys.push_back(key(nodes, term.key));
            if (keys.back()) continue;
            sums.push_back({Topology::nowhere(), {}, {}});  // no node has all keys
            return;
        }
        auto counted = counter(terms, nodes);
        for (const auto &of : keys) {
            auto &there = by(sums, of);
            if (there.parts.empty()) there.parts.push_back(counted->by(of));
        }
    }

    static bool matches_all(const std::vector<PodAffinityTerm> &terms, berth::Pod pod) {
        return !terms.empty() && std::all_of(terms.begin(), terms.end(), [&](const PodAffinityTerm &t) {
            return t.matches(pod.name_space(), pod.labels(), {});
        });
    }

    static bool matches_any(const std::vector<PodAffinityTerm> &terms, berth::Pod pod) {
        return std::any_of(terms.begin(), terms.end(),
                           [&](const PodAffinityTerm &t) { return t.matches(pod.name_space(), pod.labels(), {}); });
    }
    /// Whether terms of anti-affinity count as kept off by that pod, for hints.
    bool avoid(const std::vector<PodAffinityTerm> &terms, berth::Pod pod) const {
        return rules_.any_anti_affinity_term_wakes ? matches_any(terms, pod) : matches_all(terms, pod);
    }

    berth::Verdict changed(berth::State state, berth::Pod pod, berth::Pod other, berth::Node node,
                           std::int64_t n) const;
    const PodAffinityHints &hints_of(berth::Pod pod) const { return host_.prepared<PodAffinityHints>(pod.raw()->obj); }
    berth::Hint hint_of_pod(berth::Event event, berth::Pod pod) const;
    berth::Hint hint_of_node(berth::Event event, berth::Pod pod) const;

public:
    static constexpr const char *description = "Honours affinity and anti-affinity between pods";
    static constexpr const char *watches[] = {"v1/namespaces"};

    static void default_args(berth::ArgsReader &args) {
        auto weight = args.field("hardPodAffinityWeight");
        auto n = weight.is_null() ? 1 : weight.integer().value_or(-1);
        if (!weight.is_null() && !weight.integer())
            args.error("hardPodAffinityWeight",
                       "expected a whole number, got " + std::string(berth::kind_name(weight)));
        else if (n < 0 || n > 100)
            args.error("hardPodAffinityWeight",
                       "Invalid value: " + std::to_string(n) + ": not in valid range [0, 100]");
        args.set("hardPodAffinityWeight", std::to_string(n));
        args.boolean("ignorePreferredTermsOfExistingPods", false);
    }

    InterPodAffinity(berth::Args args, const berth::Host &host)
        : host_(host),
          rules_(host),
          hard_weight_(args.integer("hardPodAffinityWeight", 1)),
          ignores_existing_preferences_(args.boolean("ignorePreferredTermsOfExistingPods", false)),
          namespaces_(host.kind("", "v1", "namespaces")),
          required_(host.state_key<Required>("PreFilterInterPodAffinity")),
          preferred_(host.state_key<Preferred>("PreScoreInterPodAffinity")) {}

    void declare(berth::Declare d) const { d.watch("", "v1", "namespaces"); }

    PodAffinityHints prepare(berth::Object pod) const { return PodAffinityHints::read(pod); }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) {
        auto terms = PodAffinityTerms::read(pod);
        if (!terms.fault.empty()) return berth::unresolvable("parsing pod: " + terms.fault);
        follow(nodes);
        Required need;
        auto own = labels_of(pod.name_space());
        existing_.each_match(pod, own, [&](const ExistingTerms::Entry &e) {
            if (e.kind == ExistingTerms::Kind::RequiredAntiAffinity)
                by(need.existing, e.counts->shared_key()).count(e.counts);
        });
        if (need.existing.empty() && terms.affinity.empty() && terms.anti_affinity.empty()) return berth::skip();
        name_namespaces(terms.affinity);
        name_namespaces(terms.anti_affinity);
        if (!terms.affinity.empty()) {
            find_affinity(need.affinity, terms.affinity, nodes);
            need.matches_itself = matches_all(terms.affinity, pod);
        }
        for (const auto &term : terms.anti_affinity) {
            auto of = key(nodes, term.key);
            if (of) by(need.anti_affinity, of).count(counter({&term, 1}, nodes)->by(of));
        }
        for (const auto &l : own) need.namespace_labels.emplace_back(berth::view(l.key), berth::view(l.value));
        need.terms = std::make_shared<const PodAffinityTerms>(std::move(terms));
        state.put(required_, std::move(need));
        return berth::ok;
    }

    berth::Verdict add_pod(berth::Call, berth::State state, berth::Pod pod, berth::Pod other, berth::Node node) const {
        return changed(state, pod, other, node, 1);
    }
    berth::Verdict remove_pod(berth::Call, berth::State state, berth::Pod pod, berth::Pod other,
                              berth::Node node) const {
        return changed(state, pod, other, node, -1);
    }

    void filter(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto *need = state.get(required_);
        if (!need) throw std::runtime_error("error reading \"PreFilterInterPodAffinity\" from cycleState: not found");
        // The first pod of a group that attracts itself: there is no pod yet that it could join.
        bool first = need->matches_itself && std::all_of(need->affinity.begin(), need->affinity.end(),
                                                         [](const DomainSums &s) { return s.total() == 0; });
        auto meets_elsewhere = [&](std::uint32_t slot) {
            if (need->elsewhere.empty()) return false;
            std::map<std::pair<std::string_view, std::string_view>, std::int64_t> sums;
            for (const auto &e : need->elsewhere) sums[{e.key, e.value}] += e.n;
            auto labels = nodes[slot].at("/metadata/labels");
            return std::any_of(sums.begin(), sums.end(), [&](const auto &s) {
                auto value = labels[s.first.first];
                return s.second > 0 && value && value.string() == s.first.second;
            });
        };
        // Term by term, of which the first that rejects a node counts.
        enum class Says : char { Yes, Apart, Anti, Existing };
        std::vector<Says> says(slots.size(), Says::Yes);
        for (const auto &s : need->affinity) {
            Presence there(s, slots.size());
            for (std::size_t i : call.each(slots)) {
                auto domain = there.domain_of(slots[i]);
                if (domain == TopologyKey::none || (!there.anybody_in(domain) && !first)) says[i] = Says::Apart;
            }
        }
        auto keep_away = [&](const SumsByKey &sums, Says what) {
            for (const auto &s : sums) {
                Presence there(s, slots.size());
                for (std::size_t i : call.each(slots)) {
                    auto domain = there.domain_of(slots[i]);
                    if (says[i] == Says::Yes && domain != TopologyKey::none && there.anybody_in(domain)) says[i] = what;
                }
            }
        };
        keep_away(need->anti_affinity, Says::Anti);
        keep_away(need->existing, Says::Existing);
        std::uint32_t apart = BERTH_NO_REASONS, anti = BERTH_NO_REASONS, existing = BERTH_NO_REASONS;
        auto once = [&](std::uint32_t &id, std::string_view text) {
            if (id == BERTH_NO_REASONS) id = call.reason(text);
            return id;
        };
        for (std::size_t i : call.each(slots)) {
            if (says[i] == Says::Apart)
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE,
                           once(apart, "node(s) didn't match pod affinity rules"));
            else if (says[i] == Says::Anti)
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE, once(anti, "node(s) didn't match pod anti-affinity rules"));
            else if (says[i] == Says::Existing || meets_elsewhere(slots[i]))
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE,
                           once(existing, "node(s) didn't satisfy existing pods anti-affinity rules"));
            else out.accept(i);
        }
    }

    berth::Verdict pre_score(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots) {
        auto terms = PodAffinityTerms::read(pod);
        if (ignores_existing_preferences_ && terms.preferred.empty() && terms.fault.empty()) return berth::skip();
        if (!terms.fault.empty()) return berth::error("failed to parse pod: " + terms.fault);
        follow(nodes);
        Preferred likes;
        auto weigh = [&](const std::shared_ptr<DomainCounts> &counts, std::int64_t weight) {
            // Weights that cancel each other out are no reason to skip; a weight that no pod matches is.
            if (counts->total() > 0) likes.weighted.add(counts, weight);
        };
        existing_.each_match(pod, labels_of(pod.name_space()), [&](const ExistingTerms::Entry &e) {
            if (e.kind == ExistingTerms::Kind::Preferred) weigh(e.counts, e.term.weight);
            else if (e.kind == ExistingTerms::Kind::RequiredAffinity && hard_weight_ > 0) weigh(e.counts, hard_weight_);
        });
        name_namespaces(terms.preferred);
        for (const auto &term : terms.preferred)
            if (auto of = key(nodes, term.key)) weigh(counter({&term, 1}, nodes)->by(of), term.weight);
        if (likes.weighted.empty()) return berth::skip();
        state.put(preferred_, std::move(likes));
        return berth::ok;
    }

    void score(berth::Call call, berth::State state, berth::Pod, berth::Nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto *likes = state.get(preferred_);
        if (!likes) throw std::runtime_error("failed to read \"PreScoreInterPodAffinity\" from cycleState: not found");
        for (std::size_t i : call.each(slots)) out[i] = 0;
        std::vector<std::pair<const TopologyKey *, std::vector<std::int64_t>>> columns;
        for (const auto &[counts, weight] : likes->weighted) {
            const TopologyKey &key = counts->key();
            if (key.width() > 2 * slots.size()) {
                for (std::size_t i : call.each(slots)) {
                    auto domain = key.of(slots[i]);
                    if (domain != TopologyKey::none) out[i] += weight * counts->of(domain);
                }
                continue;
            }
            auto at = std::find_if(columns.begin(), columns.end(), [&](const auto &c) { return c.first == &key; });
            if (at == columns.end()) at = columns.insert(at, {&key, std::vector<std::int64_t>(key.width())});
            counts->add_to(at->second, weight);
        }
        for (const auto &[key, column] : columns)
            for (std::size_t i : call.each(slots)) {
                auto domain = key->of(slots[i]);
                if (domain != TopologyKey::none) out[i] += column[domain];
            }
    }

    void normalize(berth::Scores scores) const {
        if (scores.empty()) return;
        auto [least, greatest] = std::minmax_element(scores.begin(), scores.end());
        const auto min = *least, range = *greatest - min;
        for (auto &s : scores)
            // Divided first and truncated, so that 29 of 100 is 28.
            s = range > 0
                    ? static_cast<std::int64_t>(100.0 * (static_cast<double>(s - min) / static_cast<double>(range)))
                    : 0;
    }

    void events(berth::Events on) const {
        on.add_hinted("Pod", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_POD_LABEL | BERTH_EVENT_DELETE);
        on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_LABEL);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        return event.resource() == "Node" ? hint_of_node(event, pod) : hint_of_pod(event, pod);
    }
};

/// A dry run added another pod to the node, or removed it.
inline berth::Verdict InterPodAffinity::changed(berth::State state, berth::Pod pod, berth::Pod other, berth::Node node,
                                                std::int64_t n) const {
    auto *need = state.get(required_);
    if (!need) return berth::error("error reading \"PreFilterInterPodAffinity\" from cycleState: not found");
    auto add = [&](SumsByKey &sums, std::string_view name) {
        const Key key = topology_.find(name);
        if (!key) return false;
        auto domain = key->of(node.slot());
        if (domain != TopologyKey::none) by(sums, key).change(domain, n);
        return true;
    };
    std::vector<berth_label> own;
    for (const auto &[k, v] : need->namespace_labels) own.push_back({berth::to_str(k), berth::to_str(v)});
    for (const auto &term : PodAffinityTerms::read(other).anti_affinity) {
        if (!term.matches(pod.name_space(), pod.labels(), own) || add(need->existing, term.key)) continue;
        auto value = node.at("/metadata/labels")[term.key];
        if (value) need->elsewhere.push_back({term.key, std::string(value.string()), n});
    }
    if (matches_all(need->terms->affinity, other))
        for (auto &sums : need->affinity) add(need->affinity, sums.key->name);
    for (const auto &term : need->terms->anti_affinity)
        if (term.matches(other.name_space(), other.labels(), {})) add(need->anti_affinity, term.key);
    return berth::ok;
}

/// As upstream, the pod's terms are taken as they are written here: a namespaceSelector means no namespace by its
/// labels.
inline berth::Hint InterPodAffinity::hint_of_pod(berth::Event event, berth::Pod pod) const {
    auto before = event.old_pod(), after = event.new_pod();
    if (before && own_update(event, pod, rules_)) return berth::Hint::Queue;
    auto nowhere = [](const std::optional<berth::Pod> &p) {
        return p && p->node_name().empty() && p->nominated_node().empty();
    };
    if (nowhere(after) || nowhere(before)) return berth::Hint::Skip;
    const auto &terms = hints_of(pod);
    if (terms.fault) return berth::Hint::Error;
    auto yes = [](bool helps) { return helps ? berth::Hint::Queue : berth::Hint::Skip; };
    if (before && after)
        return yes((!matches_all(terms.affinity, *before) && matches_all(terms.affinity, *after)) ||
                   (avoid(terms.anti_affinity, *before) && !avoid(terms.anti_affinity, *after)));
    if (after) return yes(matches_all(terms.affinity, *after));
    if (!before || avoid(terms.anti_affinity, *before)) return berth::Hint::Queue;
    const auto theirs = PodAffinityTerms::read(*before);
    if (theirs.anti_affinity_fault) return berth::Hint::Error;
    return yes(avoid(theirs.anti_affinity, pod));
}

inline berth::Hint InterPodAffinity::hint_of_node(berth::Event event, berth::Pod pod) const {
    auto before = event.old_node(), after = event.new_node();
    const auto &terms = hints_of(pod);
    if (terms.fault) return berth::Hint::Error;
    auto labels_of = [](const std::optional<berth::Node> &node) {
        return node ? node->at("/metadata/labels") : berth::Value{};
    };
    const auto was = labels_of(before), is = labels_of(after);
    // Whether a label that one of the keys names is there in `a`, and not, or another, in `b`.
    auto differ = [](berth::Value a, berth::Value b, const std::vector<std::string> &keys) {
        auto differs = [&](std::string_view key) {
            auto one = a[key], other = b[key];
            return one && (!other || one.string() != other.string());
        };
        if (keys.size() <= a.size()) return std::any_of(keys.begin(), keys.end(), differs);
        for (std::size_t i = 0; i < a.size(); ++i)
            if (std::binary_search(keys.begin(), keys.end(), a.key(i)) && differs(a.key(i))) return true;
        return false;
    };
    if (differ(is, was, terms.affinity_keys)) return berth::Hint::Queue;
    // A node that is new may be one where none of those is whom the pod avoids.
    if (!before) return terms.anti_affinity_keys.empty() ? berth::Hint::Skip : berth::Hint::Queue;
    return differ(was, is, terms.anti_affinity_keys) ? berth::Hint::Queue : berth::Hint::Skip;
}

}  // namespace kubernetes
