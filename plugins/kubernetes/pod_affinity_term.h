// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parsed terms of podAffinity and podAntiAffinity, with namespaces and selectors.

#include "label_selector.h"

#include <iterator>
#include <set>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace kubernetes {

/// Some namespaces by name, or all.
struct NamespaceSet {
    bool all = false;
    std::vector<std::string> names;  ///< sorted, each once

    bool has(std::string_view name) const { return all || std::binary_search(names.begin(), names.end(), name); }
    /// However many: a term may list tens of thousands, and a selector mean as many.
    void add(std::vector<std::string> more) {
        names.insert(names.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
    }
    void write(std::string &out) const {
        if (all) out += '*';
        for (const auto &name : names) out.append(name) += '\1';
        out += '\2';
    }
};

/// One term of podAffinity or podAntiAffinity.
struct PodAffinityTerm {
    NamespaceSet namespaces;
    LabelSelector selector, namespace_selector;
    std::string key;          ///< topologyKey
    std::int64_t weight = 0;  ///< of a preferred term; less than 0 for anti-affinity

    /// Whether it means a pod of that namespace, which has the labels `of_namespace`, with these labels.
    bool matches(std::string_view name_space, std::span<const berth_label> labels,
                 std::span<const berth_label> of_namespace) const {
        return (namespaces.has(name_space) || namespace_selector.matches(of_namespace)) && selector.matches(labels);
    }

    /// Throws if a selector cannot be parsed.
    static PodAffinityTerm parse(berth::Value term, std::string_view own_namespace, std::int64_t weight) {
        PodAffinityTerm out;
        out.selector = selector_of(term["labelSelector"]);
        auto names = term["namespaces"], selector = term["namespaceSelector"];
        std::vector<std::string> listed;
        for (std::size_t i = 0; i < names.size(); ++i) listed.emplace_back(names.at(i).string());
        if (names.size() == 0 && selector.is_null()) listed.emplace_back(own_namespace);
        out.namespaces.add(std::move(listed));
        out.namespace_selector = selector_of(selector);
        out.key = term["topologyKey"].string();
        out.weight = weight;
        return out;
    }
};

/// All terms of a pod. A list in which one term cannot be parsed counts as empty, and `fault` says so.
struct PodAffinityTerms {
    std::vector<PodAffinityTerm> affinity, anti_affinity;  ///< required
    std::vector<PodAffinityTerm> preferred;                ///< of both kinds, affinity first
    std::string fault;
    bool affinity_fault = false, anti_affinity_fault = false;  ///< in the required ones

    /// Of a berth::Pod, or its berth::Object.
    template <class Pod>
    static PodAffinityTerms read(const Pod &pod) {
        PodAffinityTerms out;
        if constexpr (std::is_same_v<Pod, berth::Pod>)
            if (!pod.has_affinity()) return out;
        auto affinity = pod.at("/spec/affinity");
        auto likes = affinity["podAffinity"], dislikes = affinity["podAntiAffinity"];
        std::vector<std::string> faults;
        // Whether the list could be read.
        auto list = [&](std::vector<PodAffinityTerm> &into, berth::Value of, bool required, std::int64_t sign,
                        const char *name) {
            auto terms = of[required ? "requiredDuringSchedulingIgnoredDuringExecution"
                                     : "preferredDuringSchedulingIgnoredDuringExecution"];
            const auto before = into.size();
            try {
                for (std::size_t i = 0; i < terms.size(); ++i) {
                    auto term = required ? terms.at(i) : terms.at(i)["podAffinityTerm"];
                    auto weight = required ? 0 : terms.at(i)["weight"].integer().value_or(0);
                    into.push_back(PodAffinityTerm::parse(term, pod.name_space(), sign * weight));
                }
            } catch (const std::runtime_error &e) {
                into.resize(before);
                faults.push_back(std::string(name) + ": " + e.what());
                return false;
            }
            return true;
        };
        out.affinity_fault = !list(out.affinity, likes, true, 1, "requiredAffinityTerms");
        out.anti_affinity_fault = !list(out.anti_affinity, dislikes, true, 1, "requiredAntiAffinityTerms");
        list(out.preferred, likes, false, 1, "preferredAffinityTerms");
        list(out.preferred, dislikes, false, -1, "preferredAntiAffinityTerms");
        for (const auto &f : faults) out.fault += (out.fault.empty() ? "" : ", ") + f;
        if (faults.size() > 1) out.fault = "[" + out.fault + "]";
        return out;
    }

    /// Whether `is(topologyKey)` holds of any term.
    template <class Is>
    static bool any_key(berth::Pod pod, Is is) {
        auto affinity = pod.at("/spec/affinity");
        for (auto kind : {"podAffinity", "podAntiAffinity"}) {
            auto of = affinity[kind];
            auto required = of["requiredDuringSchedulingIgnoredDuringExecution"],
                 preferred = of["preferredDuringSchedulingIgnoredDuringExecution"];
            for (std::size_t i = 0; i < required.size(); ++i)
                if (is(required.at(i)["topologyKey"].string())) return true;
            for (std::size_t i = 0; i < preferred.size(); ++i)
                if (is(preferred.at(i)["podAffinityTerm"]["topologyKey"].string())) return true;
        }
        return false;
    }
};

/// What hints ask of a pod's required terms for every event: whom they mean and which keys they name, each once.
struct PodAffinityHints {
    std::vector<PodAffinityTerm> affinity, anti_affinity;
    std::vector<std::string> affinity_keys, anti_affinity_keys;  ///< sorted
    bool fault = false;                                          ///< a list cannot be read

    static PodAffinityHints read(const berth::Object &pod) {
        auto terms = PodAffinityTerms::read(pod);
        PodAffinityHints out;
        out.fault = terms.affinity_fault || terms.anti_affinity_fault;
        take(terms.affinity, out.affinity, out.affinity_keys);
        take(terms.anti_affinity, out.anti_affinity, out.anti_affinity_keys);
        return out;
    }

private:
    static void take(std::vector<PodAffinityTerm> &from, std::vector<PodAffinityTerm> &into,
                     std::vector<std::string> &keys) {
        std::set<std::string> seen;
        for (auto &term : from) {
            keys.push_back(std::exchange(term.key, {}));
            std::string text;
            term.namespaces.write(text);
            kubernetes::write(term.namespace_selector, text);
            kubernetes::write(term.selector, text);
            if (seen.insert(std::move(text)).second) into.push_back(std::move(term));
        }
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        keys.shrink_to_fit();
        into.shrink_to_fit();
    }
};

}  // namespace kubernetes
