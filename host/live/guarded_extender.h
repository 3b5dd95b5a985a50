// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An extender that binds only while this instance is the leader.

#include "env/extender.h"

#include <memory>
#include <utility>

namespace berth::live {

class GuardedExtender final : public env::Extender {
    std::unique_ptr<env::Extender> behind_;
    std::function<std::string()> why_not_;  ///< empty: it may

public:
    GuardedExtender(std::unique_ptr<env::Extender> behind, std::function<std::string()> why_not)
        : Extender(behind->traits()), behind_(std::move(behind)), why_not_(std::move(why_not)) {}
    void filter(const model::Object &pod, std::span<const Node> nodes, Done<Filtered> then) override {
        behind_->filter(pod, nodes, std::move(then));
    }
    void prioritize(const model::Object &pod, std::span<const Node> nodes, Done<std::vector<Score>> then) override {
        behind_->prioritize(pod, nodes, std::move(then));
    }
    void preempt(const model::Object &pod, std::span<const Candidate> candidates, Done<Preempted> then) override {
        behind_->preempt(pod, candidates, std::move(then));
    }
    void bind(const model::Pod &pod, std::string_view node, Done<void> then) override {
        if (auto why = why_not_(); !why.empty()) return then(model::Error{std::move(why)});
        behind_->bind(pod, node, std::move(then));
    }
};

}  // namespace berth::live
