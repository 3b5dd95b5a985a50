// SPDX-License-Identifier: Apache-2.0
// Programs that give credentials: good ones, and what a scheduler must survive.
#include "kube/exec_credential.h"

#include "base64_text.h"
#include "http_server.h"
#include "kube/bearer.h"
#include "kube/kubeconfig.h"
#include "test_directory.h"

#include <chrono>
#include <thread>

using namespace berth;

namespace {

const std::string v1 = "client.authentication.k8s.io/v1";

/// A shell script that does `what`.
std::string script(const TestDirectory &directory, const std::string &what) {
    return directory.write("give", "#!/bin/sh\n" + what + "\n");
}

std::string answer(const std::string &status, const std::string &version = v1) {
    return R"({"apiVersion": ")" + version + R"(", "kind": "ExecCredential", "status": )" + status + "}";
}
std::string says(const std::string &text) { return "cat <<'END'\n" + text + "\nEND"; }

kube::ExecSettings settings(const std::string &program) {
    kube::ExecSettings out;
    out.where = "config";
    out.api_version = v1;
    out.command.program = program;
    out.patience = std::chrono::milliseconds(1000);
    return out;
}

/// Why it gives nothing.
std::string trouble(const std::string &what, const std::string &hint = {}) {
    TestDirectory directory;
    auto asked = settings(script(directory, what));
    asked.install_hint = hint;
    kube::ExecCredential credential(asked);
    auto began = credential.start();
    REQUIRE_FALSE(began);
    auto text = began.error().text;
    for (std::size_t at; (at = text.find(asked.command.program)) != text.npos;)
        text.replace(at, asked.command.program.size(), "P");
    return text;
}

template <class Ready>
bool soon(Ready ready) {
    for (int i = 0; i < 500 && !ready(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return ready();
}

}  // namespace

TEST_CASE("exec credential: a token, until it expires or is refused", "[kube]") {
    TestDirectory directory;
    const auto counting = [&](const std::string &expires) {
        return "echo x >>" + directory.file("calls") + "\nn=$(wc -l <" + directory.file("calls") +
               ")\nprintf '{\"apiVersion\":\"" + v1 + "\",\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t%s\"" +
               expires + "}}' $n";
    };
    SECTION("refused") {
        kube::ExecCredential credential(settings(script(directory, counting(""))));
        REQUIRE(credential.start());
        REQUIRE(credential.start());
        CHECK(credential.answer()->token == "t1");
        CHECK(credential.answer()->expires_ns == kube::ExecAnswer::never);
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
        CHECK(credential.answer()->token == "t1");
        credential.refused();
        CHECK(soon([&] { return credential.answer()->token == "t2"; }));
    }
    SECTION("expired") {
        kube::ExecCredential credential(
            settings(script(directory, counting(",\"expirationTimestamp\":\"2020-01-01T00:00:00Z\""))));
        REQUIRE(credential.start());
        CHECK(soon([&] { return credential.answer()->token == "t2"; }));
    }
    SECTION("one that cannot be renewed stays, with the reason") {
        kube::ExecCredential credential(
            settings(script(directory, counting("") + "\n[ $n = 1 ] || { echo no more >&2; exit 7; }")));
        REQUIRE(credential.start());
        credential.refused();
        CHECK(soon([&] { return !credential.fault().empty(); }));
        CHECK(credential.fault() == "exec: executable " + directory.file("give") + " failed: exit code 7: no more\n");
        CHECK(credential.answer()->token == "t1");
    }
}

TEST_CASE("exec credential: what the program answers is checked", "[kube]") {
    CHECK(trouble(says("garbage")).starts_with("config: getting credentials: decoding stdout"));
    CHECK(trouble(says("{")).starts_with("config: getting credentials: decoding stdout"));
    CHECK(trouble("printf '\\000\\377\\001'").starts_with("config: getting credentials: decoding stdout"));
    CHECK(trouble(":").starts_with("config: getting credentials: decoding stdout"));
    CHECK(trouble(says(answer("{}"))) ==
          "config: getting credentials: exec plugin didn't return a token or cert/key pair");
    CHECK(trouble(says(answer("null"))) == "config: getting credentials: exec plugin didn't return a status field");
    CHECK(trouble(says(answer(R"({"clientKeyData": "k"})"))) ==
          "config: getting credentials: exec plugin returned only certificate or key, not both");
    CHECK(trouble(says(answer(R"({"token": "t"})", "client.authentication.k8s.io/v1beta1"))) ==
          "config: getting credentials: exec plugin is configured to use API version client.authentication.k8s.io/v1, "
          "plugin returned version client.authentication.k8s.io/v1beta1");
    CHECK(trouble(says(answer(R"({"token": "a\r\nHost: b"})"))).ends_with("a token with blanks or control characters"));
    CHECK(trouble(says(answer(R"({"token": 7})"))).find("status.token: expected a string") != std::string::npos);
    CHECK(trouble(says(answer(R"({"token": "t", "expirationTimestamp": "soon"})")))
              .find("status.expirationTimestamp: expected a time") != std::string::npos);
}

TEST_CASE("exec credential: a program that misbehaves costs its time and no more", "[kube]") {
    const auto began = std::chrono::steady_clock::now();
    CHECK(trouble("echo sorry >&2; exit 1") ==
          "config: getting credentials: exec: executable P failed: exit code 1: sorry\n");
    CHECK(trouble("kill -SEGV $$").starts_with("config: getting credentials: exec: executable P failed: ended by Seg"));
    CHECK(trouble("exec sleep 1000") == "config: getting credentials: exec: executable P failed: no end within 1 s");
    CHECK(trouble("exec >&- 2>&-; trap '' TERM INT HUP; while :; do sleep 1; done") ==
          "config: getting credentials: exec: executable P failed: no end within 1 s");
    CHECK(trouble("yes") ==
          "config: getting credentials: exec: executable P failed: more than 1048576 bytes of output");
    CHECK(trouble("yes >&2").starts_with(
        "config: getting credentials: exec: executable P failed: no end within 1 s: y\n"));
    CHECK(trouble("exec cat").starts_with("config: getting credentials: decoding stdout"));  // nothing to read
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));
    kube::ExecCredential missing([] {
        auto out = settings("no-such-program-anywhere");
        out.install_hint = "get it at example.com";
        return out;
    }());
    CHECK(missing.start().error().text ==
          "config: getting credentials: exec: executable no-such-program-anywhere not found\n\nget it at example.com");
}

TEST_CASE("exec credential: who waits in the background, and children that stay, hold nobody up", "[kube]") {
    TestDirectory directory;
    const auto began = std::chrono::steady_clock::now();
    {
        // The child of the program keeps the pipe open.
        auto patient = settings(script(directory, "sleep 30 & " + says(answer(R"({"token": "t"})"))));
        patient.patience = std::chrono::milliseconds(20000);
        kube::ExecCredential credential(patient);
        REQUIRE(credential.start());
        script(directory, "exec sleep 30");
        credential.refused();
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    }
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(10));
}

TEST_CASE("exec credential: what the kubeconfig says reaches the program", "[kube]") {
    TestDirectory directory;
    script(directory, "[ -z \"$(cat)\" ] && printf '%s\\n' \"$KUBERNETES_EXEC_INFO\" \"$A\" \"$@\" >" +
                          directory.file("seen") + "\n" + says(answer(R"({"token": "t"})")));
    const auto authority = make_certificate("DNS:h").pem;
    directory.write("ca.crt", authority);
    const auto config = [&](const std::string &exec) {
        return directory.write(
            "config",
            "kind: Config\ncurrent-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
            "clusters: [{name: c, cluster: {server: 'https://h:1', certificate-authority: ca.crt, "
            "tls-server-name: n, extensions: [{name: client.authentication.k8s.io/exec, extension: {x: "
            "[1]}}]}}]\nusers: [{name: u, user: {exec: {" +
                exec + "}}}]\n");
    };
    auto read = kube::read_kubeconfig(config("apiVersion: " + v1 +
                                             ", command: ./give, args: [one, 'two words'], env: [{name: A, value: b}], "
                                             "interactiveMode: Never, provideClusterInfo: true"));
    if (!read) FAIL(read.error().text);
    REQUIRE(read->exec);
    REQUIRE(read->exec->start());
    CHECK(kube::Bearer(*read).token() == "t");
    CHECK(content_of(directory.file("seen")) ==
          R"({"kind":"ExecCredential","apiVersion":")" + v1 +
              R"(","spec":{"cluster":{"server":"https://h:1","tls-server-name":"n","certificate-authority-data":)"
              "\"" +
              base64(authority) +
              R"(","config":{"x":[1]}},"interactive":false}})"
              "\nb\none\ntwo words\n");
    const auto wrong = [&](const std::string &exec, const std::string &text) {
        auto refused = kube::read_kubeconfig(config(exec));
        REQUIRE_FALSE(refused);
        CAPTURE(refused.error().text);
        CHECK(refused.error().text.find(text) != std::string::npos);
    };
    wrong("apiVersion: " + v1 + ", command: x",
          "exec.interactiveMode: expected Never, IfAvailable or Always, got \"\"");
    wrong("apiVersion: v1, command: x, interactiveMode: Never",
          "exec.apiVersion: expected client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1, got "
          "\"v1\"");
    wrong("apiVersion: " + v1 + ", interactiveMode: Never", "exec.command: expected a program");
    wrong("apiVersion: " + v1 + ", command: x, interactiveMode: Never, env: [{value: x}]", "env[0].name: expected");
    auto older = kube::read_kubeconfig(config("apiVersion: client.authentication.k8s.io/v1beta1, command: x"));
    CHECK(older);
}
