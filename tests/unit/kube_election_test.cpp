// SPDX-License-Identifier: Apache-2.0
#include "kube/election.h"

#include "decode/document.h"
#include "fake_transport.h"
#include "sim/virtual_clock.h"

using namespace berth;

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr auto path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";
constexpr auto collection = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

std::string lease(const std::string &holder, int version, const std::string &renewed = "2020-01-01T00:00:00.000000Z",
                  int duration = 15, int transitions = 4) {
    return R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"kube-scheduler",)"
           R"("namespace":"kube-system","uid":"u","labels":{"a":"b"},"resourceVersion":")" +
           std::to_string(version) + R"("},"spec":{"holderIdentity":")" + holder + R"(","leaseDurationSeconds":)" +
           std::to_string(duration) + R"(,"acquireTime":"2019-01-01T00:00:00.000000Z","renewTime":")" + renewed +
           R"(","leaseTransitions":)" + std::to_string(transitions) + "}}";
}

struct World : env::Log {
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    FakeTransport transport;
    std::vector<std::string> logged;
    kube::Election election{
        transport,
        clock,
        this,
        {{"kube-system", "kube-scheduler"}, "me", "default-scheduler", 15 * second, 10 * second, 2 * second, 7}};
    int started = 0, lost = 0, released = 0;
    std::size_t seen = 0;  ///< requests that next() has returned

    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity, int, std::string_view message, const Pairs &pairs, std::source_location) override {
        logged.emplace_back(message);
        for (const auto &[key, value] : pairs) logged.back() += " " + std::string(key) + "=" + value;
    }
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}

    void start() {
        election.start([this] { ++started; }, [this] { ++lost; });
    }
    void release() {
        election.release([this] { ++released; });
    }
    void pass(double s) { clock.advance_to(clock.now_ns() + static_cast<std::int64_t>(s * 1e9)); }

    /// The next request that nobody looked at, as "METHOD path"; "" if there is none.
    std::string next() {
        if (seen == transport.sent.size()) return "";
        const auto &request = transport.sent[seen++].request;
        return request.method + " " + request.path;
    }
    model::Value body() {
        auto read = decode::read_document(transport.sent[seen - 1].request.body, "body");
        REQUIRE(read);
        kept.push_back(*read);
        return kept.back().value();
    }
    std::deque<decode::Document> kept;
    void answer(int status, const std::string &text) {
        auto done = std::exchange(transport.sent[seen - 1].done, nullptr);
        REQUIRE(done);
        done({status, text, false, 0});
        clock.run();
    }
    /// The server takes the last write as it is.
    void accept(int version) {
        auto spec = body()["spec"];
        answer(200,
               lease(std::string(spec["holderIdentity"].string()), version, std::string(spec["renewTime"].string()),
                     static_cast<int>(*spec["leaseDurationSeconds"].integer()),
                     static_cast<int>(*spec["leaseTransitions"].integer())));
    }
    std::string get = "GET " + std::string(path), put = "PUT " + std::string(path);
    std::string event = "POST /api/v1/namespaces/kube-system/events";

    void lead() {
        start();
        REQUIRE(next() == get);
        answer(200, lease("", 10));
        REQUIRE(next() == put);
        accept(11);
        REQUIRE(started == 1);
        REQUIRE(next() == event);
    }
};

}  // namespace

TEST_CASE("election: an event that may not be written is named in the log", "[kube]") {
    World w;
    w.lead();
    w.answer(403, R"({"kind":"Status","message":"events is forbidden"})");
    CHECK(w.logged.back() ==
          "Server rejected event (will not retry!) lock=kube-system/kube-scheduler err=events is forbidden");
}

TEST_CASE("election: a lease that is not there is made", "[kube]") {
    World w;
    w.start();
    CHECK(w.next() == w.get);
    w.answer(404, R"({"kind":"Status","message":"leases \"kube-scheduler\" not found"})");
    CHECK(w.next() == "POST " + std::string(collection));
    auto body = w.body();
    CHECK(body["metadata"]["name"].string() == "kube-scheduler");
    CHECK(body["metadata"]["namespace"].string() == "kube-system");
    auto spec = body["spec"];
    CHECK(spec["holderIdentity"].string() == "me");
    CHECK(spec["leaseDurationSeconds"].integer() == 15);
    CHECK(spec["leaseTransitions"].integer() == 0);
    CHECK(spec["acquireTime"].string() == "2026-01-01T00:00:00.000000Z");
    CHECK(spec["renewTime"].string() == "2026-01-01T00:00:00.000000Z");
    CHECK_FALSE(w.election.renewed_ns());
    w.accept(1);
    CHECK(w.started == 1);
    CHECK(w.election.renewed_ns() == 0);
    CHECK(w.next() == w.event);
    CHECK(w.body()["message"].string() == "me became leader");
    CHECK(w.body()["involvedObject"]["kind"].string() == "Lease");
    CHECK(w.body()["involvedObject"]["uid"].string() == "u");
    CHECK(w.body()["source"]["component"].string() == "default-scheduler");
    CHECK(w.body()["reason"].string() == "LeaderElection");
    CHECK(w.logged == std::vector<std::string>{"Attempting to acquire leader lease... lock=kube-system/kube-scheduler",
                                               "Successfully acquired lease lock=kube-system/kube-scheduler"});
}

TEST_CASE("election: a lease that was given back is taken at once, and the rest of it is left alone", "[kube]") {
    World w;
    w.start();
    CHECK(w.next() == w.get);
    w.answer(200, lease("", 10));
    CHECK(w.next() == w.put);
    CHECK(w.body()["metadata"]["resourceVersion"].string() == "10");
    CHECK(w.body()["metadata"]["labels"]["a"].string() == "b");
    CHECK(w.body()["spec"]["leaseTransitions"].integer() == 5);
    w.accept(11);
    CHECK(w.started == 1);
}

TEST_CASE("election: another's lease is taken when it was not seen to change for its duration", "[kube]") {
    World w;
    w.start();
    // Long over by the times in it: its clock may be wrong.
    CHECK(w.next() == w.get);
    w.answer(200, lease("other", 10));
    double waited = 0;
    while (waited < 9) {
        w.pass(0.5);
        waited += 0.5;
        if (w.next() == w.get) w.answer(200, lease("other", 10));
    }
    CHECK(w.started == 0);
    // It renews: everything begins anew.
    bool renewed = false;
    for (waited = 0; waited < 5; waited += 0.5) {
        w.pass(0.5);
        if (w.next() != w.get) continue;
        w.answer(200, lease("other", 11, "2020-01-01T00:00:01.000000Z"));
        if (!renewed) waited = 0;
        renewed = true;
    }
    for (; waited < 14.5; waited += 0.5) {
        w.pass(0.5);
        if (w.next() == w.get) w.answer(200, lease("other", 11, "2020-01-01T00:00:01.000000Z"));
        CHECK(w.started == 0);
    }
    std::string request;
    for (waited = 0; waited < 5.5 && request != w.put; waited += 0.5) {
        w.pass(0.5);
        request = w.next();
        if (request == w.get) w.answer(200, lease("other", 11, "2020-01-01T00:00:01.000000Z")), request = w.next();
    }
    REQUIRE(request == w.put);
    CHECK(w.body()["spec"]["leaseTransitions"].integer() == 5);
    w.accept(12);
    CHECK(w.started == 1);
}

TEST_CASE("election: those who wait ask again after one to 2.2 retry periods", "[kube]") {
    World w;
    w.start();
    double shortest = 9, longest = 0;
    for (int i = 0; i < 60; ++i) {
        REQUIRE(w.next() == w.get);
        w.answer(200, lease("other", 10 + i, "2020-01-01T00:00:00.0" + std::to_string(10000 + i) + "Z"));
        double waited = 0;
        while (w.seen == w.transport.sent.size()) w.pass(0.01), waited += 0.01;
        shortest = std::min(shortest, waited);
        longest = std::max(longest, waited);
    }
    CHECK(shortest >= 1.99);
    CHECK(shortest < 2.2);
    CHECK(longest <= 4.42);
    CHECK(longest > 4.1);
}

TEST_CASE("election: who comes second to a free lease waits", "[kube]") {
    World w;
    w.start();
    w.next();
    w.answer(200, lease("", 10));
    CHECK(w.next() == w.put);
    w.answer(409, R"({"kind":"Status","message":"the object has been modified"})");
    CHECK(w.started == 0);
    CHECK(w.logged.back() == "Failed to acquire lease lock=kube-system/kube-scheduler");
    w.pass(4.4);
    CHECK(w.next() == w.get);
    w.answer(200, lease("other", 11));
    CHECK(w.next().empty());
    CHECK(w.started == 0);
}

TEST_CASE("election: the leader renews once every retry period, without reading first", "[kube]") {
    World w;
    w.lead();
    for (int i = 1; i < 5; ++i) {
        w.pass(1.9);
        CHECK(w.next().empty());
        w.pass(0.1);
        CHECK(w.next() == w.put);
        CHECK(w.body()["metadata"]["resourceVersion"].string() == std::to_string(10 + i));
        CHECK(w.body()["spec"]["acquireTime"].string() == "2019-01-01T00:00:00.000000Z");
        CHECK(w.body()["spec"]["leaseTransitions"].integer() == 5);
        CHECK(w.election.renewed_ns() == (i - 1) * 2 * second);
        w.accept(11 + i);
        CHECK(w.election.renewed_ns() == i * 2 * second);
    }
    CHECK(w.election.slow_paths() == 0);
    CHECK(w.lost == 0);
}

TEST_CASE("election: a renewal counts from when it was sent", "[kube]") {
    World w;
    w.lead();
    w.pass(2);
    REQUIRE(w.next() == w.put);
    w.pass(3);
    w.accept(12);
    CHECK(w.election.renewed_ns() == 2 * second);
}

TEST_CASE("election: after a conflict the lease is read", "[kube]") {
    World w;
    w.lead();
    w.pass(2);
    REQUIRE(w.next() == w.put);
    w.answer(409, R"({"kind":"Status","message":"the object has been modified"})");
    REQUIRE(w.next() == w.get);
    SECTION("somebody changed another part of it") {
        w.answer(200, lease("me", 20));
        REQUIRE(w.next() == w.put);
        CHECK(w.body()["metadata"]["resourceVersion"].string() == "20");
        w.accept(21);
        CHECK(w.election.slow_paths() == 1);
        CHECK(w.election.renewed_ns() == 2 * second);
        w.pass(2);
        CHECK(w.next() == w.put);
        CHECK(w.lost == 0);
    }
    SECTION("another leads: nothing is bound from now on, and in the end it is lost") {
        w.answer(200, lease("other", 20));
        CHECK_FALSE(w.election.renewed_ns());
        CHECK(w.next().empty());
        CHECK(w.lost == 0);
        w.pass(9.9);
        CHECK(w.lost == 0);
        w.pass(0.1);
        CHECK(w.lost == 1);
    }
}

// promise(peer): A leader that cannot renew its lease by the deadline stops writing.
TEST_CASE("election: a leader that has not renewed its lease by the deadline has lost it", "[kube]") {
    World w;
    w.lead();
    w.pass(2);
    double waited = 0;
    int tries = 0;
    bool silent = false;
    SECTION("refused") {}
    SECTION("no answer comes") { silent = true; }
    for (; w.lost == 0 && waited < 30; waited += 0.1) {
        while (!w.next().empty()) {
            ++tries;
            if (!silent) w.answer(503, R"({"kind":"Status","message":"away"})");
        }
        w.pass(0.1);
    }
    CHECK(waited > 9.9);
    CHECK(waited < 10.2);
    CHECK(tries == (silent ? 2 : 10));  // each attempt is a PUT and a GET; no answer for half the deadline is a failure
    CHECK_FALSE(w.election.renewed_ns());
    CHECK(w.logged.back() == "Failed to renew lease lock=kube-system/kube-scheduler err=context deadline exceeded");
    w.pass(60);
    CHECK(w.next().empty());
    CHECK(w.lost == 1);
}

TEST_CASE("election: one renewal that fails is repeated in time", "[kube]") {
    World w;
    w.lead();
    w.pass(2);
    REQUIRE(w.next() == w.put);
    w.answer(0, "the server closed the connection");
    REQUIRE(w.next() == w.get);
    w.answer(500, "");
    w.pass(2);
    REQUIRE(w.next() == w.put);
    w.accept(12);
    w.pass(9);
    CHECK(w.lost == 0);
}

TEST_CASE("election: a lease that was written without an answer is ours all the same", "[kube]") {
    World w;
    w.start();
    w.next();
    w.answer(200, lease("", 10));
    CHECK(w.next() == w.put);
    w.answer(0, "the server closed the connection");
    w.pass(4.4);
    CHECK(w.next() == w.get);
    w.answer(200, lease("me", 11, "2026-01-01T00:00:00.000000Z", 15, 5));
    CHECK(w.next() == w.put);
    CHECK(w.body()["spec"]["leaseTransitions"].integer() == 5);
    w.accept(12);
    CHECK(w.started == 1);
}

TEST_CASE("election: given back, the lease has no holder, and nothing is renewed", "[kube]") {
    World w;
    w.lead();
    bool renewing = false;
    SECTION("between renewals") { w.pass(1); }
    SECTION("during one, whose answer is not waited for") {
        w.pass(2);
        REQUIRE(w.next() == w.put);
        renewing = true;
    }
    w.release();
    CHECK_FALSE(w.election.renewed_ns());
    REQUIRE(w.next() == w.get);
    w.answer(200, lease("me", 11, "2026-01-01T00:00:00.000000Z", 15, 5));
    REQUIRE(w.next() == w.put);
    CHECK(w.body()["spec"]["holderIdentity"].string().empty());
    CHECK(w.body()["spec"]["leaseDurationSeconds"].integer() == 1);
    CHECK(w.body()["spec"]["leaseTransitions"].integer() == 5);
    if (renewing) {
        w.answer(409, R"({"kind":"Status","message":"the object has been modified"})");
        REQUIRE(w.next() == w.get);
        w.answer(200, lease("me", 12));
        REQUIRE(w.next() == w.put);
    }
    CHECK(w.released == 0);
    w.accept(13);
    CHECK(w.released == 1);
    CHECK(w.next() == w.event);
    CHECK(w.body()["message"].string() == "me stopped leading");
    w.pass(60);
    CHECK(w.next().empty());
    CHECK(w.lost == 0);
    CHECK(w.released == 1);
}

TEST_CASE("election: who never led gives nothing back", "[kube]") {
    World w;
    w.start();
    w.next();
    w.answer(200, lease("other", 10));
    w.release();
    CHECK(w.released == 1);
    CHECK(w.next().empty());
    w.pass(60);
    CHECK(w.next().empty());
}

TEST_CASE("election: another's lease is not given back, and a server that is silent is not waited for", "[kube]") {
    World w;
    w.lead();
    w.release();
    REQUIRE(w.next() == w.get);
    SECTION("another's") {
        w.answer(200, lease("other", 12));
        CHECK(w.released == 1);
    }
    SECTION("silent") {
        w.pass(10);
        CHECK(w.released == 1);
    }
    CHECK(w.next().empty());
}
