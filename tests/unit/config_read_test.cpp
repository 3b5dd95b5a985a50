// SPDX-License-Identifier: Apache-2.0
#include "config/read.h"

#include "config/defaults.h"
#include "config/dump.h"
#include "decode/write.h"

#include "catch.h"
#include "paths.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace berth;
using berth::config::Configuration;
using berth::config::ExtensionPoint;
using namespace std::chrono_literals;

namespace {

Configuration read(const std::string &body) {
    auto out = config::read("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + body,
                            "scheduler.yaml");
    if (!out) FAIL(out.error().text);
    return *std::move(out);
}

/// "A B:3 -C": enabled names with their weights, then disabled ones.
std::string text(const config::PluginSet &set) {
    std::string out;
    for (const auto &entry : set.enabled)
        out += (out.empty() ? "" : " ") + entry.name + (entry.weight ? ':' + std::to_string(entry.weight) : "");
    for (const auto &entry : set.disabled) out += (out.empty() ? "-" : " -") + entry.name;
    return out;
}

std::string text(const config::PluginConfig *entry) {
    return !entry ? "none" : !entry->args ? "no args" : decode::to_json(entry->args->value());
}

/// Everything about a configuration but where it stands.
std::string text(const Configuration &c) {
    const auto &election = c.leader_election;
    const auto &client = c.client_connection;
    std::string out =
        std::to_string(c.parallelism) + ' ' + std::to_string(c.percentage_of_nodes_to_score) + ' ' +
        std::to_string(c.pod_initial_backoff_seconds) + ' ' + std::to_string(c.pod_max_backoff_seconds) +
        (c.enable_profiling ? " profiling" : "") + (c.enable_contention_profiling ? " contention" : "") +
        (c.delay_cache_until_active ? " delayed" : "") + "\nelection " + (election.leader_elect ? "on " : "off ") +
        std::to_string(election.lease_duration / 1ms) + ' ' + std::to_string(election.renew_deadline / 1ms) + ' ' +
        std::to_string(election.retry_period / 1ms) + ' ' + election.resource_lock + ' ' + election.resource_namespace +
        '/' + election.resource_name + "\nclient '" + client.kubeconfig + "' '" + client.accept_content_types + "' " +
        client.content_type + ' ' + std::to_string(client.qps) + ' ' + std::to_string(client.burst);
    for (const auto &profile : c.profiles) {
        out += "\nprofile " + profile.scheduler_name;
        if (auto percentage = profile.percentage_of_nodes_to_score) out += ' ' + std::to_string(*percentage);
        for (const auto &names : model::extension_points)
            if (auto set = text(profile.at(names.point)); !set.empty())
                out += "\n  " + std::string(names.key) + ": " + set;
        for (const auto &entry : profile.plugin_config) out += "\n  " + entry.name + ' ' + text(&entry);
    }
    return out;
}

const std::string default_plugins =
    "SchedulingGates PrioritySort NodeUnschedulable NodeName TaintToleration:3 NodeAffinity:2 NodePorts "
    "NodeResourcesFit:1 VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread:2 "
    "InterPodAffinity:2 DynamicResources:2 DefaultPreemption NodeResourcesBalancedAllocation:1 ImageLocality:1 "
    "DefaultBinder "
    "NodeDeclaredFeatures";

const std::string everything_default =
    "16 0 1 10 profiling contention\n"
    "election on 15000 10000 2000 leases kube-system/kube-scheduler\n"
    "client '' '' application/vnd.kubernetes.protobuf 50.000000 100\n"
    "profile default-scheduler\n"
    "  multiPoint: " +
    default_plugins;

}  // namespace

TEST_CASE("config: a file that says nothing has upstream's defaults", "[config]") {
    CHECK(text(read("")) == everything_default);
    CHECK(text(config::built_in()) == everything_default);
}

TEST_CASE("config: null, an empty text, zero and an empty list count as left out", "[config]") {
    CHECK(text(read("parallelism: null\n"
                    "leaderElection: {leaseDuration: 0s, renewDeadline: 0s, retryPeriod: 0s, resourceLock: '',\n"
                    "  resourceNamespace: '', resourceName: '', leaderElect: null}\n"
                    "clientConnection: {contentType: '', qps: 0, burst: 0}\n"
                    "enableProfiling:\n"
                    "profiles: []\n"
                    "extenders: []\n")) == everything_default);
}

TEST_CASE("config: extenders", "[config]") {
    auto c = read(
        "extenders:\n"
        "- {urlPrefix: 'http://a/', filterVerb: f, preemptVerb: p, prioritizeVerb: s, weight: 3, bindVerb: b,\n"
        "   enableHTTPS: true, httpTimeout: 1m30s, nodeCacheCapable: true, ignorable: true,\n"
        "   tlsConfig: {insecure: true, serverName: n, certFile: c, keyFile: k, caFile: a, certData: UEVN,\n"
        "     keyData: UEVN, caData: \"UEVN\\nUEVN\\n\"},\n"
        "   managedResources: [{name: example.com/a, ignoredByScheduler: true}, {name: example.com/b}]}\n"
        "- {urlPrefix: 'http://b', httpTimeout: 0s, tlsConfig: {}}\n");
    const auto &first = c.extenders.at(0);
    CHECK(first.url_prefix == "http://a/");
    CHECK(first.tls->ca_data == "UEVNUEVN");
    CHECK(first.http_timeout == std::chrono::seconds{90});
    CHECK(c.extenders.at(1).http_timeout == std::chrono::seconds{5});
    CHECK(config::ignored_by_scheduler(c.extenders) == std::vector<std::string_view>{"example.com/a"});
    auto printed = [&](const char *version) {
        auto dumped = config::dump(c, *config::defaults_of(version), [](auto, auto) { return model::TreePtr{}; });
        auto *extenders = dumped.find("extenders");
        return extenders ? decode::to_json(extenders->tree()->value()) : "none";
    };
    CHECK(printed("v1") ==
          R"([{"bindVerb":"b","enableHTTPS":true,"filterVerb":"f","httpTimeout":"1m30s","ignorable":true,)"
          R"("managedResources":[{"ignoredByScheduler":true,"name":"example.com/a"},{"name":"example.com/b"}],)"
          R"("nodeCacheCapable":true,"preemptVerb":"p","prioritizeVerb":"s","tlsConfig":{"caData":"UEVNUEVN",)"
          R"("caFile":"a","certData":"UEVN","certFile":"c","insecure":true,"keyData":"UEVN","keyFile":"k",)"
          R"("serverName":"n"},"urlPrefix":"http://a/","weight":3},{"httpTimeout":"5s","tlsConfig":{},)"
          R"("urlPrefix":"http://b"}])");
    CHECK(printed("v1alpha2").find(R"("enableHttps":true)") != std::string::npos);
    CHECK(printed("v1alpha2").find(R"("httpTimeout":90000000000)") != std::string::npos);
    CHECK(printed("v1alpha1") == "none");
    CHECK(config::without_room(c, *config::defaults_of("v1alpha1")).at(0) == "extenders: v1alpha1 has no such field");
}

TEST_CASE("config: every field of the file arrives", "[config]") {
    auto c = read(
        "parallelism: 3\n"
        "percentageOfNodesToScore: 70\n"
        "podInitialBackoffSeconds: 5\n"
        "podMaxBackoffSeconds: 5\n"
        "enableProfiling: true\n"
        "enableContentionProfiling: false\n"
        "delayCacheUntilActive: true\n"
        "leaderElection: {leaderElect: false, leaseDuration: 1m, renewDeadline: 30s, retryPeriod: 1.5s,\n"
        "  resourceLock: endpoints, resourceNamespace: ns, resourceName: name}\n"
        "clientConnection: {kubeconfig: /k, acceptContentTypes: application/json,\n"
        "  contentType: application/json, qps: 12.5, burst: 7}\n"
        "profiles: [{schedulerName: batch, percentageOfNodesToScore: 100}]\n");
    CHECK(text(c) ==
          "3 70 5 5 profiling delayed\n"
          "election off 60000 30000 1500 endpoints ns/name\n"
          "client '/k' 'application/json' application/json 12.500000 7\n"
          "profile batch 100\n"
          "  multiPoint: " +
              default_plugins);
}

TEST_CASE("config: contention profiling follows profiling unless it is given", "[config]") {
    CHECK_FALSE(read("enableProfiling: false\n").enable_contention_profiling);
    CHECK(read("enableProfiling: false\nenableContentionProfiling: true\n").enable_contention_profiling);
}

TEST_CASE("config: JSON is read like YAML", "[config]") {
    auto c = config::read(R"({"kind": "KubeSchedulerConfiguration", "parallelism": 4,
                              "apiVersion": "kubescheduler.config.k8s.io/v1"})",
                          "scheduler.json");
    REQUIRE(c.ok());
    CHECK(c->parallelism == 4);
}

TEST_CASE("config: each set of a profile is merged by itself and only multiPoint has defaults", "[config]") {
    auto c = read(R"(
profiles:
  - schedulerName: one
    plugins:
      score:
        enabled: [{name: ImageLocality, weight: 5}, {name: Mine}]
        disabled: [{name: '*'}]
      multiPoint:
        enabled: [{name: NodeAffinity, weight: 7}, {name: Mine, weight: 2}]
        disabled: [{name: NodePorts}]
  - schedulerName: two
)");
    REQUIRE(c.profiles.size() == 2);
    CHECK(text(c.profiles[0].at(ExtensionPoint::Score)) == "ImageLocality:5 Mine -*");
    CHECK(text(c.profiles[0].at(ExtensionPoint::MultiPoint)) ==
          "SchedulingGates PrioritySort NodeUnschedulable NodeName TaintToleration:3 NodeAffinity:7 NodeResourcesFit:1 "
          "VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread:2 InterPodAffinity:2 "
          "DynamicResources:2 DefaultPreemption NodeResourcesBalancedAllocation:1 ImageLocality:1 DefaultBinder "
          "NodeDeclaredFeatures "
          "Mine:2 -NodePorts");
    CHECK(text(c.profiles[0].at(ExtensionPoint::Filter)).empty());
    CHECK(text(c.profiles[1].at(ExtensionPoint::MultiPoint)) == default_plugins);
    CHECK(c.profile("two") == &c.profiles[1]);
    CHECK(c.profile("three") == nullptr);
}

TEST_CASE("config: every extension point is read under its own name", "[config]") {
    for (const auto &names : model::extension_points) {
        // Those of pod groups, below.
        if (names.point >= ExtensionPoint::PlacementGenerate) continue;
        INFO(names.key);
        auto c = read("profiles: [{plugins: {" + std::string(names.key) + ": {enabled: [{name: Mine, weight: 4}]}}}]");
        for (const auto &other : model::extension_points) {
            bool has = text(c.profiles[0].at(other.point)).ends_with("Mine:4");
            CHECK(has == (other.point == names.point));
        }
    }
}

TEST_CASE("config: an entry knows where it stands, a default one too", "[config]") {
    auto c = read("profiles:\n  - plugins:\n      multiPoint:\n        enabled:\n          - name: Mine\n");
    const auto &entries = c.profiles[0].at(ExtensionPoint::MultiPoint).enabled;
    CHECK(entries.back().place.text() == "scheduler.yaml:7:13: profiles[0].plugins.multiPoint.enabled[0]");
    CHECK(entries.front().place.file == "configs/defaults/1.36/v1.yaml");
    CHECK(entries.front().place.line > 0);
}

TEST_CASE("config: args are handed on as they are written", "[config]") {
    auto c = read(
        "profiles: [{plugins: {multiPoint: {enabled: [{name: Mine}, {name: Yours}]}}, pluginConfig: [\n"
        "  {name: Mine, args: {kind: Own, apiVersion: mine/v1, b: [1, 2.5, null], a: x}}, {name: Yours}]}]");
    CHECK(text(c.profiles[0].config_of("Mine")) == R"({"kind":"Own","apiVersion":"mine/v1","b":[1,2.5,null],"a":"x"})");
    CHECK(text(c.profiles[0].config_of("Yours")) == "no args");
    CHECK(text(c.profiles[0].config_of("Theirs")) == "none");
}

TEST_CASE("config: args that upstream types lose their apiVersion and kind", "[config]") {
    auto c = read(
        "profiles: [{pluginConfig: [{name: NodeAffinity, args: {kind: NodeAffinityArgs,\n"
        "  apiVersion: kubescheduler.config.k8s.io/v1, addedAffinity: {}}}]}]");
    CHECK(text(c.profiles[0].config_of("NodeAffinity")) == R"({"addedAffinity":{}})");
}

TEST_CASE("config: a place below the args of a plugin is found by its JSON pointer", "[config]") {
    auto c = read(
        "profiles:\n"
        "  - pluginConfig:\n"
        "      - name: NodeName\n"
        "      - name: NodeAffinity\n"
        "        args:\n"
        "          limits:\n"
        "            - {a/b: 1}\n");
    auto at = [&](std::string_view pointer) { return args_place(c, 0, "NodeAffinity", pointer).text(); };
    CHECK(at("") == "scheduler.yaml:8:11: profiles[0].pluginConfig[1].args");
    CHECK(at("/limits/0/a~1b") == "scheduler.yaml:9:21: profiles[0].pluginConfig[1].args.limits[0].a/b");
    CHECK(at("/limits/3") == "scheduler.yaml:9:13: profiles[0].pluginConfig[1].args.limits[3]");
    CHECK(at("/other/0/deep") == "scheduler.yaml:8:11: profiles[0].pluginConfig[1].args.other[0].deep");
    CHECK(args_place(c, 0, "NodeName", "/x").text() == "scheduler.yaml:5:9: profiles[0].pluginConfig[0].args.x");
}

TEST_CASE("config: args that a file leaves out are placed where it enables the plugin", "[config]") {
    auto c = read(
        "profiles:\n"
        "  - plugins:\n"
        "      multiPoint:\n"
        "        enabled:\n"
        "          - name: Mine\n");
    CHECK(args_place(c, 0, "Mine", "/limits/0").text() ==
          "scheduler.yaml:7:13: profiles[0].pluginConfig[Mine].args.limits[0]");
    CHECK(args_place(c, 0, "NodePorts", "/x").text() == "scheduler.yaml: profiles[0].pluginConfig[NodePorts].args.x");
    CHECK(args_place(c, 9, "Mine", "").text() == "scheduler.yaml: profiles[9].pluginConfig[Mine].args");
    CHECK(args_place(config::built_in(), 0, "Mine", "").text() ==
          "the built-in configuration: profiles[0].pluginConfig[Mine].args");
}

TEST_CASE("config: args of a plugin that a profile does not enable are reported, not ignored", "[config]") {
    auto c = read(
        "profiles: [{plugins: {score: {enabled: [{name: Mine}]}}, pluginConfig: [{name: Mine},\n"
        "  {name: Yours}]}]");
    CHECK(c.warnings ==
          std::vector<std::string>{
              R"(scheduler.yaml:4:3: profiles[0].pluginConfig[1]: no effect: this profile does not enable "Yours")"});
}

TEST_CASE("config: removed plugins may be disabled, and multiPoint is not asked about them", "[config]") {
    auto c = read(
        "profiles: [{plugins: {filter: {disabled: [{name: EBSLimits}]},\n"
        "  multiPoint: {enabled: [{name: CinderLimits}]}}}]");
    CHECK(text(c.profiles[0].at(ExtensionPoint::MultiPoint)) == default_plugins + " CinderLimits");
}

TEST_CASE("config: pod group points may be disabled", "[config]") {
    CHECK(text(read("profiles: [{plugins: {placementScore: {disabled: [{name: '*'}]}}}]")
                   .profiles[0]
                   .at(ExtensionPoint::PlacementScore)) == "-*");
}

TEST_CASE("config: the default plugins are upstream's, each once, and none of them is refused", "[config]") {
    const auto &defaults = config::defaults_v1();
    CHECK(text(defaults.at(ExtensionPoint::MultiPoint)) == default_plugins);
    for (const auto &entry : defaults.at(ExtensionPoint::MultiPoint).enabled) {
        CHECK_FALSE(defaults.removed.contain(entry.name));
        CHECK_FALSE(defaults.unsupported.contain(entry.name));
    }
}

TEST_CASE("config: every ready configuration is read without a complaint", "[config]") {
    std::set<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(berth::paths::source() + "/configs")) {
        if (!entry.is_regular_file()) continue;
        INFO(entry.path());
        std::ifstream in(entry.path());
        std::string bytes{std::istreambuf_iterator<char>(in), {}};
        auto c = config::read(bytes, entry.path());
        if (!c) FAIL_CHECK(c.error().text);
        else {
            names.insert(entry.path().stem());
            CHECK(c->warnings.empty());
            if (entry.path().stem() == "default") CHECK(text(*c) == everything_default);
            if (entry.path().stem() == "maxpods")
                CHECK(text(c->profiles[0].config_of("MaxPods")) ==
                      R"({"maxPods":6,"scope":"Namespace","message":"POD数量超过，不能调度，最多只能调度6"})");
            if (entry.path().stem() == "image-affinity")
                CHECK(text(c->profiles[0].at(ExtensionPoint::Score)) == "RunningImageLocality:10");
            if (entry.path().stem() == "random")
                CHECK(text(c->profiles[0].at(ExtensionPoint::Score)) == "RandomScore:300");
        }
    }
    for (const char *name : {"default", "maxpods", "image-affinity", "random", "packing"}) CHECK(names.count(name));
}
