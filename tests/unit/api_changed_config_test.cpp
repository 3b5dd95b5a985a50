// SPDX-License-Identifier: Apache-2.0
#include "api/changed_config.h"

#include "catch.h"
#include "config/dump.h"
#include "config/read.h"
#include "decode/document.h"
#include "report/what_if.h"

#include <algorithm>

using namespace berth;

namespace {

config::Configuration read(const std::string &yaml) {
    auto document = decode::read_document(yaml, "config.yaml");
    REQUIRE(document);
    auto out = config::read(*document);
    INFO((out ? "" : out.error().text));
    REQUIRE(out);
    return *out;
}

config::Configuration own() {
    return read(R"({apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: [
        {schedulerName: a, plugins: {score: {enabled: [{name: Mine, weight: 7}], disabled: [{name: ImageLocality}]}},
         pluginConfig: [{name: Mine, args: {colour: green}}]}, {schedulerName: b}]})");
}

std::variant<std::string, std::vector<kube::Cause>> changed(const std::string &changes) {
    auto document = decode::read_document(changes, "changes.json");
    REQUIRE(document);
    return api::changed_config(own(), document->value());
}

/// The configuration that comes of reading the file.
config::Configuration after(const std::string &changes) {
    auto text = changed(changes);
    REQUIRE(std::holds_alternative<std::string>(text));
    INFO(std::get<std::string>(text));
    return read(std::get<std::string>(text));
}

std::vector<std::string> causes(const std::string &changes) {
    std::vector<std::string> out;
    auto text = changed(changes);
    REQUIRE(std::holds_alternative<std::vector<kube::Cause>>(text));
    for (const auto &cause : std::get<std::vector<kube::Cause>>(text))
        out.push_back(cause.field + ": " + cause.message);
    return out;
}

/// "NAME" or "NAME:WEIGHT" of what is enabled there, in order.
std::vector<std::string> enabled(const config::Configuration &c, std::string_view profile,
                                 model::ExtensionPoint point) {
    std::vector<std::string> out;
    for (const auto &entry : c.profile(profile)->at(point).enabled)
        out.push_back(entry.name + (entry.weight > 0 ? ":" + std::to_string(entry.weight) : ""));
    return out;
}

using model::ExtensionPoint;

}  // namespace

TEST_CASE("changed config: nothing changed says what the file said, whatever the defaults are", "[api]") {
    const auto before = own(), now = after(R"({"profiles": [{"name": "a"}]})");
    for (const char *profile : {"a", "b"})
        for (const auto &names : model::extension_points) {
            CAPTURE(profile, names.key);
            CHECK(enabled(now, profile, names.point) == enabled(before, profile, names.point));
        }
    CHECK(now.profile("a")->at(ExtensionPoint::Score).disables("ImageLocality"));
    CHECK(now.profile("a")->config_of("Mine")->args->value()["colour"].string() == "green");
}

TEST_CASE("changed config: weights, plugins less and plugins more, of the profile that is named", "[api]") {
    const auto before = own();
    const auto now = after(R"({"profiles": [{"name": "a", "weights": {"Mine": 50, "TaintToleration": 9},
        "disable": ["NodeAffinity"], "enable": ["Another", "ImageLocality2"]}]})");
    CHECK(enabled(now, "a", ExtensionPoint::Score) == std::vector<std::string>{"Mine:50"});
    auto expected = enabled(before, "a", ExtensionPoint::MultiPoint);
    std::erase_if(expected, [](const auto &one) { return one.starts_with("NodeAffinity"); });
    for (auto &one : expected)
        if (one.starts_with("TaintToleration")) one = "TaintToleration:9";
    expected.insert(expected.end(), {"Another", "ImageLocality2"});
    CHECK(enabled(now, "a", ExtensionPoint::MultiPoint) == expected);
    CHECK(enabled(now, "b", ExtensionPoint::MultiPoint) == enabled(before, "b", ExtensionPoint::MultiPoint));
}

TEST_CASE("changed config: what cannot be changed is named with its field", "[api]") {
    using Texts = std::vector<std::string>;
    CHECK(causes("{}") == Texts{"profiles: expected a list of profiles to change"});
    CHECK(causes(R"({"profiles": [{"name": "c"}]})") ==
          Texts{"profiles[0].name: the configuration has no profile \"c\""});
    CHECK(causes(R"({"profiles": [{"name": "a", "weights": {"Mine": 0, "None": 1}, "disable": ["None"],
                     "enable": ["Mine", ""]}]})") ==
          Texts{"profiles[0].disable[0]: profile \"a\" has no plugin \"None\" enabled",
                "profiles[0].enable[0]: \"Mine\" is enabled already",
                "profiles[0].enable[1]: expected the name of a plugin",
                "profiles[0].weights.Mine: expected a whole number from 1 to 2147483647",
                "profiles[0].weights.None: profile \"a\" has no plugin of this name enabled"});
}

TEST_CASE("changed config: what is misspelt or of another kind is not passed over", "[api]") {
    using Texts = std::vector<std::string>;
    CHECK(causes(R"({"foo": 1, "addNodes": []})") ==
          Texts{"foo: expected one of profiles, addNodes, removeNodes, pods"});
    CHECK(causes(R"({"profiles": [7, {"name": "a", "weight": {"Mine": 3}}]})") ==
          Texts{"profiles[0]: expected an object with the profile's name and what changes: weights, enable, disable",
                "profiles[1].weight: expected one of name, weights, enable, disable"});
    CHECK(causes(R"({"profiles": [{"name": "a", "enable": "Another"}, {"name": "a", "disable": {"Mine": 1}},
                     {"name": "a", "weights": ["Mine"]}]})") ==
          Texts{"profiles[0].enable: expected a list of names of plugins",
                "profiles[1].disable: expected a list of names of plugins",
                "profiles[2].weights: expected an object, such as {\"NodeAffinity\": 3}"});
}

TEST_CASE("changed config: what is shown to others has no private keys", "[api]") {
    const auto with =
        read(R"({apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, extenders: [
        {urlPrefix: "https://a/", filterVerb: f, tlsConfig: {certData: UEVN, keyData: a2V5}}]})");
    const auto text = [](const config::Configuration &c) { return std::get<std::string>(api::changed_config(c, {})); };
    CHECK(text(with).find("a2V5") != std::string::npos);
    CHECK(text(config::without_keys(with)).find("a2V5") == std::string::npos);
    CHECK(text(config::without_keys(with)).find("certData: UEVN") != std::string::npos);
}

TEST_CASE("what if: two results side by side", "[api]") {
    auto outcome = [](const std::string &text) {
        auto document = decode::read_document(text, "result.json");
        REQUIRE(document);
        return report::summary_of(document->value());
    };
    const auto before = outcome(R"({"summary": {"scheduled": 3, "pending": 1, "evicted": 0},
        "nodes": [{"requested": {"cpuMilli": 500, "gpu": 1}, "allocatable": {"cpuMilli": 1000, "gpu": 1}},
                {"requested": {"cpuMilli": 1200, "gpu": 0}, "allocatable": {"cpuMilli": 1000, "gpu": 0}}],
        "placements": [{"namespace": "x", "name": "a", "node": "n1"}, {"namespace": "x", "name": "b", "node": "n1"},
                     {"namespace": "x", "name": "c", "node": "n2"}]})");
    CHECK(before.scheduled == 3);
    REQUIRE(before.resources.size() == 2);
    CHECK(before.resources[0].name == "cpu");
    CHECK(before.resources[0].requested == 1700);
    CHECK(before.resources[0].nodes == std::array<std::uint64_t, 10>{0, 0, 0, 0, 0, 1, 0, 0, 0, 1});
    CHECK(before.resources[1].nodes == std::array<std::uint64_t, 10>{0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
    const auto after = outcome(R"({"summary": {"scheduled": 3}, "nodes": [],
        "placements": [{"namespace": "x", "name": "a", "node": "n1"}, {"namespace": "x", "name": "c", "node": "n1"},
                     {"namespace": "x", "name": "d", "node": "n2"}]})");
    model::Arena arena;
    model::ObjectBuilder out(arena);
    report::add_comparison(arena, out, before, after, 2);
    const auto value = out.value();
    const model::Value root{&value};
    CHECK(root["differing"].integer() == 3);
    REQUIRE(root["differences"].size() == 2);
    const auto gone = root["differences"].at(0), moved = root["differences"].at(1);
    CHECK(gone["pod"]["name"].string() == "b");
    CHECK(gone["before"].string() == "n1");
    CHECK(!gone["after"]);
    CHECK(moved["before"].string() == "n2");
    CHECK(moved["after"].string() == "n1");
}
