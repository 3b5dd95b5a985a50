// SPDX-License-Identifier: Apache-2.0
#include "http_server.h"

#include "catch.h"
#include "env/loop.h"
#include "kube/extender_json.h"
#include "kube/http_extender.h"
#include "object_text.h"
#include "test_directory.h"

using namespace berth;

namespace {

using Extender = env::Extender;
using Session = HttpServer::Session;

model::PodPtr a_pod() {
    return pod_of("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: ns, uid: u}\nspec: {containers: []}");
}

/// A server that gives one answer and keeps what it was asked, and who asks it.
struct Asked {
    config::Extender settings;
    int status = 200;
    std::string answer;
    std::string request;
    HttpServer server;
    std::vector<model::NodePtr> objects{node_of("apiVersion: v1\nkind: Node\nmetadata: {name: n1}"),
                                        node_of("apiVersion: v1\nkind: Node\nmetadata: {name: n2}")};

    explicit Asked(std::string text = "{}", const std::string &path = "/scheduler/")
        : answer(std::move(text)), server([this](Session &session, const std::string &what) {
              request = what;
              session.answer(status, answer);
              return true;
          }) {
        prepare_transports();
        settings.url_prefix = server.url() + path;
        settings.filter_verb = "filter";
        settings.prioritize_verb = "prioritize";
        settings.bind_verb = "bind";
        settings.weight = 1;
    }
    std::string url(const std::string &path = "/scheduler/") const { return server.url() + path; }
    std::string body() const { return request.substr(request.find("\r\n\r\n") + 4); }

    template <class T>
    model::Result<T> ask(const std::function<void(Extender &, Extender::Done<T>)> &what) {
        env::Loop loop;
        auto made = kube::make_http_extender(settings, loop);
        if (!made) return made.error();
        model::Result<T> out = model::Error{"no answer"};
        what(**made, [&](model::Result<T> result) {
            out = std::move(result);
            loop.stop();
        });
        loop.run();
        return out;
    }
    model::Result<Extender::Filtered> filter() {
        return ask<Extender::Filtered>([&](Extender &extender, auto done) {
            std::vector<Extender::Node> nodes;
            for (const auto &object : objects) nodes.push_back({object->name, object.get()});
            extender.filter(*a_pod(), nodes, std::move(done));
        });
    }
    std::string filter_error() {
        auto result = filter();
        return result ? "none" : result.error().text;
    }
};

using Texts = std::map<std::string, std::string>;
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("http extender: a filter is asked with the whole nodes", "[kube]") {
    Asked asked(R"({"Nodes": {"items": [{"metadata": {"name": "n2"}}]}, "NodeNames": ["n1"],)"
                R"( "FailedNodes": {"n1": "too loud"}, "FailedAndUnresolvableNodes": {"n3": "no door"}, "Error": ""})");
    auto result = asked.filter();
    REQUIRE(result);
    CHECK(asked.request.starts_with("POST /scheduler/filter HTTP/1.1\r\n"));
    CHECK(asked.request.find("\r\nContent-Type: application/json\r\n") != std::string::npos);
    CHECK(asked.body() ==
          R"({"Pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u"},)"
          R"("spec":{"containers":[]}},"Nodes":{"metadata":{},"items":[)"
          R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}},)"
          R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n2"}}]},"NodeNames":null})");
    CHECK(result->left == Names{"n2"});
    CHECK(result->failed == Texts{{"n1", "too loud"}});
    CHECK(result->unresolvable == Texts{{"n3", "no door"}});
}

TEST_CASE("http extender: one that knows the nodes is sent their names, and answers in any case", "[kube]") {
    Asked asked(R"({"nodenames": ["n2", "n1"], "failednodes": null})");
    asked.settings.node_cache_capable = true;
    auto result = asked.filter();
    REQUIRE(result);
    CHECK(asked.body().ends_with(R"(,"Nodes":null,"NodeNames":["n1","n2"]})"));
    CHECK(result->left == Names{"n2", "n1"});
    // Without names the objects count.
    asked.answer = R"({"Nodes": {"items": [{"metadata": {"name": "n1"}}]}})";
    CHECK(asked.filter()->left == Names{"n1"});
    for (const auto *nothing : {"{}", "null", R"({"NodeNames": null, "Nodes": null})"}) {
        asked.answer = nothing;
        CHECK(asked.filter()->left.empty());
    }
}

TEST_CASE("http extender: what it may not answer", "[kube]") {
    Asked asked;
    asked.settings.node_cache_capable = true;
    asked.answer = R"({"Error": "out to lunch"})";
    CHECK(asked.filter_error() == "out to lunch");
    asked.answer = R"({"NodeNames": ["n1", "n9"]})";
    CHECK(asked.filter_error() ==
          "extender \"" + asked.url() + "\" claims a filtered node \"n9\" which is not found in the input node list");
    asked.answer = R"({"NodeNames": "n1"})";
    CHECK(asked.filter_error() == "NodeNames: expected a list, got a string");
    asked.answer = R"({"FailedNodes": {"n1": 3}})";
    CHECK(asked.filter_error() == "FailedNodes.n1: expected a string, got a number");
    asked.answer = "[]";
    CHECK(asked.filter_error().find("expected an object, got a list") != std::string::npos);
    for (const auto *text : {"", "{", "fine", "NodeNames: [n1]", "{\"NodeNames\": [\"n1\"]} and more"}) {
        asked.answer = text;
        CHECK(asked.filter_error().find("answer.json") != std::string::npos);
    }
    for (int code : {500, 404, 201}) {
        asked.status = code;
        CHECK(asked.filter_error() ==
              "failed filter with extender at URL " + asked.url() + "filter, code " + std::to_string(code));
    }
}

TEST_CASE("http extender: a pod is sent with its namespace", "[kube]") {
    auto pod = pod_of("apiVersion: v1\nkind: Pod\nmetadata: {name: p, uid: u}\nspec: {containers: []}");
    CHECK(kube::extender_args(*pod, {}, true) ==
          R"({"Pod":{"apiVersion":"v1","kind":"Pod","spec":{"containers":[]},)"
          R"("metadata":{"name":"p","namespace":"default","uid":"u"}},"Nodes":null,"NodeNames":[]})");
}

TEST_CASE("http extender: scores", "[kube]") {
    Asked asked(R"([{"Host": "n1", "Score": 10}, {"host": "n2", "score": 3}])", "");
    auto prioritize = [&] {
        return asked.ask<std::vector<Extender::Score>>(
            [&](Extender &extender, auto done) { extender.prioritize(*a_pod(), {}, std::move(done)); });
    };
    auto scores = prioritize();
    REQUIRE(scores);
    CHECK(asked.request.starts_with("POST /prioritize HTTP/1.1\r\n"));
    REQUIRE(scores->size() == 2);
    CHECK(scores->at(0).node == "n1");
    CHECK(scores->at(0).score == 10);
    CHECK(scores->at(1).score == 3);
    asked.answer = "{}";
    CHECK(prioritize().error().text == "expected a list, got an object");
    asked.answer = R"([{"Host": "n1", "Score": 1.5}])";
    CHECK(prioritize().error().text == "[0].Score: expected an integer, got a number");
}

TEST_CASE("http extender: binding", "[kube]") {
    Asked asked;
    auto bind = [&] {
        return asked.ask<void>([&](Extender &extender, auto done) { extender.bind(*a_pod(), "n1", std::move(done)); });
    };
    CHECK(bind());
    CHECK(asked.body() == R"({"PodName":"p","PodNamespace":"ns","PodUID":"u","Node":"n1"})");
    asked.answer = R"({"Error": "no place"})";
    CHECK(bind().error().text == "no place");
}

TEST_CASE("http extender: one that does not answer in time, or at all", "[kube]") {
    HttpServer silent([](Session &session, const std::string &) {
        session.await_end();
        return false;
    });
    Asked asked;
    asked.settings.url_prefix = silent.url();
    asked.settings.http_timeout = std::chrono::milliseconds{50};
    CHECK(asked.filter_error() ==
          "Post \"" + silent.url() +
              "/filter\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)");
    asked.settings.http_timeout = std::chrono::seconds{20};
    asked.settings.url_prefix = "http://127.0.0.1:1";
    CHECK(asked.filter_error().starts_with("Post \"http://127.0.0.1:1/filter\": cannot connect"));
}

// promise(peer): Berth verifies an extender with the authority that the configuration names; an empty authority is an
// error.
TEST_CASE("http extender: whose certificate is trusted", "[kube]") {
    auto certificate = make_certificate("DNS:extender.example,IP:127.0.0.1");
    boost::asio::ssl::context tls(boost::asio::ssl::context::tls_server);
    tls.use_certificate_chain(boost::asio::buffer(certificate.pem));
    tls.use_private_key(boost::asio::buffer(certificate.key), boost::asio::ssl::context::pem);
    HttpServer server(
        [](Session &session, const std::string &) {
            session.answer(200, "{}");
            return true;
        },
        &tls);
    Asked asked;
    asked.settings.where = "my.yaml:4:3: extenders[0]";
    asked.settings.url_prefix = server.url("https");
    // Nobody vouches for it.
    CHECK(asked.filter_error().find("TLS handshake") != std::string::npos);
    // As upstream: enableHTTPS without an authority does not verify.
    asked.settings.enable_https = true;
    CHECK(asked.filter_error() == "none");
    asked.settings.enable_https = false;
    asked.settings.tls.emplace().insecure = true;
    CHECK(asked.filter_error() == "none");
    TestDirectory directory;
    std::ofstream(directory.file("ca.pem")) << certificate.pem;
    asked.settings.tls->ca_file = directory.file("ca.pem");
    CHECK(asked.filter_error() ==
          "my.yaml:4:3: extenders[0]: specifying a root certificates file with the insecure flag is not allowed");
    asked.settings.tls->insecure = false;
    CHECK(asked.filter_error() == "none");
    asked.settings.tls->server_name = "other.example";
    CHECK(asked.filter_error().find("TLS handshake") != std::string::npos);
    asked.settings.tls->server_name = "extender.example";
    CHECK(asked.filter_error() == "none");
    asked.settings.tls->ca_data = "bm90IFBFTQ==";
    CHECK(asked.filter_error().starts_with("my.yaml:4:3: extenders[0]: tlsConfig.caData: holds no certificate"));
    asked.settings.tls->ca_data.clear();
    asked.settings.tls->ca_file = directory.file("empty.pem");
    std::ofstream(directory.file("empty.pem")).flush();
    CHECK(asked.filter_error().starts_with("my.yaml:4:3: extenders[0]: tlsConfig.caFile: "));
    CHECK(asked.filter_error().find("empty.pem is empty; expected in PEM") != std::string::npos);
}

TEST_CASE("http extender: a preemption is shown by whole pods or by their UIDs", "[kube]") {
    Asked asked(R"({"nodeNameToMetaVictims": {"n2": {"pods": [{"uid": "u"}, {"UID": "v"}], "numPDBViolations": 3},)"
                R"( "n1": null, "n3": {"Pods": null}}})");
    asked.settings.preempt_verb = "preempt";
    auto preempt = [&] {
        return asked.ask<Extender::Preempted>([&](Extender &extender, auto done) {
            auto pod = a_pod();
            const std::vector<Extender::Candidate> candidates{{"n1", {pod.get()}, 1},
                                                              {"n2", {pod.get(), pod.get()}, 0}};
            extender.preempt(*pod, candidates, std::move(done));
        });
    };
    auto result = preempt();
    REQUIRE(result);
    const std::string pod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns","uid":"u"},)"
                            R"("spec":{"containers":[]}})";
    CHECK(asked.request.starts_with("POST /scheduler/preempt HTTP/1.1\r\n"));
    CHECK(asked.body() == R"({"Pod":)" + pod + R"(,"NodeNameToVictims":{"n1":{"Pods":[)" + pod +
                              R"(],"NumPDBViolations":1},"n2":{"Pods":[)" + pod + "," + pod +
                              R"(],"NumPDBViolations":0}},"NodeNameToMetaVictims":null})");
    CHECK(result->at("n2").uids == Names{"u", "v"});
    CHECK(result->at("n2").violations == 3);
    CHECK(result->at("n1").uids.empty());
    CHECK(result->at("n3").uids.empty());
    asked.settings.node_cache_capable = true;
    REQUIRE(preempt());
    CHECK(asked.body() ==
          R"({"Pod":)" + pod +
              R"(,"NodeNameToVictims":null,"NodeNameToMetaVictims":{"n1":{"Pods":[{"UID":"u"}],)"
              R"("NumPDBViolations":1},"n2":{"Pods":[{"UID":"u"},{"UID":"u"}],"NumPDBViolations":0}}})");
    asked.answer = "{}";
    CHECK(preempt()->empty());
    asked.answer = R"({"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": 7}]}}})";
    CHECK(preempt().error().text == "NodeNameToMetaVictims.n1.Pods[0].UID: expected a string, got a number");
    asked.status = 500;
    CHECK(preempt().error().text == "failed preempt with extender at URL " + asked.url() + "preempt, code 500");
}

TEST_CASE("http extender: an address that is none is refused, and those that can be ignored come last", "[kube]") {
    env::Loop loop;
    config::Extender first;
    first.url_prefix = "http://a";
    first.ignorable = true;
    first.where = "my.yaml:4:3: extenders[0]";
    auto second = first;
    second.url_prefix = "http://b";
    second.ignorable = false;
    second.prioritize_verb = "prioritize";
    second.weight = 7;
    second.managed_resources = {{"example.com/x", true}};
    auto made = kube::make_http_extenders({first, second}, loop);
    REQUIRE(made);
    CHECK(made->at(0)->traits().url == "http://b");
    CHECK(made->at(0)->traits().prioritizes);
    CHECK_FALSE(made->at(0)->traits().filters);
    CHECK(made->at(0)->traits().weight == 7);
    CHECK(made->at(0)->traits().managed_resources.contains("example.com/x"));
    CHECK(made->at(1)->traits().ignorable);
    first.url_prefix = "127.0.0.1:8888";
    auto refused = kube::make_http_extenders({first}, loop);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text.starts_with("my.yaml:4:3: extenders[0]: "));
}
