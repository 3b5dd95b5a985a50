// SPDX-License-Identifier: Apache-2.0

// The kinds that plugins watch, on servers that lack some.

#include "catch.h"
#include "fake_transport.h"
#include "live/watches.h"
#include "sim/controllers.h"
#include "sim/virtual_clock.h"

using namespace berth;

namespace {

struct World : sim::Controller, env::Log {
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    FakeTransport transport;
    std::vector<std::string> logged, errors, seen;
    live::Watches watches{
        transport, clock, *this, *this, [](const model::Kind &) {}, 7, std::make_shared<kube::LeftOut>()};
    int done = 0;
    std::vector<std::string> refused;

    void object_changed(const model::Kind &, model::AnyPtr, model::AnyPtr after) override {
        seen.emplace_back(after->name);
    }
    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity severity, int, std::string_view message, const Pairs &pairs,
               std::source_location) override {
        if (severity == env::Severity::Error) errors.emplace_back(pairs.at(1).second);
        if (severity == env::Severity::Info) logged.push_back(std::string(message) + ": " + pairs.at(0).second);
    }
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}

    void follow(const char *group, const char *resource) {
        watches.follow({{model::kind_of(group, "v1", resource), {"P"}}}, [this](const auto &unwatchable) {
            ++done;
            for (const auto &one : unwatchable) refused.push_back(one.text);
        });
    }
    /// Answers each request so, for that long.
    void answers(int status, const std::string &body, int seconds) {
        for (int i = 0; i < seconds; ++i) {
            if (!transport.sent.empty() && transport.last().done) transport.answer(status, body);
            clock.advance_to(clock.now_ns() + 1'000'000'000);
        }
    }
};

}  // namespace

TEST_CASE("watches: a recent kind that the server lacks has no objects until it is served", "[live]") {
    World world;
    world.follow("resource.k8s.io", "devicetaintrules");
    world.answers(404, "{}", 30);
    CHECK(world.done == 1);
    CHECK(world.refused.empty());
    CHECK(world.logged == std::vector<std::string>{"The API server does not serve a kind; it counts as having no "
                                                   "objects: resource.k8s.io/v1/devicetaintrules"});
    const auto asked = world.transport.sent.size();
    world.answers(404, "{}", 500);
    CHECK(world.transport.sent.size() == asked);
    SECTION("though it may take long") {
        world.answers(404, "{}", 1200);
        CHECK(world.transport.sent.size() > asked);
        CHECK(world.logged.size() == 1);
        // A server that serves it, but not to this account, is no longer one that lacks it: the log has the rule to
        // add.
        world.answers(403, "{}", 1250);
        CHECK(world.done == 1);
        CHECK(world.logged.size() == 1);
        REQUIRE(world.errors.size() == 2);
        CHECK(world.errors.front().starts_with("plugin P: watching resource.k8s.io/v1/devicetaintrules"));
        CHECK(world.errors.front().find("resources: [devicetaintrules], verbs: [list, watch]") != std::string::npos);
    }
    world.answers(422, "{}", 700);
    world.follow("resource.k8s.io", "devicetaintrules");
    CHECK(world.done == 2);
    world.answers(
        200,
        R"({"kind":"DeviceTaintRuleList","apiVersion":"resource.k8s.io/v1","metadata":{"resourceVersion":"7"},)"
        R"("items":[{"metadata":{"name":"r","uid":"u","resourceVersion":"6"},"spec":{}}]})",
        700);
    CHECK(world.seen == std::vector<std::string>{"r"});
    CHECK(world.refused.empty());
    CHECK(world.logged.back() ==
          "The API server serves a kind that it did not show before: resource.k8s.io/v1/devicetaintrules");
}

TEST_CASE("watches: a 403 to a later ask for a kind is waited on as to the first", "[live]") {
    World world;
    world.follow("resource.k8s.io", "devicetaintrules");
    world.answers(404, "{}", 590);
    while (world.transport.sent.empty() || !world.transport.last().done) world.answers(404, "{}", 1);
    world.answers(403, "{}", 2);
    CHECK(world.errors.empty());
    const auto asked = world.transport.sent.size();
    world.answers(403, "{}", 40);
    CHECK(world.errors.size() == 1);
    CHECK(world.transport.sent.size() > asked + 1);
    // Again ten minutes later, and no sooner than the server had its time once more.
    while (!world.transport.last().done) world.answers(403, "{}", 1);
    world.answers(403, "{}", 2);
    CHECK(world.errors.size() == 1);
}

TEST_CASE("watches: whoever waits for a kind is the one that hears of it", "[live]") {
    World world;
    std::vector<std::string> heard;
    const auto ask = [&](const char *resource) {
        world.watches.follow({{model::kind_of("resource.k8s.io", "v1", resource), {"P"}}},
                             [&heard, resource](const auto &) { heard.emplace_back(resource); });
    };
    ask("devicetaintrules");
    ask("deviceclasses");
    const auto answer_all = [&](const std::string &of, int seconds) {
        for (int i = 0; i < seconds; ++i) {
            for (auto &one : world.transport.sent)
                if (one.done && one.request.path.find(of) != std::string::npos)
                    std::exchange(one.done, nullptr)({404, "{}", false, 0});
            world.clock.advance_to(world.clock.now_ns() + 1'000'000'000);
        }
    };
    answer_all("devicetaintrules", 30);
    CHECK(heard == std::vector<std::string>{"devicetaintrules"});
    answer_all("deviceclasses", 30);
    CHECK(heard == std::vector<std::string>{"devicetaintrules", "deviceclasses"});
}

TEST_CASE("watches: a kind that is no longer wanted is not asked for, nor twice if it is wanted anew", "[live]") {
    World world;
    world.follow("resource.k8s.io", "devicetaintrules");
    world.answers(404, "{}", 30);
    const auto asked = [&] { return world.transport.sent.size(); };
    const auto once = asked();
    SECTION("not after the end") {
        world.watches.stop();
        world.answers(404, "{}", 1300);
        CHECK(asked() == once);
    }
    SECTION("not while nobody watches it") {
        world.watches.keep({});
        world.answers(404, "{}", 1300);
        CHECK(asked() == once);
    }
    SECTION("not at the times of before") {
        world.answers(404, "{}", 300);
        world.watches.keep({});
        world.follow("resource.k8s.io", "devicetaintrules");
        world.answers(404, "{}", 30);
        CHECK(world.done == 2);
        const auto anew = asked();
        CHECK(anew > once);
        world.answers(404, "{}", 400);
        CHECK(asked() == anew);
        world.answers(404, "{}", 300);
        CHECK(asked() > anew);
    }
}

TEST_CASE("watches: without any other kind, or without the right to see one, nothing begins", "[live]") {
    World world;
    const bool recent = GENERATE(true, false);
    if (recent) world.follow("resource.k8s.io", "devicetaintrules");
    else world.follow("resource.k8s.io", "deviceclasses");
    world.answers(recent ? 403 : 404, "{}", 30);
    CHECK(world.done == 1);
    REQUIRE(world.refused.size() == 1);
    CHECK(world.refused.front().find(recent ? "verbs: [list, watch]" : "this API server does not serve that version") !=
          std::string::npos);
}
