// SPDX-License-Identifier: Apache-2.0
#pragma once

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
            p.selector.write(out);
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

/// Counts of placed pods, one counter for each distinct filter that was asked for lately. What a filter says of a
/// namespace and of a set of labels is worked out once.
class PodCounts {
    struct Filtered {
        PodFilter filter;
        PodCounter counter;
        std::vector<std::uint8_t> namespaces, label_sets;  ///< by code: 0 not asked yet, 1 no, 2 yes
        std::uint64_t used = 0;

        bool counts(const PlacedPod &pod, berth::PlacedPods pods) {
            if (pod.terminating() && !filter.terminating_too) return false;
            auto known = [](std::vector<std::uint8_t> &of, std::uint32_t code, auto ask) {
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

    std::unordered_map<std::string, std::shared_ptr<Filtered>> counters_;
    std::uint64_t clock_ = 0;

    void drop_oldest() {
        auto oldest = counters_.begin();
        for (auto at = counters_.begin(); at != counters_.end(); ++at)
            if (at->second->used < oldest->second->used) oldest = at;
        counters_.erase(oldest);
    }

public:
    /// Counters kept at most; the one not asked for longest goes first.
    static constexpr std::size_t capacity = 512;

    /// The counter of a filter, up to date with `rows`; made from them if it is new.
    std::shared_ptr<PodCounter> of(const PodFilter &filter, const std::vector<PlacedPod> &rows,
                                   berth::PlacedPods pods) {
        auto text = filter.text();
        auto at = counters_.find(text);
        if (at == counters_.end()) {
            if (counters_.size() == capacity) drop_oldest();
            at = counters_.emplace(std::move(text), std::make_shared<Filtered>()).first;
            at->second->filter = filter;
            for (const auto &pod : rows)
                if (pod.there() && at->second->counts(pod, pods)) at->second->counter.add(pod.slot, 1);
        }
        at->second->used = ++clock_;
        return {at->second, &at->second->counter};
    }

    void add(const PlacedPod &pod, berth::PlacedPods pods, std::int32_t n) {
        for (auto &[text, one] : counters_)
            if (one->counts(pod, pods)) one->counter.add(pod.slot, n);
    }
    void moved(const TopologyKey &key, std::uint32_t slot, std::uint32_t from, std::uint32_t to) {
        for (auto &[text, one] : counters_) one->counter.moved(key, slot, from, to);
    }
    void clear() { counters_.clear(); }
};

}  // namespace kubernetes
