// SPDX-License-Identifier: Apache-2.0
#include "report/scheduler_metrics.h"

#include "fake_transport.h"
#include "fake_world.h"
#include "kube/election.h"
#include "kube/left_out.h"
#include "report/counted_api.h"

using namespace berth;

namespace {

/// The value of a series in a scrape; "" if it is not there.
std::string value_of(report::SchedulerMetrics &meter, const std::string &series) {
    auto text = "\n" + meter.text();
    auto at = text.find("\n" + series + " ");
    if (at == text.npos) return {};
    at += series.size() + 2;
    return text.substr(at, text.find('\n', at) - at);
}

std::string point(const std::string &name, const std::string &status) {
    return "scheduler_framework_extension_point_duration_seconds_count{extension_point=\"" + name +
           "\",profile=\"default-scheduler\",status=\"" + status + "\"}";
}

std::string of_plugin(const std::string &metric, const std::string &plugin, const std::string &where) {
    return metric + "{extension_point=\"" + where + "\",plugin=\"" + plugin + "\",profile=\"default-scheduler\"}";
}

SchedulerSettings counted_by(report::SchedulerMetrics &meter) {
    SchedulerSettings settings;
    settings.meter = &meter;
    return settings;
}

}  // namespace

TEST_CASE("scheduler meter: the way of a pod that is placed and of one that is not", "[report]") {
    report::SchedulerMetrics meter;
    FakePlugin only{"OnlyB"};
    only.filter = [](const std::string &node) {
        return node == "n1" ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"not this one"}} : FilterSays{};
    };
    FakePlugin likes{"LikesN3"};
    likes.score = [](const std::string &node) { return node == "n3" ? 90 : 10; };
    FakePlugin bind = binder();
    FakeWorld world({&only, &likes, &bind}, counted_by(meter));
    CHECK(value_of(meter, of_plugin("scheduler_plugin_evaluation_total", "OnlyB", "Filter")) == "0");
    world.add_nodes(3);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    CHECK(value_of(meter, "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"}") ==
          "1");
    CHECK(value_of(meter,
                   "scheduler_scheduling_attempt_duration_seconds_count{profile=\"default-scheduler\",result="
                   "\"scheduled\"}") == "1");
    CHECK(value_of(meter, "scheduler_pod_scheduling_attempts_count") == "1");
    CHECK(value_of(meter, "scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"1\"}") == "1");
    CHECK(value_of(meter, "scheduler_queue_incoming_pods_total{event=\"UnschedulablePodAdd\",queue=\"active\"}") ==
          "1");
    for (const char *name : {"PreEnqueue", "PreFilter", "Filter", "PreScore", "Score", "Reserve", "Permit", "PreBind",
                             "Bind", "PostBind"}) {
        // Reserve and Permit have nobody here, so nobody is asked.
        CAPTURE(name);
        const bool asked = std::string(name) != "Reserve" && std::string(name) != "Permit";
        CHECK(value_of(meter, point(name, "Success")) == (asked ? "1" : ""));
    }
    CHECK(value_of(meter, point("PreBindPreFlight", "Skip")) == "1");
    CHECK(value_of(meter, of_plugin("berth_plugin_calls_total", "OnlyB", "Filter")) == "1");
    CHECK(value_of(meter, of_plugin("berth_plugin_slots_total", "OnlyB", "Filter")) == "3");
    CHECK(value_of(meter, of_plugin("berth_plugin_rejections_total", "OnlyB", "Filter")) == "1");
    CHECK(value_of(meter, of_plugin("scheduler_plugin_evaluation_total", "OnlyB", "Filter")) == "3");
    CHECK(value_of(meter, of_plugin("scheduler_plugin_evaluation_total", "LikesN3", "Score")) == "2");

    only.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"none"}}; };
    world.scheduler.observer().pod_added(plain_pod("q"));
    world.settle();
    auto update = [&] { meter.update(world.scheduler.queue(), world.scheduler.cache(), world.scheduler.binding()); };
    meter.update(report::Reloads{2, 0, true});
    meter.update(plugin::PluginFailures::Counts{{{"OnlyB", "Filter"}, 3}});
    update();
    CHECK(value_of(meter, "berth_config_last_reload_successful") == "1");
    CHECK(value_of(meter,
                   "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"unschedulable\"}") == "1");
    CHECK(value_of(meter,
                   "scheduler_queue_incoming_pods_total{event=\"ScheduleAttemptFailure\",queue=\"unschedulable\"}") ==
          "1");
    CHECK(value_of(meter, "scheduler_pending_pods{queue=\"unschedulable\"}") == "1");
    CHECK(value_of(meter, "scheduler_pending_pods{queue=\"active\"}") == "0");
    CHECK(value_of(meter, "scheduler_unschedulable_pods{plugin=\"OnlyB\",profile=\"default-scheduler\"}") == "1");
    CHECK(value_of(meter, "scheduler_cache_size{type=\"nodes\"}") == "3");
    world.scheduler.observer().pod_deleted(plain_pod("q"));
    meter.update(report::Reloads{2, 1, false});
    meter.update(plugin::PluginFailures::Counts{{{"OnlyB", "Filter"}, 4}});
    update();
    CHECK(value_of(meter, "berth_config_reloads_total{result=\"taken\"}") == "2");
    CHECK(value_of(meter, "berth_config_reloads_total{result=\"refused\"}") == "1");
    CHECK(value_of(meter, "berth_config_last_reload_successful") == "0");
    CHECK(value_of(meter, "berth_plugin_failures_total{extension_point=\"Filter\",plugin=\"OnlyB\"}") == "4");
    CHECK(value_of(meter, "scheduler_unschedulable_pods{plugin=\"OnlyB\",profile=\"default-scheduler\"}") == "0");
}

TEST_CASE("scheduler meter: whom a plugin evicts counts as a victim of the attempt", "[report]") {
    struct Nobody : env::Api {
        void send(env::ApiRequest, std::function<void(env::ApiAnswer)>) override {}
    } nobody;
    report::SchedulerMetrics meter;
    report::CountedApi api([&] { meter.pod_evicted(); });
    api.forward_to(nobody);
    for (const char *resource : {"pods", "pods", "nodes"}) {
        env::ApiRequest request;
        request.verb = env::Verb::Delete;
        request.resource = resource;
        api.send(request, nullptr);
    }
    meter.attempt_began("a");
    meter.attempt_ended("a", "default-scheduler", "unschedulable");
    meter.attempt_began("b");
    meter.attempt_ended("b", "default-scheduler", "error");
    CHECK(value_of(meter, "scheduler_preemption_victims_count") == "1");
    CHECK(value_of(meter, "scheduler_preemption_victims_sum") == "2");
}

TEST_CASE("scheduler meter: the lease, in client-go's words", "[report]") {
    constexpr std::int64_t second = 1'000'000'000;
    report::SchedulerMetrics meter;
    sim::VirtualClock clock{0};
    FakeTransport transport;
    kube::Election election(transport, clock, nullptr,
                            {{"harbour", "berth"}, "me", "berth", 15 * second, 10 * second, 2 * second, 7});
    const std::string name = "{name=\"kube-scheduler\"}";
    auto look = [&] {
        meter.update(report::Lease{election.renewed_ns().has_value(), election.slow_paths()});
        return value_of(meter, "leader_election_master_status" + name);
    };
    auto answer = [&](int status, const std::string &body) {
        transport.answer(status, body);
        clock.run();
    };
    const std::string ours =
        R"({"kind":"Lease","metadata":{"name":"berth"},"spec":{"holderIdentity":"me","leaseDurationSeconds":15}})";
    election.start([] {}, [] {});
    CHECK(look() == "0");
    answer(404, "{}");
    answer(201, ours);
    CHECK(look() == "1");
    CHECK(value_of(meter, "leader_election_slowpath_total" + name).empty());
    clock.advance_to(2 * second);
    answer(409, "{}");
    answer(200, ours);
    answer(200, ours);
    CHECK(look() == "1");
    CHECK(value_of(meter, "leader_election_slowpath_total" + name) == "1");
    clock.advance_to(20 * second);
    CHECK(look() == "0");
}

TEST_CASE("scheduler meter: objects that cannot be read, by resource", "[report]") {
    report::SchedulerMetrics meter;
    kube::LeftOut left_out;
    auto look = [&](const char *resource) {
        meter.update_unreadable(left_out.counts());
        return value_of(meter, std::string("berth_unreadable_objects{resource=\"") + resource + "\"}");
    };
    CHECK(look("pods").empty());
    CHECK(left_out.add({"pods", "a/b", "1", "why", false}));
    CHECK(left_out.add({"pods", "a/c", "1", "why", false}));
    CHECK(left_out.add({"nodes", "n", "1", "why", false}));
    CHECK(look("pods") == "2");
    CHECK(look("nodes") == "1");
    CHECK(left_out.remove("pods", "a/b"));
    left_out.keep("nodes", {});
    CHECK(look("pods") == "1");
    CHECK(look("nodes") == "0");
}

TEST_CASE("left out: a version of an object is news once", "[kube]") {
    kube::LeftOut left_out;
    CHECK(left_out.add({"pods", "a", "1", "why", false}));
    CHECK_FALSE(left_out.add({"pods", "a", "1", "why", true}));
    CHECK(left_out.find("pods", "a")->kept);
    CHECK(left_out.add({"pods", "a", "2", "why", false}));
    INFO("of one whose version cannot be read the fault decides");
    CHECK(left_out.add({"pods", "(object 1 of the list)", "", "why", false}));
    CHECK_FALSE(left_out.add({"pods", "(object 1 of the list)", "", "why", false}));
    CHECK(left_out.add({"pods", "(object 1 of the list)", "", "another", false}));
    CHECK(left_out.size() == 2);
    CHECK(left_out.remove("pods", "a"));
    CHECK_FALSE(left_out.remove("pods", "a"));
    CHECK_FALSE(left_out.find("pods", "a"));
    INFO("a fault that quotes much is cut, at a character");
    CHECK(kube::LeftOut::shortened("short") == "short");
    std::string euros;
    for (int i = 0; i < 300; ++i) euros += "\u20ac";
    CHECK(kube::LeftOut::shortened(euros).size() == 498 + 3);
}

TEST_CASE("scheduler meter: events that are lost", "[report]") {
    struct Refuses : env::Api {
        void send(env::ApiRequest, std::function<void(env::ApiAnswer)> done) override { done({403, "no"}); }
    } api;
    report::SchedulerMetrics meter;
    sim::VirtualClock clock{0};
    report::EventWriter events(api, clock, nullptr, "host");
    meter.update(events);
    CHECK(value_of(meter, "berth_events_lost_total{reason=\"refused\"}") == "0");
    CHECK(value_of(meter, "berth_events_lost_total{reason=\"dropped\"}") == "0");
    CHECK(value_of(meter, "berth_events_waiting") == "0");
    events.write(*plain_pod("p"), {false, "Scheduled", "Binding", "note", "default-scheduler"});
    meter.update(events);
    CHECK(value_of(meter, "berth_events_lost_total{reason=\"refused\"}") == "1");
}

TEST_CASE("scheduler meter: without one nothing is counted, and nothing is missed", "[report]") {
    FakePlugin bind = binder();
    FakeWorld world({&bind});
    CHECK(world.scheduler.calls().meter() == nullptr);
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    CHECK(world.last().result == model::AttemptResult::Scheduled);
}

TEST_CASE("scheduler meter: two schedulers of a thread count apart", "[report]") {
    report::SchedulerMetrics meter, other;
    FakePlugin bind = binder();
    FakeWorld world({&bind}, counted_by(meter)), idle({&bind}, counted_by(other));
    world.add_nodes(1);
    world.scheduler.observer().pod_added(plain_pod("p"));
    world.settle();
    const std::string placed = "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"}";
    CHECK(value_of(meter, placed) == "1");
    CHECK(value_of(other, placed).empty());
}

TEST_CASE("scheduler meter: as 1.37, texts know of pod groups", "[report]") {
    for (const bool later : {false, true}) {
        report::SchedulerMetrics meter(config::Rules(*config::Release::of(later ? "1.37" : "1.36")));
        FakePlugin bind = binder();
        FakeWorld world({&bind}, counted_by(meter));
        world.scheduler.observer().pod_added(plain_pod("p"));
        meter.update(world.scheduler.queue(), world.scheduler.cache(), 0);
        CHECK(value_of(meter, "scheduler_pending_pods{queue=\"active\"}") == "1");
        CHECK(value_of(meter, "scheduler_pending_pods{queue=\"incomplete\"}") == (later ? "0" : ""));
        CHECK(value_of(meter, "scheduler_pending_pods{queue=\"pending\"}") == (later ? "0" : ""));
        const auto text = meter.text();
        auto has = [&](const std::string &part) { return text.find(part) != text.npos; };
        CHECK(has("number of pods in unschedulableEntities that") == later);
        CHECK(has("scheduler_scheduling_algorithm_duration_seconds [BETA]") == later);
        CHECK(has("selected preemption victims for preemption initiated by a single pod") == later);
        CHECK(has("number of pods in unschedulablePods that") != later);
    }
}
