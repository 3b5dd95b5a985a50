// SPDX-License-Identifier: Apache-2.0
// What a plugin in C++ keeps in the state of an attempt, and prepares of objects, by the testing kit.
#include <berth/plugin.hpp>
#include <berth/testing.hpp>

#include "catch.h"

namespace {

struct Wanted {
    std::string disk;
};

/// Filter needs what PreFilter puts; the pod's name says what it prepares and takes it for.
class Disks {
    const berth::Host &host_;
    berth::StateKey<Wanted> wanted_;

public:
    explicit Disks(const berth::Host &host) : host_(host), wanted_(host.state_key<Wanted>("wanted")) {}
    static Wanted prepare(berth::Object object) { return {std::string(object.name())}; }
    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        if (pod.name() == "wrong") return berth::unschedulable(host_.prepared<std::string>(pod.raw()->obj));
        state.put(wanted_, host_.prepared<Wanted>(pod.raw()->obj));
        return berth::ok;
    }
    berth::Verdict filter(berth::Call, berth::State state, berth::Pod, berth::Node) const {
        return berth::unschedulable(state.need(wanted_).disk);
    }
};

struct Library {
    static constexpr auto entries() { return std::tuple{berth::entry<Disks>("Disks", "1.0.0")}; }
};

struct World {
    berth::testing::Cluster cluster;
    berth::testing::Plugin plugin;

    World() : plugin((add(), cluster), *berth::detail::library<Library>()) {}
    void add() {
        cluster.add("{kind: Node, metadata: {name: n}}");
        for (const auto *pod : {"ssd", "wrong"}) cluster.add("{kind: Pod, metadata: {name: " + std::string(pod) + "}}");
    }
};

}  // namespace

TEST_CASE("sdk: what a plugin needs of the state is there, or its error says why not", "[sdk]") {
    World it;
    CHECK(it.plugin.filter("ssd", "n").text() ==
          "the state lacks what this plugin needs; enable the plugin at PreFilter and PreScore, too");
    CHECK(it.plugin.pre_filter("ssd").ok());
    CHECK(it.plugin.filter("ssd", "n").text() == "ssd");
}

TEST_CASE("sdk: what was prepared is not taken for a value of another type", "[sdk]") {
    World it;
    CHECK(it.plugin.pre_filter("wrong").text() == "prepare makes values of another type than prepared<T> was given");
}
