// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "decode/document.h"
#include "model/time.h"
#include "record/player.h"
#include "record/recorder.h"
#include "sim/virtual_clock.h"
#include "sim/virtual_workers.h"
#include "test_directory.h"

#include <optional>
#include <set>
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
        env::ApiRequest list;
        list.verb = env::Verb::List;
        list.resource = "configmaps";
        list.list.limit = 7;
        api.send(list,
                 [this](const env::ApiAnswer &a) { say("read " + std::to_string(a.http_status) + " " + a.body); });
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

/// Profiles are made, and `begin` is what their plugins ask for meanwhile.
std::uint64_t build(record::Recorder &recorder, const std::function<void()> &begin = [] {}) {
    auto building = recorder.building();
    begin();
    building.reset();
    return recorder.built("how");
}

/// What a recording of that core holds, and what it said then.
std::pair<record::Journal, Said> recorded(const TestDirectory &directory) {
    auto journal = record::JournalWriter::open(directory.path.string(), 1u << 20);
    REQUIRE(journal);
    sim::VirtualClock clock(1'000 * second);
    sim::VirtualWorkers workers(clock);
    ApiServer server(clock);
    record::Recorder recorder(&*journal, clock, workers);
    auto extender = recorder.extender(std::make_unique<Server>(clock));
    Core core{recorder.clock(), recorder.workers(), recorder.api(server), *extender};
    recorder.used(build(recorder));
    core.ask();
    clock.run();
    recorder.schedule_one();
    clock.advance_to(1'010 * second);
    journal->flush();
    auto read = record::read_journal(journal->path());
    REQUIRE(read);
    return {*read, core.said};
}

struct Replay {
    record::Player player;
    std::unique_ptr<env::Extender> extender;
    Core core;
    int turns = 0;

    explicit Replay(const record::Journal &journal)
        : player(journal),
          extender(player.extender(env::ExtenderTraits{"http://x", true, true, true, true, 1, false, {}})),
          core{player, player, player, *extender} {}
    void play(const std::function<void()> &use) {
        record::Player::Core recorder;
        recorder.build = [](std::uint64_t, const std::string &how) {
            CHECK(how == "how");
            return model::Result<void>{};
        };
        recorder.use = [use](std::uint64_t number) {
            CHECK(number == 0);
            use();
        };
        recorder.schedule_one = [this] { return ++turns > 100; };
        const auto played = player.play(recorder);
        INFO((played ? "" : played.error().text));
        REQUIRE(played);
    }
};

}  // namespace

TEST_CASE("record: whatever enters comes again in its order and at its time", "[record]") {
    const TestDirectory directory;
    const auto [journal, said] = recorded(directory);
    CHECK(said.size() == 14);
    Replay replay(journal);
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
    CHECK(heard(R"(read 200 {"kind":"Pod","a":2})"));
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

TEST_CASE("record: a refusal is recorded with all that the server sent", "[record]") {
    const env::ApiAnswer gone{410, "too old", false, R"({"reason":"Expired","metadata":{"continue":"next"}})"};
    for (const bool read : {false, true}) {
        std::string out;
        if (read) record::put_read(out, gone, false);
        else record::put_answer(out, gone, false);
        record::Bytes bytes(out);
        const auto took = record::take_answer(bytes);
        CHECK(took.http_status == 410);
        CHECK(took.body == gone.body);
        CHECK(took.refusal == gone.refusal);
    }
}

TEST_CASE("record: what was read is recorded without secrets, and what is no JSON as no answer", "[record]") {
    auto through = [](const env::ApiAnswer &answer, bool secret) {
        std::string out;
        record::put_read(out, answer, secret);
        record::Bytes bytes(out);
        const auto took = record::take_answer(bytes);
        return std::to_string(took.http_status) + (took.too_long ? " too long " : " ") + took.body;
    };
    CHECK(through({200, R"({"data":{"a":"b"},"metadata":{"managedFields":[1]}})"}, false) ==
          R"(200 {"data":{"a":"b"},"metadata":{}})");
    CHECK(through({200, R"({"kind":"SecretList","metadata":{"a":1},"items":[{"data":{"a":"b"}}]})"}, true) ==
          R"(200 {"kind":"SecretList","metadata":{"a":1}})");
    CHECK(through({200, "no JSON: ["}, false).starts_with("0 the answer is not JSON: "));
    CHECK(through({404, "none"}, false) == "404 none");
    CHECK(through({0, "no answer"}, false) == "0 no answer");
    CHECK(through({0, "much", true}, false) == "0 too long much");
}

TEST_CASE("record: a secret that a plugin reads is in no recording", "[record]") {
    struct Words : env::Api {
        env::Clock &clock;
        explicit Words(env::Clock &c) : clock(c) {}
        void send(env::ApiRequest, std::function<void(env::ApiAnswer)> done) override {
            clock.post([done] { done({200, R"({"kind":"List","items":[{"data":{"word":"sesame"}}]})"}); });
        }
    };
    for (auto [group, resource, found] :
         {std::tuple{"", "secrets", false}, {"", "configmaps", true}, {"example.com", "secrets", true}}) {
        const TestDirectory directory;
        auto journal = record::JournalWriter::open(directory.path.string(), 1u << 20);
        REQUIRE(journal);
        sim::VirtualClock clock(1'000 * second);
        sim::VirtualWorkers workers(clock);
        Words words(clock);
        record::Recorder recorder(&*journal, clock, workers);
        auto &api = recorder.api(words);
        recorder.used(build(recorder));
        env::ApiRequest list;
        list.verb = env::Verb::List;
        list.group = group;
        list.resource = resource;
        std::string heard;
        api.send(list, [&](const env::ApiAnswer &answer) { heard = answer.body; });
        clock.run();
        journal->flush();
        CHECK(heard.find("sesame") != heard.npos);
        const auto read = record::read_journal(journal->path());
        REQUIRE(read);
        INFO(resource);
        CHECK((read->entries.find("sesame") != read->entries.npos) == found);
    }
}

TEST_CASE("record: a list of another page or selection is another request", "[record]") {
    env::ApiRequest list;
    list.verb = env::Verb::List;
    list.resource = "configmaps";
    std::set<std::uint64_t> digests{record::digest_of(list)};
    for (auto change : {env::ListOptions{"a", {}, {}, 0}, {{}, "a", {}, 0}, {{}, {}, "a", 0}, {{}, {}, {}, 1}}) {
        list.list = change;
        digests.insert(record::digest_of(list));
    }
    CHECK(digests.size() == 5);
}

TEST_CASE("record: another request is a difference, and from then on all is well for who asks", "[record]") {
    const TestDirectory directory;
    const auto [journal, said] = recorded(directory);
    Replay replay(journal);
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
    CHECK(heard("read 0 the recording does not have what was read"));
    CHECK(heard("bind well"));
    CHECK(!heard("409 conflict"));
}

TEST_CASE("record: what is not asked for any more is a difference", "[record]") {
    const TestDirectory directory;
    const auto [journal, said] = recorded(directory);
    Replay replay(journal);
    replay.play([] {});
    REQUIRE(replay.player.apart());
    CHECK(replay.player.difference()->what == "a request that was made then is not made");
}

TEST_CASE("record: what a dry run asks for is not missed in a replay", "[record]") {
    const TestDirectory directory;
    auto journal = record::JournalWriter::open(directory.path.string(), 1u << 20);
    REQUIRE(journal);
    sim::VirtualClock clock(0);
    sim::VirtualWorkers workers(clock);
    record::Recorder recorder(&*journal, clock, workers);
    recorder.used(build(recorder));
    {
        record::Ids::Asker nobody{1, 0, true};
        const record::Ids::As as(&recorder.ids(), nobody);
        recorder.clock().post([] {});
    }
    int called = 0;
    recorder.clock().post([&] { ++called; });
    clock.run();
    journal->flush();
    const auto read = record::read_journal(journal->path());
    Replay replay(*read);
    replay.play([&] { replay.player.post([&] { ++called; }); });
    CHECK(called == 2);
    CHECK(!replay.player.apart());
}

TEST_CASE("record: what refused profiles asked for is not missed in a replay", "[record]") {
    const TestDirectory directory;
    auto journal = record::JournalWriter::open(directory.path.string(), 1u << 20);
    REQUIRE(journal);
    sim::VirtualClock clock(0);
    sim::VirtualWorkers workers(clock);
    ApiServer server(clock);
    record::Recorder recorder(&*journal, clock, workers);
    auto &api = recorder.api(server);
    int called = 0;
    auto count = [&] { ++called; };
    auto ask = [&](env::Clock &the_clock, env::Workers &the_workers, env::Api &the_api) {
        the_clock.after(second, [&, count] {
            count();
            the_clock.post(count);
        });
        the_workers.submit([&, count] { the_clock.post(count); }, count);
        the_api.send({}, [count](const env::ApiAnswer &) { count(); });
    };
    auto asks = [&] { ask(recorder.clock(), recorder.workers(), api); };
    recorder.used(build(recorder));
    {
        const auto refused = recorder.building();
        asks();
    }
    const auto number = build(recorder, asks);
    CHECK(number == 2);
    recorder.used(number);
    clock.advance_to(10 * second);
    CHECK(called == 10);
    journal->flush();
    const auto read = record::read_journal(journal->path());
    REQUIRE(read);

    record::Player player(*read);
    record::Player::Core core;
    core.build = [&](std::uint64_t which, const std::string &) {
        if (which != 0) ask(player, player, player);
        return model::Result<void>{};
    };
    core.use = [](std::uint64_t) {};
    called = 0;
    const auto played = player.play(std::move(core));
    INFO((played ? "" : played.error().text));
    CHECK(played);
    CHECK(called == 5);
    CHECK(!player.apart());
}

TEST_CASE("record: profiles that are dropped end at the same time in a replay", "[record]") {
    const TestDirectory directory;
    auto journal = record::JournalWriter::open(directory.path.string(), 1u << 20);
    REQUIRE(journal);
    sim::VirtualClock clock(0);
    sim::VirtualWorkers workers(clock);
    record::Recorder recorder(&*journal, clock, workers);
    bool alive = true;
    int called = 0;
    std::function<void(env::Clock &)> tick = [&](env::Clock &of) {
        of.after(second, [&] {
            if (!alive) return;
            ++called;
            tick(of);
        });
    };
    recorder.used(build(recorder));
    const auto number = build(recorder, [&] { tick(recorder.clock()); });
    clock.advance_to(7 * second / 2);
    recorder.dropped(number);
    alive = false;
    recorder.clock().post([&] { ++called; });
    clock.advance_to(10 * second);
    CHECK(called == 4);
    journal->flush();
    const auto read = record::read_journal(journal->path());
    REQUIRE(read);

    record::Player player(*read);
    record::Player::Core core;
    core.build = [&](std::uint64_t which, const std::string &) {
        alive = true;
        if (which == number) tick(player);
        return model::Result<void>{};
    };
    core.use = [](std::uint64_t) {};
    core.drop = [&](std::uint64_t which) {
        CHECK(which == number);
        alive = false;
        player.post([&] { ++called; });
    };
    called = 0;
    const auto played = player.play(std::move(core));
    INFO((played ? "" : played.error().text));
    CHECK(played);
    CHECK(called == 4);
    CHECK(!player.apart());
}

TEST_CASE("record: what was asked for through doors that are closed is heard of no more", "[record]") {
    const TestDirectory directory;
    auto journal = record::JournalWriter::open(directory.path.string(), 1u << 20);
    REQUIRE(journal);
    sim::VirtualClock clock(1'000 * second);
    sim::VirtualWorkers workers(clock);
    ApiServer server(clock);
    int heard = 0;
    {
        record::Recorder recorder(&*journal, clock, workers);
        auto extender = recorder.extender(std::make_unique<Server>(clock));
        auto &api = recorder.api(server);
        auto ask = [&] {
            recorder.clock().after(second, [&] { ++heard; });
            recorder.clock().post([&] { ++heard; });
            recorder.workers().submit([] {}, [&] { ++heard; });
            api.send({}, [&](const env::ApiAnswer &) { ++heard; });
            extender->prioritize(model::Pod{}, {}, [&](const auto &) { ++heard; });
        };
        ask();
        clock.advance_to(1'010 * second);
        CHECK(heard == 5);
        recorder.used(build(recorder));
        ask();
        recorder.close();
        journal->flush();
        ask();
    }
    const auto written = journal->written();
    clock.advance_to(1'020 * second);
    journal->flush();
    CHECK(heard == 5);
    CHECK(journal->written() == written);
}

namespace {

constexpr char used = 16, node_added = 17, schedule_one = 27;

struct Nothing : env::Observer {
    int recorded = 0;
    void node_added(model::NodePtr) override { ++recorded; }
    void node_updated(model::NodePtr, model::NodePtr) override {}
    void node_deleted(model::NodePtr) override {}
    void pod_added(model::PodPtr) override {}
    void pod_updated(model::PodPtr, model::PodPtr) override {}
    void pod_deleted(model::PodPtr) override {}
    void object_changed(const model::Kind &, model::AnyPtr, model::AnyPtr) override {}
};

std::string built(std::uint64_t number) {
    std::string out{1};
    record::put_number(out, number);
    record::put_text(out, "how");
    return out;
}
std::string input(char entry, std::int64_t ns, const std::string &rest) {
    std::string out{entry};
    record::put_signed(out, ns);
    return out + rest;
}
std::string node(const std::string &uid, const std::string &tree) {
    std::string out;
    record::put_text(out, uid);
    record::put_text(out, "");
    return out + tree;
}
std::string whole_node(const std::string &filler) {
    const auto document = decode::read_document(R"({"metadata":{"name":"n"},"filler":")" + filler + R"("})", "a node");
    std::string out;
    record::put_tree(out, document->value(), {});
    return out;
}

/// What playing these entries says, and to how many nodes it came.
std::pair<std::string, int> played(const std::string &entries, std::uint64_t most = 1u << 30) {
    const record::Journal journal{"f.tape", entries, {}, {{0, 25}}};
    record::Player player(journal, most);
    Nothing observer;
    record::Player::Core core;
    core.observer = &observer;
    core.build = [](std::uint64_t, const std::string &) { return model::Result<void>{}; };
    core.use = [](std::uint64_t) {};
    core.schedule_one = [] { return false; };
    core.forget = [](const model::Kind &) {};
    const auto result = player.play(std::move(core));
    return {result ? "" : result.error().text, observer.recorded};
}

std::string refusal(std::size_t at, const std::string &why) {
    return "f.tape: byte " + std::to_string(25 + at) + ": " + why +
           "; the file was damaged, made to do harm, or recorded by another version of Berth";
}

}  // namespace

TEST_CASE("record: what no run records is refused with its place", "[record]") {
    const std::string zero(1, '\0'), begin = built(0) + input(used, 5, zero), one = node("n", whole_node(""));
    CHECK(played(begin + input(node_added, 1, one) + input(schedule_one, 1, "")) == std::pair{std::string(), 1});
    CHECK(played(begin + std::string{99}).first == refusal(begin.size(), "it holds what is no entry"));
    const auto early = built(0) + input(node_added, 1, one);
    CHECK(played(early).first == refusal(built(0).size() + 2, "it tells of a cluster before anybody looks at it"));
    CHECK(played(built(0) + input(schedule_one, 1, "")).first.find("before anybody looks at it") != std::string::npos);
    CHECK(played(built(0) + input(used, 1, std::string{7})).first ==
          refusal(built(0).size() + 3, "it uses profiles that it has not told of"));
    CHECK(played(begin + input(used, 1, zero)).first.find("it uses profiles") != std::string::npos);
    for (const std::int64_t ns : {INT64_MAX, INT64_MIN, std::int64_t{-6}})
        CHECK(played(begin + input(schedule_one, ns, "")).first.find("it tells of a time that no clock shows") !=
              std::string::npos);
    // Nor is anything between that and the longest wait that can be added to it.
    CHECK(played(begin + input(schedule_one, INT64_MAX / 2 - 5, "")).first.empty());
}

TEST_CASE("record: all objects together are bounded, whatever the number of bytes that tell of them", "[record]") {
    const std::string zero(1, '\0'), begin = built(0) + input(used, 5, zero);
    auto entries = begin + input(node_added, 1, node("n", whole_node(std::string(10'000, 'x'))));
    for (int i = 0; i < 1000; ++i) entries += input(node_added, 1, node(std::to_string(i), zero));
    CHECK(played(entries) == std::pair{std::string(), 1001});
    const auto [text, recorded] = played(entries, 1'000'000);
    CHECK(text.find("its objects would take more memory than those of a recording of its size do") != text.npos);
    CHECK(recorded > 50);
    CHECK(recorded < 100);
    // What is deleted or replaced takes none.
    auto again = begin + input(node_added, 1, node("n", whole_node(std::string(10'000, 'x'))));
    for (int i = 0; i < 1000; ++i) again += input(node_added, 1, node("n", zero));
    CHECK(played(again, 1'000'000) == std::pair{std::string(), 1001});
}
