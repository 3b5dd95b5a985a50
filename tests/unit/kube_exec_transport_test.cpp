// SPDX-License-Identifier: Apache-2.0
// What a program gives reaches the API server, and is renewed when that does not take it.
#include "http_server.h"
#include "test_directory.h"

#include "kube/beast_transport.h"
#include "kube/cpprest_transport.h"
#include "kube/exec_credential.h"

#include <chrono>
#include <future>
#include <thread>

using namespace berth;

namespace {

using Session = HttpServer::Session;
using Ssl = boost::asio::ssl::context;

/// Credentials that a program gives: it prints the file "answer".
struct Given {
    TestDirectory directory;
    kube::Credentials credentials;

    Given() {
        kube::ExecSettings settings;
        settings.api_version = "client.authentication.k8s.io/v1";
        settings.command = {
            directory.write("give", "#!/bin/sh\ncat " + directory.file("answer") + "\n"), {}, {}, false};
        credentials.exec = std::make_shared<kube::ExecCredential>(settings);
    }
    void answers(std::string status) const {
        for (std::size_t at = 0; (at = status.find('\n', at)) != status.npos;) status.replace(at, 1, "\\n");
        directory.write(
            "answer",
            R"({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": )" + status + "}");
    }
    std::unique_ptr<kube::Transport> transport(const std::string &kind) const {
        prepare_transports();
        auto made =
            kind == "beast" ? kube::make_beast_transport(credentials) : kube::make_cpprest_transport(credentials);
        if (!made) FAIL(made.error().text);
        return std::move(*made);
    }
};

kube::HttpAnswer ask(kube::Transport &transport) {
    std::promise<kube::HttpAnswer> answer;
    transport.request({"GET", "/", {}, {}}, [&](kube::HttpAnswer a) { answer.set_value(std::move(a)); });
    return answer.get_future().get();
}

/// Asks until the answer has that status.
kube::HttpAnswer ask_until(kube::Transport &transport, int status) {
    auto answer = ask(transport);
    for (int i = 0; i < 100 && answer.status != status; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        answer = ask(transport);
    }
    return answer;
}

}  // namespace

TEST_CASE("exec credential: a token that the server does not take is renewed", "[kube]") {
    const auto kind = GENERATE(as<std::string>{}, "beast", "cpprest");
    CAPTURE(kind);
    HttpServer server([&](Session &session, const std::string &request) {
        const bool known = request.find("Bearer second") != request.npos;
        session.answer(known ? 200 : 401, known ? "known" : "Unauthorized");
        return true;
    });
    Given given;
    given.credentials.server = server.url();
    given.answers(R"({"token": "first"})");
    auto transport = given.transport(kind);
    CHECK(ask(*transport).body == "Unauthorized");
    // Until the program has another one, whoever asks is told why there is none.
    given.answers("{}");
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    CHECK(ask(*transport).status == 401);
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    CHECK(ask(*transport).body == "getting credentials: exec plugin didn't return a token or cert/key pair");
    given.answers(R"({"token": "second"})");
    CHECK(ask_until(*transport, 200).body == "known");
}

TEST_CASE("exec credential: a client certificate is shown, and a newer one on new connections", "[kube]") {
    const auto kind = GENERATE(as<std::string>{}, "beast", "cpprest");
    CAPTURE(kind);
    const auto theirs = make_certificate("IP:127.0.0.1"), first = make_certificate("DNS:me"),
               second = make_certificate("DNS:me");
    Ssl context(Ssl::tls_server);
    context.use_certificate_chain(boost::asio::buffer(theirs.pem));
    context.use_private_key(boost::asio::buffer(theirs.key), Ssl::pem);
    context.add_certificate_authority(boost::asio::buffer(first.pem));
    context.set_verify_mode(boost::asio::ssl::verify_peer | boost::asio::ssl::verify_fail_if_no_peer_cert);
    HttpServer server(
        [](Session &session, const std::string &) {
            session.answer(200, "private");
            return true;
        },
        &context);
    Given given;
    given.credentials.server = server.url("https");
    given.credentials.authority = theirs.pem;
    const auto pair = [](const auto &certificate) {
        return R"({"clientCertificateData": ")" + certificate.pem + R"(", "clientKeyData": ")" + certificate.key +
               R"("})";
    };
    given.answers(pair(first));
    auto transport = given.transport(kind);
    CHECK(ask(*transport).body == "private");
    // This server does not know the second one.
    given.answers(pair(second));
    given.credentials.exec->refused();
    CHECK(ask_until(*transport, 0).status == 0);
}
