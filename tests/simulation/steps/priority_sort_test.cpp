// SPDX-License-Identifier: Apache-2.0

// PrioritySort states its order twice: in words that compare two pods, and as a key.

#include "running_world.h"

#include <array>
#include <cstring>
#include <random>

using namespace running_world;

TEST_CASE("PrioritySort: the key orders pods as less does", "[sim]") {
    QuietLog log;
    sim::VirtualClock clock{0};
    sim::World world{clock};
    Sink sink;
    Scheduler scheduler{clock, nullptr, sink, {}};
    auto catalog = plugin::Catalog::open({{berth::paths::plugins()}, {}, true});
    auto configuration =
        config::read("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", "c.yaml");
    REQUIRE(catalog);
    REQUIRE(configuration);
    plugin::Services services;
    services.clock = &clock;
    services.api = &world;
    services.log = &log;
    scheduler.offer(services);
    auto profiles = plugin::build_profiles(*configuration, *catalog, services);
    if (!profiles) FAIL(profiles.error().text);
    const auto &sort = *profiles->front().queue_sort;

    using Key = std::array<std::uint8_t, 32>;
    auto pod = [](std::int32_t priority, std::int64_t time) {
        berth_pod view{};
        view.struct_size = sizeof view;
        view.priority = priority;
        view.queued_time_ns = time;
        return view;
    };
    auto check = [&](const berth_pod &a, const berth_pod &b) {
        Key of_a{}, of_b{};
        CHECK(sort.queue_sort->sort_key(sort.self, &a, of_a.data(), of_a.size()) == 12);
        CHECK(sort.queue_sort->sort_key(sort.self, &b, of_b.data(), of_b.size()) == 12);
        CAPTURE(a.priority, a.queued_time_ns, b.priority, b.queued_time_ns);
        CHECK((of_a < of_b) == (sort.queue_sort->less(sort.self, &a, &b) != 0));
    };
    auto seed = static_cast<unsigned>(std::random_device{}());
    CAPTURE(seed);
    std::mt19937_64 chance(seed);
    std::vector<std::int32_t> priorities{0, 1, -1, 255, 256, 1 << 24, INT32_MAX, INT32_MIN};
    std::vector<std::int64_t> times{0, 1, -1, INT64_MAX, INT64_MIN};
    // Every bit counts, and those who differ only there are told apart.
    for (int bit = 1; bit < 63; ++bit) {
        times.push_back(std::int64_t{1} << bit);
        times.push_back((std::int64_t{1} << bit) - 1);
    }
    for (int i = 0; i < 20; ++i) {
        priorities.push_back(static_cast<std::int32_t>(chance()));
        times.push_back(static_cast<std::int64_t>(chance()));
    }
    for (auto a : times)
        for (auto b : times) check(pod(7, a), pod(7, b));
    for (auto a : priorities)
        for (auto b : priorities) {
            check(pod(a, 5), pod(b, 5));
            check(pod(a, 6), pod(b, 5));
        }
}
