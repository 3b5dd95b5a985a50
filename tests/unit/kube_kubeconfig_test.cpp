// SPDX-License-Identifier: Apache-2.0
#include "kube/kubeconfig.h"

#include "base64_text.h"
#include "catch.h"
#include "decode/base64.h"
#include "http_server.h"
#include "test_directory.h"

#include <cstdlib>
#include <filesystem>

using namespace berth;

namespace {

const std::string pem = make_certificate("DNS:h").pem;

std::string with(const std::string &cluster, const std::string &user) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
           "contexts:\n- name: elsewhere\n  context: {cluster: x, user: y}\n- name: here\n"
           "  context:\n    cluster: c\n    user: u\n    namespace: ignored\n"
           "clusters:\n- name: c\n  cluster: {" +
           cluster + "}\nusers:\n- name: u\n  user: {" + user + "}\n";
}

}  // namespace

TEST_CASE("kubeconfig: files beside it, a token file", "[kube]") {
    TestDirectory directory;
    directory.write("ca.crt", pem);
    directory.write("me.crt", pem + "client");
    directory.write("me.key", "-----BEGIN PRIVATE KEY-----\n");
    directory.write("token", "secret\n");
    auto path = directory.write("config", with("server: 'https://127.0.0.1:6443/', certificate-authority: ca.crt",
                                               "client-certificate: me.crt, client-key: me.key, tokenFile: token"));
    auto c = kube::read_kubeconfig(path);
    REQUIRE(c);
    CHECK(c->server == "https://127.0.0.1:6443");
    CHECK(c->authority == pem);
    CHECK(c->certificate == pem + "client");
    CHECK(c->key == "-----BEGIN PRIVATE KEY-----\n");
    CHECK(c->certificate_file == directory.path / "me.crt");
    CHECK(c->key_file == directory.path / "me.key");
    CHECK(c->token_file == directory.path / "token");
    CHECK(c->token.empty());
}

TEST_CASE("kubeconfig: data in place wins over files", "[kube]") {
    TestDirectory directory;
    auto path = directory.write("config", with("server: 'https://h', certificate-authority: absent.crt, "
                                               "certificate-authority-data: " +
                                                   base64(pem) + ", tls-server-name: k8s",
                                               "token: abc"));
    auto c = kube::read_kubeconfig(path);
    REQUIRE(c);
    CHECK(c->authority == pem);
    CHECK(c->server_name == "k8s");
    CHECK(c->token == "abc");
}

TEST_CASE("kubeconfig: several files are merged as kubectl does, and a context can be chosen", "[kube]") {
    TestDirectory first, second;
    first.write("ca.crt", pem);
    second.write("token", "secret\n");
    const auto a =
        first.write("a",
                    "kind: Config\nclusters:\n- name: c\n  cluster: {server: 'https://first', "
                    "certificate-authority: ca.crt}\ncontexts:\n- name: here\n  context: {cluster: c, user: u}\n");
    const auto b =
        second.write("b",
                     "kind: Config\ncurrent-context: here\nclusters:\n- name: c\n  cluster: {server: "
                     "'https://second'}\ncontexts:\n- name: here\n  context: {cluster: none}\n- name: there\n"
                     "  context: {cluster: c, user: u, namespace: docks}\nusers:\n- name: u\n  user: {tokenFile: "
                     "token}\n");
    const std::vector<std::string> both{a, b};
    auto c = kube::read_kubeconfigs(both);
    REQUIRE(c);
    CHECK(c->server == "https://first");
    CHECK(c->authority == pem);
    CHECK(c->token_file == second.path / "token");
    CHECK(c->context == "here");
    CHECK(c->name_space.empty());
    CHECK(c->where == a + ":" + b);
    auto there = kube::read_kubeconfigs(both, "there");
    REQUIRE(there);
    CHECK(there->context == "there");
    CHECK(there->name_space == "docks");
    CHECK(kube::read_kubeconfigs(both, "ther").error().text ==
          a + ":6:1: contexts: expected an entry named \"ther\", which --context names; there is none; did you mean "
              "\"there\"?");
    second.write("b", "kind: Pod\n");
    CHECK(kube::read_kubeconfigs(both).error().text.find("b:1:7: kind: expected a kubeconfig file") !=
          std::string::npos);
}

TEST_CASE("kubeconfig: $KUBECONFIG names files, of which some may be absent", "[kube]") {
    TestDirectory home;
    using Paths = std::vector<std::string>;
    const auto a = home.write("a", ""), b = home.write("b", "");
    std::filesystem::create_directory(home.path / ".kube");
    const auto usual = home.write(".kube/config", "");
    ::setenv("HOME", home.path.c_str(), 1);
    ::unsetenv("KUBECONFIG");
    CHECK(*kube::usual_kubeconfigs(true) == Paths{usual});
    CHECK(kube::usual_kubeconfigs(false)->empty());
    const auto names = [](const std::string &paths) {
        ::setenv("KUBECONFIG", paths.c_str(), 1);
        auto found = kube::usual_kubeconfigs(true);
        return found ? *found : Paths{found.error().text};
    };
    CHECK(names(a + ":" + home.path.string() + "/none::" + b + ":" + a) == Paths{a, b});
    CHECK(names("/none:/nothing") == Paths{"$KUBECONFIG names /none:/nothing, of which no file is there; expected "
                                           "kubeconfig files with colons between"});
    CHECK(names("") == Paths{usual});
    ::unsetenv("KUBECONFIG");
}

TEST_CASE("kubeconfig: what is wrong is said with file, line and field", "[kube]") {
    TestDirectory directory;
    auto refused = [&](const std::string &text) {
        auto path = directory.write("config", text);
        auto c = kube::read_kubeconfig(path);
        REQUIRE_FALSE(c);
        std::string message = c.error().text;
        for (auto at = message.find(path); at != message.npos; at = message.find(path))
            message.replace(at, path.size(), "F");
        return message;
    };
    const std::string cluster = "server: 'https://h', insecure-skip-tls-verify: true";
    CHECK(refused(with(cluster, "auth-provider: {name: gcp}")).find("users[0].user.auth-provider: ") !=
          std::string::npos);
    CHECK(refused(with(cluster, "username: me, password: x")).find("users[0].user.username: ") != std::string::npos);
    CHECK(refused(with(cluster, "client-certificate-data: LS0tLS1CRUdJTiBY")).find("client-key is expected too") !=
          std::string::npos);
    CHECK(refused(with(cluster, "client-certificate-data: '!', client-key-data: LS0tLS1CRUdJTiBY"))
              .find("users[0].user.client-certificate-data: expected Base64") != std::string::npos);
    CHECK(refused(with(cluster, "tokenFile: nowhere")).find("nowhere: cannot be read: No such file") !=
          std::string::npos);
    CHECK(refused(with("server: 'https://h'", "token: x")).find("expected certificate-authority") != std::string::npos);
    CHECK(refused(with("server: h:6443, insecure-skip-tls-verify: true", "token: x"))
              .find("clusters[0].cluster.server: expected a URL") != std::string::npos);
    CHECK(refused(with("server: 'https://h', proxy-url: 'http://p', insecure-skip-tls-verify: true", "token: x"))
              .find("clusters[0].cluster.proxy-url: ") != std::string::npos);
    CHECK(refused("kind: Config\ncurrent-context: a\ncontexts: []\n") ==
          "F:3:11: contexts: expected an entry named \"a\", which is referred to; there is none");
    CHECK(refused("kind: Config\n").find("current-context: expected the name of a context") != std::string::npos);
    CHECK(refused("kind: Pod\n").find("kind: expected a kubeconfig file") != std::string::npos);
    CHECK(kube::read_kubeconfig(directory.path / "none").error().text ==
          (directory.path / "none").string() + ": cannot be read: No such file or directory");
    CHECK(kube::read_kubeconfig("/dev/zero").error().text == "/dev/zero: is larger than 64 MiB; expected a file");
    CHECK(kube::read_kubeconfig(directory.path).error().text ==
          directory.path.string() + ": is a directory; expected a file");
}

// promise(peer): An authority that is empty or contains no certificate is an error that names its field; it never
// disables verification.
TEST_CASE("kubeconfig: an authority without a certificate is refused", "[kube]") {
    TestDirectory directory;
    directory.write("empty.crt", "");
    directory.write("key.pem", "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n");
    directory.write("broken.crt", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
    auto refused = [&](const std::string &authority) {
        auto read =
            kube::read_kubeconfig(directory.write("config", with("server: 'https://h', " + authority, "token: x")));
        return read ? std::string("accepted") : read.error().text;
    };
    const auto says = [](const std::string &text, const std::string &part) {
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    };
    for (const char *none : {"certificate-authority: ''", "certificate-authority-data: ''"})
        says(refused(none), "expected certificate-authority or certificate-authority-data, and not empty");
    says(refused("certificate-authority: empty.crt"), "certificate-authority: ");
    says(refused("certificate-authority: empty.crt"), "empty.crt holds no PEM");
    says(refused("certificate-authority: key.pem"), "key.pem holds no certificate; expected in PEM");
    says(refused("certificate-authority: broken.crt"), "broken.crt holds a certificate that cannot be read");
    says(refused("certificate-authority: absent.crt"), "absent.crt: cannot be read");
    says(refused("certificate-authority-data: LS0tLS1CRUdJTiBY"), "certificate-authority-data: holds no certificate");
    directory.write("ca.crt", "");
    directory.write("token", "t");
    ::setenv("KUBERNETES_SERVICE_HOST", "h", 1);
    ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    auto pod = kube::in_cluster(directory.path);
    REQUIRE_FALSE(pod);
    says(pod.error().text, "/ca.crt: is empty; expected in PEM");
    ::unsetenv("KUBERNETES_SERVICE_HOST");
    ::unsetenv("KUBERNETES_SERVICE_PORT");
}

TEST_CASE("kubeconfig: a pod of the cluster", "[kube]") {
    TestDirectory directory;
    ::unsetenv("KUBERNETES_SERVICE_HOST");
    CHECK(kube::in_cluster(directory.path).error().text.find("KUBERNETES_SERVICE_HOST") != std::string::npos);
    ::setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
    ::setenv("KUBERNETES_SERVICE_PORT", "443", 1);
    CHECK(kube::in_cluster(directory.path).error().text.find("ca.crt: cannot be read") != std::string::npos);
    directory.write("ca.crt", pem);
    directory.write("token", "t");
    auto c = kube::in_cluster(directory.path);
    REQUIRE(c);
    CHECK(c->server == "https://[fd00::1]:443");
    CHECK(c->authority == pem);
    CHECK(c->token_file == directory.path / "token");
    ::unsetenv("KUBERNETES_SERVICE_HOST");
    ::unsetenv("KUBERNETES_SERVICE_PORT");
}

TEST_CASE("kubeconfig: Base64", "[kube]") {
    std::string out;
    auto decoded = [&](const char *text) { return decode::decode_base64(text, out) ? out : "refused"; };
    CHECK(decoded("") == "");
    CHECK(decoded("Zg==") == "f");
    CHECK(decoded("Zm8=") == "fo");
    CHECK(decoded("Zm9v\nYmFy") == "foobar");
    CHECK(decoded("Zm8") == "refused");  // as in Go, it has to be padded
    CHECK(decoded("Zm9 vYmFy") == "refused");
    CHECK(decoded("=") == "refused");
    CHECK(decoded("//8=") == "\xff\xff");
    CHECK(decoded("Z") == "refused");
    CHECK(decoded("Zm9v=") == "refused");
    CHECK(decoded("Zg==Zg==") == "refused");
    CHECK(decoded("Zm9-") == "refused");
}
