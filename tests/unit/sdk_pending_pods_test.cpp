// SPDX-License-Identifier: Apache-2.0
// Pending pods as a plugin in C++ asks for them, by the testing kit.
#include <berth/plugin.hpp>
#include <berth/testing.hpp>

#include "catch.h"

namespace {

/// Says in its reasons what waits.
class Asks {
    const berth::Host &host_;

    berth::Verdict listed(std::uint32_t places) const {
        std::vector<std::string> out{std::to_string(host_.count_pending(places).value_or(99))};
        (void)host_.each_pending(places, [&](berth::PendingPod p) {
            std::string line = std::string(p.pod().name()) + " " + std::to_string(p.place()) + " " +
                               std::to_string(p.pod().attempts()) + " " + std::to_string(p.backoff_end_ns());
            if (p.rejected_by("Fit")) line += " Fit";
            out.push_back(std::move(line));
        });
        return berth::unschedulable(out);
    }

public:
    explicit Asks(const berth::Host &host) : host_(host) {}

    berth::Verdict pre_enqueue(berth::Pod) const {
        if (host_.count_pending(BERTH_PENDING_ACTIVE)) return berth::error("what is pending was counted");
        return listed(BERTH_PENDING_ACTIVE);
    }
    berth::Verdict pre_filter(berth::Pod pod) const {
        if (pod.name() == "places") return listed(0);
        if (pod.name() == "first") {
            std::uint64_t n = 0;
            (void)host_.each_pending(BERTH_PENDING_ACTIVE | BERTH_PENDING_GATED,
                                     [&](berth::PendingPod) { return ++n < 2; });
            return berth::unschedulable(std::to_string(n));
        }
        if (pod.name() == "activates")
            (void)host_.each_pending(BERTH_PENDING_GATED, [&](berth::PendingPod p) { host_.activate(p.pod().uid()); });
        return listed(BERTH_PENDING_ACTIVE | BERTH_PENDING_BACKOFF | BERTH_PENDING_UNSCHEDULABLE | BERTH_PENDING_GATED |
                      BERTH_PENDING_GROUP);
    }
};

struct Library {
    static constexpr auto entries() { return std::tuple{berth::entry<Asks>("Asks", "1.0.0")}; }
};

struct Waiting {
    berth::testing::Cluster cluster;
    berth::testing::Plugin plugin;

    Waiting() : plugin((add(), cluster), *berth::detail::library<Library>()) {
        plugin.host.pending = {{"shut", BERTH_PENDING_GATED, 0, {"Gate"}, 0},
                               {"late", BERTH_PENDING_BACKOFF, 3, {"Fit", "Gate"}, 77},
                               {"places", BERTH_PENDING_ACTIVE, 0, {}, 0},
                               {"first", BERTH_PENDING_ACTIVE, 1, {"Fit"}, 0}};
    }
    void add() {
        for (const auto *name : {"places", "first", "activates", "shut", "late"})
            cluster.add("{kind: Pod, metadata: {uid: u-" + std::string(name) + ", name: " + name + "}}");
    }
};

}  // namespace

TEST_CASE("sdk: a plugin sees the pending pods, the active ones first, until it has enough", "[sdk]") {
    Waiting it;
    CHECK(it.plugin.pre_filter("late").texts() ==
          std::vector<std::string>{"4", "places 1 0 0", "first 1 1 0 Fit", "late 2 3 77 Fit", "shut 8 0 0"});
    CHECK(it.plugin.pre_filter("first").text() == "2");
}

TEST_CASE("sdk: who asks for pending pods at the wrong time or place, or changes the queue, gets an error", "[sdk]") {
    Waiting it;
    CHECK(it.plugin.pre_filter("places").text() == "pending pods cannot be visited here, or not in the places 0");
    CHECK(it.plugin.pre_enqueue("late").text() == "pending pods cannot be visited here, or not in the places 1");
    CHECK(it.plugin.pre_filter("activates").text() == "the queue changed within a visit of pending pods");
    CHECK(it.plugin.host.activated == std::vector<std::string>{"u-shut"});
}

TEST_CASE("sdk: on a host without pending pods nothing is counted or visited", "[sdk]") {
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str) -> const void * { return nullptr; };
    const berth::Host host(&raw);
    CHECK_FALSE(host.count_pending(BERTH_PENDING_ACTIVE));
    CHECK_FALSE(host.each_pending(BERTH_PENDING_ACTIVE, [](berth::PendingPod) { FAIL("there is none"); }));
}
