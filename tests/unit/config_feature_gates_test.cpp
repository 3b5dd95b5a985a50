// SPDX-License-Identifier: Apache-2.0
// kube-scheduler's feature gates: what the flags make of them, and what of the configuration. tests/oracle/gates
// compares random flags with Kubernetes' own code.
#include "config/feature_gates.h"

#include "config/read.h"
#include "decode/document.h"
#include "decode/write.h"
#include "queue/settings.h"

#include "catch.h"
#include "paths.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

using namespace berth;
using config::FeatureGates;
using config::GateFlags;

namespace {

FeatureGates gates(const GateFlags &flags) {
    auto out = FeatureGates::read(flags);
    if (!out) FAIL(out.error().text);
    return *std::move(out);
}

std::string refusal(const GateFlags &flags) {
    const auto out = FeatureGates::read(flags);
    return out ? "" : out.error().text;
}

/// Why Berth does not take them, after upstream has.
std::string unsupported(const GateFlags &flags) {
    const auto good = gates(flags).check();
    return good ? "" : good.error().text;
}

config::Configuration with(const std::string &values, const std::string &body = "") {
    auto out =
        config::read("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + body, "c.yaml");
    if (!out) FAIL(out.error().text);
    if (auto applied = gates({{values}, {}, {}}).apply(*out); !applied) FAIL(applied.error().text);
    return *std::move(out);
}

}  // namespace

TEST_CASE("gates: each of upstream's errors, in its words", "[config][gates]") {
    struct Case {
        GateFlags flags;
        std::string text;
    };
    const std::vector<Case> cases{
        {{{"Colour=true"}, {}, {}},
         "--feature-gates: unrecognized feature gate: Colour; berth version --feature-gates lists those of "
         "kube-scheduler 1.36.3"},
        {{{"DRADeviceTaint=true"}, {}, {}},
         "--feature-gates: unrecognized feature gate: DRADeviceTaint; did you mean \"DRADeviceTaints\"?"},
        {{{"AllBeta"}, {}, {}}, "--feature-gates: missing bool value for AllBeta"},
        {{{"AllBeta=yes"}, {}, {}},
         "--feature-gates: invalid value of AllBeta=yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax"},
        {{{"AllBeta=\x01\""}, {}, {}},
         "--feature-gates: invalid value of AllBeta=\x01\", err: strconv.ParseBool: parsing \"\\x01\\\"\": invalid "
         "syntax"},
        {{{"SchedulerQueueingHints=false"}, {}, {}},
         "--feature-gates: cannot set feature gate SchedulerQueueingHints to false, feature is locked to true"},
        {{{"SidecarContainers=false,SchedulerQueueingHints=false"}, {}, {}},
         "--feature-gates: [cannot set feature gate SchedulerQueueingHints to false, feature is locked to true, cannot "
         "set feature gate SidecarContainers to false, feature is locked to true]"},
        {{{"VolumeLimitScaling=true"}, {"1.34"}, {}},
         "--feature-gates: cannot set feature gate VolumeLimitScaling to true, feature is PreAlpha at emulated version "
         "1.34, min compatibility version 1.33"},
        {{{"GangScheduling=true"}, {}, {}},
         "--feature-gates: GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]"},
        {{{"AllBeta=true,kube:AllAlpha=true"}, {}, {}},
         "--feature-gates: set kube feature gates with default empty prefix or kube: prefix consistently, do not mix "
         "use"},
        {{{"wardle:AllBeta=true"}, {}, {}}, "--feature-gates: component not registered: wardle"},
        {{{}, {"1.36.3"}, {}}, "--emulated-version: patch version not allowed, got: kube=1.36.3"},
        {{{}, {"1.36,kube=1.35"}, {}}, "--emulated-version: duplicate version flag, kube=1.36 and kube=1.35"},
        {{{}, {"wardle=1.2"}, {}}, "--emulated-version: component not registered: wardle"},
        {{{}, {"1.37"}, {}}, "--emulated-version: emulation version 1.37 is not between [1.33, 1.36.0]"},
        {{{}, {}, {"1.32"}},
         "--min-compatibility-version: minCompatibilityVersion version 1.32 is not between [1.33, 1.36]"},
        {{{}, {}, {"x"}}, "--min-compatibility-version: could not parse \"x\" as version"},
        {{{}, {"1"}, {}}, "--emulated-version: illegal version string \"1\""},
    };
    for (const auto &one : cases) {
        INFO(one.text);
        CHECK(refusal(one.flags) == one.text);
    }
}

TEST_CASE("gates: values, defaults and stages", "[config][gates]") {
    const auto usual = gates({});
    CHECK(usual.on("SchedulerPopFromBackoffQ"));
    CHECK_FALSE(usual.on("StorageCapacityScoring"));
    CHECK_FALSE(usual.on("Colour"));
    for (const auto &gate : usual.all()) {
        INFO(gate.name);
        CHECK(gate.on == gate.by_default);
        CHECK(gate.on == gate.usual);
    }
    // What is set by name counts, whatever is said of all; of one name the last.
    const auto some = gates({{"AllBeta=false,SchedulerPopFromBackoffQ=true", ""}, {}, {}});
    CHECK(some.on("SchedulerPopFromBackoffQ"));
    CHECK_FALSE(some.on("OpportunisticBatching"));
    CHECK_FALSE(gates({{"OpportunisticBatching=true", "OpportunisticBatching=F"}, {}, {}}).on("OpportunisticBatching"));
    // 1.35 had it, off.
    CHECK_FALSE(gates({{}, {"v1.35"}, {}}).on("NodeDeclaredFeatures"));
    CHECK(gates({{"NodeDeclaredFeatures=true"}, {"1.35"}, {}}).on("NodeDeclaredFeatures"));
}

TEST_CASE("gates: one that cannot be honoured is refused, with the way out", "[config][gates]") {
    CHECK(unsupported({}).empty());
    CHECK(unsupported({{"DRADeviceTaints=true"}, {}, {}}).empty());
    CHECK(unsupported({{"DRADeviceTaints=false"}, {}, {}}) ==
          "--feature-gates: DRADeviceTaints=false is not supported: taints of devices always count; leave it out");
    const auto all = unsupported({{"AllBeta=false"}, {}, {}});
    CHECK(all.find("--feature-gates: PodLevelResources=false is not supported: pod-level resources always count; add "
                   "PodLevelResources=true") != std::string::npos);
    CHECK(all.find("SchedulerPopFromBackoffQ") == std::string::npos);
    // What is locked today, and was not in the version that is emulated.
    CHECK(
        unsupported({{"DRAAdminAccess=false,NodeDeclaredFeatures=true,DRADeviceTaints=true"}, {"1.35"}, {}})
            .find("--feature-gates: DRAAdminAccess=false is not supported: kube-scheduler 1.36.3 has it locked; leave "
                  "it out") != std::string::npos);
    CHECK(unsupported({{"NodeDeclaredFeatures=false"}, {"1.35"}, {}})
              .find("--feature-gates: NodeDeclaredFeatures=false is not supported: features that a node declares "
                    "always count; set NodeDeclaredFeatures=true") != std::string::npos);
    const auto old = unsupported({{}, {"1.33"}, {}});
    CHECK(old.find("--emulated-version: DRADeviceTaints=false, the default there, is not supported: taints of devices "
                   "always count; add --feature-gates=DRADeviceTaints=true") != std::string::npos);
    CHECK(old.find("--emulated-version: NodeDeclaredFeatures=false, the default there, is not supported: features that "
                   "a node declares always count; leave --emulated-version out") != std::string::npos);
}

TEST_CASE("gates: ignored ones are named when they were given and are not as usual", "[config][gates]") {
    const auto ignored =
        gates({{"OpportunisticBatching=false,SchedulerAsyncPreemption=true,APIResponseCompression=false,"
                "SchedulerPopFromBackoffQ=false"},
               {},
               {}})
            .without_effect();
    REQUIRE(ignored.size() == 2);
    CHECK(ignored[0].name == "APIResponseCompression");
    CHECK(ignored[0].why == "it changes no decision of the scheduler");
    CHECK(ignored[1].name == "OpportunisticBatching");
}

TEST_CASE("gates: honoured ones change the configuration, and at their defaults nothing", "[config][gates]") {
    const auto usual = with("SchedulerPopFromBackoffQ=true,DRASchedulerFilterTimeout=true");
    CHECK(usual.feature_gates.empty());
    CHECK(usual.pops_from_backoff);
    CHECK(usual.nominates_expected_node);
    CHECK(usual.profiles[0].config_of("DynamicResources") == nullptr);

    const auto off =
        with("SchedulerPopFromBackoffQ=false,NominatedNodeNameForExpectation=false,DRASchedulerFilterTimeout=false",
             "profiles: [{schedulerName: a, pluginConfig: [{name: DynamicResources, args: {bindingTimeout: 7s}}]}, "
             "{schedulerName: b}]");
    CHECK(off.feature_gates ==
          "DRASchedulerFilterTimeout=false,NominatedNodeNameForExpectation=false,SchedulerPopFromBackoffQ=false");
    CHECK_FALSE(off.pops_from_backoff);
    CHECK_FALSE(off.nominates_expected_node);
    CHECK_FALSE(queue::Settings(off).backoff.early);
    CHECK(decode::to_json(off.profiles[0].config_of("DynamicResources")->args->value()) ==
          R"({"bindingTimeout":"7s","filterTimeout":"0s"})");
    CHECK(decode::to_json(off.profiles[1].config_of("DynamicResources")->args->value()) == R"({"filterTimeout":"0s"})");
    // Once more, as for a shadow or a recording.
    auto again = off;
    REQUIRE(config::apply_gates(off.feature_gates, again));
    CHECK(again.feature_gates == off.feature_gates);
}

TEST_CASE("gates: GenericWorkload of 1.37 adds its plugin behind those of the default profile", "[config][gates]") {
    const auto release = *config::Release::of("1.37");
    auto of = [&](const std::string &multi_point, const char *gate) {
        auto document = decode::read_document(
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: "
            "a, "
            "plugins: {multiPoint: {" +
                multi_point + "}}}]\n",
            "c.yaml");
        REQUIRE(document);
        auto out = config::read(*std::move(document), release);
        if (!out) FAIL(out.error().text);
        REQUIRE(config::apply_gates(gate, *out));
        REQUIRE(config::apply_gates(gate, *out));  // once more is the same
        return *std::move(out);
    };
    auto names = [](const config::Configuration &c) {
        std::string out;
        for (const auto &entry : c.profiles[0].at(config::ExtensionPoint::MultiPoint).enabled) out += entry.name + " ";
        return out;
    };
    const auto on = "GenericWorkload=true";
    const auto usual = of("", on);
    CHECK(usual.schedules_groups);
    CHECK(usual.feature_gates == on);
    CHECK(names(usual).ends_with("DefaultBinder NodeDeclaredFeatures GangScheduling "));
    CHECK(names(of("enabled: [{name: MaxPods}]", on)).ends_with("NodeDeclaredFeatures GangScheduling MaxPods "));
    CHECK(names(of("disabled: [{name: '*'}], enabled: [{name: MaxPods}]", on)) == "MaxPods ");
    CHECK(names(of("disabled: [{name: GangScheduling}]", on)).ends_with("NodeDeclaredFeatures "));
    const auto off = of("", "GenericWorkload=false");
    CHECK_FALSE(off.schedules_groups);
    CHECK(names(off).ends_with("NodeDeclaredFeatures "));
    CHECK(unsupported({{"GenericWorkload=true"}, {}, {}}) ==
          "--feature-gates: GenericWorkload=true is not supported: as 1.36 there are no pod groups; leave it out");
}

TEST_CASE("gates: those of a file are below those of the flags, and blamed at their place", "[config][gates]") {
    const std::string place = "s.yaml:9:15: featureGates";
    auto flags = [&](std::map<std::string, bool> file, std::vector<std::string> gates, std::string emulated = "") {
        GateFlags out{std::move(gates), {}, {}, {std::move(file), place}};
        if (!emulated.empty()) out.emulated = {std::move(emulated)};
        return out;
    };
    const std::string early = "SchedulerPopFromBackoffQ";
    CHECK_FALSE(gates(flags({{early, false}}, {})).on(early));
    CHECK(gates(flags({{early, false}}, {early + "=true"})).on(early));
    CHECK(gates(flags({{early, false}}, {"kube:" + early + "=true"})).on(early));
    // A name beats all of a stage, whoever says which.
    CHECK(gates(flags({{"StorageCapacityScoring", true}}, {"AllAlpha=false"})).on("StorageCapacityScoring"));
    CHECK_FALSE(gates(flags({{"AllAlpha", true}}, {"StorageCapacityScoring=false"})).on("StorageCapacityScoring"));
    CHECK_FALSE(gates(flags({{"AllBeta", true}}, {"AllBeta=false"})).on(early));

    CHECK(refusal(flags({{"Nothing", true}}, {})).starts_with(place + ": unrecognized feature gate: Nothing; "));
    CHECK(refusal(flags({{"Nothing", true}}, {early + "=true"})).starts_with(place + ": unrecognized"));
    CHECK(refusal(flags({{early, true}}, {"Nothing=true"})).starts_with("--feature-gates: unrecognized"));
    CHECK(refusal(flags({{"SidecarContainers", false}}, {})) ==
          place + ": cannot set feature gate SidecarContainers to false, feature is locked to true");
    CHECK(refusal(flags({{early, true}}, {early + "=maybe"})).starts_with("--feature-gates: invalid value"));

    const std::string taints = "DRADeviceTaints=false is not supported: taints of devices always count; leave it out";
    CHECK(unsupported(flags({{"DRADeviceTaints", false}}, {})) == place + ": " + taints);
    CHECK(unsupported(flags({}, {"DRADeviceTaints=false"})) == "--feature-gates: " + taints);
    CHECK(unsupported(flags({{"DRADeviceTaints", false}}, {"DRADeviceTaints=true"})).empty());
    CHECK(unsupported(flags({{"AllAlpha", true}}, {})).starts_with(place + ": "));
    CHECK(unsupported(flags({{early, true}}, {}, "1.35")).starts_with("--emulated-version: "));

    const std::string idle = ": OpportunisticBatching changes nothing: every pod is decided anew";
    CHECK(gates(flags({{"OpportunisticBatching", false}}, {})).warnings() == std::vector{place + idle});
    CHECK(gates(flags({{"OpportunisticBatching", true}}, {"OpportunisticBatching=false"})).warnings() ==
          std::vector{"--feature-gates" + idle});
}

TEST_CASE("gates: an argument that a gate forbids is an error at its place", "[config][gates]") {
    auto configuration = config::read(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{pluginConfig: [{name: DynamicResources, args: {filterTimeout: 7s}}]}]",
        "c.yaml");
    REQUIRE(configuration);
    const auto applied = gates({{"DRASchedulerFilterTimeout=false"}, {}, {}}).apply(*configuration);
    REQUIRE_FALSE(applied);
    CHECK(applied.error().text ==
          "c.yaml:3:75: profiles[0].pluginConfig[0].args.filterTimeout: Forbidden: "
          "DRASchedulingFilterTimeout feature gate is disabled; remove it, or leave the gate on");
}

TEST_CASE("gates: of each that kube-scheduler asks for it is written what Berth does", "[config][gates]") {
    auto table = [](const char *file) {
        std::ifstream in(berth::paths::source() + "/configs/defaults/" + file);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        auto out = decode::read_document(bytes, file);
        REQUIRE(out);
        return *std::move(out);
    };
    const auto ours = table("gates.yaml");
    std::set<std::string> unknown;
    for (std::size_t i = 0; i < ours.value()["gates"].size(); ++i)
        unknown.emplace(ours.value()["gates"].at(i)["name"].string());
    for (const auto &[release, count] : std::map<std::string, std::size_t>{{"1.36", 38}, {"1.37", 43}}) {
        const auto known = table((release + "/gates.yaml").c_str());
        std::set<std::string> written;
        for (std::size_t i = 0; i < ours.value()["gates"].size(); ++i) {
            const auto one = ours.value()["gates"].at(i);
            if (!one["release"] || one["release"].string() == release) written.emplace(one["name"].string());
        }
        const auto usual = FeatureGates::read({}, *config::Release::of(release));
        REQUIRE(usual);
        std::size_t asked = 0;
        for (std::size_t i = 0; i < known.value()["gates"].size(); ++i) {
            const auto gate = known.value()["gates"].at(i);
            unknown.erase(std::string(gate["name"].string()));
            if (!gate["asked"].is_true()) continue;
            ++asked;
            const auto at = std::ranges::find(usual->all(), gate["name"].string(), &config::FeatureGate::name);
            REQUIRE(at != usual->all().end());
            INFO(release << ' ' << at->name);
            // Whoever sets a locked one to another value is refused.
            CHECK((at->locked || written.contains(at->name)));
        }
        CHECK(asked == count);
    }
    CHECK(unknown == std::set<std::string>());
}
