// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "http2_peer.h"
#include "kube/http2_session.h"

#include <map>
#include <set>

using namespace berth;

namespace {

using kube::Http2Session;
using kube::HttpAnswer;
using Clock = Http2Session::Clock;

/// A client and a server without a network.
struct Pair {
    const kube::ServerAddress server = *kube::parse_server("https://api.example:6443/base");
    Http2Session client{server};
    Http2Peer peer;
    std::map<std::string, HttpAnswer> answers;  ///< by path

    explicit Pair(std::uint32_t most = 0) : peer(most) { exchange(); }

    /// Passes on what both want to say. The client's fault, if it found one.
    std::string exchange() {
        std::string why;
        for (bool any = true; any && why.empty();) {
            std::string out;
            client.take(out);
            auto in = peer.take();
            any = !out.empty() || !in.empty();
            if (!out.empty()) peer.put(out);
            if (auto taken = client.put(in); !taken) why = taken.error().text;
        }
        settle();
        return why;
    }
    void settle() {
        for (auto &one : client.answered()) one.done(std::move(one.answer));
    }
    void ask(const std::string &path, const std::string &body = {}, Clock::time_point begun = Clock::now(),
             std::function<std::string()> why_not = {}) {
        kube::HttpRequest request{body.empty() ? "GET" : "POST", path, body.empty() ? "" : "application/json", body};
        request.why_not = std::move(why_not);
        client.submit(
            {std::move(request), "secret", {}, [this, path](HttpAnswer a) { answers[path] = std::move(a); }, 0}, begun);
    }
    std::map<std::string, Http2Peer::Request> requests() {
        std::map<std::string, Http2Peer::Request> out;
        while (auto request = peer.next()) out[request->path] = *request;
        return out;
    }
};

}  // namespace

TEST_CASE("http2: requests go out together and are answered in any order", "[kube]") {
    Pair pair;
    pair.ask("/a?x=1");
    pair.ask("/b", "{\"b\":1}");
    pair.ask("/c", "{}");
    CHECK(pair.exchange().empty());
    auto asked = pair.requests();
    REQUIRE(asked.size() == 3);
    const auto &get = asked["/base/a?x=1"], &post = asked["/base/b"];
    CHECK(get.method == "GET");
    CHECK(get.head ==
          ":scheme: https\r\n:authority: api.example:6443\r\naccept: application/json\r\nuser-agent: berth\r\n"
          "authorization: Bearer secret\r\n");
    CHECK(post.method == "POST");
    CHECK(post.body == "{\"b\":1}");
    CHECK(post.head.ends_with("content-type: application/json\r\ncontent-length: 7\r\n"));
    CHECK(pair.client.under_way() == 3);

    pair.peer.answer(asked["/base/c"].stream, 201, "made");
    pair.peer.answer(get.stream, 429, "slowly", "7");
    CHECK(pair.exchange().empty());
    CHECK(pair.answers.size() == 2);
    CHECK(pair.answers["/c"].status == 201);
    CHECK(pair.answers["/c"].body == "made");
    CHECK(pair.answers["/a?x=1"].status == 429);
    CHECK(pair.answers["/a?x=1"].retry_after_s == 7);
    pair.peer.answer(post.stream, 409, "");
    CHECK(pair.exchange().empty());
    CHECK(pair.answers["/b"].status == 409);
    CHECK(pair.client.under_way() == 0);
}

TEST_CASE("http2: what is larger than a window passes whole", "[kube]") {
    Pair pair;
    constexpr std::size_t large = 9 << 20;
    const std::string up(large, 'u'), down(large, 'd');
    pair.ask("/large", up);
    CHECK(pair.exchange().empty());
    auto asked = pair.requests();
    REQUIRE(asked.size() == 1);
    CHECK(asked["/base/large"].body == up);
    pair.peer.answer(asked["/base/large"].stream, 200, down);
    CHECK(pair.exchange().empty());
    CHECK(pair.answers["/large"].body == down);
}

TEST_CASE("http2: there is room for as many as the server allows", "[kube]") {
    Pair pair(2);
    CHECK(pair.client.room() == 2);
    pair.ask("/a");
    pair.ask("/b");
    CHECK(pair.client.room() == 0);
    CHECK(pair.exchange().empty());
    pair.peer.answer(pair.requests()["/base/a"].stream, 200, "");
    CHECK(pair.exchange().empty());
    CHECK(pair.client.room() == 1);
    CHECK(Pair().client.room() > 2);
}

TEST_CASE("http2: a server that goes away refuses what it has not looked at", "[kube]") {
    Pair pair;
    pair.ask("/seen");
    pair.ask("/unseen");
    CHECK(pair.exchange().empty());
    auto asked = pair.requests();
    pair.peer.go_away(asked["/base/seen"].stream);
    CHECK(pair.exchange().empty());
    CHECK(pair.client.room() == 0);
    REQUIRE(pair.answers.size() == 1);
    CHECK(pair.answers["/unseen"].status == 0);
    CHECK(pair.answers["/unseen"].unsent);
    pair.peer.answer(asked["/base/seen"].stream, 200, "still");
    CHECK(pair.exchange() == "the server asked for it");
    CHECK(pair.answers["/seen"].body == "still");
}

TEST_CASE("http2: a stream that the server breaks off has no answer", "[kube]") {
    Pair pair;
    pair.ask("/broken");
    pair.ask("/refused");
    CHECK(pair.exchange().empty());
    auto asked = pair.requests();
    pair.peer.reset(asked["/base/broken"].stream, NGHTTP2_INTERNAL_ERROR);
    pair.peer.reset(asked["/base/refused"].stream, NGHTTP2_REFUSED_STREAM);
    CHECK(pair.exchange().empty());
    CHECK(pair.answers["/broken"].status == 0);
    CHECK_FALSE(pair.answers["/broken"].unsent);
    CHECK(pair.answers["/broken"].body == "the server broke the stream off: INTERNAL_ERROR");
    CHECK(pair.answers["/refused"].unsent);
    CHECK(pair.client.under_way() == 0);
}

TEST_CASE("http2: who waits for too long gives up and tells the server", "[kube]") {
    Pair pair;
    const auto now = Clock::now();
    pair.ask("/old", "{}", now - std::chrono::seconds(61));
    pair.ask("/young", "{}", now);
    CHECK(pair.exchange().empty());
    auto asked = pair.requests();
    pair.client.give_up(now, "too long");
    CHECK(pair.exchange().empty());
    CHECK(pair.answers["/old"].body == "too long");
    CHECK_FALSE(pair.answers["/old"].unsent);
    CHECK(pair.answers.size() == 1);
    CHECK(pair.peer.given_up() == std::vector{asked["/base/old"].stream});
    pair.peer.answer(asked["/base/young"].stream, 200, "in time");
    CHECK(pair.exchange().empty());
    CHECK(pair.answers["/young"].body == "in time");
    CHECK(pair.peer.pings() == 0);
    pair.client.ping();
    CHECK(pair.exchange().empty());
    CHECK(pair.peer.pings() == 1);
}

TEST_CASE("http2: an answer that ends before its end is none", "[kube]") {
    Pair pair;
    pair.ask("/part");
    pair.ask("/taken", "{}");
    CHECK(pair.exchange().empty());
    auto asked = pair.requests();
    for (auto &[path, request] : asked) pair.peer.begin_answer(request.stream, 201, "some");
    CHECK(pair.exchange().empty());
    pair.peer.reset(asked["/base/part"].stream, NGHTTP2_NO_ERROR);
    pair.peer.reset(asked["/base/taken"].stream, NGHTTP2_REFUSED_STREAM);
    CHECK(pair.exchange().empty());
    CHECK(pair.answers["/part"].status == 0);
    CHECK(pair.answers["/part"].body == "the server broke the stream off: NO_ERROR");
    CHECK_FALSE(pair.answers["/part"].unsent);
    // Whoever has begun to answer has looked at the request.
    CHECK(pair.answers["/taken"].status == 0);
    CHECK_FALSE(pair.answers["/taken"].unsent);
}

TEST_CASE("http2: an answer may take long while it comes", "[kube]") {
    Pair pair;
    const auto now = Clock::now();
    pair.ask("/slow", {}, now - std::chrono::seconds(61));
    CHECK(pair.exchange().empty());
    const auto stream = pair.requests()["/base/slow"].stream;
    pair.peer.begin_answer(stream, 200, "some");
    CHECK(pair.exchange().empty());
    pair.client.give_up(now, "too long");
    pair.settle();
    CHECK(pair.answers.empty());
    pair.client.give_up(Clock::time_point::max(), "too long");
    pair.settle();
    CHECK(pair.answers["/slow"].body == "too long");
}

TEST_CASE("http2: what is not HTTP/2 is said to be none", "[kube]") {
    Pair pair;
    auto taken = pair.client.put("HTTP/1.1 400 Bad Request\r\n\r\n" + std::string(64, 'x'));
    REQUIRE_FALSE(taken);
    CHECK(taken.error().text.starts_with("the server's answer is not HTTP/2: "));
}

TEST_CASE("http2: whether a request may be sent is asked when its bytes are made, and before each of its body's parts",
          "[kube]") {
    Pair pair;
    std::string why;
    const auto now = Clock::now();
    const auto why_not = [&] { return why; };
    pair.ask("/in-time", "{}", now, why_not);
    CHECK(pair.exchange().empty());
    CHECK(pair.requests().size() == 1);
    pair.ask("/late", "{}", now, why_not);
    pair.ask("/late-and-bare", {}, now, why_not);
    pair.ask("/free", "{}");
    CHECK(pair.client.under_way() == 4);
    why = "the lease is not ours";
    CHECK(pair.exchange().empty());
    const auto asked = pair.requests();
    CHECK(asked.size() == 1);
    CHECK(asked.contains("/base/free"));
    for (const char *path : {"/late", "/late-and-bare"}) {
        REQUIRE(pair.answers.contains(path));
        CHECK(pair.answers[path].status == 0);
        CHECK(pair.answers[path].body == why);
        CHECK(pair.answers[path].unsent);
    }
    // What a window holds back.
    why.clear();
    pair.ask("/large", std::string(9 << 20, 'u'), now, why_not);
    std::string out;
    pair.client.take(out);
    pair.peer.put(out);
    why = "the lease is not ours";
    CHECK(pair.exchange().empty());
    CHECK(pair.requests().empty());
    CHECK(pair.answers["/large"].body == why);
    CHECK(pair.answers["/large"].unsent);
    CHECK(pair.peer.given_up().size() == 1);
    CHECK(pair.client.under_way() == 2);
    why.clear();
    pair.ask("/again", "{}", now, why_not);
    CHECK(pair.exchange().empty());
    CHECK(pair.requests().contains("/base/again"));
}

TEST_CASE("http2: what is given up before its bytes are made was not sent", "[kube]") {
    Pair pair;
    pair.ask("/a", "{}");
    pair.client.give_up(Clock::time_point::max(), "closed");
    pair.settle();
    CHECK(pair.answers["/a"].body == "closed");
    CHECK(pair.answers["/a"].unsent);
    CHECK(pair.client.under_way() == 0);
}

namespace {

/// A frame as a server writes it.
std::string frame(std::uint8_t type, std::uint8_t flags, std::int32_t stream, const std::string &payload) {
    std::string out;
    for (int shift : {16, 8, 0}) out += static_cast<char>(payload.size() >> shift);
    out += static_cast<char>(type);
    out += static_cast<char>(flags);
    for (int shift : {24, 16, 8, 0}) out += static_cast<char>(stream >> shift);
    return out + payload;
}

}  // namespace

// promise(peer): If a server requests acknowledgements (PING, SETTINGS) and does not read them, Berth disconnects it
// before the unsent acknowledgements fill the memory.
TEST_CASE("http2: a flood of frames that request an acknowledgement is refused", "[kube]") {
    for (auto type : {NGHTTP2_PING, NGHTTP2_SETTINGS}) {
        CAPTURE(type);
        Pair pair;
        std::string many, why;
        for (int i = 0; i < 100; ++i) many += frame(type, 0, 0, type == NGHTTP2_PING ? "12345678" : "");
        constexpr int rounds = 1000;
        int round = 0;
        for (; round < rounds && why.empty(); ++round)
            if (auto taken = pair.client.put(many); !taken) why = taken.error().text;
        CHECK(round < rounds);
        CHECK(why == "the server api.example:6443 asked for more than 1000 acknowledgements and took none");
        std::string out;
        pair.client.take(out);
        CHECK(out.size() < (128 << 10));
    }
}

// promise(peer): Endless or highly compressed headers do not fill the memory, and other requests still get their
// answers.
TEST_CASE("http2: headers are bounded, however they are compressed", "[kube]") {
    Pair pair;
    pair.ask("/bomb");
    pair.ask("/other");
    CHECK(pair.exchange().empty());
    auto asked = pair.requests();
    // ":status: 200", then a field of 3,000 bytes for the dynamic table, then that again and again: a byte each.
    constexpr int value_bytes = 3000, again = 10'000;
    std::string block =
        "\x88\x40\x01"
        "a\x7f";
    for (int left = value_bytes - 127; left >= 0;) {
        block += static_cast<char>(left >= 128 ? left % 128 + 128 : left);
        left = left >= 128 ? left / 128 : -1;
    }
    block += std::string(value_bytes, 'x') + std::string(again, '\xbe');
    const auto headers =
        frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS | NGHTTP2_FLAG_END_STREAM, asked["/base/bomb"].stream, block);
    CHECK(pair.client.put(headers));
    pair.settle();
    CHECK(pair.answers["/bomb"].status == 0);
    CHECK(pair.answers["/bomb"].body == "the server api.example:6443 sent headers of more than 64 KiB");
    pair.peer.answer(asked["/base/other"].stream, 200, "well");
    CHECK(pair.exchange().empty());
    CHECK(pair.answers["/other"].body == "well");

    Pair endless;
    endless.ask("/a");
    CHECK(endless.exchange().empty());
    auto stream = endless.requests()["/base/a"].stream;
    bool taken = bool(endless.client.put(frame(NGHTTP2_HEADERS, 0, stream, "\x88")));
    for (int i = 0; i < 1000 && taken; ++i)
        taken = bool(endless.client.put(frame(NGHTTP2_CONTINUATION, 0, stream,
                                              std::string("\x40\x01"
                                                          "a\x01"
                                                          "b",
                                                          5))));
    CHECK_FALSE(taken);
}

// promise(peer): An endless answer of an extender or the API server does not fill the memory.
TEST_CASE("http2: a body larger than its request's limit is an error, and other requests get their answers", "[kube]") {
    Pair pair;
    kube::HttpRequest request{"GET", "/large", {}, {}};
    request.most_bytes = 2 << 20;
    pair.client.submit({std::move(request), {}, {}, [&](HttpAnswer a) { pair.answers["/large"] = std::move(a); }, 0},
                       Clock::now());
    pair.ask("/other");
    CHECK(pair.exchange().empty());
    auto asked = pair.requests();
    pair.peer.answer(asked["/base/large"].stream, 200, std::string((2 << 20) + 1, 'x'));
    pair.peer.answer(asked["/base/other"].stream, 200, std::string(3 << 20, 'y'));
    CHECK(pair.exchange().empty());
    CHECK(pair.answers["/large"].status == 0);
    CHECK(pair.answers["/large"].body == "the server api.example:6443 sent an answer of more than 2 MiB");
    CHECK(pair.answers["/other"].body.size() == (3 << 20));
}
