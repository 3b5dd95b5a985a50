// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The HTTP API under /apis/berth/v1alpha1, joined from its parts (docs/explain.md).

#include "api/changes.h"
#include "api/devices.h"
#include "api/explainer.h"
#include "api/overview.h"
#include "api/plugin_table.h"
#include "api/shadow_api.h"

namespace berth::api {

class ExplainApi {
public:
    /// All outlive it.
    struct World {
        env::Clock &loop;
        SchedulerInForce scheduler;
        const report::DecisionRing &last;
        const env::Clock &clock;             ///< the source of times in answers
        std::function<bool()> knows, leads;  ///< the whole cluster; and schedules it
        PluginCounts plugins;
        AskShadow shadow = {};                           ///< empty: there is none
        const kube::LeftOut *left_out = nullptr;         ///< what of the cluster cannot be read; null: all can
        std::function<report::MemoryUse()> memory = {};  ///< what it is for; loop. Empty: unknown
        std::string kubernetes_version = {};             ///< the release as which it decides; empty: unknown
    };

private:
    Explainer::World world(const World &w) {
        return {w.loop, w.scheduler, questions_, w.last, w.clock, w.leads, w.left_out, w.memory, w.kubernetes_version};
    }

    Questions questions_;
    Explainer explainer_;
    Overview overview_;
    Devices devices_;
    PluginTable plugins_;
    ShadowApi shadow_;
    Changes changes_;

public:
    explicit ExplainApi(const World &w)
        : questions_({w.loop, w.scheduler, w.knows}),
          explainer_(world(w)),
          overview_(world(w)),
          devices_(world(w)),
          plugins_(world(w), w.plugins),
          shadow_(world(w), w.shadow),
          changes_(world(w)) {}

    /// Before the server starts; `post` runs a function on the server's thread, `work` on the one where answers are
    /// made.
    void add_to(kube::Routes &routes, const Explainer::Post &post, const Explainer::Post &work) {
        explainer_.add_to(routes, work);
        overview_.add_to(routes, work);
        devices_.add_to(routes, work);
        plugins_.add_to(routes, work);
        shadow_.add_to(routes, work);
        changes_.add_to(routes, post);
    }
    Questions &questions() { return questions_; }
    /// To be called on the server's thread every Changes::rhythm.
    void look() { changes_.look(); }
};

}  // namespace berth::api
