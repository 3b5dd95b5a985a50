// SPDX-License-Identifier: Apache-2.0
#include "config/merge.h"

#include "catch.h"

using berth::config::merge;
using berth::config::PluginEntry;
using berth::config::PluginSet;

namespace {

PluginSet set(std::vector<PluginEntry> enabled, const std::vector<std::string> &disabled = {}) {
    PluginSet out{std::move(enabled), {}};
    for (const auto &name : disabled) out.disabled.push_back({name, 0, {}});
    return out;
}

PluginEntry plugin(std::string name, std::int32_t weight = 0) { return {std::move(name), weight, {}}; }

/// "A B:3 -C": enabled names with their weights, then disabled ones.
std::string text(const PluginSet &set) {
    std::string out;
    for (const auto &entry : set.enabled)
        out += (out.empty() ? "" : " ") + entry.name + (entry.weight ? ':' + std::to_string(entry.weight) : "");
    for (const auto &entry : set.disabled) out += (out.empty() ? "-" : " -") + entry.name;
    return out;
}

const PluginSet defaults = set({plugin("A"), plugin("B", 3), plugin("C", 2)});

}  // namespace

TEST_CASE("config: a profile that says nothing has the default plugins", "[config]") {
    CHECK(text(merge(defaults, {})) == "A B:3 C:2");
}

TEST_CASE("config: a point without defaults has just the profile's own plugins", "[config]") {
    CHECK(text(merge({}, set({plugin("X", 5), plugin("A")}, {"C"}))) == "X:5 A -C");
}

TEST_CASE("config: what the profile and the defaults disable is disabled together and kept", "[config]") {
    CHECK(text(merge(set({plugin("A"), plugin("B", 3)}, {"B"}), set({}, {"A", "Z"}))) == "-A -Z -B");
}

TEST_CASE("config: default plugins keep their order when one of them is disabled", "[config]") {
    CHECK(text(merge(defaults, set({}, {"B"}))) == "A C:2 -B");
}

TEST_CASE("config: a default plugin enabled again stays in its place with the profile's weight", "[config]") {
    CHECK(text(merge(defaults, set({plugin("B", 7)}))) == "A B:7 C:2");
}

TEST_CASE("config: a default plugin enabled again without a weight loses the default's weight", "[config]") {
    CHECK(text(merge(defaults, set({plugin("B")}))) == "A B C:2");
}

TEST_CASE("config: a profile's other plugins follow the default ones in their own order", "[config]") {
    CHECK(text(merge(defaults, set({plugin("Z", 1), plugin("C", 9), plugin("X")}))) == "A B:3 C:9 Z:1 X");
}

TEST_CASE("config: a star disables every default plugin and is kept", "[config]") {
    CHECK(text(merge(defaults, set({plugin("X")}, {"*"}))) == "X -*");
}

TEST_CASE("config: with a star the profile's plugins stand in their own order, default ones too", "[config]") {
    CHECK(text(merge(defaults, set({plugin("C"), plugin("A", 4)}, {"*"}))) == "C A:4 -*");
}

TEST_CASE("config: a default plugin both enabled and disabled moves to the end", "[config]") {
    CHECK(text(merge(defaults, set({plugin("X"), plugin("A", 6)}, {"A"}))) == "B:3 C:2 X A:6 -A");
}

TEST_CASE("config: a plugin that the profile enables twice stays twice", "[config]") {
    CHECK(text(merge(defaults, set({plugin("X", 1), plugin("X", 2)}))) == "A B:3 C:2 X:1 X:2");
}

TEST_CASE("config: of a default plugin enabled twice the last takes the default's place", "[config]") {
    CHECK(text(merge(defaults, set({plugin("B", 5), plugin("B", 6)}))) == "A B:6 C:2 B:5");
}
