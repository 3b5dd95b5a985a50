// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The whole scheduler with real plugins in the simulated world, driven step by step.

#include "catch.h"
#include "config/feature_gates.h"
#include "config/read.h"
#include "faulty_api.h"
#include "paths.h"
#include "plugin/catalog.h"
#include "report/condition.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"
#include "sim/world.h"
#include "unit/object_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace running_world {

using namespace berth;

/// `name` in namespace default; `meta` and `spec` are more fields in flow style, each with a comma behind.
inline model::PodPtr pod(const std::string &name, const std::string &meta = "", const std::string &spec = "",
                         const std::string &rest = "") {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {" + meta + " name: " + name + "}, spec: {" + spec +
                  " containers: [{name: c, image: nginx}]}" + rest + "}");
}
inline model::NodePtr node(const std::string &name) {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name +
                   "}, status: {allocatable: {cpu: '16', memory: 64Gi, pods: '110'}}}");
}

class Sink : public DecisionSink {
public:
    std::map<std::string, model::Decision> last;  ///< by "namespace/name"
    model::Detail detail() const override { return model::Detail::Nodes; }
    int errors = 0;                   ///< decisions that were errors
    std::vector<std::string> failed;  ///< what these said: "name: message"
    void decision(const model::Decision &d) override {
        last[d.pod.name_space + "/" + d.pod.name] = d;
        if (d.result != model::AttemptResult::Error) return;
        ++errors;
        failed.push_back(d.pod.name + ": " + d.message);
    }
    void event(const model::DecisionEvent &) override {}
};

/// The plugins run under the strict layer, and nothing may be wrong, up to their end.
class QuietLog : public env::Log {
    std::vector<std::string> errors_;

public:
    ~QuietLog() override { CHECK(errors_ == std::vector<std::string>{}); }
    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity severity, int, std::string_view message, const Pairs &, std::source_location) override {
        if (severity == env::Severity::Error) errors_.emplace_back(message);
    }
    void write_text(env::Severity severity, int, std::string_view, std::string_view text) override {
        if (severity == env::Severity::Error) errors_.emplace_back(text);
    }
};

/// What plugins wrote as Kubernetes Events: "Warning Reason Action kind name: note".
class Events : public plugin::EventRecorder {
public:
    std::vector<std::string> written;
    void event(const model::Object &regarding, const Event &e) override {
        auto text = std::string(e.warning ? "Warning " : "Normal ").append(e.reason).append(" ").append(e.action);
        text.append(" ").append(regarding.tree->value()["kind"].string()).append(" ");
        written.push_back(text.append(model::view(regarding.meta().name)).append(": ").append(e.note));
    }
};

class RunningWorld {
    QuietLog log_;
    sim::VirtualClock clock_{1767225600LL * 1'000'000'000};
    sim::World world_{clock_};
    plugin::Catalog catalog_;
    plugin::Services services_;
    config::Release release_;
    std::string gates_;

public:
    Sink sink;
    Events events;
    FaultyApi api{clock_, world_};  ///< between the plugins and the world
    Scheduler scheduler;
    bool ends_at_once = false;  ///< in the end, whatever waits

    /// `profiles` is what follows the configuration's first two lines.
    /// `shadow` is the same for one that is asked beside them; none if it is empty.
    explicit RunningWorld(const std::string &profiles, const sim::Input &input, std::vector<plugin::Pin> pins = {},
                          const std::string &shadow = {}, config::Release release = {}, std::string gates = {})
        : catalog_(*plugin::Catalog::open({{berth::paths::plugins()}, std::move(pins), true})),
          release_(release),
          gates_(std::move(gates)),
          scheduler(clock_, nullptr, sink, settings_of(release, gates_)) {
        services_.clock = &clock_;
        services_.api = &api;
        services_.log = &log_;
        services_.seed = 1;
        services_.checks = plugin::Checks::Strict;
        services_.recorder = &events;
        scheduler.offer(services_);
        scheduler.use(build(profiles, false));
        if (!shadow.empty()) scheduler.use_shadow(build(shadow, true), {});
        scheduler.on_failure([this](const model::Pod &pod, const model::Decision &d) {
            if (!d.nomination || *d.nomination == pod.nominated_node()) return;
            if (auto patch = report::condition_patch(pod, d, clock_.now_ns()))
                world_.send(report::status_request(pod, std::move(*patch)), [](const env::ApiAnswer &) {});
        });
        scheduler.on_group([this](const model::PodGroup &group, const model::GroupCondition &condition) {
            world_.send(report::group_request(group, condition, clock_.now_ns()), [](const env::ApiAnswer &) {});
        });
        world_.start(input, scheduler.observer());
        run();
    }
    /// What waits comes to its end: a timer that never fires would keep what it holds.
    ~RunningWorld() {
        constexpr std::int64_t longest_wait_ns = 3600LL * 1'000'000'000;
        if (!ends_at_once) clock_.advance_to(clock_.now_ns() + longest_wait_ns);
    }
    RunningWorld(const RunningWorld &) = delete;
    RunningWorld &operator=(const RunningWorld &) = delete;

    static SchedulerSettings settings_of(config::Release release, const std::string &gates) {
        auto configuration = config::built_in(release);
        if (auto applied = config::apply_gates(gates, configuration); !applied) FAIL(applied.error().text);
        SchedulerSettings out;
        out.queue = queue::Settings(configuration);
        return out;
    }

    std::vector<plugin::Profile> build(const std::string &profiles, bool for_shadow) {
        auto configuration =
            config::read("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + profiles,
                         "c.yaml", release_);
        if (!configuration) FAIL(configuration.error().text);
        if (auto applied = config::apply_gates(gates_, *configuration); !applied) FAIL(applied.error().text);
        auto services = services_;
        services.shadow = for_shadow;
        auto built = plugin::build_profiles(*configuration, catalog_, services);
        if (!built) FAIL(built.error().text);
        return std::move(*built);
    }

    /// Until nothing is ready any more, waits included; or errors come again and again.
    void run() {
        for (sink.errors = 0; sink.errors < 20;) {
            bool any = clock_.run();
            while (scheduler.schedule_one()) any = true, clock_.run();
            if (any) continue;
            auto next = scheduler.next_ready(), timer = clock_.next_timer();
            if (!next && !timer) return;
            clock_.advance_to(std::min(next.value_or(INT64_MAX), timer.value_or(INT64_MAX)));
        }
    }

    sim::World &world() { return world_; }
    sim::VirtualClock &clock() { return clock_; }
    model::PodPtr stored(const std::string &name) const { return world_.pod("default/" + name); }
    /// The node of a pod in namespace default, as the API server has it; "" while it waits.
    std::string node_of(const std::string &name) const { return std::string(stored(name)->node_name()); }
    /// When the simulation stands, in seconds since it began.
    std::int64_t seconds() const { return clock_.monotonic_ns() / 1'000'000'000; }
    std::string message(const std::string &name) const { return sink.last.at("default/" + name).message; }
    std::size_t placed() const {
        std::size_t n = 0;
        for (const auto &[key, p] : world_.pods()) n += p->node_name().empty() ? 0 : 1;
        return n;
    }
};

}  // namespace running_world
