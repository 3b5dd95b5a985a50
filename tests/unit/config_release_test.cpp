// SPDX-License-Identifier: Apache-2.0
// Which release of Kubernetes is decided as.
#include "config/release.h"

#include "config/defaults.h"
#include "config/dump.h"
#include "config/feature_gates.h"
#include "config/read.h"
#include "live/recording.h"
#include "plugin/expansion.h"

#include "catch.h"

#include <cstring>

using namespace berth;
using config::Release;

TEST_CASE("release: by its minor, with or without a patch", "[config][release]") {
    for (const auto &release : Release::all()) {
        CHECK(Release::of(release.text()) == release);
        CHECK(Release::of("v" + release.text()) == release);
        CHECK(Release::of(release.text() + ".3") == release);
    }
    CHECK(Release{}.text() == "1.36");
    for (const auto *text : {"", "1", "1.3", "1.360", "1.36.", "1.36.x", "1.36.3-rc.1", "vv1.36", "2.36", "1.35"})
        CHECK_FALSE(Release::of(text));
}

TEST_CASE("release: a configuration has that which it was read for", "[config][release]") {
    for (const auto &release : Release::all()) {
        CHECK(config::built_in(release).release == release);
        for (const auto *version : {"v1", "v1beta3"}) {
            const auto read = config::read(std::string("apiVersion: kubescheduler.config.k8s.io/") + version +
                                               "\nkind: KubeSchedulerConfiguration\n",
                                           "c.yaml", release);
            REQUIRE(read);
            CHECK(read->release == release);
            if (read->as_written) CHECK(read->as_written->release == release);
        }
    }
    CHECK(config::built_in().release == Release{});
}

namespace {

std::string errors_of(const std::string &plugins, Release release) {
    const auto read = config::read(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{plugins: {" +
            plugins + "}}]\n",
        "c.yaml", release);
    return read ? "" : read.error().text;
}

std::string default_plugins(Release release) {
    std::string out;
    for (const auto &entry : config::defaults_v1(release).at(model::ExtensionPoint::MultiPoint).enabled)
        out += entry.name + " ";
    return out;
}

}  // namespace

TEST_CASE("release: 1.37 has NodeName first, and a set for pod groups", "[config][release]") {
    const auto before = *Release::of("1.36"), now = *Release::of("1.37");
    CHECK(default_plugins(before).starts_with(
        "SchedulingGates PrioritySort NodeUnschedulable NodeName TaintToleration "));
    CHECK(default_plugins(now).starts_with("SchedulingGates PrioritySort NodeName NodeUnschedulable TaintToleration "));
    const std::string disabled = "podGroupPostFilter: {disabled: [{name: '*'}]}";
    CHECK(errors_of(disabled, now).empty());
    CHECK(
        errors_of(disabled, before).starts_with("c.yaml:3:23: profiles[0].plugins.podGroupPostFilter: unknown field"));
    CHECK(errors_of("podGroupPostFilter: {enabled: [{name: DefaultPreemption}]}", now) ==
          "c.yaml:3:53: profiles[0].plugins.podGroupPostFilter.enabled: Forbidden: Berth has no extension point for "
          "placements and preemption of pod groups; remove it");
    for (const auto *version : {"v1beta3", "v1alpha1"}) CHECK(config::defaults_of(version, now) != nullptr);
    auto printed = [](Release release) {
        return config::dump(config::built_in(release), config::defaults_v1(release),
                            [](auto, auto) { return model::TreePtr{}; });
    };
    auto sets = [&](Release release) {
        const auto tree = printed(release).tree();
        return tree->value()["profiles"].at(0)["plugins"].size();
    };
    CHECK(sets(before) == 15);
    CHECK(sets(now) == 16);
}

TEST_CASE("release: what 1.36 does not call is there all the same", "[config][release]") {
    using model::ExtensionPoint;
    const auto &before = config::defaults_v1(*Release::of("1.36")), &now = config::defaults_v1(*Release::of("1.37"));
    const auto all = [](std::string_view) { return true; };
    const auto some = [](std::string_view other) { return other == "PrioritySort"; };
    for (const auto *plugin : {"NodeName", "NodeUnschedulable", "TaintToleration"}) {
        CHECK_FALSE(before.calls(plugin, ExtensionPoint::PreFilter, all));
        CHECK(before.calls(plugin, ExtensionPoint::Filter, all));
        CHECK(before.calls(plugin, ExtensionPoint::PreFilter, some));
        CHECK(now.calls(plugin, ExtensionPoint::PreFilter, all));
    }
    CHECK(before.calls("NodeAffinity", ExtensionPoint::PreFilter, all));
}

TEST_CASE("release: a plugin in the place of a default one is called wherever it implements", "[plugin][release]") {
    const int table = 0;
    constexpr std::string_view name = "TaintToleration";
    berth_plugin own{};
    own.name = {name.data(), name.size()};
    plugin::LoadedPlugin loaded{"/p/kubernetes.so", &own, {}, {}};
    loaded.tables.set(plugin::Interface::PreFilter, &table);
    CHECK(plugin::can_be_enabled(loaded, model::ExtensionPoint::PreFilter, *Release::of("1.36")));
}

TEST_CASE("release: a gate is as it was set, or as it is by default", "[config][release][gates]") {
    CHECK(config::gate_in({}, "", "SchedulerPopFromBackoffQ") == true);
    CHECK(config::gate_in({}, "A=true,SchedulerPopFromBackoffQ=false", "SchedulerPopFromBackoffQ") == false);
    CHECK(config::gate_in({}, "XStorageCapacityScoring=true", "StorageCapacityScoring") == false);
    CHECK(config::gate_in(*Release::of("1.37"), "", "StorageCapacityScoring") == true);
    CHECK(config::gate_in({}, "", "GangScheduling") == false);
    CHECK_FALSE(config::gate_in(*Release::of("1.37"), "", "GangScheduling").has_value());
    CHECK_FALSE(config::gate_in({}, "Colour=true", "Colour").has_value());
    CHECK_FALSE(config::gate_in({}, "", "").has_value());
}

TEST_CASE("release: a recording says it, and an older one means the first", "[config][release][record]") {
    const auto build = live::read_build(R"({"berth": "1", "kubernetes": "1.36"})");
    REQUIRE(build);
    CHECK(build->release == *Release::of("1.36"));
    const auto silent = live::read_build(R"({"berth": "1"})");
    REQUIRE(silent);
    CHECK(silent->release == *Release::of("1.36"));
    const auto later = live::read_build(R"({"berth": "1", "kubernetes": "1.99"})");
    REQUIRE_FALSE(later);
    CHECK(later.error().text.starts_with("how the profiles were made: kubernetes is \"1.99\", expected 1.36"));
}
