// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.hpp>
#include <berth/selector.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace kubernetes {

/// The PodDisruptionBudgets of the cluster, and which of several victims they do not allow.
class DisruptionBudgets {
    struct Budget {
        std::string name_space;
        berth::LabelSelector selector;
        std::int64_t allowed = 0;
        std::vector<std::string> disrupted;  ///< pods that the API server has let go already
    };
    const berth::Host &host_;
    berth::Kind kind_;
    std::vector<Budget> budgets_;
    std::uint64_t read_version_ = 0;
    bool read_ = false;

    void read(const berth::Object &object) {
        bool valid = true;
        Budget budget{
            std::string(object.name_space()),
            berth::LabelSelector::parse(object.at("/spec/selector"), [&](auto &&...) { valid = false; }),
            object.at("/status/disruptionsAllowed").integer().value_or(0),
            {},
        };
        // One without a selector, or with an empty one, is about no pod.
        if (!valid || budget.selector.empty()) return;
        auto disrupted = object.at("/status/disruptedPods");
        for (std::size_t i = 0; i < disrupted.size(); ++i) budget.disrupted.emplace_back(disrupted.key(i));
        budgets_.push_back(std::move(budget));
    }

public:
    explicit DisruptionBudgets(const berth::Host &host)
        : host_(host), kind_(host.kind("policy", "v1", "poddisruptionbudgets")) {}

    /// Takes over what has changed. On the loop.
    void refresh() {
        if (auto version = host_.version_of(kind_); !read_ || version != read_version_) {
            read_ = true;
            read_version_ = version;
            budgets_.clear();
            host_.each(kind_, {}, [&](const berth::Object &object) { read(object); });
        }
    }

    /// For each of `pods`, in that order, whether its eviction breaks a budget once those before it are evicted.
    std::vector<bool> violations(const std::vector<berth::Pod> &pods) const {
        std::vector<std::int64_t> allowed;
        for (const auto &budget : budgets_) allowed.push_back(budget.allowed);
        std::vector<bool> violates;
        for (const auto &pod : pods) {
            bool broken = false;
            for (std::size_t i = 0; i < budgets_.size() && !pod.labels().empty(); ++i) {
                const Budget &budget = budgets_[i];
                if (budget.name_space != pod.name_space() || !budget.selector.matches(pod.labels())) continue;
                if (std::find(budget.disrupted.begin(), budget.disrupted.end(), pod.name()) != budget.disrupted.end())
                    continue;
                if (--allowed[i] < 0) broken = true;
            }
            violates.push_back(broken);
        }
        return violates;
    }
};

}  // namespace kubernetes
