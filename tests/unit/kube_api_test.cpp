// SPDX-License-Identifier: Apache-2.0
#include "kube/api.h"

#include "fake_transport.h"
#include "sim/virtual_clock.h"

#include <optional>

using namespace berth;

namespace {

env::ApiRequest binding() {
    env::ApiRequest r;
    r.verb = env::Verb::Create;
    r.version = "v1";
    r.resource = "pods";
    r.name_space = "default";
    r.name = "p";
    r.subresource = "binding";
    r.body = R"({"metadata":{"uid":"u1"},"target":{"kind":"Node","name":"n1"}})";
    return r;
}

env::ApiRequest patch() {
    env::ApiRequest r;
    r.verb = env::Verb::Patch;
    r.version = "v1";
    r.resource = "pods";
    r.name_space = "default";
    r.name = "p";
    r.subresource = "status";
    r.content_type = "application/strategic-merge-patch+json";
    r.body = "{}";
    return r;
}

env::ApiRequest read(env::Verb verb) {
    env::ApiRequest r;
    r.verb = verb;
    r.version = "v1";
    r.resource = "configmaps";
    r.name_space = "default";
    r.name = "tea:1";
    return r;
}

struct World {
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    FakeTransport transport;
    kube::Api api{transport, clock};
    std::optional<env::ApiAnswer> got;

    void send(env::ApiRequest r) {
        api.send(std::move(r), [this](env::ApiAnswer a) { got = std::move(a); });
    }
    void answer(int status, const std::string &body, bool unsent = false) {
        transport.answer(status, body, unsent);
        clock.run();
    }
    void pass_ms(std::int64_t ms) { clock.advance_to(clock.now_ns() + ms * 1'000'000); }
    std::size_t tries() const { return transport.sent.size(); }
};

}  // namespace

TEST_CASE("api: paths and methods", "[kube]") {
    World world;
    world.send(binding());
    CHECK(world.transport.last().request.method == "POST");
    CHECK(world.transport.path() == "/api/v1/namespaces/default/pods/p/binding");
    CHECK(world.transport.last().request.content_type == "application/json");
    world.send(patch());
    CHECK(world.transport.last().request.method == "PATCH");
    CHECK(world.transport.path() == "/api/v1/namespaces/default/pods/p/status");
    CHECK(world.transport.last().request.content_type == "application/strategic-merge-patch+json");
    env::ApiRequest event;
    event.group = "events.k8s.io";
    event.version = "v1";
    event.resource = "events";
    event.name_space = "default";
    event.name = "p.1f";
    CHECK(kube::path_of(event) == "/apis/events.k8s.io/v1/namespaces/default/events");
    auto odd = patch();
    odd.name = "a/b c\r\n?d";
    CHECK(kube::path_of(odd) == "/api/v1/namespaces/default/pods/a%2Fb%20c%0D%0A%3Fd/status");
}

TEST_CASE("api: a refusal carries the server's own message", "[kube]") {
    World world;
    world.send(binding());
    world.answer(409, R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"pod p is being deleted",)"
                      R"("code":409})");
    world.answer(200, R"({"metadata":{"uid":"u1"}})");
    REQUIRE(world.got);
    CHECK(world.got->http_status == 409);
    CHECK(world.got->body == "pod p is being deleted");
    CHECK(world.got->refusal.starts_with(R"({"kind":"Status",)"));
    CHECK(world.tries() == 2);
    CHECK(world.api.outstanding() == 0);
}

TEST_CASE("api: a refusal that is very long is kept as its message alone", "[kube]") {
    for (const bool fits : {true, false}) {
        World world;
        world.send(patch());
        const std::string cause(env::most_of_refusal - (fits ? 64 : 0), 'x');
        world.answer(422, R"({"message":"it is invalid","details":{"causes":[")" + cause + "\"]}}");
        REQUIRE(world.got);
        CHECK(world.got->body == "it is invalid");
        CHECK(world.got->refusal.empty() != fits);
    }
}

TEST_CASE("api: a binding that may have been carried out is checked, not believed", "[kube]") {
    World world;
    world.send(binding());
    world.answer(0, "Failed to write request body");
    CHECK_FALSE(world.got);
    world.pass_ms(10);
    REQUIRE(world.tries() == 2);
    world.answer(409, R"({"message":"pod p is already assigned to node \"n1\""})");
    REQUIRE(world.tries() == 3);
    CHECK(world.transport.last().request.method == "GET");
    CHECK(world.transport.path() == "/api/v1/namespaces/default/pods/p");
    SECTION("it was us") {
        world.answer(200, R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n1"}})");
        REQUIRE(world.got);
        CHECK(world.got->http_status == 201);
    }
    SECTION("another node") { world.answer(200, R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n2"}})"); }
    SECTION("another pod of that name") { world.answer(200, R"({"metadata":{"uid":"u2"},"spec":{"nodeName":"n1"}})"); }
    SECTION("the pod is gone") { world.answer(404, R"({"message":"no such pod"})"); }
    REQUIRE(world.got);
    if (world.got->http_status != 201) {
        CHECK(world.got->http_status == 409);
        CHECK(world.got->body == "pod p is already assigned to node \"n1\"");
    }
    CHECK(world.api.outstanding() == 0);
}

TEST_CASE("api: a binding that is answered with 500 is tried again, if that is asked for", "[kube]") {
    const bool repeats = GENERATE(true, false);
    World world;
    world.api.repeat_failed_bindings(repeats);
    world.send(binding());
    world.answer(500, R"({"message":"etcd is away"})");
    world.pass_ms(10);
    REQUIRE(world.tries() == 2);
    CHECK(world.transport.last().request.method == (repeats ? "POST" : "GET"));
    if (!repeats) return;
    world.answer(201, "{}");
    REQUIRE(world.got);
    CHECK(world.got->http_status == 201);
}

TEST_CASE("api: a binding that goes on failing with 500 is looked at in the end", "[kube]") {
    World world;
    world.api.repeat_failed_bindings(true);
    world.send(binding());
    for (const int wait_ms : {10, 50, 250, 0}) {
        world.answer(500, R"({"message":"etcd is away"})");
        world.pass_ms(wait_ms);
    }
    REQUIRE(world.tries() == 5);
    CHECK(world.transport.last().request.method == "GET");
    world.answer(404, R"({"message":"no such pod"})");
    REQUIRE(world.got);
    CHECK(world.got->http_status == 500);
}

TEST_CASE("api: a binding that was refused may have been carried out all the same", "[kube]") {
    World world;
    world.send(binding());
    int status = GENERATE(409, 500, 504);
    // A server that never saw a try does not make it uncertain.
    world.answer(0, "Failed to connect to any resolved endpoint", true);
    world.pass_ms(10);
    world.answer(status, R"({"message":"no"})");
    CHECK_FALSE(world.got);
    REQUIRE(world.tries() == 3);
    CHECK(world.transport.last().request.method == "GET");
    bool ours = GENERATE(true, false);
    world.answer(200, ours ? R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n1"}})" : R"({"metadata":{"uid":"u1"}})");
    REQUIRE(world.got);
    CHECK(world.got->http_status == (ours ? 201 : status));
}

TEST_CASE("api: who may not read the pod is told so, but not at once", "[kube]") {
    World world;
    world.send(binding());
    world.answer(409, R"({"message":"no"})");
    auto began = world.clock.now_ns();
    bool passes = GENERATE(true, false);
    for (int i = 0; !world.got && i < 20; ++i) {
        if (passes && i == 5) world.answer(200, R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n1"}})");
        else world.answer(403, R"({"message":"you may not"})");
        if (auto next = world.clock.next_timer()) world.clock.advance_to(*next);
    }
    REQUIRE(world.got);
    CHECK(world.got->http_status == (passes ? 201 : 409));
    if (passes) return;
    CHECK(world.got->body == "no; whether it was carried out all the same cannot be told: you may not");
    CHECK(world.clock.now_ns() - began > 10'000'000'000);
    CHECK(world.clock.now_ns() - began < 30'000'000'000);
}

TEST_CASE("api: what says that it was not carried out is believed", "[kube]") {
    World world;
    world.send(binding());
    SECTION("forbidden") { world.answer(403, R"({"message":"no"})"); }
    SECTION("never sent") {
        for (std::int64_t wait : {10, 50, 250, 0}) {
            world.answer(0, "connection refused", true);
            world.pass_ms(wait);
        }
    }
    CHECK(world.got);
    CHECK(world.api.outstanding() == 0);
}

TEST_CASE("api: a binding is not answered while nobody knows whether it was carried out", "[kube]") {
    World world;
    world.send(binding());
    for (std::int64_t wait : {10, 50, 250}) {
        world.answer(0, "timed out");
        world.pass_ms(wait);
    }
    world.answer(0, "timed out");
    REQUIRE(world.tries() == 5);
    auto tries = world.tries();
    for (std::int64_t wait : {250, 500, 1000, 2000, 4000, 4000}) {
        CHECK(world.transport.last().request.method == "GET");
        world.answer(wait == 500 ? 429 : wait == 1000 ? 503 : 0, "{}");
        CHECK_FALSE(world.got);
        world.pass_ms(wait - 1);
        CHECK(world.tries() == tries);
        world.pass_ms(1);
        CHECK(world.tries() == ++tries);
    }
    world.answer(200, R"({"metadata":{"uid":"u1"},"spec":{"nodeName":"n1"}})");
    REQUIRE(world.got);
    CHECK(world.got->http_status == 201);
    CHECK(world.api.outstanding() == 0);
}

TEST_CASE("api: four tries, then the failure", "[kube]") {
    World world;
    // As kube-scheduler's patches of a status (util.Retriable), and what an overloaded server or one behind a gateway
    // says.
    const int status = GENERATE(409, 429, 500, 503, 504);
    world.send(patch());
    for (std::int64_t wait : {10, 50, 250}) {
        world.answer(status, R"({"message":"starting"})");
        CHECK_FALSE(world.got);
        auto before = world.tries();
        world.pass_ms(wait - 1);
        CHECK(world.tries() == before);
        world.pass_ms(1);
        CHECK(world.tries() == before + 1);
    }
    world.answer(status, R"({"message":"starting"})");
    REQUIRE(world.got);
    CHECK(world.got->http_status == status);
    CHECK(world.got->body == "starting");
    CHECK(world.tries() == 4);
}

TEST_CASE("api: what could happen twice is not tried again once it may have happened", "[kube]") {
    World world;
    env::ApiRequest create;
    create.version = "v1";
    create.resource = "configmaps";
    create.name_space = "default";
    create.body = R"({"metadata":{"generateName":"x-"}})";
    world.send(create);
    world.answer(0, "Failed to read HTTP status line");
    REQUIRE(world.got);
    CHECK(world.got->http_status == 0);
    CHECK(world.tries() == 1);
}

TEST_CASE("api: so many at a time, and events never before bindings", "[kube]") {
    World world;
    int answered = 0;
    for (int i = 0; i < 100; ++i) world.api.send(binding(), [&](const env::ApiAnswer &) { ++answered; });
    CHECK(world.tries() == 64);
    env::ApiRequest event;
    event.group = "events.k8s.io";
    event.resource = "events";
    event.name_space = "default";
    event.name = "e";
    world.api.send(event, [](const env::ApiAnswer &) {});
    CHECK(world.tries() == 65);
    CHECK(world.api.outstanding() == 101);
    for (int i = 0; i < 10; ++i) world.transport.sent[static_cast<std::size_t>(i)].done({201, "{}", false, 0});
    world.clock.run();
    CHECK(answered == 10);
    CHECK(world.tries() == 75);
}

TEST_CASE("api: who does not lead writes nothing but events, also not a second time", "[kube]") {
    World world;
    std::string why;
    world.api.guard([&] { return why; });
    world.send(binding());
    CHECK(world.tries() == 1);
    CHECK(world.api.writing() == 1);
    why = "the lease is not ours";
    world.answer(503, R"({"message":"starting"})");
    world.pass_ms(10);
    CHECK(world.tries() == 1);
    REQUIRE(world.got);
    CHECK(world.got->http_status == 0);
    CHECK(world.got->body == "the lease is not ours");
    world.got.reset();
    world.send(patch());
    CHECK_FALSE(world.got);  // never from within the call
    world.clock.run();
    REQUIRE(world.got);
    CHECK(world.api.writing() == 0);
    env::ApiRequest event;
    event.group = "events.k8s.io";
    event.resource = "events";
    event.name_space = "default";
    event.name = "e";
    world.send(event);
    CHECK(world.tries() == 2);
    CHECK(world.api.writing() == 0);
    CHECK(world.api.outstanding() == 1);
}

TEST_CASE("api: the transport is given the guard of what it sends, but for events and reads", "[kube]") {
    World world;
    std::string why;
    world.api.guard([&] { return why; });
    world.send(binding());
    REQUIRE(world.transport.last().request.why_not);
    why = "the lease is not ours";
    CHECK(world.transport.last().request.why_not() == why);
    env::ApiRequest event;
    event.resource = "events";
    event.name = "e";
    world.send(event);
    CHECK_FALSE(world.transport.last().request.why_not);
}

TEST_CASE("api: a read has its path and query, encoded, and a bound of its answer", "[kube]") {
    World world;
    world.send(read(env::Verb::Get));
    CHECK(world.transport.last().request.method == "GET");
    CHECK(world.transport.path() == "/api/v1/namespaces/default/configmaps/tea%3A1");
    CHECK(world.transport.last().request.body.empty());
    CHECK(world.transport.last().request.most_bytes == 4u << 20);
    CHECK(world.transport.last().request.whole == std::chrono::seconds{60});
    world.answer(200, R"({"a":1})");
    REQUIRE(world.got);
    CHECK(world.got->body == R"({"a":1})");
    auto list = read(env::Verb::List);
    list.name.clear();
    CHECK(kube::path_of(list) == "/api/v1/namespaces/default/configmaps");
    list.list = {"app in (a,b)&x", "metadata.name=a", "a/b=&limit=9", 500};
    CHECK(
        kube::path_of(list) ==
        "/api/v1/namespaces/default/configmaps?labelSelector=app%20in%20%28a%2Cb%29%26x&fieldSelector=metadata.name%3Da"
        "&limit=500&continue=a%2Fb%3D%26limit%3D9");
    list.name_space.clear();
    list.list = {{}, {}, {}, 7};
    CHECK(kube::path_of(list) == "/api/v1/configmaps?limit=7");
    world.send(binding());
    CHECK(world.transport.last().request.most_bytes > 4u << 20);
    CHECK(world.transport.last().request.whole.count() == 0);
}

TEST_CASE("api: a read is tried again if the server is busy, but not if there was no answer", "[kube]") {
    World world;
    world.send(read(env::Verb::Get));
    world.answer(429, R"({"message":"later"})");
    CHECK_FALSE(world.got);
    world.pass_ms(10);
    REQUIRE(world.tries() == 2);
    world.answer(0, "the server sent an answer of more than 4 MiB");
    REQUIRE(world.got);
    CHECK(world.got->http_status == 0);
    CHECK(world.tries() == 2);
}

TEST_CASE("api: who does not lead reads all the same, and no read is waited for at the end", "[kube]") {
    World world;
    world.api.guard([] { return std::string("the lease is not ours"); });
    world.send(read(env::Verb::Get));
    CHECK(world.tries() == 1);
    CHECK_FALSE(world.transport.last().request.why_not);
    CHECK(world.api.outstanding() == 0);
}

TEST_CASE("api: reads take from the writes' limit a second, and never hold up more than eight", "[kube]") {
    World world;
    world.api.limit(10, 5);
    for (int i = 0; i < 4; ++i) world.send(read(env::Verb::Get));
    for (int i = 0; i < 4; ++i) world.send(binding());
    CHECK(world.tries() == 5);
    World other;
    for (int i = 0; i < 20; ++i) other.send(read(env::Verb::Get));
    CHECK(other.tries() == 8);
    other.send(binding());
    CHECK(other.tries() == 9);
}

TEST_CASE("api: so many writes a second, and events on their own account", "[kube]") {
    World world;
    world.api.limit(10, 5);
    for (int i = 0; i < 30; ++i) world.send(binding());
    CHECK(world.tries() == 5);
    env::ApiRequest event;
    event.group = "events.k8s.io";
    event.resource = "events";
    event.name_space = "default";
    event.name = "e";
    world.send(event);
    CHECK(world.tries() == 6);
    world.pass_ms(99);
    CHECK(world.tries() == 6);
    world.pass_ms(1);
    CHECK(world.tries() == 7);
    world.pass_ms(900);
    CHECK(world.tries() == 16);
    world.pass_ms(10'000);
    CHECK(world.tries() == 31);
    // After a pause there are no more than `burst` at once, and a retry counts too.
    for (int i = 0; i < 6; ++i) world.send(patch());
    CHECK(world.tries() == 36);
    world.pass_ms(100);
    CHECK(world.tries() == 37);
    world.answer(503, "");
    world.pass_ms(99);
    CHECK(world.tries() == 37);
    world.pass_ms(1);
    CHECK(world.tries() == 38);
}

TEST_CASE("api: a limit below zero is none", "[kube]") {
    World world;
    world.api.limit(-1, 1);
    for (int i = 0; i < 64; ++i) world.send(binding());
    CHECK(world.tries() == 64);
}

TEST_CASE("api: what waits for its turn fails at once when nothing may be sent any more", "[kube]") {
    World world;
    std::string why;
    world.api.limit(10, 5);
    world.api.guard([&] { return why; });
    int failed = 0;
    for (int i = 0; i < 200; ++i)
        world.api.send(binding(), [&](const env::ApiAnswer &a) { failed += a.http_status == 0 && a.body == why; });
    CHECK(world.tries() == 5);
    why = "ending";
    // Those in the lane's 64 places have a time already; the others follow at once.
    world.pass_ms(5'900);
    CHECK(world.tries() == 5);
    CHECK(failed == 195);
    CHECK(world.api.writing() == 5);
}
