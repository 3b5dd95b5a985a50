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
                               std::to_string(p.pod().attempts()) + " " + std::to_string(p.backoff_end_ns()) + " " +
                               std::to_string(p.pod().queued_time_ns()) + " " +
                               std::to_string(p.pod().initial_attempt_ns());
            if (p.rejected_by("Fit")) line += " Fit";
            if (!p.group().empty()) line.append(" ").append(p.group()) += " " + std::to_string(p.group_priority());
            out.push_back(std::move(line));
        });
        return berth::unschedulable(out);
    }

public:
    static inline int refused = 0;  ///< how often it was refused at its end

    explicit Asks(const berth::Host &host) : host_(host) {}
    ~Asks() {
        try {
            (void)host_.count_pending(BERTH_PENDING_ACTIVE);
        } catch (const std::logic_error &) {
            ++refused;
        }
    }
    Asks(const Asks &) = delete;
    Asks &operator=(const Asks &) = delete;

    berth::Verdict pre_enqueue(berth::Pod pod) const {
        if (pod.name() == "first") return berth::unschedulable(std::to_string(*host_.pending_version()));
        if (pod.name() == "late")
            (void)host_.each_pending(BERTH_PENDING_ACTIVE, [](berth::PendingPod) { FAIL("it was shown"); });
        return listed(BERTH_PENDING_ACTIVE);
    }
    berth::Verdict pre_filter(berth::Pod pod) const {
        if (pod.name() == "version") return berth::unschedulable(std::to_string(*host_.pending_version()));
        if (pod.name() == "none") (void)host_.each_pending(0, [](berth::PendingPod) { FAIL("it was shown"); });
        if (pod.name() == "places") return listed(0);
        if (pod.name() == "any") return berth::unschedulable(std::to_string(*host_.count_pending(BERTH_PENDING_ANY)));
        if (pod.name() == "first") {
            std::uint64_t n = 0;
            (void)host_.each_pending(BERTH_PENDING_ACTIVE | BERTH_PENDING_GATED,
                                     [&](berth::PendingPod) { return ++n < 2; });
            return berth::unschedulable(std::to_string(n));
        }
        if (pod.name() == "activates")
            (void)host_.each_pending(BERTH_PENDING_GATED, [&](berth::PendingPod p) { host_.activate(p.pod().uid()); });
        if (pod.name() == "allows")
            (void)host_.each_pending(BERTH_PENDING_GATED,
                                     [&](berth::PendingPod) { (void)host_.allow_waiting("u-waits"); });
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
                               {"late", BERTH_PENDING_BACKOFF, 3, {"Fit", "Gate"}, 77, 5, 6, "crew", -4},
                               {"places", BERTH_PENDING_ACTIVE, 0, {}, 0},
                               {"first", BERTH_PENDING_ACTIVE, 1, {"Fit"}, 0}};
    }
    void add() {
        for (const auto *name :
             {"places", "first", "activates", "allows", "version", "none", "shut", "late", "waits", "any"})
            cluster.add("{kind: Pod, metadata: {uid: u-" + std::string(name) + ", name: " + name + "}}");
    }
};

}  // namespace

TEST_CASE("sdk: a plugin sees the pending pods, the active ones first, until it has enough", "[sdk]") {
    Waiting it;
    CHECK(it.plugin.pre_filter("waits").texts() ==
          std::vector<std::string>{"4", "places 1 0 0 0 0", "first 1 1 0 0 0 Fit", "late 2 3 77 5 6 Fit crew -4",
                                   "shut 8 0 0 0 0"});
    CHECK(it.plugin.pre_filter("first").text() == "2");
    // What is being tried does not wait.
    CHECK(it.plugin.pre_filter("late").texts() ==
          std::vector<std::string>{"3", "places 1 0 0 0 0", "first 1 1 0 0 0 Fit", "shut 8 0 0 0 0"});
}

TEST_CASE("sdk: the version of the pending pods changes with them", "[sdk]") {
    Waiting it;
    const auto before = it.plugin.pre_filter("version").text();
    CHECK(it.plugin.pre_filter("version").text() == before);
    it.plugin.host.pending.back().attempts = 9;
    CHECK(it.plugin.pre_filter("version").text() != before);
}

TEST_CASE("sdk: who asks for pending pods at the wrong time or place, or changes the queue, gets an error", "[sdk]") {
    Waiting it;
    CHECK(it.plugin.pre_filter("places").text() == "pending pods cannot be counted here, or not in the places 0");
    CHECK(it.plugin.pre_filter("any").text() == std::to_string(it.plugin.host.pending.size()));
    CHECK(it.plugin.pre_filter("none").text() == "pending pods cannot be visited here, or not in the places 0");
    CHECK(it.plugin.pre_enqueue("shut").text() == "pending pods cannot be counted here, or not in the places 1");
    CHECK(it.plugin.pre_enqueue("late").text() == "pending pods cannot be visited here, or not in the places 1");
    CHECK(it.plugin.pre_enqueue("first").text() == "pending pods have no version here");
    CHECK(it.plugin.pre_filter("activates").text() == "the queue changed within a visit of pending pods");
    CHECK(it.plugin.host.activated == std::vector<std::string>{"u-shut"});
    // A host lets a pod of Permit go later, so that changes no queue.
    it.plugin.host.waiting.emplace_back("waits", "n");
    CHECK(it.plugin.pre_filter("allows").texts().size() == 5);
    CHECK(it.plugin.host.allowed == std::vector<std::string>{"u-waits"});
}

TEST_CASE("sdk: a plugin that ends does not see what is pending", "[sdk]") {
    Asks::refused = 0;
    {
        const Waiting it;
    }
    CHECK(Asks::refused == 1);
}

TEST_CASE("sdk: on a host without pending pods nothing is counted or visited", "[sdk]") {
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str) -> const void * { return nullptr; };
    const berth::Host host(&raw);
    CHECK_FALSE(host.count_pending(BERTH_PENDING_ACTIVE));
    CHECK_FALSE(host.pending_version());
    CHECK_FALSE(host.each_pending(BERTH_PENDING_ACTIVE, [](berth::PendingPod) { FAIL("there is none"); }));
}
