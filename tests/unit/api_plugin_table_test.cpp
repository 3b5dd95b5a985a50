// SPDX-License-Identifier: Apache-2.0
#include "asked_world.h"

using namespace berth;
using report::PluginCalls;

namespace {

/// What is told of a plugin at a point of the only profile; nothing if it is not there.
model::Value at(model::Value root, std::string_view point, std::string_view plugin) {
    const auto points = root["profiles"].at(0)["points"];
    for (std::size_t i = 0; i < points.size(); ++i) {
        const auto plugins = points.at(i)["plugins"];
        if (points.at(i)["extensionPoint"].string() != point) continue;
        for (std::size_t k = 0; k < plugins.size(); ++k)
            if (plugins.at(k)["plugin"].string() == plugin) return plugins.at(k);
    }
    return {};
}

}  // namespace

TEST_CASE("plugin table: every plugin stands at its points, with how it was called there", "[api]") {
    AskedWorld w;
    w.fit.filter = [](const std::string &name) {
        return name == "n1" ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"too small"}} : FilterSays{};
    };
    const auto before = w.read("plugins");
    CHECK(before.value()["kind"].string() == "PluginList");
    for (const auto *path : {"plugins", "cluster", "pending", "decisions"})
        CHECK(w.read(path).value()["kubernetesVersion"].string() == "1.37");
    CHECK(before.value()["profiles"].at(0)["name"].string() == "default-scheduler");
    CHECK(at(before.value(), "Filter", "Fit")["calls"].integer() == 0);
    CHECK(!at(before.value(), "Filter", "Fit")["latency"]);
    CHECK(!at(before.value(), "Filter", "Binder"));
    w.world->add_nodes(3);
    w.world->scheduler.observer().pod_added(plain_pod("p"));
    w.settle();
    const auto after = w.read("plugins");
    const auto fit = at(after.value(), "Filter", "Fit");
    CHECK(fit["calls"].integer() == 1);
    CHECK(fit["nodes"].integer() == 3);
    CHECK(fit["rejections"].integer() == 1);
    REQUIRE(fit["latency"].size() == PluginCalls::buckets);
    CHECK(after.value()["latencyBounds"].size() == PluginCalls::buckets - 1);
    std::int64_t calls = 0;
    for (std::size_t i = 0; i < PluginCalls::buckets; ++i) calls += *fit["latency"].at(i).integer();
    CHECK(calls == 1);
    CHECK(at(after.value(), "Bind", "Binder")["calls"].integer() == 1);
    CHECK(w.ask("plugins", {}, "POST").status == 405);
}

TEST_CASE("plugin table: whoever is in quarantine says why, and how often they failed", "[api]") {
    AskedWorld w;
    CHECK(w.read("plugins").value()["plugins"].size() == 0);
    for (std::size_t i = 0; i < plugin::PluginFailures::too_many; ++i) w.failures->misbehaved("Fit", "Filter", "threw");
    w.failures->misbehaved("Binder", "Bind", "hung");
    const auto document = w.read("plugins");
    const auto plugins = document.value()["plugins"];
    REQUIRE(plugins.size() == 2);
    CHECK(plugins.at(0)["name"].string() == "Binder");
    CHECK(plugins.at(0)["failures"].integer() == 1);
    CHECK(!plugins.at(0)["quarantine"]);
    CHECK(plugins.at(1)["name"].string() == "Fit");
    CHECK(plugins.at(1)["failures"].integer() == plugin::PluginFailures::too_many);
    CHECK(plugins.at(1)["quarantine"].string().find("is in quarantine") != std::string::npos);
}

TEST_CASE("plugin table: calls are counted by how long they took", "[api]") {
    CHECK(PluginCalls::bucket(-1) == 0);
    CHECK(PluginCalls::bucket(1023) == 0);
    CHECK(PluginCalls::bucket(1024) == 1);
    CHECK(PluginCalls::bucket(INT64_MAX) == PluginCalls::buckets - 1);
    CHECK(PluginCalls::bound(0) == 1024e-9);
    for (std::int64_t ns = 1; ns < 100'000'000; ns *= 3) {
        const auto in = PluginCalls::bucket(ns);
        CHECK(static_cast<double>(ns) < PluginCalls::bound(in) * 1e9);
        if (in > 0) CHECK(static_cast<double>(ns) >= PluginCalls::bound(in - 1) * 1e9);
    }
}
