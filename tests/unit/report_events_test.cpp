// SPDX-License-Identifier: Apache-2.0
#include "report/events.h"

#include "object_text.h"
#include "sim/virtual_clock.h"

#include <algorithm>

using namespace berth;

namespace {

struct World : env::Api, env::Log {
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    report::EventWriter events{*this, clock, this, "host-1"};
    int logged = 0;  ///< warnings
    std::vector<env::ApiRequest> sent;
    std::vector<std::function<void(env::ApiAnswer)>> waiting;
    int status = 201;

    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override {
        sent.push_back(std::move(request));
        if (status < 0) waiting.push_back(std::move(done));
        else done({status, "text"});
    }
    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity severity, int, std::string_view, const Pairs &, std::source_location) override {
        if (severity == env::Severity::Warning) ++logged;
    }
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}
    void pass_seconds(std::int64_t s) { clock.advance_to(clock.now_ns() + s * 1'000'000'000); }
};

model::PodPtr pod(const std::string &name = "p", const std::string &version = "5") {
    return pod_of("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
                  ", namespace: ns, uid: u, resourceVersion: '" + version +
                  "'}\nspec: {containers: [{name: c, image: i}]}");
}

report::ObjectEvent failed(const std::string &note = "0/1 nodes are available: 1 x.") {
    return {true, "FailedScheduling", "Scheduling", note, "default-scheduler"};
}

}  // namespace

TEST_CASE("events: the body, word for word", "[report]") {
    World world;
    world.events.write(*pod(), failed("100% \"full\""));
    REQUIRE(world.sent.size() == 1);
    const auto &r = world.sent[0];
    CHECK(r.verb == env::Verb::Create);
    CHECK(r.group == "events.k8s.io");
    CHECK(r.resource == "events");
    CHECK(r.name_space == "ns");
    CHECK(r.name == "p.18867251edfa0000");
    CHECK(
        r.body ==
        R"({"apiVersion":"events.k8s.io/v1","kind":"Event","metadata":{"name":"p.18867251edfa0000","namespace":"ns"},)"
        R"("eventTime":"2026-01-01T00:00:00.000000Z","reportingController":"default-scheduler",)"
        R"("reportingInstance":"default-scheduler-host-1","action":"Scheduling","reason":"FailedScheduling",)"
        R"("regarding":{"kind":"Pod","namespace":"ns","name":"p","uid":"u","apiVersion":"v1","resourceVersion":"5"},)"
        R"("note":"100% \"full\"","type":"Warning"})");
    world.events.write(*pod("q"), {false, "Scheduled", "Binding", "Successfully assigned ns/q to n", "other"});
    CHECK(world.sent[1].name != "q.18867251edfa0000");  // no two names in the same nanosecond
    CHECK(world.sent[1].body.find(R"("type":"Normal")") != std::string::npos);
}

// promise(tenant): An Event's message is cut to the length that the API server allows, regardless of the names in it.
TEST_CASE("events: a long note is cut to 1024 bytes, at a character", "[report]") {
    CHECK(report::cut_note(std::string(1024, 'x')) == std::string(1024, 'x'));
    CHECK(report::cut_note(std::string(1025, 'x')) == std::string(1020, 'x') + " ...");
    std::string umlauts = "x";
    while (umlauts.size() < 1100) umlauts += "\xc3\xa4";
    auto cut = report::cut_note(umlauts);
    CHECK(cut.size() == 1023);
    CHECK(cut.substr(1017) == "\xc3\xa4 ...");
}

TEST_CASE("events: the same again becomes a series, told once and then counted", "[report]") {
    World world;
    for (int i = 0; i < 5; ++i) {
        world.events.write(*pod(), failed(i == 0 ? "first" : "the note does not matter"));
        world.pass_seconds(10);
    }
    REQUIRE(world.sent.size() == 2);
    CHECK(world.sent[1].verb == env::Verb::Patch);
    CHECK(world.sent[1].name == world.sent[0].name);
    CHECK(world.sent[1].content_type == "application/strategic-merge-patch+json");
    CHECK(world.sent[1].body == R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:10.000000Z"}})");
    // Idle for six minutes: the final count is told and the series is over.
    world.pass_seconds(440);
    REQUIRE(world.sent.size() == 3);
    CHECK(world.sent[2].body == R"({"series":{"count":5,"lastObservedTime":"2026-01-01T00:00:40.000000Z"}})");
    world.events.write(*pod(), failed());
    REQUIRE(world.sent.size() == 4);
    CHECK(world.sent[3].verb == env::Verb::Create);
}

TEST_CASE("events: the second one waits for the first, and is told then", "[report]") {
    World world;
    world.status = -1;
    world.events.write(*pod(), failed("first"));
    world.pass_seconds(3);
    world.events.write(*pod(), failed());
    CHECK(world.sent.size() == 1);
    std::exchange(world.waiting[0], nullptr)({201, ""});
    REQUIRE(world.sent.size() == 2);
    CHECK(world.sent[1].body == R"({"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:03.000000Z"}})");
}

TEST_CASE("events: a series that is over has its last count told before the next one begins", "[report]") {
    World world;
    for (int i = 0; i < 3; ++i) world.events.write(*pod(), failed());
    CHECK(world.sent.size() == 2);
    // The next look at idle series is at 420 s.
    world.pass_seconds(361);
    world.events.write(*pod(), failed());
    REQUIRE(world.sent.size() == 4);
    CHECK(world.sent[2].name == world.sent[0].name);
    CHECK(world.sent[2].body == R"({"series":{"count":3,"lastObservedTime":"2026-01-01T00:00:00.000000Z"}})");
    CHECK(world.sent[3].verb == env::Verb::Create);
    CHECK(world.sent[3].name != world.sent[0].name);
}

// promise(tenant): The number of stored event series is bounded, regardless of the number of pods.
TEST_CASE("events: the number of stored series is bounded, and idle series end early", "[report]") {
    constexpr auto most = report::EventWriter::most_series;
    World world;
    for (int i = 0; i < 3; ++i) world.events.write(*pod("counted"), failed());
    CHECK(world.sent.size() == 2);
    for (std::size_t i = 0; i < 3 * most; ++i) {
        world.pass_seconds(i % 100 == 0 ? 1 : 0);
        world.events.write(*pod("p", std::to_string(i + 100)), failed());
        CHECK(world.events.series() <= most);
    }
    CHECK(world.events.series() > most / 2);
    // Of the one that had not been told whole, the last count was.
    const auto counted = std::ranges::count_if(world.sent, [&](const auto &request) {
        return request.name == world.sent[0].name && request.body.find(R"("count":3,)") != std::string::npos;
    });
    CHECK(counted == 1);
    // The last ones are still known.
    const auto before = world.sent.size();
    world.events.write(*pod("p", std::to_string(3 * most + 99)), failed());
    CHECK(world.sent.size() == before + 1);
    CHECK(world.sent.back().verb == env::Verb::Patch);
}

TEST_CASE("events: nothing is kept of one that does not come again", "[report]") {
    World world;
    auto scheduled = failed();
    scheduled.once = true;
    for (int i = 0; i < 3; ++i) world.events.write(*pod(), scheduled);
    CHECK(world.sent.size() == 3);
    CHECK(world.sent[2].verb == env::Verb::Create);
    CHECK(world.events.series() == 0);
}

TEST_CASE("events: a series that goes on is brought up to date every half hour", "[report]") {
    World world;
    for (int minute = 0; minute <= 65; ++minute) {
        world.events.write(*pod(), failed());
        world.pass_seconds(60);
    }
    REQUIRE(world.sent.size() == 4);
    CHECK(world.sent[2].body.find(R"("count":32,)") != std::string::npos);
    CHECK(world.sent[3].body.find(R"("count":63,)") != std::string::npos);
}

TEST_CASE("events: a series that the server has forgotten is made anew, as it began", "[report]") {
    World world;
    world.events.write(*pod(), failed());
    world.status = -1;
    world.pass_seconds(5);
    world.events.write(*pod(), failed());
    REQUIRE(world.sent.size() == 2);
    std::exchange(world.waiting[0], nullptr)({404, "events \"p\" not found"});
    REQUIRE(world.sent.size() == 3);
    const auto &r = world.sent[2];
    CHECK(r.verb == env::Verb::Create);
    CHECK(r.name == world.sent[0].name);
    CHECK(r.content_type.empty());
    const auto &begin = world.sent[0].body;
    CHECK(r.body == begin.substr(0, begin.size() - 1) +
                        R"(,"series":{"count":2,"lastObservedTime":"2026-01-01T00:00:05.000000Z"}})");
    std::exchange(world.waiting[1], nullptr)({201, ""});
    CHECK(world.events.refused() == 0);
}

TEST_CASE("events: another version of the pod, or another reason, is another event", "[report]") {
    World world;
    world.events.write(*pod("p", "5"), failed());
    world.events.write(*pod("p", "6"), failed());
    auto other = failed();
    other.controller = "second";
    world.events.write(*pod("p", "5"), other);
    CHECK(world.sent.size() == 3);
    for (const auto &r : world.sent) CHECK(r.verb == env::Verb::Create);
}

TEST_CASE("events: a server that is away is asked again every ten seconds, twelve times in all", "[report]") {
    World world;
    world.status = 0;
    world.events.write(*pod(), failed());
    world.pass_seconds(9);
    CHECK(world.sent.size() == 1);
    world.pass_seconds(1);
    CHECK(world.sent.size() == 2);
    SECTION("it never comes back") {
        world.pass_seconds(600);
        CHECK(world.sent.size() == 12);
        CHECK(world.events.refused() == 1);
    }
    SECTION("it does") {
        world.status = 201;
        world.pass_seconds(600);
        CHECK(world.sent.size() == 3);
        CHECK(world.events.refused() == 0);
    }
    SECTION("it had taken the first one") {
        world.status = 409;
        world.pass_seconds(600);
        CHECK(world.sent.size() == 3);
        CHECK(world.events.refused() == 0);
    }
}

TEST_CASE("events: one that the server refuses is lost, not repeated", "[report]") {
    World world;
    world.status = 403;
    world.events.write(*pod(), failed());
    world.pass_seconds(60);
    CHECK(world.sent.size() == 1);
    CHECK(world.events.refused() == 1);
}

TEST_CASE("events: there is an end to what may wait", "[report]") {
    World world;
    world.status = -1;
    for (int i = 0; i < 20'003; ++i) world.events.write(*pod("p", std::to_string(i)), failed());
    CHECK(world.sent.size() == 20'000);
    CHECK(world.events.waiting() == 20'000);
    CHECK(world.events.dropped() == 3);
    CHECK(world.events.refused() == 0);
    CHECK(world.logged == 1);
    INFO("nor does a series go beyond it");
    std::exchange(world.waiting[0], nullptr)({201, ""});
    world.events.write(*pod("p", "30000"), failed());
    CHECK(world.sent.size() == 20'001);
    world.events.write(*pod("p", "0"), failed());
    CHECK(world.sent.size() == 20'001);
    CHECK(world.events.dropped() == 4);
}

TEST_CASE("events: about any object", "[report]") {
    World world;
    auto kind = model::kind_of("storage.k8s.io", "v1", "storageclasses");
    auto object =
        any_object(kind, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast, uid: u}}");
    world.events.write(*object, failed());
    REQUIRE(world.sent.size() == 1);
    // What is in no namespace has its events in the usual one.
    CHECK(world.sent[0].name_space == "default");
    CHECK(world.sent[0].body.find(R"("regarding":{"kind":"StorageClass","name":"fast","uid":"u",)"
                                  R"("apiVersion":"storage.k8s.io/v1"})") != std::string::npos);
    world.events.write(*any_object(kind, "{kind: StorageClass, metadata: {name: 'a:b', uid: v}}"), failed());
    REQUIRE(world.sent.size() == 2);
    CHECK(world.sent[1].name == "18867251edfa0001");
}

TEST_CASE("events: what waits for the server is counted, and no longer when it was answered", "[report]") {
    World world;
    const auto empty = world.events.bytes();
    world.status = -1;
    for (int i = 0; i < 10; ++i) world.events.write(*pod("p" + std::to_string(i), std::to_string(i)), failed());
    const auto waiting = world.events.bytes();
    CHECK(waiting > empty + 10 * 500);
    for (auto &done : std::exchange(world.waiting, {})) done({500, "away"});
    CHECK(world.events.bytes() == waiting);
    world.pass_seconds(10);
    for (auto &done : std::exchange(world.waiting, {})) done({201, {}});
    // The series stay for a while.
    const auto series = world.events.bytes();
    CHECK(series < waiting - 10 * 500);
    CHECK(series > empty);
    world.pass_seconds(3600);
    CHECK(world.events.series() == 0);
    CHECK(world.events.bytes() < series);
}
