// SPDX-License-Identifier: Apache-2.0
// What differs between two configurations, and what is left when some of it is taken back.
#include "plugin/config_changes.h"

#include "plugin_world.h"

using namespace berth;
using plugin::ConfigChange;
using plugin::ConfigPair;
using Texts = std::vector<std::string>;

namespace {

const std::string weight = "profiles: [{plugins: {multiPoint: {enabled: [{name: ImageLocality, weight: 9}]}}}]\n";
const std::string without_images = "profiles: [{plugins: {multiPoint: {disabled: [{name: ImageLocality}]}}}]\n";
const std::string at_score = "profiles: [{plugins: {score: {disabled: [{name: NodeResourcesFit}]}}}]\n";
const std::string packed =
    "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: MostAllocated, resources: "
    "[{name: cpu, weight: 1}]}}}]}]\n";
const std::string reordered =
    "profiles: [{plugins: {score: {disabled: [{name: TaintToleration}], enabled: [{name: TaintToleration, weight: "
    "3}]}}}]\n";
const std::string sampled = "percentageOfNodesToScore: 40\n";
const std::string two =
    "profiles: [{schedulerName: one}, {schedulerName: default-scheduler, percentageOfNodesToScore: 7}]\n";

config::Configuration read(const std::string &yaml, const char *release = "1.36") {
    auto out = config::read("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + yaml,
                            "c.yaml", *config::Release::of(release));
    if (!out) FAIL(out.error().text);
    return *std::move(out);
}

struct Two : plugin_world::World {
    ConfigPair pair(const config::Configuration &before, const config::Configuration &after) {
        auto out = ConfigPair::of(before, after, catalog);
        if (!out) FAIL(out.error().text);
        return *std::move(out);
    }
    plugin::KubernetesUses uses_of(const config::Configuration &configuration) {
        auto profiles = plugin::build_profiles(configuration, catalog, services());
        if (!profiles) FAIL(profiles.error().text);
        return plugin::kubernetes_uses(*profiles);
    }
    std::vector<ConfigChange> changes(const ConfigPair &both) {
        return both.changes(uses_of(both.before()), uses_of(both.after()));
    }
    Texts texts(const std::string &before, const std::string &after) {
        Texts out;
        for (const auto &one : changes(pair(read(before), read(after))))
            out.push_back(one.plugin + " " + std::string(name_of(one.what)) + ": " + one.before + " > " + one.after);
        return out;
    }
};

}  // namespace

TEST_CASE("config changes: each difference of two configurations is one change", "[plugin]") {
    Two world;
    CHECK(world.texts("", "").empty());
    CHECK(world.texts("", weight) == Texts{"ImageLocality Weight: 1 > 9"});
    CHECK(world.texts("", without_images) == Texts{"ImageLocality Enabled: Score > nowhere"});
    CHECK(world.texts("", at_score) ==
          Texts{"NodeResourcesFit Enabled: PreFilter, Filter, PreScore, Score > PreFilter, Filter, PreScore"});
    CHECK(world.texts("", sampled) == Texts{" Sampling: 0 > 40"});
    CHECK(world.texts("", two) == Texts{" Sampling: 0 > 7"});
    const auto arguments = world.texts("", packed);
    REQUIRE(arguments.size() == 1);
    CHECK(arguments[0] ==
          R"(NodeResourcesFit Arguments: scoringStrategy.type: "LeastAllocated", scoringStrategy.resources: )"
          R"([{"name":"cpu","weight":1},{"name":"memory","weight":1}] > scoringStrategy.type: "MostAllocated", )"
          R"(scoringStrategy.resources: [{"name":"cpu","weight":1}])");
    CHECK(world.texts("", reordered) == Texts{"TaintToleration Enabled: in another order > Filter, PreScore, Score"});
}

TEST_CASE("config changes: another profile may change otherwise", "[plugin]") {
    Two world;
    const std::string to = "plugins: {multiPoint: {enabled: [{name: ImageLocality, weight: ";
    CHECK(world.texts("profiles: [{schedulerName: a}, {schedulerName: b}]\n",
                      "profiles: [{schedulerName: a, " + to + "2}]}}}, {schedulerName: b, " + to + "5}]}}}]\n") ==
          Texts{"ImageLocality Weight: 1; 1 > 2; 5"});
}

TEST_CASE("config changes: what a release does to a plugin is none of the configuration", "[plugin]") {
    Two world;
    const auto both = world.pair(
        read(""),
        read("profiles: [{plugins: {score: {disabled: [{name: '*'}], enabled: [{name: ImageLocality}]}}}]\n", "1.37"));
    Texts of_node_name;
    for (const auto &one : world.changes(both))
        if (one.plugin == "NodeName") of_node_name.emplace_back(name_of(one.what));
    CHECK(of_node_name == Texts{"Release"});
}

TEST_CASE("config changes: with all of them taken back nothing differs", "[plugin]") {
    Two world;
    const std::vector<std::string> all{"", weight, without_images, at_score, packed, reordered, sampled, two};
    for (const auto &before : all)
        for (const auto &after : all) {
            const auto both = world.pair(read(before), read(after));
            const auto without = both.without(world.changes(both));
            CAPTURE(before, after);
            CHECK(world.changes(world.pair(both.before(), without)).empty());
        }
}

TEST_CASE("config changes: one that is taken back leaves the others", "[plugin]") {
    Two world;
    const auto both = world.pair(read(""), read(sampled + without_images));
    const auto changes = world.changes(both);
    REQUIRE(changes.size() == 2);
    const auto left = both.without({&changes[0], 1});
    const auto rest = world.changes(world.pair(both.before(), left));
    CHECK(rest == std::vector{changes[1]});
}

TEST_CASE("config changes: a release is one change of each plugin that asks for it", "[plugin]") {
    Two world;
    for (const auto &[from, to] : {std::pair{"1.36", "1.37"}, {"1.37", "1.36"}}) {
        CAPTURE(from);
        const auto both = world.pair(read("", from), read("", to));
        const auto changes = world.changes(both);
        std::size_t releases = 0, gates = 0;
        for (const auto &one : changes) {
            releases += one.what == ConfigChange::What::Release;
            gates += one.what == ConfigChange::What::Gate;
            CHECK(one.what != ConfigChange::What::Arguments);
            // Each of them can be built, also where a plugin implements other points as the other release.
            auto profiles = plugin::build_profiles(both.without({&one, 1}), world.catalog, world.services());
            INFO(one.plugin << " " << one.gate);
            CHECK(profiles);
        }
        CHECK(releases > 5);
        CHECK(gates > 1);
        auto alike = [&](const config::Configuration &configuration) {
            auto profiles = plugin::build_profiles(configuration, world.catalog, world.services());
            REQUIRE(profiles);
            std::string out;
            for (std::size_t i = 0; i < model::extension_point_count; ++i) {
                const auto point = static_cast<model::ExtensionPoint>(i);
                for (const auto &entry : configuration.profiles[0].at(point).enabled)
                    out += std::string(model::names(point).key) + " " + entry.name + "\n";
            }
            return out;
        };
        CHECK(alike(both.without(changes)) == alike(both.before()));
    }
}
