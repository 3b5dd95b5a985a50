// SPDX-License-Identifier: Apache-2.0
// What is asked for and read in protobuf, and when JSON is taken instead. That it says the same as JSON is tested with
// Kubernetes' own encoders (tests/oracle/protobuf).
#include "decode/wire.h"
#include "kube/reflector.h"
#include "kube/watch_messages.h"
#include "protobuf_bytes.h"
#include "reflected_pods.h"

using namespace berth;
namespace pb = protobuf_bytes;

namespace {

constexpr auto protobuf = "application/vnd.kubernetes.protobuf, application/json";

std::string pod_event(std::string_view type, const std::string &pod) {
    return pb::event(type, pb::enveloped("v1", "Pod", pod));
}

std::string list_end() {
    const auto end = pb::field(1, "k8s.io/initial-events-end") + pb::field(2, "true");
    return pod_event("BOOKMARK", pb::field(1, pb::field(6, "50") + pb::field(12, end)));
}

}  // namespace

TEST_CASE("protobuf: messages of a watch may be cut anywhere, lines and frames one after the other", "[kube]") {
    const std::vector<std::string> all{"{\"a\":1}", "frame", "{}", std::string(300, 'x'), "{\"b\":\"c\"}"};
    std::string bytes;
    for (const auto &one : all) {
        if (one.front() == '{') bytes += one + "\n";
        else bytes += std::string("\0\0", 2) + static_cast<char>(one.size() >> 8) + static_cast<char>(one.size()) + one;
    }
    for (std::size_t piece : {1u, 2u, 3u, 5u, 7u, 100u, 1000u}) {
        CAPTURE(piece);
        kube::WatchMessages messages;
        std::vector<std::string> got;
        for (std::size_t at = 0; at < bytes.size(); at += piece)
            messages.take(std::string_view(bytes).substr(at, piece), [&](std::string_view m) { got.emplace_back(m); });
        CHECK(got == all);
    }
}

// promise(peer): An endless watch event does not fill the memory.
TEST_CASE("protobuf: an event that is too large ends the watch, once", "[kube]") {
    kube::WatchMessages messages(100);
    std::vector<std::string> got;
    auto take = [&](const std::string &bytes) {
        return messages.take(bytes, [&](std::string_view m) { got.emplace_back(m); });
    };
    CHECK(take("{\"a\":1}\n" + std::string(90, 'x')));
    CHECK_FALSE(take(std::string(11, 'x')));
    CHECK(take("x\n{\"b\":1}\n"));
    CHECK(got == std::vector<std::string>{"{\"a\":1}"});

    const kube::Collection collection;
    kube::WatchEvents news(collection, true);
    const std::string piece(1 << 20, 'x');
    for (int i = 0; i < 64; ++i) CHECK(news.take(piece, 0).empty());
    auto changes = news.take(piece, 0);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].type == kube::Change::Type::Error);
    CHECK(changes[0].text == "the server sent an event of more than 64 MiB");
    CHECK(news.take(piece, 0).empty());
}

TEST_CASE("protobuf: it is asked for where it can be read, unless JSON is wanted", "[kube]") {
    Pods pods;
    SECTION("it is wanted") {
        pods.start_streaming();
        CHECK(pods.transport.last().request.accept == protobuf);
        pods.no_streams();
        CHECK(pods.transport.last().request.accept == protobuf);
    }
    SECTION("it is not") {
        pods.reflector.speak_json();
        pods.start_streaming();
        CHECK(pods.transport.last().request.accept == "application/json");
    }
    SECTION("a kind of somebody's own") {
        kube::Reflector widgets(pods.transport, pods.clock, &pods,
                                kube::objects_for(pods, model::kind_of("example.com", "v1", "widgets")), 7);
        widgets.start({});
        CHECK(pods.transport.last().request.accept == "application/json");
    }
}

TEST_CASE("protobuf: a list in pages and a watch", "[kube]") {
    Pods pods;
    pods.start();
    pods.answer(200, pb::list_of_pods("10", {pb::pod("z", "2"), pb::pod("a", "3", "n1")}, "more"));
    CHECK(pods.transport.path().find("continue=more") != std::string::npos);
    pods.answer(200, pb::list_of_pods("10", {}));
    CHECK(pods.heard() == Said{"+z", "+a@n1"});
    pods.data(pod_event("MODIFIED", pb::pod("z", "11", "n2")) + pod_event("DELETED", pb::pod("a", "12")));
    CHECK(pods.heard() == Said{"~z@n2", "-a"});
    pods.data(pb::event("ERROR", pb::enveloped("v1", "Status", pb::field(3, "too old"))));
    pods.heard();
    CHECK(pods.logged == Said{"Cannot list; trying again resource=pods err=too old"});
}

TEST_CASE("protobuf: a list as a stream", "[kube]") {
    Pods pods;
    pods.start_streaming();
    std::string all;
    for (int i = 0; i < 2000; ++i) all += pod_event("ADDED", pb::pod("p" + std::to_string(i), "1"));
    pods.data(all);
    pods.data(pod_event("DELETED", pb::pod("p0", "1")));
    CHECK(pods.heard().empty());
    pods.data(list_end());
    CHECK(pods.heard().size() == 1999);
    CHECK(pods.synced == 1);
    pods.data(pod_event("ADDED", pb::pod("late", "51")));
    CHECK(pods.heard() == Said{"+late"});
}

TEST_CASE("protobuf: what cannot be read whole comes in JSON, once and for all", "[kube]") {
    Pods pods;
    const std::string newer = pb::field(999, "of a later Kubernetes");
    std::string why = "it has fields that are not known here";
    SECTION("a field that is not known, in a list") {
        pods.start();
        pods.answer(200, pb::list_of_pods("10", {pb::pod("a", "2") + newer}));
    }
    SECTION("or in an event") {
        pods.start_streaming();
        pods.data(pod_event("ADDED", pb::pod("a", "2") + newer) + list_end());
    }
    SECTION("no protobuf at all") {
        pods.start();
        pods.answer(200, "k8s");
        why = "the API server's answer: it is neither JSON nor Kubernetes' protobuf";
    }
    CHECK(pods.heard().empty());
    CHECK(pods.logged == Said{"What the API server sends in protobuf cannot be read whole: JSON instead resource=pods "
                              "err=" +
                              why});
    CHECK(pods.transport.last().request.accept == "application/json");
    // A server that sends it all the same is no reason to ask again and again.
    if (pods.transport.watching()) pods.no_streams();
    pods.answer(200, pb::list_of_pods("10", {pb::pod("a", "2") + newer}));
    CHECK(pods.heard() == Said{"+a"});
    CHECK(pods.logged.size() == 1);
}

TEST_CASE("protobuf: a field that is not known and says nothing is none", "[kube]") {
    Pods pods;
    pods.start();
    pods.answer(200, pb::list_of_pods("10", {pb::pod("a", "2") + pb::field(999, "")}));
    CHECK(pods.heard() == Said{"+a"});
    CHECK(pods.logged.empty());
}

TEST_CASE("protobuf: the message of a Status", "[decode]") {
    const auto status = pb::enveloped("v1", "Status", pb::field(2, "Failure") + pb::field(3, "no such pod"));
    CHECK(decode::status_message(status) == "no such pod");
    CHECK(decode::status_message(pb::enveloped("v1", "Pod", "\xff")).starts_with("the API server's answer: broken"));
}
