// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "label_selector.h"

#include <stdexcept>

namespace kubernetes {

/// Some namespaces by name, or all.
struct NamespaceSet {
    bool all = false;
    std::vector<std::string> names;  ///< sorted, each once

    bool has(std::string_view name) const { return all || std::binary_search(names.begin(), names.end(), name); }
    void add(std::string_view name) {
        auto at = std::lower_bound(names.begin(), names.end(), name);
        if (at == names.end() || *at != name) names.insert(at, std::string(name));
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
        out.selector = LabelSelector::parse(term["labelSelector"]);
        auto names = term["namespaces"], selector = term["namespaceSelector"];
        for (std::size_t i = 0; i < names.size(); ++i) out.namespaces.add(names.at(i).string());
        if (names.size() == 0 && selector.is_null()) out.namespaces.add(own_namespace);
        out.namespace_selector = LabelSelector::parse(selector);
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

    static PodAffinityTerms read(berth::Pod pod) {
        PodAffinityTerms out;
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
};

}  // namespace kubernetes
