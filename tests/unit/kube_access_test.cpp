// SPDX-License-Identifier: Apache-2.0
#include "kube/access.h"

#include "catch.h"
#include "kube/client_authorities.h"

#include <deque>

using namespace berth;
using namespace std::chrono_literals;

namespace {

/// An API server that says what it was told to say, at once, and keeps what it was asked.
struct Reviewer : kube::Transport {
    std::deque<kube::HttpAnswer> answers;
    std::vector<kube::HttpRequest> asked;
    void request(kube::HttpRequest request, Done done) override {
        asked.push_back(std::move(request));
        REQUIRE_FALSE(answers.empty());
        auto answer = answers.front();
        answers.pop_front();
        done(std::move(answer));
    }
    StreamId stream(kube::HttpRequest, Data, Done) override { return 0; }
    void cancel(StreamId) override {}
    void will_say(const std::string &body, int status = 201) { answers.push_back({status, body, false, 0}); }
};

struct World {
    Reviewer who, what;
    kube::AccessSettings settings{&who, &what};
    std::optional<kube::Access> access;

    /// "200 USER", or the refusal's code and body.
    std::string ask(const std::string &path, const std::string &authorization = {},
                    kube::ClientCertificate certificate = {}) {
        if (!access) access.emplace(settings, [](const std::function<void()> &fn) { fn(); });
        std::string out;
        kube::ServedRequest request{"GET", path, {}, {}, authorization, std::move(certificate)};
        access->check(
            request, [&](const kube::ServedRequest &known) { out = "200 " + known.user.name; },
            [&](const kube::ServedAnswer &no) { out = std::to_string(no.status) + " " + no.body; });
        return out;
    }
};

const std::string known =
    R"({"status":{"authenticated":true,"user":{"username":"ann","uid":"7","groups":["dev"],"extra":{"k":["v"]}}}})";
const std::string yes = R"({"status":{"allowed":true}})", no = R"({"status":{"allowed":false,"reason":"not today"}})";

}  // namespace

TEST_CASE("access: health needs no name, everything else does", "[kube]") {
    World world;
    CHECK(world.ask("/healthz") == "200 system:anonymous");
    CHECK(world.ask("/livez") == "200 system:anonymous");
    CHECK(world.what.asked.empty());
    world.what.will_say(no);
    // As kube-scheduler answers it, byte for byte but for the server's reason.
    CHECK(world.ask("/readyz/<x>") == R"(403 {
  "kind": "Status",
  "apiVersion": "v1",
  "metadata": {},
  "status": "Failure",
  "message": "forbidden: User \"system:anonymous\" cannot get path \"/readyz/&lt;x&gt;\": not today",
  "reason": "Forbidden",
  "details": {},
  "code": 403
})");
    CHECK(world.what.asked.at(0).path == "/apis/authorization.k8s.io/v1/subjectaccessreviews");
    CHECK(
        world.what.asked.at(0).body ==
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"system:anonymous",)"
        R"("groups":["system:unauthenticated"],"uid":"","nonResourceAttributes":{"path":"/readyz/<x>","verb":"get"}}})");
}

TEST_CASE("access: a token is reviewed once in its time, and so is a right", "[kube]") {
    World world;
    world.settings.token_ttl = world.settings.allowed_ttl = 60s;
    world.who.will_say(known);
    world.what.will_say(yes);
    for (int i = 0; i < 3; ++i) CHECK(world.ask("/metrics", "Bearer secret") == "200 ann");
    CHECK(world.who.asked.size() == 1);
    CHECK(world.who.asked[0].path == "/apis/authentication.k8s.io/v1/tokenreviews");
    CHECK(world.who.asked[0].body ==
          R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"secret"}})");
    CHECK(world.what.asked.size() == 1);
    CHECK(world.what.asked[0].body.find(
              R"("user":"ann","groups":["dev","system:authenticated"],"uid":"7","extra":{"k":["v"]})") !=
          std::string::npos);
    // Another path, another token: other questions.
    world.what.will_say(no);
    CHECK(world.ask("/configz", "bearer  secret").starts_with("403"));
    world.who.will_say(R"({"status":{"authenticated":false}})");
    CHECK(world.ask("/metrics", "Bearer other").starts_with("401"));
    CHECK(world.ask("/healthz", "Bearer other").starts_with("401"));
    CHECK(world.who.asked.size() == 2);
}

// promise(peer): The API server's decision about a token or a right expires after its cache time.
TEST_CASE("access: answers are forgotten after their time", "[kube]") {
    World world;
    world.settings.token_ttl = world.settings.allowed_ttl = world.settings.denied_ttl = 0ms;
    for (int i = 0; i < 2; ++i) {
        world.who.will_say(known);
        world.what.will_say(i == 0 ? yes : no);
        CHECK(world.ask("/metrics", "Bearer secret").starts_with(i == 0 ? "200" : "403"));
    }
}

TEST_CASE("access: while the API server does not answer, nothing is allowed", "[kube]") {
    World world;
    std::vector<std::string> told;
    world.settings.complain = [&](const std::string &what, const std::string &why) {
        told.push_back(what + ": " + why);
    };
    world.who.will_say(R"({"kind":"Status","message":"tokenreviews is forbidden"})", 403);
    CHECK(world.ask("/metrics", "Bearer secret").starts_with("401"));
    CHECK(told == std::vector<std::string>{"Unable to authenticate the request: the API server answered 403: "
                                           "tokenreviews is forbidden"});
    world.who.will_say("junk");
    CHECK(world.ask("/metrics", "Bearer secret").starts_with("401"));
    world.what.answers.push_back({0, "cannot connect", true, 0});
    CHECK(world.ask("/metrics") ==
          "500 Internal Server Error: the API server did not answer whether this is allowed: cannot connect\n");
    CHECK(told.size() == 2);
    CHECK(told.back() == "Unable to tell whether the request is allowed: cannot connect");
    world.what.will_say("{}");
    CHECK(world.ask("/metrics").starts_with("403"));
    World alone;
    alone.settings = {};
    CHECK(alone.ask("/metrics").starts_with("403"));
    CHECK(alone.ask("/metrics", "Bearer x").starts_with("401"));
    CHECK(alone.ask("/healthz") == "200 system:anonymous");
}

TEST_CASE("access: certificates name users, and masters may do everything", "[kube]") {
    using State = kube::ClientCertificate::State;
    World world;
    CHECK(world.ask("/metrics", {}, {State::Trusted, {"root", {}, {"system:masters"}, {}}}) == "200 root");
    world.what.will_say(yes);
    CHECK(world.ask("/metrics", {}, {State::Trusted, {"eve", {}, {}, {}}}) == "200 eve");
    CHECK(world.what.asked.at(0).body.find(R"("user":"eve","groups":["system:authenticated"])") != std::string::npos);
    CHECK(world.ask("/healthz", {}, {State::Refused, {}}).starts_with("401"));
    world.who.will_say(known);
    CHECK(world.ask("/healthz", "Bearer t", {State::Refused, {}}) == "200 ann");
}

TEST_CASE("access: paths that are always allowed may end in a star", "[kube]") {
    World world;
    world.settings.always_allowed = {"/metrics", "/healthz/*"};
    CHECK(world.ask("/metrics").starts_with("200"));
    CHECK(world.ask("/healthz/ping").starts_with("200"));
    world.what.will_say(no);
    CHECK(world.ask("/healthz").starts_with("403"));
    world.what.will_say(no);
    CHECK(world.ask("/metrics/slis").starts_with("403"));
}

TEST_CASE("access: the cluster says who signs its clients' certificates", "[kube]") {
    Reviewer server;
    auto find = [&] {
        std::string out;
        kube::find_client_authorities(server, [&](const model::Result<std::string> &found) {
            out = found ? *found : "error: " + found.error().text;
        });
        return out;
    };
    server.will_say(R"({"data":{"client-ca-file":"PEM"}})", 200);
    CHECK(find() == "PEM");
    CHECK(server.asked.at(0).path == "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
    server.will_say(R"({"kind":"Status","message":"no such right"})", 403);
    CHECK(find().starts_with(
        "error: the API server answered 403: no such right; expected the right to get that ConfigMap"));
    server.will_say("{", 200);
    CHECK(find().starts_with("error: "));
}

TEST_CASE("served: values of a query, and routes", "[kube]") {
    CHECK(kube::query_values("a=1&b&a=%32&ab=3", "a") == std::vector<std::string>{"1", "2"});
    CHECK(kube::query_values("a=1&b", "b") == std::vector<std::string>{""});
    CHECK(kube::query_values("", "b").empty());
    CHECK(kube::query_values("a=%0", "a").empty());
    kube::Routes routes;
    routes.add("/x", [](const auto &, const auto &done) { done({200, "x"}); });
    routes.add_below("/x/", [](const auto &request, const auto &done) { done({200, "below " + request.path}); });
    auto ask = [&](const std::string &path) {
        std::string out;
        routes({"GET", path, {}, {}, {}, {}}, [&](const kube::ServedAnswer &answer) { out = answer.body; });
        return out;
    };
    CHECK(ask("/x") == "x");
    CHECK(ask("/x/y") == "below /x/y");
    CHECK(ask("/xy") == "404 page not found\n");
}
