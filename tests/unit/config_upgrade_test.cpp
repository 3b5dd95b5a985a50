// SPDX-License-Identifier: Apache-2.0
// Files of older versions as files of v1. Every file of tests/commands/old-configs/ has beside it what it becomes (.v1)
// and what is said about that (.warnings); set BERTH_WRITE_EXPECTED to write these anew.
#include "config/upgrade.h"

#include "config/old_version.h"
#include "config/read.h"
#include "decode/write.h"

#include "catch.h"
#include "paths.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace berth;
namespace fs = std::filesystem;

namespace {

const fs::path directory = fs::path(berth::paths::source()) / "tests/commands/old-configs";

std::string contents(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void compare(const fs::path &expected, const std::string &text) {
    INFO(expected.filename());
    if (std::getenv("BERTH_WRITE_EXPECTED")) std::ofstream(expected, std::ios::binary) << text;
    CHECK(contents(expected) == text);
}

config::Upgraded upgraded(const std::string &version, const std::string &body) {
    auto document = decode::read_document(
        "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n" + body,
        "old.yaml");
    if (!document) FAIL(document.error().text);
    auto out = config::upgrade(*document, *config::defaults_of(version), {});
    if (!out) FAIL(out.error().text);
    return *std::move(out);
}

/// The names at a point of the first profile, in one line.
std::string names(const config::Upgraded &file, std::string_view point, const char *list = "enabled") {
    auto tree = file.root.tree();
    auto entries = tree->value()["profiles"].at(0)["plugins"][point][list];
    std::string out;
    for (std::size_t i = 0; i < entries.size(); ++i)
        out += (i ? " " : "") + std::string(entries.at(i)["name"].string());
    return out;
}

}  // namespace

TEST_CASE("upgrade: every old file becomes the file of v1 beside it", "[config]") {
    int files = 0;
    for (const auto &entry : fs::directory_iterator(directory)) {
        const auto &path = entry.path();
        if (path.extension() != ".yaml" && path.extension() != ".json") continue;
        ++files;
        auto document = decode::read_document(contents(path), path.filename());
        REQUIRE(document.ok());
        auto version = std::string(document->value()["apiVersion"].string());
        const auto *rules = config::defaults_of(version.substr(version.find('/') + 1));
        REQUIRE(rules);
        auto out = config::upgrade(*document, *rules, {});
        if (!out) FAIL(out.error().text);
        compare(path.string() + ".v1", decode::to_yaml(out->root.tree()->value()));
        std::string warnings;
        for (const auto &warning : out->warnings) warnings += warning + '\n';
        compare(path.string() + ".warnings", warnings);
    }
    CHECK(files >= 5);
}

TEST_CASE("upgrade: what a file became is read as v1, and says the same as the old file", "[config]") {
    for (const auto &entry : fs::directory_iterator(directory)) {
        if (entry.path().extension() != ".v1") continue;
        INFO(entry.path().filename());
        auto today = config::read(contents(entry.path()), "today.yaml");
        if (!today) FAIL(today.error().text);
        auto old_path = fs::path(entry.path()).replace_extension();
        auto old = config::read(contents(old_path), "old.yaml");
        if (!old) FAIL(old.error().text);
        REQUIRE(today->profiles.size() == old->profiles.size());
        CHECK(old->as_written);
        CHECK(today->leader_election.resource_name == old->leader_election.resource_name);
        for (std::size_t i = 0; i < today->profiles.size(); ++i) {
            CHECK(today->profiles[i].scheduler_name == old->profiles[i].scheduler_name);
            for (const auto &point : model::extension_points) {
                auto plugins = [&](const config::Configuration &c) {
                    std::string text;
                    for (const auto &plugin : c.profiles[i].at(point.point).enabled)
                        text += plugin.name + ':' + std::to_string(plugin.weight) + ' ';
                    return text;
                };
                CHECK(plugins(*today) == plugins(*old));
            }
        }
    }
}

TEST_CASE("upgrade: errors and places are those of the old file", "[config]") {
    auto said = [](const std::string &version, const std::string &body) {
        auto out = config::read(
            "apiVersion: kubescheduler.config.k8s.io/" + version + "\nkind: KubeSchedulerConfiguration\n" + body,
            "old.yaml");
        return out ? "nothing" : out.error().text;
    };
    CHECK(said("v1alpha1", "plugins:\n  postFilter: {enabled: 5}\nparallelism: x\n") ==
          "old.yaml:4:25: plugins.postFilter.enabled: expected a list, got a number");
    CHECK(said("v1beta1", "profiles:\n- plugins:\n    preEnqueue: {}\n  colour: red\nparallelism: 0\n") ==
          "old.yaml:5:5: profiles[0].plugins.preEnqueue: unknown field\n"
          "old.yaml:6:3: profiles[0].colour: unknown field; expected one of schedulerName, plugins, pluginConfig\n"
          "old.yaml:7:14: parallelism: Invalid value: 0: should be an integer value greater than zero");
    CHECK(said("v1alpha1", "disablePreemption: maybe\nbindTimeoutSeconds: soon\n") ==
          "old.yaml:3:20: disablePreemption: expected true or false, got a string\n"
          "old.yaml:4:21: bindTimeoutSeconds: expected an integer, got a string");
    CHECK(
        said("v1beta2", "profiles:\n- percentageOfNodesToScore: 3\n").find("percentageOfNodesToScore: unknown field") !=
        std::string::npos);
    CHECK(said("v1alpha2", "profiles:\n- plugins: {postFilter: {}}\n").find("plugins.postFilter: unknown field") !=
          std::string::npos);
}

TEST_CASE("upgrade: a strategy of NodeResourcesFit keeps its place and weight, two of them are refused", "[config]") {
    auto out = upgraded("v1beta1",
                        "profiles: [{plugins: {score: {disabled: [{name: NodeResourcesLeastAllocated}],\n"
                        "  enabled: [{name: NodeResourcesMostAllocated, weight: 4}]}}}]\n");
    CHECK(
        names(out, "score") ==
        "NodeResourcesBalancedAllocation ImageLocality InterPodAffinity NodeAffinity PodTopologySpread TaintToleration "
        "NodeResourcesFit");
    auto tree = out.root.tree();
    auto score = tree->value()["profiles"].at(0)["plugins"]["score"]["enabled"];
    CHECK(score.at(6)["weight"].integer() == 4);
    CHECK(decode::to_json(tree->value()["profiles"].at(0)["pluginConfig"]) ==
          R"([{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"MostAllocated"}}}])");
    auto document = decode::read_document(
        "profiles: [{plugins: {score: {enabled: [{name: NodeResourcesMostAllocated}]}}}]", "two.yaml");
    auto two = config::upgrade(*document, *config::defaults_of("v1beta1"), {});
    REQUIRE_FALSE(two.ok());
    CHECK(two.error().text ==
          "two.yaml:1:41: profiles[0].plugins.score.enabled[0]: \"NodeResourcesMostAllocated\" is today a strategy of "
          "\"NodeResourcesFit\", which this profile enables there, too: a profile has one of them; disable the others");
}

TEST_CASE("upgrade: v1beta1 enables a default twice that is not disabled, v1beta2 replaces it", "[config]") {
    std::string body = "profiles: [{plugins: {score: {enabled: [{name: ImageLocality, weight: 10}]}}}]\n";
    CHECK(names(upgraded("v1beta1", body), "score").find("ImageLocality InterPodAffinity") != std::string::npos);
    CHECK(names(upgraded("v1beta1", body), "score").ends_with("TaintToleration ImageLocality"));
    CHECK(names(upgraded("v1beta2", body), "score").ends_with("TaintToleration"));
}

TEST_CASE("upgrade: plugins get the hooks that they need today", "[config]") {
    auto out = upgraded("v1beta2", "");
    CHECK(names(out, "preEnqueue") == "SchedulingGates DefaultPreemption");
    CHECK(names(out, "preFilter").ends_with("NodeAffinity NodeVolumeLimits VolumeZone"));
    CHECK(names(out, "preScore").ends_with("NodeAffinity NodeResourcesBalancedAllocation NodeResourcesFit"));
    CHECK(names(out, "multiPoint", "disabled") == "*");
    CHECK(names(upgraded("v1alpha2", ""), "postFilter") == "DefaultPreemption");
    CHECK(names(upgraded("v1alpha2", "disablePreemption: true\n"), "postFilter").empty());
    CHECK(names(upgraded("v1alpha2", ""), "reserve") == "VolumeBinding");
}

TEST_CASE("upgrade: the lock names of v1alpha1", "[config]") {
    auto out = upgraded("v1alpha1", "leaderElection: {lockObjectName: a, lockObjectNamespace: b, resourceName: a}\n");
    CHECK(out.era.leader_election.resource_name == "a");
    CHECK(out.era.leader_election.resource_namespace == "b");
    CHECK(out.era.leader_election.resource_lock == "endpointsleases");
    auto document = decode::read_document("leaderElection: {lockObjectName: a, resourceName: b}", "both.yaml");
    auto both = config::upgrade(*document, *config::defaults_of("v1alpha1"), {});
    REQUIRE_FALSE(both.ok());
    CHECK(
        both.error().text ==
        "both.yaml:1:34: leaderElection.lockObjectName: ResourceName and LockObjectName are both set and do not match, "
        "ResourceName: b, LockObjectName: a");
}

TEST_CASE("upgrade: extenders of v1alpha2 are written as today", "[config]") {
    auto document = decode::read_document(
        "{\"extenders\": [{\"urlPrefix\": \"http://x\", \"enableHttps\": true, \"httpTimeout\": 5000000000}]}",
        "old.json");
    decode::FieldErrors errors;
    auto shaped = config::in_shape_of_v1(*document, *config::defaults_of("v1alpha2"), errors);
    CHECK(errors.empty());
    CHECK(decode::to_json(shaped.root.tree()->value()) ==
          R"({"extenders":[{"urlPrefix":"http://x","enableHTTPS":true,"httpTimeout":"5000000000ns"}]})");
}

TEST_CASE("mutable tree: a document that is read and written again is the same, with the same places", "[config]") {
    for (const std::string text :
         {"a: [1, {b: c}]\nd:\n  - 'x\\y'\n  - {}\n  - []\n  - 1.5\n  - ~\n",
          "{\"a\": [1, {\"b\": \"c\"}],\n \"d\\\"\": [\"x\\\\\", {}, [], 1.5,\n null, true]}"}) {
        auto document = decode::read_document(text, "some");
        REQUIRE(document.ok());
        auto again = config::MutableTree::of(*document).document("some");
        CHECK(decode::to_json(again.value()) == decode::to_json(document->value()));
        CHECK(decode::positions(again) == decode::positions(*document));
        auto last = document->value().member(1), same = again.value().member(1);
        for (std::size_t i = 0; i < last.size(); ++i) {
            CHECK(again.position(same.at(i)) == document->position(last.at(i)));
            CHECK(again.position(same.at(i)).line >= 2);
        }
        CHECK(again.key_position(same) == document->key_position(last));
    }
}
