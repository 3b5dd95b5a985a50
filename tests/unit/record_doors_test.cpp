// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "model/time.h"
#include "record/player.h"
#include "record/recorder.h"
#include "sim/virtual_clock.h"
#include "sim/virtual_workers.h"
#include "test_directory.h"

#include <optional>
#include <thread>

using namespace berth;

namespace {

constexpr std::int64_t second = 1'000'000'000;
using Said = std::vector<std::string>;

/// Answers at once, or a second later, or with an error.
class Server : public env::Extender {
    env::Clock &clock_;

public:
    explicit Server(env::Clock &clock)
        : Extender(env::ExtenderTraits{"http://x", true, true, true, true, 1, false, {}}), clock_(clock) {}
    void filter(const model::Object &, std::span<const Node>, Done<Filtered> done) override {
        done(Filtered{{"n1", "n3"}, {{"n2", "full"}}, {{"n4", "gone"}}});
    }
    void prioritize(const model::Object &, std::span<const Node>, Done<std::vector<Score>> done) override {
        clock_.after(second, [done] { done(std::vector<Score>{{"n1", 7}, {"n3", -1}}); });
    }
    void preempt(const model::Object &, std::span<const Candidate>, Done<Preempted> done) override {
        done(Preempted{{"n1", {{"a", "b"}, 2}}});
    }
    void bind(const model::Pod &, std::string_view, Done<void> done) override { done(model::Error{"no"}); }
};

class ApiServer : public env::Api {
    env::Clock &clock_;

public:
    explicit ApiServer(env::Clock &clock) : clock_(clock) {}
    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override {
        if (request.name == "bad") return clock_.post([done] { done({409, "conflict"}); });
        if (request.subresource == "binding") return clock_.post([done] { done({201, R"({"env":[1],"a":2})"}); });
        clock_.after(2 * second, [done] { done({200, R"({"kind":"Pod","a":2})"}); });
    }
};

/// A core that asks for one of everything, and says what it hears and when.
struct Core {
    env::Clock &clock;
    env::Workers &workers;
    env::Api &api;
    env::Extender &extender;
    Said said{};
    std::thread thread{};

    void say(const std::string &what) { said.push_back(model::format_time(clock.now_ns()) + " " + what); }
    void ask(const std::string &name = "good") {
        clock.after(3 * second, [this] { say("timer"); });
        clock.post([this] {
            say("posted");
            clock.after(second, [this] { say("timer of what was posted"); });
        });
        workers.submit([this] { clock.post([this] { say("posted by a task"); }); }, [this] { say("task"); });
        auto answer = [this](const env::ApiAnswer &a) { say(std::to_string(a.http_status) + " " + a.body); };
        api.send({env::Verb::Patch, "", "v1", "pods", "default", name, "", "", "{}"}, answer);
        api.send({env::Verb::Patch, "", "v1", "pods", "default", "bad", "", "", "{}"}, answer);
        api.send({env::Verb::Create, "", "v1", "pods", "default", "p", "binding", "", "{}"}, answer);
        thread = std::thread([this] { clock.post([this] { say("posted by a thread of its own"); }); });
        thread.join();
        consult();
    }
    void consult() {
        const model::Pod pod;
        extender.filter(pod, {}, [this](const auto &r) {
            std::string all;
            for (const auto &name : r->left) all += name + " ";
            for (const auto *map : {&r->failed, &r->unresolvable})
                for (const auto &[name, why] : *map) all += name + ":" + why + " ";
            say("left " + all);
        });
        extender.prioritize(pod, {}, [this](const auto &r) {
            std::string all;
            for (const auto &one : *r) all += one.node + "=" + std::to_string(one.score) + " ";
            say("scores " + all);
        });
        extender.preempt(pod, {}, [this](const auto &r) {
            std::string all;
            for (const auto &[node, victims] : *r)
                all += node + ":" + victims.uids.back() + std::to_string(victims.violations);
            say("victims " + all);
        });
        extender.bind(pod, "n1", [this](const auto &r) { say("bind " + (r ? "well" : r.error().text)); });
    }
};

/// What a recording of that core holds, and what it said then.
std::pair<record::Tape, Said> recorded(const TestDirectory &directory) {
    auto tape = record::TapeWriter::open(directory.path.string(), 1u << 20);
    REQUIRE(tape);
    sim::VirtualClock clock(1'000 * second);
    sim::VirtualWorkers workers(clock);
    ApiServer server(clock);
    record::Recorder doors(&*tape, clock, workers);
    auto extender = doors.extender(std::make_unique<Server>(clock));
    Core core{doors.clock(), doors.workers(), doors.api(server), *extender};
    doors.used(doors.built("how"));
    core.ask();
    clock.run();
    doors.turn();
    clock.advance_to(1'010 * second);
    tape->flush();
    auto read = record::read_tape(tape->path());
    REQUIRE(read);
    return {*read, core.said};
}

struct Replay {
    record::Player player;
    std::unique_ptr<env::Extender> extender;
    Core core;
    int turns = 0;

    explicit Replay(const record::Tape &tape)
        : player(tape),
          extender(player.extender(env::ExtenderTraits{"http://x", true, true, true, true, 1, false, {}})),
          core{player, player, player, *extender} {}
    void play(const std::function<void()> &use) {
        record::Player::Core doors;
        doors.build = [](std::uint64_t, const std::string &how) {
            CHECK(how == "how");
            return model::Result<void>{};
        };
        doors.use = [use](std::uint64_t number) {
            CHECK(number == 0);
            use();
        };
        doors.turn = [this] { return ++turns > 100; };
        const auto played = player.play(doors);
        INFO((played ? "" : played.error().text));
        REQUIRE(played);
    }
};

}  // namespace

TEST_CASE("record: whatever enters comes again in its order and at its time", "[record]") {
    const TestDirectory directory;
    const auto [tape, said] = recorded(directory);
    CHECK(said.size() == 13);
    Replay replay(tape);
    replay.play([&] { replay.core.ask(); });
    CHECK(replay.core.said == said);
    CHECK(replay.turns == 1);
    CHECK(!replay.player.apart());
    auto heard = [&](const std::string &what) {
        return std::ranges::any_of(said, [&](const auto &one) { return one.ends_with(what); });
    };
    CHECK(heard(R"(00:16:42.000000Z 200 {"kind":"Pod","a":2})"));
    CHECK(heard("409 conflict"));
    CHECK(heard("201 {}"));
    CHECK(heard("00:16:40.000000Z left n1 n3 n2:full n4:gone "));
    CHECK(heard("victims n1:b2"));
    CHECK(heard("bind no"));
    CHECK(heard("00:16:41.000000Z scores n1=7 n3=-1 "));
}

TEST_CASE("record: an answer has no value of the environment either", "[record]") {
    auto through = [](const env::ApiAnswer &answer, bool binding) {
        std::string out;
        record::put_answer(out, answer, binding);
        record::Bytes bytes(out);
        return record::take_answer(bytes).body;
    };
    CHECK(through({200, R"({"spec":{"env":[1],"a":2}})"}, false) == R"({"spec":{"a":2}})");
    CHECK(through({200, R"({"kind":"Secret","data":{"a":"b"}})"}, false) == R"({"kind":"Secret"})");
    CHECK(through({201, R"({"a":2})"}, true) == "{}");
    CHECK(through({200, "no JSON: ["}, false) == "{}");
    CHECK(through({403, "forbidden"}, true) == "forbidden");
    CHECK(through({0, "no answer"}, false) == "no answer");
}

TEST_CASE("record: another request is a difference, and from then on all is well for who asks", "[record]") {
    const TestDirectory directory;
    const auto [tape, said] = recorded(directory);
    Replay replay(tape);
    replay.play([&] { replay.core.ask("another"); });
    REQUIRE(replay.player.apart());
    CHECK(replay.player.difference()->what == "a request to the API server is another one: pods/ default/another");
    auto heard = [&](const std::string &what) {
        return std::ranges::any_of(replay.core.said, [&](const auto &one) { return one.ends_with(what); });
    };
    CHECK(heard("timer of what was posted"));
    CHECK(heard("task"));
    CHECK(heard("posted by a task"));
    CHECK(heard("200 {}"));
    CHECK(heard("bind well"));
    CHECK(!heard("409 conflict"));
}

TEST_CASE("record: what is not asked for any more is a difference", "[record]") {
    const TestDirectory directory;
    const auto [tape, said] = recorded(directory);
    Replay replay(tape);
    replay.play([] {});
    REQUIRE(replay.player.apart());
    CHECK(replay.player.difference()->what == "a request that was made then is not made");
}

TEST_CASE("record: what a rehearsal asks for is not missed in a replay", "[record]") {
    const TestDirectory directory;
    auto tape = record::TapeWriter::open(directory.path.string(), 1u << 20);
    REQUIRE(tape);
    sim::VirtualClock clock(0);
    sim::VirtualWorkers workers(clock);
    record::Recorder doors(&*tape, clock, workers);
    doors.used(doors.built("how"));
    {
        record::Ids::Asker nobody{1, 0, true};
        const record::Ids::As as(nobody);
        doors.clock().post([] {});
    }
    int called = 0;
    doors.clock().post([&] { ++called; });
    clock.run();
    tape->flush();
    const auto read = record::read_tape(tape->path());
    Replay replay(*read);
    replay.play([&] { replay.player.post([&] { ++called; }); });
    CHECK(called == 2);
    CHECK(!replay.player.apart());
}

TEST_CASE("record: what was asked for through doors that are closed is heard of no more", "[record]") {
    const TestDirectory directory;
    auto tape = record::TapeWriter::open(directory.path.string(), 1u << 20);
    REQUIRE(tape);
    sim::VirtualClock clock(1'000 * second);
    sim::VirtualWorkers workers(clock);
    ApiServer server(clock);
    int heard = 0;
    {
        record::Recorder doors(&*tape, clock, workers);
        auto extender = doors.extender(std::make_unique<Server>(clock));
        auto &api = doors.api(server);
        auto ask = [&] {
            doors.clock().after(second, [&] { ++heard; });
            doors.clock().post([&] { ++heard; });
            doors.workers().submit([] {}, [&] { ++heard; });
            api.send({}, [&](const env::ApiAnswer &) { ++heard; });
            extender->prioritize(model::Pod{}, {}, [&](const auto &) { ++heard; });
        };
        ask();
        clock.advance_to(1'010 * second);
        CHECK(heard == 5);
        doors.used(doors.built("how"));
        ask();
        doors.close();
        tape->flush();
        ask();
    }
    const auto written = tape->written();
    clock.advance_to(1'020 * second);
    tape->flush();
    CHECK(heard == 5);
    CHECK(tape->written() == written);
}
