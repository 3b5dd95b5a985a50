// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The sink of a simulation's decisions, and of the events of its plugins.

#include "offline/simulate_options.h"
#include "plugin/services.h"
#include "report/decision_log.h"
#include "report/decision_ring.h"
#include "report/events.h"
#include "report/simulation.h"
#include "scheduler/scheduler.h"
#include "sim/world.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace berth::offline {

/// Keeps what the result needs of the decisions, and writes the log.
class SimulationSink : public DecisionSink {
    const SimulateOptions &options_;
    report::DecisionLog &log_;
    /// What is kept of a pod's decisions when one of them did not give it a node at once.
    struct Unplaced {
        std::string uid, message;
        std::string condition;  ///< the message of the last failure
    };
    /// There may be a million.
    struct Last {
        const std::string *key, *node;  ///< of the pod, as in last_, and in nodes_
        std::unique_ptr<Unplaced> unplaced;
        model::AttemptResult result;
    };
    std::unordered_map<std::string, std::size_t> last_;  ///< by "namespace/name", index in order_
    std::unordered_set<std::string> nodes_;
    std::deque<Last> order_;
    std::vector<model::Decision> kept_, explained_, shadow_;
    std::uint64_t attempts_ = 0;
    static constexpr std::size_t shown = 100'000;
    report::DecisionRing last_decisions_;  ///< for the dashboard

public:
    SimulationSink(const SimulateOptions &options, report::DecisionLog &log)
        : options_(options), log_(log), last_decisions_(options.ui ? shown : 0) {}

    /// Is this the pod that is to be explained?
    bool explains(std::string_view name_space, std::string_view name) const;

    model::Detail detail() const override {
        bool read = log_.is_open() || options_.output != Output::Table;
        return read ? options_.detail : model::Detail::Summary;
    }
    model::Detail detail_of(const model::Pod &pod) const override {
        return explains(pod.name_space(), pod.name()) ? std::max(detail(), model::Detail::Nodes) : detail();
    }

    void decision(const model::Decision &d) override;
    void event(const model::DecisionEvent &e) override { log_.write(e); }
    bool wants_shadow(const model::Pod &pod) const override { return explains(pod.name_space(), pod.name()); }
    void shadow_decision(const model::Decision &d) override { shadow_.push_back(d); }
    /// What the shadow would have decided in that attempt; nullptr: it was not called.
    const model::Decision *shadow_of(const model::Decision &d) const;

    std::uint64_t attempts() const { return attempts_; }
    std::vector<model::Decision> &kept() { return kept_; }
    const std::vector<model::Decision> &explained() const { return explained_; }
    const report::DecisionRing &last() const { return last_decisions_; }

    void fill(report::Simulation &s, const sim::World &world) const;

    /// The message of the condition PodScheduled that the pod would have on an API server, or nothing.
    std::optional<std::string> condition(const model::Pod &pod) const;
};

/// Keeps what plugins write as Kubernetes Events.
class EventList : public plugin::EventRecorder {
    const env::Clock &clock_;
    std::vector<report::WrittenEvent> events_;

public:
    explicit EventList(const env::Clock &clock) : clock_(clock) {}
    void event(const model::Object &regarding, const Event &e) override {
        const auto meta = regarding.meta();
        auto text = [](auto view) { return std::string(view); };
        events_.push_back({clock_.now_ns(), e.warning, text(e.reason), text(e.action), report::cut_note(text(e.note)),
                           text(e.profile), text(regarding.tree->value()["kind"].string()),
                           text(model::view(meta.namespace_)), text(model::view(meta.name))});
    }
    std::vector<report::WrittenEvent> take() { return std::move(events_); }
};

}  // namespace berth::offline
