// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What plugins need around them in a test: services that do nothing, and profiles built from a few lines of YAML.

#include "catch.h"
#include "cluster/objects.h"
#include "config/read.h"
#include "paths.h"
#include "plugin/catalog.h"
#include "plugin/profile.h"

#include <string>
#include <utility>
#include <vector>

namespace plugin_world {

namespace plugin = berth::plugin;

struct Columns : plugin::ColumnProvider {
    std::uint32_t last = 0;
    ColumnLease lease_column(std::uint32_t, std::string_view) override { return {++last, nullptr}; }
    std::uint32_t ask_column(std::uint32_t, std::string_view) override { return ++last; }
};

/// Keeps what was asked, to be answered by the test.
struct Api : berth::env::Api {
    std::vector<std::pair<berth::env::ApiRequest, std::function<void(berth::env::ApiAnswer)>>> sent;
    void send(berth::env::ApiRequest request, std::function<void(berth::env::ApiAnswer)> done) override {
        sent.emplace_back(std::move(request), std::move(done));
    }
};

/// The notes of the Kubernetes Events that plugins wrote.
struct Recorder : plugin::EventRecorder {
    std::vector<std::string> notes;
    void event(const berth::model::Object &, const Event &event) override { notes.emplace_back(event.note); }
};

/// Runs at once what is posted; keeps timers.
struct Clock : berth::env::Clock {
    std::vector<std::pair<std::int64_t, std::function<void()>>> timers;
    std::int64_t now_ns() const override { return 1'000; }
    std::int64_t monotonic_ns() const override { return 2'000; }
    void after(std::int64_t ns, std::function<void()> fn) override { timers.emplace_back(ns, std::move(fn)); }
    void post(std::function<void()> fn) override { fn(); }
};

struct Log : berth::env::Log {
    std::vector<std::string> lines;
    std::vector<berth::env::Severity> severities;  ///< of the lines that plugins wrote
    bool enabled(berth::env::Severity, int verbosity) const override { return verbosity <= 2; }
    void write(berth::env::Severity, int, std::string_view message, const Pairs &, std::source_location) override {
        lines.emplace_back(message);
    }
    void write_text(berth::env::Severity severity, int, std::string_view, std::string_view text) override {
        lines.emplace_back(text);
        severities.push_back(severity);
    }
};

/// Builds profiles with the plugins that this build made and with those that are pinned. The tree may be in a directory
/// that a group can write, so permissions are not looked at.
struct World {
    Columns columns;
    berth::cluster::Objects objects;
    Api api;
    Clock clock;
    Log log;
    plugin::Catalog catalog;
    plugin::Checks checks = plugin::Checks::Basic;

    explicit World(std::vector<plugin::Pin> pins = {})
        : catalog(*plugin::Catalog::open({{berth::paths::plugins()}, std::move(pins), true})) {}

    plugin::Services services() {
        plugin::Services out;
        out.columns = &columns;
        out.objects = &objects;
        out.api = &api;
        out.clock = &clock;
        out.log = &log;
        out.checks = checks;
        return out;
    }

    /// `yaml` is what follows the configuration's first two lines.
    berth::model::Result<std::vector<plugin::Profile>> build(const std::string &yaml) {
        auto configuration = berth::config::read(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + yaml, "c.yaml");
        if (!configuration) FAIL(configuration.error().text);
        return plugin::build_profiles(*configuration, catalog, services());
    }

    /// The error of a build that fails.
    std::string refusal(const std::string &yaml) {
        auto profiles = build(yaml);
        return profiles ? "it was built" : profiles.error().text;
    }
};

inline std::string hostile(const std::string &name) { return berth::paths::hostile() + "/" + name + ".so"; }

}  // namespace plugin_world
