// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The API's answers about decisions, below /apis/berth/v1alpha1: list, explanation, dry run (docs/explain.md).

#include "api/dry_run_pod.h"
#include "api/questions.h"
#include "kube/left_out.h"
#include "report/decision_ring.h"
#include "report/explanation.h"
#include "report/memory.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

/// Loop only but for add_to().
class Explainer {
public:
    /// All outlive it.
    struct World {
        env::Clock &loop;
        SchedulerInForce scheduler;
        Questions &questions;
        const report::DecisionRing &last;
        const env::Clock &clock;                         ///< the source of times in answers
        std::function<bool()> leads;                     ///< whether it schedules
        const kube::LeftOut *left_out = nullptr;         ///< what of the cluster cannot be read; null: all can
        std::function<report::MemoryUse()> memory = {};  ///< what it is for; loop
        std::string kubernetes_version = {};             ///< the release as which it decides; empty: unknown

        report::Answerer answerer() const { return {leads(), clock.now_ns(), kubernetes_version}; }
    };
    /// Runs a function soon on another thread, always the same.
    using Post = std::function<void(std::function<void()>)>;

    explicit Explainer(World world) : world_(std::move(world)) {}
    Explainer(const Explainer &) = delete;
    Explainer &operator=(const Explainer &) = delete;

    /// Before the server starts. Pods that are sent are read, and answers are written, where `work` runs.
    void add_to(kube::Routes &routes, Post work);

    static constexpr std::size_t usual_decisions = 100, usual_nodes = 20, most_nodes = 5000;

private:
    /// A question under way: its data is gathered on the loop and written as JSON elsewhere.
    struct Question {
        kube::Answering done;
        std::size_t nodes = usual_nodes;
        bool detail = false;
        std::string name_space, name;
        DryRunPod pod;
    };

    void list(const kube::ServedRequest &request, const kube::Answering &done);
    void one(const kube::ServedRequest &request, const kube::Answering &done);
    void dry_run(const kube::ServedRequest &request, const kube::Answering &done);
    void explain_pod(const Question &question);
    void explain_dry_run(const Question &question);
    std::vector<std::string> warnings(std::string_view name_space, std::size_t most) const;
    void write(const kube::Answering &done, std::function<std::string()> text);

    World world_;
    Post work_;
};

}  // namespace berth::api
