// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Counts of placed pods by namespace and selector.

#include "pod_affinity_term.h"
#include "pod_follower.h"
#include "topology.h"

#include <unordered_map>

namespace kubernetes {

/// Which placed pods to count: those that are in the namespaces and match the selector of every part.
struct PodFilter {
    struct Part {
        NamespaceSet namespaces;
        LabelSelector selector;
    };
    std::vector<Part> parts;
    bool terminating_too = true;

    /// Equal for filters that are written alike.
    std::string text() const {
        std::string out(1, terminating_too ? 't' : 'f');
        for (const auto &p : parts) {
            p.namespaces.write(out);
            write(p.selector, out);
        }
        return out;
    }
    bool has(std::string_view name_space) const {
        return std::all_of(parts.begin(), parts.end(), [&](const Part &p) { return p.namespaces.has(name_space); });
    }
    bool matches(std::span<const berth_label> labels) const {
        return std::all_of(parts.begin(), parts.end(), [&](const Part &p) { return p.selector.matches(labels); });
    }
};

/// Counts of placed pods, one counter for each distinct filter used lately. What a filter says of a namespace and of a
/// set of labels is worked out once, and is true for one meaning of the code: that of the pod that came last. A pod
/// leaves before its code gets another one.
class PodCounts {
    using Matches = std::vector<std::uint8_t>;  ///< by code: 0 unknown, 1 no, 2 yes
    struct Filtered {
        PodFilter filter;
        PodCounter counter;
        Matches namespaces, label_sets;
        std::uint64_t used = 0;

        bool counts(const PlacedPod &pod, berth::PlacedPods pods) {
            if (pod.terminating() && !filter.terminating_too) return false;
            auto known = [](Matches &of, std::uint32_t code, auto ask) {
                if (code >= of.size()) of.resize(code + 1);
                if (of[code] == 0) of[code] = ask() ? 2 : 1;
                return of[code] == 2;
            };
            return known(namespaces, pod.name_space,
                         [&] { return filter.has(berth::view(pods.namespaces()[pod.name_space])); }) &&
                   known(label_sets, pod.label_set, [&] {
                       const auto &set = pods.label_sets()[pod.label_set];
                       return filter.matches({set.labels, set.len});
                   });
        }
    };

    struct Meaning {};
    std::unordered_map<std::string, std::shared_ptr<Filtered>> counters_;
    berth::PerCode<Meaning> namespaces_, label_sets_;  ///< which meanings the answers are about
    std::uint64_t clock_ = 0;
    std::size_t bytes_ = 0;  ///< of the filters' texts

    /// The code has got another meaning since the filters evaluated it.
    void ask_anew(Matches Filtered::*of, std::uint32_t code, std::size_t codes) {
        for (auto &[text, one] : counters_) {
            auto &matches = (*one).*of;
            if (code < matches.size()) matches[code] = 0;
            if (matches.size() < 2 * codes + 1024) continue;
            matches.resize(codes);
            matches.shrink_to_fit();
        }
    }

    void drop_oldest() {
        auto oldest = counters_.begin();
        for (auto at = counters_.begin(); at != counters_.end(); ++at)
            if (at->second->used < oldest->second->used) oldest = at;
        bytes_ -= oldest->first.size();
        counters_.erase(oldest);
    }
    void drop_idle() {
        std::erase_if(counters_, [&](const auto &one) {
            const bool idle = one.second->used + most_idle < clock_;
            if (idle) bytes_ -= one.first.size();
            return idle;
        });
    }

public:
    /// Counters kept at most, and bytes of their filters; the least recently used one goes first. One that was not used
    /// in so many queries goes, too.
    static constexpr std::size_t capacity = 512, most_bytes = 1 << 20, most_idle = 1024;

    /// The counter of a filter, up to date with `rows`; made from them if it is new.
    std::shared_ptr<PodCounter> of(const PodFilter &filter, const std::vector<PlacedPod> &rows,
                                   berth::PlacedPods pods) {
        auto text = filter.text();
        auto at = counters_.find(text);
        if (at == counters_.end()) {
            while (!counters_.empty() && (counters_.size() == capacity || bytes_ + text.size() > most_bytes))
                drop_oldest();
            bytes_ += text.size();
            at = counters_.emplace(std::move(text), std::make_shared<Filtered>()).first;
            at->second->filter = filter;
            for (const auto &pod : rows)
                if (pod.there() && at->second->counts(pod, pods)) at->second->counter.add(pod.slot, 1);
        }
        at->second->used = ++clock_;
        std::shared_ptr<PodCounter> found{at->second, &at->second->counter};
        constexpr std::uint64_t often = 128;
        if (clock_ % often == 0) drop_idle();
        return found;
    }

    void came(const PlacedPod &pod, berth::PlacedPods pods) {
        const auto name_space = pods.namespace_generation(pod.name_space);
        const auto label_set = pods.label_set_generation(pod.label_set);
        const auto namespaces = pods.namespaces().size(), label_sets = pods.label_sets().size();
        if (namespaces_.renew(pod.name_space, name_space)) ask_anew(&Filtered::namespaces, pod.name_space, namespaces);
        if (label_sets_.renew(pod.label_set, label_set)) ask_anew(&Filtered::label_sets, pod.label_set, label_sets);
        for (auto &[text, one] : counters_)
            if (one->counts(pod, pods)) one->counter.add(pod.slot, 1);
    }
    /// Takes the pod from the counters that counted it: their filters were evaluated when it came, or when they were
    /// new.
    void left(const PlacedPod &pod, berth::PlacedPods pods) {
        for (auto &[text, one] : counters_)
            if (one->counts(pod, pods)) one->counter.add(pod.slot, -1);
    }
    void moved(const TopologyKey &key, std::uint32_t slot, std::uint32_t from, std::uint32_t to) {
        for (auto &[text, one] : counters_) one->counter.moved(key, slot, from, to);
    }
    void clear() {
        counters_.clear();
        bytes_ = 0;
    }
};

}  // namespace kubernetes
