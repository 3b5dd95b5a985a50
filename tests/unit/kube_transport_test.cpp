// SPDX-License-Identifier: Apache-2.0
#include "http_server.h"
#include "test_directory.h"

#include "catch.h"
#include "env/loop.h"
#include "kube/beast_transport.h"
#include "kube/cpprest_transport.h"
#include "kube/http_connection.h"
#include "kube/url.h"

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

using namespace berth;

namespace {

using kube::HttpAnswer;
using kube::Transport;
using Session = HttpServer::Session;
using Ssl = boost::asio::ssl::context;

/// One that a loop serves, with the loop.
class Looped final : public Transport {
    env::Loop loop_;
    std::unique_ptr<Transport> inner_;
    std::atomic<StreamId> streams_ = 0;
    std::map<StreamId, StreamId> inner_streams_;  ///< loop
    std::thread thread_;

public:
    explicit Looped(const kube::Credentials &credentials) {
        auto made = kube::make_beast_transport_on(loop_.context(), credentials);
        REQUIRE(made);
        inner_ = std::move(*made);
        thread_ = std::thread([this] { loop_.run(); });
    }
    ~Looped() override {
        loop_.post([this] { loop_.stop(); });
        thread_.join();
        inner_.reset();
    }
    void request(kube::HttpRequest request, Done done) override {
        loop_.post([this, request, done] { inner_->request(request, done); });
    }
    StreamId stream(kube::HttpRequest request, Data data, Done done) override {
        auto id = ++streams_;
        loop_.post([this, id, request, data, done] { inner_streams_[id] = inner_->stream(request, data, done); });
        return id;
    }
    void cancel(StreamId stream) override {
        loop_.post([this, stream] { inner_->cancel(inner_streams_[stream]); });
    }
};

std::unique_ptr<Transport> make(const std::string &kind, const kube::Credentials &credentials) {
    prepare_transports();
    if (kind == "loop") return std::make_unique<Looped>(credentials);
    auto made = kind == "beast" ? kube::make_beast_transport(credentials) : kube::make_cpprest_transport(credentials);
    REQUIRE(made);
    return std::move(*made);
}

std::unique_ptr<Transport> make(const std::string &kind, const std::string &server) {
    kube::Credentials credentials;
    credentials.server = server;
    return make(kind, credentials);
}

/// Answers in the order in which they came, from whatever thread.
class Answers {
    std::mutex mutex_;
    std::condition_variable more_;
    std::vector<HttpAnswer> all_;

public:
    Transport::Done done() {
        return [this](HttpAnswer answer) {
            std::lock_guard lock(mutex_);
            all_.push_back(std::move(answer));
            more_.notify_all();
        };
    }
    /// Waits for that many.
    std::vector<HttpAnswer> await(std::size_t count) {
        constexpr std::chrono::seconds patience{20};
        std::unique_lock lock(mutex_);
        more_.wait_for(lock, patience, [&] { return all_.size() >= count; });
        CHECK(all_.size() == count);
        return all_;
    }
    HttpAnswer one() {
        auto all = await(1);
        REQUIRE(!all.empty());
        return all[0];
    }
};

kube::HttpRequest get(const std::string &path) { return {"GET", path, {}, {}}; }

HttpAnswer ask(Transport &transport, const kube::HttpRequest &request) {
    Answers answers;
    transport.request(request, answers.done());
    return answers.one();
}

/// Whether the request has this header; cpprestsdk puts no blank after the colon.
bool has(const std::string &request, const std::string &name, const std::string &value) {
    auto head = request.substr(0, request.find("\r\n\r\n") + 2);
    return head.find("\r\n" + name + ": " + value + "\r\n") != head.npos ||
           head.find("\r\n" + name + ":" + value + "\r\n") != head.npos;
}

std::string kind_of_test() { return GENERATE(as<std::string>{}, "beast", "loop", "cpprest"); }

}  // namespace

TEST_CASE("transport: a request arrives as it is, and its answer comes back", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    std::string seen;
    HttpServer server([&](Session &session, const std::string &request) {
        seen = request;
        session.answer(429, "slowly", "Retry-After: 7\r\n");
        return true;
    });
    kube::Credentials credentials;
    credentials.server = server.url() + "/base";
    credentials.token = "secret";
    auto transport = make(kind, credentials);
    const std::string accept = GENERATE(as<std::string>{}, "application/json", "application/x, application/json");
    auto answer = ask(*transport,
                      {"POST", "/api/v1/namespaces/a/pods/p%2Fq/binding?x=1", "application/json", "{\"a\":1}", accept});
    CHECK(answer.status == 429);
    CHECK(answer.body == "slowly");
    CHECK(answer.retry_after_s == 7);
    CHECK_FALSE(answer.unsent);
    CHECK(seen.starts_with("POST /base/api/v1/namespaces/a/pods/p%2Fq/binding?x=1 HTTP/1.1\r\n"));
    CAPTURE(seen);
    CHECK(seen.ends_with("\r\n\r\n{\"a\":1}"));
    CHECK(has(seen, "Host", server.url().substr(7)));
    CHECK(has(seen, "Accept", accept));
    CHECK(has(seen, "Content-Type", "application/json"));
    CHECK(has(seen, "Content-Length", "7"));
    CHECK(has(seen, "Authorization", "Bearer secret"));
}

TEST_CASE("transport: many requests share a few connections", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    constexpr std::size_t many = 300;
    HttpServer server([&](Session &session, const std::string &request) {
        session.answer(200, request.substr(0, request.find(" HTTP")));
        return true;
    });
    auto transport = make(kind, server.url());
    Answers answers;
    std::set<std::string> expected, got;
    for (std::size_t i = 0; i < many; ++i) {
        expected.insert("GET /" + std::to_string(i));
        transport->request(get("/" + std::to_string(i)), answers.done());
    }
    for (auto &answer : answers.await(many)) got.insert(answer.body);
    CHECK(got == expected);
    if (kind == "beast") CHECK(server.connections() <= 100);
    for (int i = 0; i < 3; ++i) CHECK(ask(*transport, get("/again")).status == 200);
}

TEST_CASE("transport: a large answer arrives whole, with and without its length", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    std::string large(3'000'000, 'x');
    HttpServer server([&](Session &session, const std::string &request) {
        if (request.starts_with("GET /length")) {
            session.answer(200, large);
        } else {
            session.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
            char size[16];
            for (std::size_t at = 0; at < large.size(); at += 70'000) {
                auto piece = large.substr(at, 70'000);
                (void)std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
                session.write(size + piece + "\r\n");
            }
            session.write("0\r\n\r\n");
        }
        return true;
    });
    auto transport = make(kind, server.url());
    for (const char *path : {"/length", "/chunks", "/length"}) {
        auto answer = ask(*transport, get(path));
        CHECK(answer.status == 200);
        CHECK(answer.body == large);
    }
}

TEST_CASE("transport: a stream comes in pieces until the server ends it", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    HttpServer server([&](Session &session, const std::string &request) {
        if (request.starts_with("GET /refused")) {
            session.answer(410, "gone");
            return true;
        }
        session.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab\n\r\n");
        session.write("2\r\nc");
        session.write("\n\r\n0\r\n\r\n");
        return true;
    });
    auto transport = make(kind, server.url());
    for (const char *path : {"/watch", "/refused"}) {
        Answers answers;
        std::string data;
        std::mutex mutex;
        transport->stream(
            get(path),
            [&](std::string_view bytes) {
                std::lock_guard lock(mutex);
                data += bytes;
            },
            answers.done());
        auto answer = answers.one();
        bool refused = std::string_view(path) == "/refused";
        std::lock_guard lock(mutex);
        CHECK(answer.status == (refused ? 410 : 200));
        CHECK(answer.body == (refused ? "gone" : ""));
        CHECK(data == (refused ? "" : "ab\nc\n"));
    }
}

TEST_CASE("transport: a stream that is cancelled ends, once", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    HttpServer server([&](Session &session, const std::string &) {
        session.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab\n\r\n");
        session.await_end();
        return false;
    });
    Answers began, ended;
    auto transport = make(kind, server.url());
    auto stream = transport->stream(get("/watch"), [told = began.done()](std::string_view) { told({}); }, ended.done());
    began.one();
    transport->cancel(stream);
    CHECK(ended.one().status == 0);
    transport->cancel(stream);
    transport.reset();
    ended.await(1);
}

TEST_CASE("transport: what is under way when it goes is answered", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    Answers arrived, answers;
    HttpServer server([&, told = arrived.done()](Session &session, const std::string &) {
        told({});
        session.await_end();
        return false;
    });
    auto transport = make(kind, server.url());
    transport->request(get("/"), answers.done());
    transport->stream(get("/watch"), [](std::string_view) {}, answers.done());
    arrived.await(2);
    transport.reset();
    for (auto &answer : answers.await(2)) CHECK(answer.status == 0);
}

TEST_CASE("transport: a server that is not there has not seen the request", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    std::string url;
    {
        HttpServer server([](Session &, const std::string &) { return false; });
        url = server.url();
    }
    auto transport = make(kind, url);
    Answers answers;
    for (int i = 0; i < 20; ++i) transport->request(get("/"), answers.done());
    transport->stream(get("/watch"), [](std::string_view) {}, answers.done());
    for (auto &answer : answers.await(21)) {
        CHECK(answer.status == 0);
        CHECK(answer.unsent);
        CHECK(!answer.body.empty());
    }
}

TEST_CASE("transport: a connection that breaks off may have carried the request", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    auto start = GENERATE(as<std::string>{}, "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this",
                          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab");
    CAPTURE(start);
    HttpServer server([&](Session &session, const std::string &request) {
        if (request.starts_with("GET /good")) {
            session.answer(200, "good");
            return true;
        }
        session.write(start);
        return false;
    });
    auto transport = make(kind, server.url());
    auto answer = ask(*transport, {"POST", "/bad", "application/json", "{}"});
    CHECK(answer.status == 0);
    CHECK_FALSE(answer.unsent);
    CHECK(ask(*transport, get("/good")).body == "good");
}

TEST_CASE("transport: what is no HTTP is refused", "[kube]") {
    HttpServer server([&](Session &session, const std::string &request) {
        session.write(request.starts_with("GET /junk") ? "SSH-2.0-OpenSSH\r\n\r\n"
                                                       : "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n");
        session.await_end();
        return false;
    });
    auto transport = make("beast", server.url());
    for (const char *path : {"/junk", "/length"}) {
        auto answer = ask(*transport, get(path));
        CHECK(answer.status == 0);
        CHECK(answer.body.starts_with("the server's answer is not HTTP: "));
    }
}

// promise(admin): A path or a token cannot add a line to a request.
TEST_CASE("transport: a path or token cannot end a line of the request", "[kube]") {
    std::atomic<int> seen = 0;
    HttpServer server([&](Session &session, const std::string &) {
        ++seen;
        session.answer(200, "");
        return true;
    });
    kube::Credentials credentials;
    credentials.server = server.url();
    auto transport = make("beast", credentials);
    for (const char *path : {"/a b", "/a\r\nX: y", "/a\x7f"}) CHECK(ask(*transport, get(path)).status == 0);
    CHECK(ask(*transport, {"PATCH", "/a", "text/plain\r\nX: y", "{}"}).status == 0);
    credentials.token = "one\r\nX: y";
    CHECK(ask(*make("beast", credentials), get("/")).status == 0);
    CHECK(seen == 0);
    CHECK(ask(*transport, get("/%C3%A9")).status == 200);
}

TEST_CASE("transport: an idle connection that the server closes costs no request", "[kube]") {
    HttpServer server([&](Session &session, const std::string &) {
        session.answer(200, "once");
        return false;
    });
    auto transport = make("beast", server.url());
    for (int i = 0; i < 5; ++i) {
        CHECK(ask(*transport, get("/")).body == "once");
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    CHECK(server.connections() == 5);
}

TEST_CASE("transport: a token file is read, and wins", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    std::string seen;
    HttpServer server([&](Session &session, const std::string &request) {
        seen = request;
        session.answer(200, "");
        return true;
    });
    auto path = std::filesystem::temp_directory_path() / "berth-transport-token";
    std::ofstream(path) << "from-file\n";
    kube::Credentials credentials;
    credentials.server = server.url();
    credentials.token = "given";
    credentials.token_file = path;
    CHECK(ask(*make(kind, credentials), get("/")).status == 200);
    CHECK(has(seen, "Authorization", "Bearer from-file"));
    std::filesystem::remove(path);
}

// promise(peer): Berth verifies every server unless the configuration disables verification, and sends its token only
// to the verified server.
TEST_CASE("transport: TLS with names, addresses and client certificates", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    auto theirs = make_certificate("DNS:api.example,IP:127.0.0.1,IP:0:0:0:0:0:0:0:1"),
         ours = make_certificate("DNS:me");
    auto other = make_certificate("DNS:api.example,IP:127.0.0.1");
    Ssl context(Ssl::tls_server);
    context.use_certificate_chain(boost::asio::buffer(theirs.pem));
    context.use_private_key(boost::asio::buffer(theirs.key), Ssl::pem);
    context.add_certificate_authority(boost::asio::buffer(ours.pem));
    context.set_verify_mode(boost::asio::ssl::verify_peer | boost::asio::ssl::verify_fail_if_no_peer_cert);
    auto handler = [](Session &session, const std::string &) {
        session.answer(200, "private");
        return true;
    };
    HttpServer four(handler, &context), six(handler, &context, "::1");

    kube::Credentials credentials;
    credentials.authority = theirs.pem;
    credentials.certificate = ours.pem;
    credentials.key = ours.key;
    for (const auto *server : {&four, &six}) {
        credentials.server = server->url("https");
        CAPTURE(credentials.server);
        CHECK(ask(*make(kind, credentials), get("/")).body == "private");
        credentials.server_name = "api.example";
        CHECK(ask(*make(kind, credentials), get("/")).body == "private");
        credentials.server_name = "other.example";
        auto wrong = ask(*make(kind, credentials), get("/"));
        CHECK(wrong.status == 0);
        CHECK(wrong.body.find("expected a certificate that the certificate-authority signed") != std::string::npos);
        credentials.server_name.clear();
    }
    auto stranger = credentials;
    stranger.authority = other.pem;
    CHECK(ask(*make(kind, stranger), get("/")).status == 0);
    stranger.authority.clear();
    CHECK(ask(*make(kind, stranger), get("/")).status == 0);
    stranger.insecure = true;
    CHECK(ask(*make(kind, stranger), get("/")).body == "private");
    stranger = credentials;
    stranger.certificate.clear();
    CHECK(ask(*make(kind, stranger), get("/")).status == 0);
}

// promise(peer): If the configuration names an authority for a server, Berth trusts only that authority, and not the
// machine's public authorities.
TEST_CASE("transport: the system's authorities count only where there is no other", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    auto theirs = make_certificate("IP:127.0.0.1"), other = make_certificate("IP:127.0.0.1");
    Ssl context(Ssl::tls_server);
    context.use_certificate_chain(boost::asio::buffer(theirs.pem));
    context.use_private_key(boost::asio::buffer(theirs.key), Ssl::pem);
    HttpServer server(
        [](Session &session, const std::string &) {
            session.answer(200, "private");
            return true;
        },
        &context);
    prepare_transports();
    // Programs that Berth starts, and extenders that public authorities vouch for, find what was there before.
    auto variable = [] {
        const char *value = std::getenv("SSL_CERT_FILE");
        return value ? std::optional<std::string>(value) : std::nullopt;
    };
    const auto before = variable();
    CHECK(before != "/dev/null");
    TestDirectory directory;
    ::setenv("SSL_CERT_FILE", directory.write("system.crt", theirs.pem).c_str(), 1);
    kube::Credentials credentials;
    credentials.server = server.url("https");
    CHECK(ask(*make(kind, credentials), get("/")).status == 0);
    credentials.authority = other.pem;
    CHECK(ask(*make(kind, credentials), get("/")).status == 0);
    credentials.authority.clear();
    credentials.system_authorities = true;
    CHECK(ask(*make(kind, credentials), get("/")).body == "private");
    if (before) ::setenv("SSL_CERT_FILE", before->c_str(), 1);
    else ::unsetenv("SSL_CERT_FILE");
}

TEST_CASE("transport: client certificates are read again from their files", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    TestDirectory directory;
    auto theirs = make_certificate("IP:127.0.0.1"), first = make_certificate("DNS:me"),
         second = make_certificate("DNS:me");
    auto context_for = [&](const Certificate &client) {
        auto context = std::make_unique<Ssl>(Ssl::tls_server);
        context->use_certificate_chain(boost::asio::buffer(theirs.pem));
        context->use_private_key(boost::asio::buffer(theirs.key), Ssl::pem);
        context->add_certificate_authority(boost::asio::buffer(client.pem));
        context->set_verify_mode(boost::asio::ssl::verify_peer | boost::asio::ssl::verify_fail_if_no_peer_cert);
        return context;
    };
    auto context = context_for(first);
    HttpServer server(
        [](Session &session, const std::string &) {
            session.answer(200, "private");
            return true;
        },
        context.get());
    kube::Credentials credentials;
    credentials.server = server.url("https");
    credentials.authority = theirs.pem;
    credentials.certificate = first.pem;
    credentials.key = first.key;
    credentials.certificate_file = directory.write("me.crt", first.pem);
    credentials.key_file = directory.write("me.key", first.key);
    credentials.reread = std::chrono::milliseconds(0);
    auto transport = make(kind, credentials);
    CHECK(ask(*transport, get("/")).body == "private");
    auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(1300)); };  // Beast looks once a second
    // Half of it is written: the first goes on, on the connection that it has.
    directory.write("me.crt", second.pem);
    pause();
    CHECK(ask(*transport, get("/")).body == "private");
    CHECK(server.connections() == 1);
    // The new one is shown on a new connection; this server does not know it.
    directory.write("me.key", second.key);
    pause();
    CHECK(ask(*transport, get("/")).status == 0);
    CHECK(server.connections() > 1);
}

// promise(admin): Berth refuses unusable credentials before it sends a request.
TEST_CASE("transport: unusable credentials are refused before anything is sent", "[kube]") {
    kube::Credentials credentials;
    credentials.where = "my.conf";
    credentials.server = "https://127.0.0.1:1";
    credentials.certificate = "-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n";
    credentials.key = "junk";
    for (auto make_transport : {kube::make_beast_transport, kube::make_cpprest_transport}) {
        auto made = make_transport(credentials);
        REQUIRE_FALSE(made);
        CHECK(made.error().text.starts_with("my.conf: the server's address, certificate-authority"));
    }
}

namespace {

/// A server that speaks HTTP/2, and who may ask it.
struct Http2Server {
    Certificate theirs = make_certificate("IP:127.0.0.1");
    Ssl context = context_of(theirs);
    HttpServer server;
    kube::Credentials credentials;

    explicit Http2Server(HttpServer::Handler handler) : server(std::move(handler), &context) {
        credentials.server = server.url("https");
        credentials.authority = theirs.pem;
    }
    static Ssl context_of(const Certificate &certificate) {
        Ssl out(Ssl::tls_server);
        out.use_certificate_chain(boost::asio::buffer(certificate.pem));
        out.use_private_key(boost::asio::buffer(certificate.key), Ssl::pem);
        offer_http2(out.native_handle());
        return out;
    }
};

std::string beast_or_loop() { return GENERATE(as<std::string>{}, "beast", "loop"); }

}  // namespace

TEST_CASE("transport: HTTP/2 where the server offers it", "[kube]") {
    auto kind = beast_or_loop();
    CAPTURE(kind);
    std::mutex mutex;
    std::string seen;
    Http2Server there([&](Session &session, const std::string &request) {
        {
            std::lock_guard lock(mutex);
            seen = request;
        }
        session.answer(200, request.substr(0, request.find(" HTTP")));
        return true;
    });
    auto transport = make(kind, there.credentials);
    CHECK(ask(*transport, {"POST", "/a", "application/json", "{}"}).body == "POST /a");
    CHECK(seen.starts_with("POST /a HTTP/2\r\n"));
    constexpr std::size_t many = 300;
    Answers answers;
    std::set<std::string> expected, got;
    for (std::size_t i = 0; i < many; ++i) {
        expected.insert("GET /" + std::to_string(i));
        transport->request(get("/" + std::to_string(i)), answers.done());
    }
    for (const auto &answer : answers.await(many)) got.insert(answer.body);
    CHECK(got == expected);
    CHECK(there.server.connections() < 100);

    // A stream has a connection of its own, and is read as it comes.
    Answers ended;
    transport->stream(get("/watch"), [](std::string_view) {}, ended.done());
    CHECK(ended.one().status == 200);
    CHECK(seen.starts_with("GET /watch HTTP/1.1\r\n"));
}

TEST_CASE("transport: what is under way in HTTP/2 is answered when the connection breaks", "[kube]") {
    auto kind = beast_or_loop();
    CAPTURE(kind);
    std::atomic<int> asked = 0;
    Http2Server there([&](Session &session, const std::string &) {
        if (++asked == 1) session.answer(200, "well");
        return asked < 4;
    });
    auto transport = make(kind, there.credentials);
    CHECK(ask(*transport, get("/first")).body == "well");
    Answers answers;
    for (int i = 0; i < 3; ++i) transport->request(get("/" + std::to_string(i)), answers.done());
    for (const auto &answer : answers.await(3)) {
        CHECK(answer.status == 0);
        CHECK_FALSE(answer.unsent);
        CHECK(answer.body == "the server closed the connection");
    }
}

TEST_CASE("transport: its end answers what HTTP/2 has under way", "[kube]") {
    auto kind = beast_or_loop();
    CAPTURE(kind);
    std::atomic<int> asked = 0;
    Http2Server there([&](Session &, const std::string &) { return ++asked > 0; });
    auto transport = make(kind, there.credentials);
    Answers answers;
    constexpr int most_at_once = 8;
    for (int i = 0; i < most_at_once; ++i) transport->request(get("/" + std::to_string(i)), answers.done());
    while (asked < most_at_once) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    transport.reset();
    for (const auto &answer : answers.await(most_at_once)) CHECK(answer.body == "cancelled");
}

TEST_CASE("transport: HTTP/2 that is quiet is pinged before it is closed", "[kube]") {
    std::atomic<bool> asked = false;
    Http2Server there([&](Session &, const std::string &) { return asked = true; });
    struct Owner final : kube::HttpConnection::Owner {
        bool open = false;
        std::string why;
        void idle(kube::HttpConnection &) override { open = true; }
        void closed(kube::HttpConnection &, const std::string &reason) override { why = reason; }
    } owner;
    Ssl context(Ssl::tls_client);
    const kube::HttpConnection::Target target{*kube::parse_server(there.server.url("https")), "", &context, false};
    boost::asio::io_context io;
    auto connection = std::make_shared<kube::HttpConnection>(io, target, owner, true);
    connection->open();
    while (!owner.open && owner.why.empty()) io.run_one();
    REQUIRE(owner.open);
    connection->send({get("/"), {}, {}, [](const HttpAnswer &) {}, 0});
    while (!asked) io.run_one_for(std::chrono::milliseconds(10));
    // As after a time in which the thread stood still.
    const auto later = kube::HttpConnection::Clock::now() + std::chrono::seconds(40);
    connection->check_time(later);
    CHECK(owner.why.empty());
    connection->check_time(later + std::chrono::seconds(1));
    CHECK(owner.why == "timed out: nothing came");
}

TEST_CASE("transport: what HTTP/2 cannot send is answered at once", "[kube]") {
    auto kind = beast_or_loop();
    CAPTURE(kind);
    Http2Server there([&](Session &session, const std::string &) {
        session.answer(200, "well");
        return true;
    });
    auto transport = make(kind, there.credentials);
    CHECK(ask(*transport, get("/")).body == "well");
    constexpr std::size_t too_long = 70000;
    const auto began = std::chrono::steady_clock::now();
    auto answer = ask(*transport, get("/" + std::string(too_long, 'x')));
    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
    CHECK(answer.status == 0);
    CHECK(answer.unsent);
    CHECK(ask(*transport, get("/")).body == "well");
    CHECK(there.server.connections() == 1);
}

TEST_CASE("transport: whoever is told of a stream's data may cancel it", "[kube]") {
    HttpServer server([&](Session &session, const std::string &) {
        session.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n");
        session.await_end();
        return false;
    });
    kube::Credentials credentials;
    credentials.server = server.url();
    env::Loop loop;
    auto made = kube::make_beast_transport_on(loop.context(), credentials);
    REQUIRE(made);
    auto &transport = **made;
    bool in_data = false, done_in_data = false;
    std::string why;
    Transport::StreamId id = 0;
    id = transport.stream(
        get("/watch"),
        [&](std::string_view) {
            in_data = true;
            transport.cancel(id);
            in_data = false;
        },
        [&](HttpAnswer answer) {
            done_in_data = in_data;
            why = answer.body;
            loop.stop();
        });
    loop.run();
    CHECK(why == "cancelled");
    CHECK_FALSE(done_in_data);
}

TEST_CASE("transport: a connection whose request was answered before it was sent is not used again", "[kube]") {
    auto kind = beast_or_loop();
    CAPTURE(kind);
    // It reads no body.
    using tcp = boost::asio::ip::tcp;
    boost::asio::io_context io;
    tcp::acceptor acceptor(io, {boost::asio::ip::address_v4::loopback(), 0});
    std::thread server([&] {
        std::list<tcp::socket> sockets;
        for (const char *body : {"early", "later"}) {
            auto &socket = sockets.emplace_back(acceptor.accept());
            std::string in;
            boost::system::error_code error;
            boost::asio::read_until(socket, boost::asio::dynamic_buffer(in), "\r\n\r\n", error);
            boost::asio::write(
                socket, boost::asio::buffer("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + std::string(body)), error);
        }
    });
    kube::Credentials credentials;
    credentials.server = "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
    auto transport = make(kind, credentials);
    constexpr std::size_t large = 32 << 20;
    CHECK(ask(*transport, {"POST", "/", "text/plain", std::string(large, 'x')}).body == "early");
    CHECK(ask(*transport, get("/")).body == "later");
    transport.reset();
    // For a server that still waits.
    boost::system::error_code error;
    (void)tcp::socket(io).connect(acceptor.local_endpoint(), error);
    server.join();
}

TEST_CASE("server address: its parts", "[kube]") {
    auto plain = kube::parse_server("http://api.example");
    REQUIRE(plain);
    CHECK_FALSE(plain->tls);
    CHECK(plain->host + " " + plain->port + " " + plain->authority + " " + plain->path ==
          "api.example 80 api.example ");
    auto full = kube::parse_server("https://[fd00::1]:6443/k8s/clusters/c/");
    REQUIRE(full);
    CHECK(full->tls);
    CHECK(full->host + " " + full->port + " " + full->authority + " " + full->path ==
          "fd00::1 6443 [fd00::1]:6443 /k8s/clusters/c");
    CHECK(kube::parse_server("https://10.0.0.1")->port == "443");
    for (const char *wrong : {"", "api.example", "ftp://a", "https://", "https://:1", "https://a:", "https://a:0",
                              "https://a:65536", "https://a:1x", "https://[::1", "https://[::1]x", "https://u@a",
                              "https://a?b", "https://a/b#c", "https://a b"}) {
        CAPTURE(wrong);
        auto refused = kube::parse_server(wrong);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().text.find("is no address of a server: expected") != std::string::npos);
    }
    for (const char *secret : {"https://me:s3cret@a/b", "ftp://me:s3cret@a", "me:s3cret@a", "https://me:s3/s3cret@a"}) {
        CAPTURE(secret);
        auto refused = kube::parse_server(secret);
        REQUIRE_FALSE(refused);
        CHECK(refused.error().text.find("s3") == std::string::npos);
        CHECK(refused.error().text.find("xxxxx@a") != std::string::npos);
    }
}

// promise(peer): Once the lease is lost, Berth does not send requests that still wait for a connection.
TEST_CASE("transport: when a connection is ready, Berth asks again whether it may send the request", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    const bool secure = GENERATE(false, true);
    CAPTURE(secure);
    const auto certificate = make_certificate("IP:127.0.0.1");
    Ssl context(Ssl::tls_server);
    context.use_certificate_chain(boost::asio::buffer(certificate.pem));
    context.use_private_key(boost::asio::buffer(certificate.key), Ssl::pem);
    offer_http2(context.native_handle());
    std::mutex mutex;
    std::string seen;
    HttpServer server(
        [&](Session &session, const std::string &request) {
            std::lock_guard lock(mutex);
            seen += request.substr(0, request.find(" HTTP")) + "\n";
            session.answer(200, "done");
            return true;
        },
        secure ? &context : nullptr);
    kube::Credentials credentials;
    credentials.server = server.url(secure ? "https" : "http");
    credentials.authority = certificate.pem;
    auto transport = make(kind, credentials);
    std::atomic<bool> ours = false;
    kube::HttpRequest request{"PATCH", "/refused", "application/json", "{\"a\":1}"};
    request.why_not = [&] { return ours ? "" : "the lease is not ours"; };
    const auto refused = ask(*transport, request);
    CHECK(refused.status == 0);
    CHECK(refused.body == "the lease is not ours");
    CHECK(refused.unsent);
    ours = true;
    request.path = "/sent";
    CHECK(ask(*transport, request).status == 200);
    // The connection is of use, or another one is: nothing hangs.
    ours = false;
    request.path = "/refused-again";
    CHECK(ask(*transport, request).unsent);
    CHECK(ask(*transport, get("/read")).status == 200);
    transport.reset();
    std::lock_guard lock(mutex);
    CHECK(seen == "PATCH /sent\nGET /read\n");
}

// promise(peer): Endless bodies, headers and lines of an extender or the API server are cut off, with an error that
// names the server and the limit.
TEST_CASE("transport: an answer without end is cut off", "[kube]") {
    auto kind = kind_of_test();
    CAPTURE(kind);
    const std::string piece(64 << 10, 'x');
    constexpr int pieces = 128;  // 8 MiB
    HttpServer server([&](Session &session, const std::string &request) {
        const bool refused = request.find("/refused") != request.npos;
        if (request.find("/line") != request.npos) {
            session.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;");
            for (int i = 0; i < pieces; ++i) session.write(piece);
        } else if (request.find("/headers") != request.npos) {
            session.write("HTTP/1.1 200 OK\r\nA: ");
            for (int i = 0; i < pieces; ++i) session.write(piece);
        } else if (request.find("/length") != request.npos) {
            session.answer(200, piece + std::string(piece.size() * pieces, 'x'));
        } else {
            session.write(std::string("HTTP/1.1 ") + (refused ? "500 No" : "200 OK") +
                          "\r\nTransfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < pieces; ++i) session.write("10000\r\n" + piece + "\r\n");
            session.write("0\r\n\r\n");
        }
        return false;
    });
    auto transport = make(kind, server.url());
    auto small = [](const std::string &path) {
        auto request = get(path);
        request.most_bytes = 1 << 20;
        return request;
    };
    const auto place = server.url().substr(std::string("http://").size());
    auto is_cut_off = [&](const HttpAnswer &answer, const std::string &what) {
        CHECK(answer.status == 0);
        CHECK(answer.body.find(place) != std::string::npos);
        CHECK(answer.body.find(what) != std::string::npos);
    };
    for (const char *path : {"/chunks", "/length", "/refused"}) {
        const auto answer = ask(*transport, small(path));
        is_cut_off(answer, " sent an answer of more than 1 MiB");
        CHECK(answer.too_long);
    }
    Answers refused;
    transport->stream(small("/refused"), [](std::string_view) {}, refused.done());
    is_cut_off(refused.one(), " sent an answer of more than 1 MiB");
    if (kind != "cpprest")
        for (const char *path : {"/line", "/headers"}) {
            const auto answer = ask(*transport, small(path));
            is_cut_off(answer, " sent headers or a line of more than 64 KiB");
            CHECK_FALSE(answer.too_long);
        }
    // A stream may have any length.
    std::atomic<std::size_t> got = 0;
    Answers whole;
    transport->stream(small("/chunks"), [&](std::string_view bytes) { got += bytes.size(); }, whole.done());
    CHECK(whole.one().status == 200);
    CHECK(got == piece.size() * pieces);
}

// promise(peer): A call to an extender that answers one byte at a time ends at the extender's `httpTimeout`.
TEST_CASE("transport: an answer that is incomplete at its time limit fails the request", "[kube]") {
    auto kind = GENERATE(as<std::string>{}, "beast", "loop");
    CAPTURE(kind);
    std::atomic<bool> over = false;
    HttpServer server([&](Session &session, const std::string &) {
        session.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        for (int i = 0; i < 999 && !over; ++i) {
            session.write("x");
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return false;
    });
    auto transport = make(kind, server.url());
    auto request = get("/");
    request.whole = std::chrono::milliseconds(500);
    const auto answer = ask(*transport, request);
    over = true;
    CHECK(answer.status == 0);
    CHECK(answer.body.starts_with("timed out: "));
}

// promise(peer): If a server accepts connections but no requests, waiting requests fail after a time limit.
TEST_CASE("transport: a request that no connection takes is given up", "[kube]") {
    auto kind = GENERATE(as<std::string>{}, "beast", "loop");
    CAPTURE(kind);
    auto certificate = make_certificate("IP:127.0.0.1");
    Ssl tls(Ssl::tls_server);
    tls.use_certificate_chain(boost::asio::buffer(certificate.pem));
    tls.use_private_key(boost::asio::buffer(certificate.key), Ssl::pem);
    offer_http2(tls.native_handle());
    boost::asio::io_context io;
    boost::asio::ip::tcp::acceptor acceptor(io, {boost::asio::ip::make_address("127.0.0.1"), 0});
    std::thread peer([&] {
        boost::system::error_code error;
        boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream(acceptor.accept(error), tls);
        if (error) return;
        (void)stream.handshake(boost::asio::ssl::stream_base::server, error);
        // SETTINGS: no streams at a time.
        const std::string settings("\0\0\6\4\0\0\0\0\0\0\3\0\0\0\0", 15);
        boost::asio::write(stream, boost::asio::buffer(settings), error);
        char bytes[512];
        while (!error) stream.read_some(boost::asio::buffer(bytes), error);
    });
    kube::Credentials credentials;
    credentials.server = "https://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
    credentials.authority = certificate.pem;
    auto transport = make(kind, credentials);
    // Until the settings have come, there seems to be room.
    Answers first, second;
    auto request = get("/");
    request.patience = std::chrono::seconds(2);
    transport->request(request, first.done());
    CHECK(first.one().status == 0);
    transport->request(request, second.done());
    const auto answer = second.one();
    CHECK(answer.status == 0);
    CHECK(answer.body.find("no connection to 127.0.0.1:") != std::string::npos);
    CHECK(answer.body.find(" took the request within ") != std::string::npos);
    CHECK(answer.unsent);
    acceptor.close();
    transport.reset();
    peer.join();
}
