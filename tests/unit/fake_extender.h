// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An extender whose answers a test writes, at once or when it says so.

#include "env/extender.h"

#include <deque>
#include <functional>

namespace berth {

struct FakeExtender : env::Extender {
    using Names = std::vector<std::string>;
    using Scores = std::vector<Score>;

    std::function<model::Result<Filtered>(const Names &)> on_filter;
    std::function<model::Result<Scores>(const Names &)> on_prioritize;
    std::function<model::Result<Preempted>(const std::string &)> on_preempt;  ///< "node: victims, node: …"
    std::function<model::Result<void>(std::string)> on_bind;
    bool late = false;
    std::deque<std::function<void()>> waiting;  ///< answers that are late
    int calls = 0;

    using Extender::Extender;

    /// Gives the answer that is due next.
    void answer() {
        auto next = std::move(waiting.front());
        waiting.pop_front();
        next();
    }

    void filter(const model::Object &, std::span<const Node> nodes, Done<Filtered> done) override {
        give(std::move(done), on_filter(names(nodes)));
    }
    void prioritize(const model::Object &, std::span<const Node> nodes, Done<Scores> done) override {
        give(std::move(done), on_prioritize(names(nodes)));
    }
    void preempt(const model::Object &, std::span<const Candidate> candidates, Done<Preempted> done) override {
        std::string asked;
        for (const auto &candidate : candidates) {
            asked += (asked.empty() ? "" : ", ") + std::string(candidate.node) + ":";
            for (const auto *victim : candidate.victims) asked += " " + std::string(model::view(victim->meta().name));
        }
        give(std::move(done), on_preempt(asked));
    }
    void bind(const model::Pod &pod, std::string_view node, Done<void> done) override {
        give(std::move(done), on_bind(pod.key() + " " + std::string(node)));
    }

private:
    static Names names(std::span<const Node> nodes) {
        Names out;
        for (const auto &node : nodes) out.emplace_back(node.name);
        return out;
    }
    template <class T>
    void give(Done<T> done, model::Result<T> result) {
        ++calls;
        if (!late) return done(std::move(result));
        waiting.push_back([done = std::move(done), result = std::move(result)] { done(result); });
    }
};

}  // namespace berth
