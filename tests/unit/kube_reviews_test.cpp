// SPDX-License-Identifier: Apache-2.0
#include "kube/reviews.h"

#include "catch.h"
#include "kube/access.h"

#include <deque>

using namespace berth;
using namespace std::chrono_literals;

namespace {

/// An API server that answers when it is told to.
struct Slow : kube::Transport {
    struct Asked {
        std::string what;
        Done done;
    };
    std::deque<Asked> asked;
    void request(kube::HttpRequest request, Done done) override { asked.push_back({request.body, std::move(done)}); }
    StreamId stream(kube::HttpRequest, Data, Done) override { return 0; }
    void cancel(StreamId) override {}
    void answer(const std::string &body) {
        auto one = std::move(asked.front());
        asked.pop_front();
        one.done({201, body, false, 0});
    }
};

const auto at_once = [](const std::function<void()> &fn) { fn(); };

const std::string yes = R"({"status":{"allowed":true}})", nobody = R"({"status":{"authenticated":false}})";
std::string is(const std::string &name) {
    return R"({"status":{"authenticated":true,"user":{"username":")" + name + R"("}}})";
}

}  // namespace

TEST_CASE("reviews: so many are under way, so many wait, and each asker has a share", "[kube]") {
    Slow server;
    kube::Reviews reviews(&server, at_once, {.under_way = 2, .waiting = 3, .per_second = 1000});
    std::vector<std::string> told;
    auto ask = [&](const std::string &asker, const std::string &what) {
        reviews.ask(asker, {"POST", "/", "", what}, [&told, what](const auto &answer) {
            told.push_back(what + (answer ? " " + answer->body : " dropped"));
        });
    };
    for (int i = 1; i <= 6; ++i) ask("a", "a" + std::to_string(i));
    CHECK(server.asked.size() == 2);
    CHECK(told == std::vector<std::string>{"a3 dropped"});
    ask("b", "b1");
    CHECK(told.back() == "a4 dropped");
    // The next is the one of whom the fewest were asked.
    server.answer("x");
    CHECK(told.back() == "a1 x");
    CHECK(server.asked.back().what == "b1");
    server.answer("y");
    CHECK(server.asked.back().what == "a6");
    CHECK(reviews.under_way() == 2);
    while (!server.asked.empty()) server.answer("z");
    CHECK(told.size() == 7);
    CHECK(reviews.under_way() == 0);
}

TEST_CASE("reviews: so many a second, and none waits for ever", "[kube]") {
    Slow server;
    kube::Reviews reviews(&server, at_once, {.under_way = 100, .waiting = 100, .per_second = 5, .patience = 10s});
    int answered = 0, dropped = 0;
    const auto start = kube::Reviews::Clock::now();
    for (int i = 0; i < 20; ++i)
        reviews.ask("a", {"POST", "/", "", "?"}, [&](const auto &answer) { ++(answer ? answered : dropped); });
    CHECK(server.asked.size() <= 6);  // a second's worth, and what the test has taken
    reviews.look(start + 500ms);
    CHECK(server.asked.size() <= 9);
    reviews.look(start + 2s);
    const auto sent = server.asked.size();
    CHECK(sent >= 13);
    CHECK(sent <= 17);
    reviews.look(start + 11s);
    CHECK(server.asked.size() == sent);
    CHECK(dropped == static_cast<int>(20 - sent));
    while (!server.asked.empty()) server.answer("x");
    CHECK(answered == static_cast<int>(sent));
}

// promise(peer): A flood of unknown tokens causes a bounded number of reviews by the API server, and does not block
// known clients.
TEST_CASE("access: a flood of unknown tokens leaves room for known clients", "[kube]") {
    Slow who, what;
    kube::AccessSettings settings{&who, &what};
    settings.token_ttl = settings.allowed_ttl = 0ms;  // each time anew
    settings.strangers = {.under_way = 4, .waiting = 8, .per_second = 1000};
    kube::Access access(settings, at_once);
    std::vector<std::string> told;
    auto ask = [&](const std::string &token, const std::string &peer) {
        kube::ServedRequest request{"GET", "/metrics", {}, {}, "Bearer " + token, {}};
        request.peer = peer;
        access.check(
            request, [&](const kube::ServedRequest &good) { told.push_back("200 " + good.user.name); },
            [&](const kube::ServedAnswer &no) { told.push_back(std::to_string(no.status)); });
    };
    ask("prometheus", "10.0.0.1");
    who.answer(is("prometheus"));
    what.answer(yes);
    CHECK(told == std::vector<std::string>{"200 prometheus"});
    // One who has a good token and may do nothing is no more than a stranger.
    ask("tenant", "10.0.0.2");
    who.answer(is("tenant"));
    what.answer(R"({"status":{"allowed":false}})");
    CHECK(told.back() == "403");

    for (int i = 0; i < 1000; ++i) ask("x" + std::to_string(i), "10.0.0.2");
    ask("tenant", "10.0.0.2");
    CHECK(who.asked.size() == 4);
    CHECK(told.size() == 2 + 1001 - 4 - 8);
    CHECK(told.back() == "429");
    ask("prometheus", "10.0.0.2");
    REQUIRE(who.asked.size() == 5);
    std::swap(who.asked.front(), who.asked.back());
    who.answer(is("prometheus"));
    what.answer(yes);
    CHECK(told.back() == "200 prometheus");
    // An unknown one from elsewhere has its turn before the flood.
    ask("new", "10.0.0.3");
    who.answer(nobody);
    CHECK(who.asked.back().what.find("\"new\"") != std::string::npos);
}

// promise(peer): Refused tokens and requests do not evict accepted ones from the cache.
TEST_CASE("access: bad tokens do not push out good ones", "[kube]") {
    Slow who, what;
    kube::AccessSettings settings{&who, &what};
    settings.token_ttl = settings.allowed_ttl = settings.denied_ttl = 60s;
    settings.strangers.per_second = 1e6;
    kube::Access access(settings, at_once);
    int good = 0, bad = 0;
    auto ask = [&](const std::string &token, const std::string &path) {
        access.check(
            {"GET", path, {}, {}, token.empty() ? "" : "Bearer " + token, {}}, [&](const auto &) { ++good; },
            [&](const auto &) { ++bad; });
    };
    ask("good", "/metrics");
    who.answer(is("ann"));
    what.answer(yes);
    for (int i = 0; i < 10'000; ++i) {
        ask("bad" + std::to_string(i), "/metrics");
        who.answer(nobody);
        ask("", "/" + std::to_string(i));
        what.answer(R"({"status":{"allowed":false}})");
    }
    CHECK(bad == 20'000);
    ask("good", "/metrics");
    CHECK(good == 2);
    CHECK(who.asked.empty());
    CHECK(what.asked.empty());
}

TEST_CASE("access: somebody is known by what they may, not by a path that anybody may ask for", "[kube]") {
    Slow who, what;
    kube::Access access({&who, &what}, at_once);
    std::vector<bool> known;
    auto ask = [&](const std::string &path, const std::string &authorization) {
        access.check(
            {"GET", path, {}, {}, authorization, {}},
            [&](const kube::ServedRequest &good) { known.push_back(good.known); }, [&](const auto &) {});
    };
    ask("/livez", {});
    ask("/metrics", {});
    what.answer(yes);  // to everybody
    ask("/livez", "Bearer t");
    who.answer(is("ann"));
    ask("/metrics", "Bearer t");
    what.answer(yes);
    CHECK(known == std::vector<bool>{false, false, false, true});
}
