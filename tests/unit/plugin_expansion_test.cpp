// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin/expansion.h"

#include <map>
#include <set>

namespace config = berth::config;
namespace plugin = berth::plugin;
using berth::model::ExtensionPoint;
using Names = std::vector<std::string>;

namespace {

/// A profile and the plugins that exist, each with the points that it implements.
struct Setup {
    config::Profile profile;
    std::map<std::string, std::set<ExtensionPoint>, std::less<>> plugins{{"Sort", {ExtensionPoint::QueueSort}},
                                                                         {"Bind", {ExtensionPoint::Bind}}};

    Setup() {
        profile.scheduler_name = "s";
        profile.place = {"c.yaml", 3, 5, "profiles[0]"};
        enable(ExtensionPoint::MultiPoint, {"Sort", "Bind"});
    }

    void enable(ExtensionPoint point, const Names &names, std::int32_t weight = 0) {
        auto &enabled = profile.at(point).enabled;
        for (const auto &name : names)
            enabled.push_back({name, weight, {"c.yaml", 7, static_cast<std::uint32_t>(enabled.size()), "here"}});
    }
    void disable(ExtensionPoint point, const std::string &name) { profile.at(point).disabled.push_back({name, 0, {}}); }
    void plugins_at(std::initializer_list<ExtensionPoint> points, const Names &names) {
        for (const auto &name : names) plugins[name].insert(points);
    }

    berth::model::Result<plugin::Expansion> expand(std::string_view searched = {}) const {
        return plugin::expand(
            profile,
            [&](std::string_view name, ExtensionPoint point) -> std::optional<bool> {
                auto at = plugins.find(name);
                if (at == plugins.end()) return std::nullopt;
                return at->second.contains(point);
            },
            searched);
    }
    Names at(ExtensionPoint point) const {
        auto expansion = expand();
        if (!expansion) FAIL(expansion.error().text);
        return expansion->at(point);
    }
    std::string error() const {
        auto expansion = expand();
        return expansion ? "none" : expansion.error().text;
    }
};

}  // namespace

TEST_CASE("profile: multiPoint plugins run where they work, in their order", "[plugin]") {
    Setup s;
    s.plugins_at({ExtensionPoint::Filter, ExtensionPoint::Score}, {"A", "C"});
    s.plugins_at({ExtensionPoint::Filter}, {"B"});
    s.enable(ExtensionPoint::MultiPoint, {"A", "B", "C"});
    CHECK(s.at(ExtensionPoint::Filter) == Names{"A", "B", "C"});
    CHECK(s.at(ExtensionPoint::Score) == Names{"A", "C"});
    CHECK(s.at(ExtensionPoint::MultiPoint).empty());
}

TEST_CASE("profile: overrides come first, then multiPoint, then the rest of the point's list", "[plugin]") {
    Setup s;
    s.plugins_at({ExtensionPoint::Score}, {"A", "B", "C", "D", "E"});
    s.enable(ExtensionPoint::MultiPoint, {"A", "B", "C"});
    s.enable(ExtensionPoint::Score, {"D", "C", "E", "B"}, 7);
    CHECK(s.at(ExtensionPoint::Score) == Names{"C", "B", "A", "D", "E"});
}

TEST_CASE("profile: a point can leave out one multiPoint plugin, or all of them", "[plugin]") {
    Setup s;
    s.plugins_at({ExtensionPoint::Filter, ExtensionPoint::Score}, {"A", "B", "C"});
    s.enable(ExtensionPoint::MultiPoint, {"A", "B"});
    s.enable(ExtensionPoint::Score, {"C"});
    s.disable(ExtensionPoint::Filter, "A");
    s.disable(ExtensionPoint::Score, "*");
    CHECK(s.at(ExtensionPoint::Filter) == Names{"B"});
    CHECK(s.at(ExtensionPoint::Score) == Names{"C"});
}

TEST_CASE("profile: a plugin that its point disables and enables runs as the point's own", "[plugin]") {
    Setup s;
    s.plugins_at({ExtensionPoint::Filter}, {"A", "B"});
    s.enable(ExtensionPoint::MultiPoint, {"A", "B"});
    s.enable(ExtensionPoint::Filter, {"A"});
    s.disable(ExtensionPoint::Filter, "A");
    CHECK(s.at(ExtensionPoint::Filter) == Names{"B", "A"});
}

TEST_CASE("profile: weights are the point's own, then multiPoint's, and one where none is given", "[plugin]") {
    Setup s;
    s.plugins_at({ExtensionPoint::Score}, {"A", "B", "C"});
    s.plugins_at({ExtensionPoint::Filter}, {"D"});
    s.enable(ExtensionPoint::MultiPoint, {"A", "B", "D"}, 3);
    s.enable(ExtensionPoint::MultiPoint, {"C"}, 0);
    s.enable(ExtensionPoint::Score, {"B"}, 300);
    auto expansion = s.expand();
    REQUIRE(expansion);
    CHECK(expansion->weights == std::map<std::string, std::int64_t, std::less<>>{{"A", 3}, {"B", 300}, {"C", 1}});
}

TEST_CASE("profile: what cannot be enabled is refused in upstream's words, with its place", "[plugin]") {
    auto error = [](const std::function<void(Setup &)> &change) {
        Setup s;
        s.plugins_at({ExtensionPoint::Filter}, {"A"});
        change(s);
        return s.error();
    };
    CHECK(error([](Setup &s) { s.enable(ExtensionPoint::Filter, {"X"}); }) ==
          "c.yaml:7:0: here: FilterPlugin \"X\" does not exist");
    CHECK(error([](Setup &s) { s.enable(ExtensionPoint::MultiPoint, {"X"}); }) ==
          "c.yaml:7:2: here: PreFilterPlugin \"X\" does not exist");
    CHECK(error([](Setup &s) { s.enable(ExtensionPoint::Score, {"A"}); }) ==
          "c.yaml:7:0: here: plugin \"A\" does not extend ScorePlugin plugin");
    CHECK(error([](Setup &s) { s.enable(ExtensionPoint::PostFilter, {"A"}); }) ==
          "c.yaml:7:0: here: plugin \"A\" does not extend PostFilterPlugin plugin");
    CHECK(error([](Setup &s) { s.enable(ExtensionPoint::Filter, {"A", "A"}); }) ==
          "c.yaml:7:1: here: plugin \"A\" already registered as \"FilterPlugin\"");
    CHECK(error([](Setup &s) { s.enable(ExtensionPoint::MultiPoint, {"A", "A"}); }) ==
          "c.yaml:7:3: here: plugin \"A\" already registered as \"FilterPlugin\"");
    CHECK(error([](Setup &s) {
              s.plugins_at({ExtensionPoint::Score}, {"A"});
              s.enable(ExtensionPoint::Score, {"A"}, -5);
          }) == "c.yaml:7:0: here: score plugins: the weight of plugin \"A\" is -5, expected a number from 0");
    CHECK(error([](Setup &s) {
              s.plugins_at({ExtensionPoint::QueueSort}, {"B"});
              s.enable(ExtensionPoint::QueueSort, {"B"});
          }) ==
          "c.yaml:3:5: profiles[0]: only one queue sort plugin required for profile with scheduler name \"s\", "
          "but got 2");
    CHECK(error([](Setup &s) { s.disable(ExtensionPoint::QueueSort, "*"); }) ==
          "c.yaml:3:5: profiles[0]: only one queue sort plugin required for profile with scheduler name \"s\", but got "
          "0");
    CHECK(error([](Setup &s) { s.disable(ExtensionPoint::Bind, "Bind"); }) ==
          "c.yaml:3:5: profiles[0]: at least one bind plugin is needed for profile with scheduler name \"s\"");
}

TEST_CASE("profile: a plugin that is nowhere is told with where it was looked for", "[plugin]") {
    Setup s;
    s.enable(ExtensionPoint::Filter, {"X"});
    auto expansion = s.expand("no library in /plugins offers it");
    REQUIRE_FALSE(expansion);
    CHECK(expansion.error().text ==
          "c.yaml:7:0: here: FilterPlugin \"X\" does not exist: no library in /plugins offers it");
}

TEST_CASE("profile: each plugin is needed once, wherever it is enabled", "[plugin]") {
    Setup s;
    s.enable(ExtensionPoint::MultiPoint, {"A"});
    s.enable(ExtensionPoint::Score, {"A", "B"});
    s.enable(ExtensionPoint::Filter, {"B", "C"});
    Names names;
    for (const auto *entry : plugin::needed_plugins(s.profile)) names.push_back(entry->name);
    CHECK(names == Names{"Sort", "Bind", "A", "B", "C"});
}

TEST_CASE("profile: a misspelt plugin is an error, or a warning where it is disabled", "[plugin]") {
    Setup s;
    const Names known{"Sort", "Bind", "NodeResourcesFit", "ImageLocality", "NodeAffinity", "A", "B", "C", "D"};
    s.enable(ExtensionPoint::Filter, {"NodeResourcesFitt"});
    const auto refused = plugin::expand(
        s.profile, [](std::string_view, ExtensionPoint) { return std::optional<bool>(); }, "no library offers it",
        known);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text ==
          "c.yaml:7:0: here: FilterPlugin \"NodeResourcesFitt\" does not exist: no library offers it; did you mean "
          "\"NodeResourcesFit\"?");
    for (const char *name : {"*", "ImageLocalty", "ImageLocality", "Binds", "ElsewhereAltogether", "NodeResourcesFitt"})
        s.profile.at(ExtensionPoint::Score).disabled.push_back({name, 0, {"c.yaml", 9, 1, "there"}});
    s.profile.at(ExtensionPoint::MultiPoint).disabled.push_back({"NodeAfinity", 0, {"c.yaml", 8, 3, "first"}});
    CHECK(plugin::misspelt_disabled(s.profile, known) ==
          Names{"c.yaml:8:3: first: there is no plugin \"NodeAfinity\" to disable; did you mean \"NodeAffinity\"?",
                "c.yaml:9:1: there: there is no plugin \"ImageLocalty\" to disable; did you mean \"ImageLocality\"?",
                "c.yaml:9:1: there: there is no plugin \"Binds\" to disable; did you mean \"Bind\"?"});
}
