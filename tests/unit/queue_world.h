// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A queue of one profile, driven by hand.

#include "fake_plugin.h"
#include "queue/queue.h"
#include "sim/virtual_clock.h"

namespace berth::queue {

inline constexpr std::int64_t start_ns = 1'767'225'600'000'000'000;

/// As Kubernetes 1.37 with the feature gate GenericWorkload.
inline Settings with_groups() {
    config::Configuration configuration;
    configuration.release = *config::Release::of("1.37");
    configuration.schedules_groups = true;
    return Settings(configuration);
}

struct NoTables : NodeTables {
    const berth_nodes *table(int, const model::Node &) override { return nullptr; }
    std::uint32_t slot(std::string_view) override { return BERTH_NO_SLOT; }
};

struct QueueWorld {
    NoTables tables;
    sim::VirtualClock clock{start_ns};
    std::vector<plugin::Profile> profiles;
    std::unique_ptr<Queue> queue;
    std::vector<std::string> gated, incoming;

    explicit QueueWorld(std::initializer_list<FakePlugin *> fakes, Settings settings = {}) {
        profiles.push_back(fake_profile(fakes));
        queue = std::make_unique<Queue>(profiles, tables, clock, nullptr, settings);
        queue->on_gated([this](const QueuedPod &pod, const model::Status &status) {
            gated.push_back(std::string(pod.pod->name()) + ": " + status.message());
        });
        queue->on_incoming([this](const QueuedPod &pod, Place place, std::string_view event) {
            static constexpr const char *names[] = {"in flight", "active",        "backoff",
                                                    "backoff",   "unschedulable", "group"};
            incoming.push_back(std::string(pod.pod->name()) + " " + names[static_cast<std::size_t>(place)] + " " +
                               std::string(event));
        });
    }
    /// What entered a queue since the last call.
    std::vector<std::string> news() { return std::exchange(incoming, {}); }
    const plugin::Instance *plugin(std::string_view name) const {
        for (const auto &instance : profiles.front().instances)
            if (instance->name == name) return instance.get();
        return nullptr;
    }
    std::string pop_name() {
        auto pod = queue->pop();
        if (!pod) return "";
        std::string name(pod->pod->name());
        queue->done(pod->pod->uid());
        return name;
    }
    std::string pop_all() {
        std::string names;
        for (std::string name = pop_name(); !name.empty(); name = pop_name()) names += name + " ";
        return names;
    }
    /// Pops a pod and rejects it in the name of `by`, or breaks its attempt.
    void pop_and_fail(std::string_view by = {}, bool pending = false) {
        auto pod = queue->pop();
        REQUIRE(pod);
        auto current = pod->pod;
        Instances rejected, waits;
        if (!by.empty()) rejected.push_back(plugin(by));
        if (pending) waits.push_back(plugin(by));
        queue->requeue(std::move(pod), current, rejected, waits);
    }
    void pass(std::int64_t seconds) { clock.advance_to(clock.now_ns() + seconds * second_ns); }
    void node_appears() { queue->move(node_event(BERTH_EVENT_ADD, nullptr, plain_node("n"))); }
};

inline FakePlugin interested(std::string name, std::string resource, std::uint64_t actions, std::uint8_t hint) {
    FakePlugin fake{std::move(name)};
    fake.interests = {{std::move(resource), actions, true}};
    fake.hint = [hint](const berth_event *, const berth_pod *) { return hint; };
    return fake;
}

}  // namespace berth::queue
