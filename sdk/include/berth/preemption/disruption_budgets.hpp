// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodDisruptionBudgets, and the victims that violate them, for preemption.

#include <berth/namespaced_labels.hpp>
#include <berth/object.hpp>
#include <berth/preemption/candidate.hpp>
#include <berth/preemption/rules.hpp>
#include <berth/remembered.hpp>
#include <berth/selector.hpp>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace berth::preemption {

/// The PodDisruptionBudgets of the cluster, and which of several victims they do not allow. A tenant may have tens of
/// thousands of them: which of these select a pod is worked out once for all pods with its labels.
class DisruptionBudgets {
    struct Budget {
        LabelSelector selector;
        std::int64_t allowed = 0;
        std::vector<std::string> disrupted;  ///< pods that the API server has let go already
    };
    const Host &host_;
    Rules rules_;
    Kind kind_;
    using Budgets = std::vector<Budget>;
    std::map<std::string, Budgets, std::less<>> budgets_;  ///< by namespace
    Remembered<std::vector<std::uint32_t>> selecting_;     ///< those of the namespace, by namespace and labels
    std::uint64_t read_version_ = 0;
    bool read_ = false;

    void read(const Object &object) {
        auto selector = LabelSelector::of_field(object.at("/spec/selector"));
        // One without a selector, with an empty one, or with a selector that Kubernetes refuses is about no pod.
        if (!selector || selector->empty() || selector->is_nothing()) return;
        Budget budget{std::move(*selector), object.at("/status/disruptionsAllowed").integer().value_or(0), {}};
        auto disrupted = object.at("/status/disruptedPods");
        for (std::size_t i = 0; i < disrupted.size(); ++i) budget.disrupted.emplace_back(disrupted.key(i));
        budgets_[std::string(object.name_space())].push_back(std::move(budget));
    }

    const std::vector<std::uint32_t> &selecting(const Budgets &budgets, const Pod &pod) {
        auto [found, fresh] = selecting_.of(namespaced_labels(pod));
        for (std::uint32_t i = 0; fresh && i < budgets.size(); ++i) {
            if (!budgets[i].selector.matches(pod.labels())) continue;
            found.push_back(i);
            selecting_.grow(sizeof i);
        }
        return found;
    }

public:
    DisruptionBudgets(const Host &host, const Rules &rules)
        : host_(host), rules_(rules), kind_(host.kind("policy", "v1", "poddisruptionbudgets")) {}

    /// Takes over what has changed. On the loop.
    void refresh() {
        if (auto version = host_.version_of(kind_); !read_ || version != read_version_) {
            read_ = true;
            read_version_ = version;
            budgets_.clear();
            selecting_.clear();
            host_.each(kind_, {}, [&](const Object &object) { read(object); });
        }
    }

    /// Marks those of `victims`, the most important one first, whose eviction breaks a budget once those before it are
    /// evicted.
    void mark_violations(std::span<PotentialVictim> victims) {
        std::map<std::string_view, std::vector<std::int64_t>> left;  // by namespace
        for (auto &victim : victims) {
            const Pod &pod = victim.pod;
            auto of_namespace = pod.labels().empty() ? budgets_.end() : budgets_.find(pod.name_space());
            if (of_namespace == budgets_.end()) continue;
            const auto &budgets = of_namespace->second;
            auto [allowed, fresh] = left.try_emplace(pod.name_space());
            if (fresh)
                for (const auto &budget : budgets) allowed->second.push_back(budget.allowed);
            for (auto i : selecting(budgets, pod)) {
                const auto &disrupted = budgets[i].disrupted;
                if (std::find(disrupted.begin(), disrupted.end(), pod.name()) != disrupted.end()) continue;
                if (--allowed->second[i] >= 0) continue;
                victim.violates = true;
                if (rules_.first_broken_budget_ends_walk) break;
            }
        }
    }
};

}  // namespace berth::preemption
