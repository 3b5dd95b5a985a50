// SPDX-License-Identifier: Apache-2.0
#include "server_world.h"

using namespace berth;
using namespace std::chrono_literals;

namespace {

using World = ServerWorld;
using kube::Answering;
using kube::HttpAnswer;
using kube::ServedAnswer;
using kube::ServedRequest;
using tcp = boost::asio::ip::tcp;
using Ssl = boost::asio::ssl::context;

/// Tells what it was asked.
void echo(const ServedRequest &request, const Answering &done) {
    done({200, request.method + " " + request.path + " " + request.query + " " + request.body, "text/plain"});
}

/// The first line of an answer, and whether the connection was closed within the time.
std::string first_line(const std::string &answer) { return answer.substr(0, answer.find("\r\n")); }

}  // namespace

TEST_CASE("server: a request arrives decoded, and its answer goes back", "[kube]") {
    World world;
    world.serve(echo);
    auto answer = world.ask({"POST", "/a%20b/c?x=1&y=%2F", "application/json", "{}"});
    CHECK(answer.status == 200);
    CHECK(answer.body == "POST /a b/c x=1&y=%2F {}");
    CHECK(world.get("/%00").status == 400);
    CHECK(world.get("/%zz").status == 400);
    auto raw = world.raw("HEAD /h HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    CHECK(first_line(raw) == "HTTP/1.1 200 OK");
    CHECK(raw.find("\r\nContent-Length: 9\r\n") != raw.npos);
    CHECK(raw.ends_with("\r\n\r\n"));
    CHECK(raw.find("\r\nX-Content-Type-Options: nosniff\r\n") != raw.npos);
    CHECK(raw.find("\r\nCache-Control: no-cache, private\r\n") != raw.npos);
}

TEST_CASE("server: without TLS it speaks plain HTTP, with the headers that an answer has", "[kube]") {
    auto made =
        kube::Server::listen("127.0.0.1", 0, std::nullopt, [](const ServedRequest &request, const Answering &done) {
            done({200, request.host, "text/x", {{"Cache-Control", "no-store"}, {"X-More", "1"}}});
        });
    REQUIRE(made);
    made->start();
    boost::asio::io_context io;
    tcp::socket socket(io);
    socket.connect({boost::asio::ip::make_address("127.0.0.1"), made->port()});
    const std::string request = "GET / HTTP/1.1\r\nHost: here:1\r\n";
    for (const char *end : {"\r\n", "Connection: close\r\n\r\n"})
        boost::asio::write(socket, boost::asio::buffer(request + end));
    std::string out;
    boost::system::error_code error;
    boost::asio::read(socket, boost::asio::dynamic_buffer(out), error);
    CHECK(error == boost::asio::error::eof);
    CHECK(first_line(out) == "HTTP/1.1 200 OK");
    CHECK(out.find("\r\nCache-Control: no-store\r\n") != out.npos);
    CHECK(out.find("no-cache") == out.npos);
    CHECK(out.find("\r\nX-More: 1\r\n") != out.npos);
    CHECK(out.find("\r\n\r\nhere:1HTTP/1.1 200 OK") != out.npos);
    CHECK(out.ends_with("\r\n\r\nhere:1"));
}

TEST_CASE("server: an answer goes on until one of the two ends it", "[kube]") {
    World world;
    auto made = std::make_shared<kube::ServedStream>();
    std::atomic<bool> asked = false;
    world.serve([&](const ServedRequest &, const Answering &done) {
        made->write("one ");
        done({200, "begin ", "text/event-stream", {}, made});
        asked = true;
    });
    std::thread later([&] {
        while (!asked) std::this_thread::sleep_for(1ms);
        for (const char *text : {"two ", "three"}) {
            std::this_thread::sleep_for(50ms);
            world.server->post([&, text] { made->write(text); });
        }
        world.server->post([&] { made->end(); });
    });
    const auto raw = world.raw("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    later.join();
    CAPTURE(raw);
    CHECK(raw.ends_with("\r\n\r\nbegin one two three"));
    CHECK(raw.find("\r\nConnection: close\r\n") != raw.npos);
    CHECK(raw.find("Content-Length") == raw.npos);

    made = std::make_shared<kube::ServedStream>();
    CHECK(world.raw("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ends_with("\r\n\r\n"));
    made = std::make_shared<kube::ServedStream>();
    {
        boost::asio::io_context io;
        Ssl context(Ssl::tls_client);
        boost::asio::ssl::stream<tcp::socket> stream(world.connect(io), context);
        stream.handshake(boost::asio::ssl::stream_base::client);
        boost::asio::write(stream, boost::asio::buffer(std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n")));
        std::string got;
        boost::asio::read_until(stream, boost::asio::dynamic_buffer(got), "begin one ");
    }
    // The client is gone, and whoever wrote learns of it without writing.
    auto ended = [&] {
        std::promise<bool> promise;
        world.server->post([&] { promise.set_value(made->ended()); });
        return promise.get_future().get();
    };
    for (int i = 0; i < 500 && !ended(); ++i) std::this_thread::sleep_for(10ms);
    CHECK(ended());
}

TEST_CASE("server: an answer may come later and from another thread, and whoever is gone gets none", "[kube]") {
    World world;
    std::vector<std::thread> threads;
    std::mutex mutex;
    world.serve([&](const ServedRequest &, const Answering &done) {
        std::lock_guard lock(mutex);
        threads.emplace_back([done] {
            std::this_thread::sleep_for(50ms);
            done({200, "late", "text/plain"});
            done({200, "again", "text/plain"});
        });
    });
    CHECK(world.get("/").body == "late");
    CHECK(world.get("/").body == "late");
    // One is asked and the server ends before the answer comes.
    boost::asio::io_context io;
    Ssl context(Ssl::tls_client);
    boost::asio::ssl::stream<tcp::socket> stream(world.connect(io), context);
    stream.handshake(boost::asio::ssl::stream_base::client);
    boost::asio::write(stream, boost::asio::buffer(std::string("GET / HTTP/1.1\r\nHost: x\r\n\r\n")));
    for (int i = 0; i < 100; ++i) {
        std::this_thread::sleep_for(10ms);
        std::lock_guard lock(mutex);
        if (threads.size() == 3) break;
    }
    world.server.reset();
    CHECK(threads.size() == 3);
    for (auto &thread : threads) thread.join();
}

TEST_CASE("server: nobody who answers too late holds a client up", "[kube]") {
    World world;
    std::vector<Answering> kept;
    kube::ServerLimits limits;
    limits.answer = 100ms;
    world.serve([&](const ServedRequest &, Answering done) { kept.push_back(std::move(done)); }, limits);
    auto answer = world.get("/");
    CHECK(answer.status == 504);
    CHECK(answer.body == "504 Gateway Timeout: the scheduler does not answer\n");
    kept.at(0)({200, "too late", "text/plain"});
    CHECK(world.get("/").status == 504);
}

// promise(peer): Berth refuses a request that is too large or is not HTTP, and serves the next client.
TEST_CASE("server: what is too large or no HTTP is refused and the next client served", "[kube]") {
    World world;
    kube::ServerLimits limits;
    limits.head_bytes = 4096;
    limits.body_bytes = 1000;
    world.serve(echo, limits);
    CHECK(first_line(world.raw("GET / HTTP/1.1\r\nX: " + std::string(10'000, 'x') + "\r\n\r\n")) ==
          "HTTP/1.1 431 Request Header Fields Too Large");
    CHECK(first_line(world.raw("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")) ==
          "HTTP/1.1 413 Payload Too Large");
    auto chunked =
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + std::string(2000, 'x') + "\r\n";
    CHECK(first_line(world.raw(chunked)) == "HTTP/1.1 413 Payload Too Large");
    for (const std::string garbage :
         {"\x01\x02\x03\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nA\r\n\r\n",
          "GET nowhere HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
          "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
        CAPTURE(garbage);
        CHECK(first_line(world.raw(garbage)) == "HTTP/1.1 400 Bad Request");
    }
    CHECK(world.ask({"POST", "/", "text/plain", std::string(1000, 'x')}).status == 200);
    auto expecting = world.raw(
        "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    CHECK(first_line(expecting) == "HTTP/1.1 100 Continue");
    CHECK(expecting.ends_with("POST /  hi"));
}

TEST_CASE("server: requests one behind the other are answered in turn", "[kube]") {
    World world;
    world.serve(echo);
    auto both = world.raw(
        "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /3 "
        "HTTP/1.1\r\n\r\n");
    auto first = both.find("GET /1"), second = both.find("GET /2");
    CHECK(first < second);
    CHECK(second != both.npos);
    CHECK(both.find("GET /3") == both.npos);
}

TEST_CASE("server: whoever says nothing, or says it slowly, is cut off", "[kube]") {
    World world;
    kube::ServerLimits limits;
    limits.handshake = limits.idle = limits.head = limits.body = 200ms;
    world.serve(echo, limits);
    auto closed_after = [&](const std::string &bytes, bool tls) {
        boost::asio::io_context io;
        auto start = std::chrono::steady_clock::now();
        boost::system::error_code error;
        std::string out;
        if (tls) {
            Ssl context(Ssl::tls_client);
            boost::asio::ssl::stream<tcp::socket> stream(world.connect(io), context);
            stream.handshake(boost::asio::ssl::stream_base::client);
            // A byte now and then does not count as a request.
            for (char c : bytes) {
                boost::asio::write(stream, boost::asio::buffer(&c, 1), error);
                if (error) break;
                std::this_thread::sleep_for(20ms);
            }
            boost::asio::read(stream, boost::asio::dynamic_buffer(out), error);
        } else {
            auto socket = world.connect(io);
            boost::asio::write(socket, boost::asio::buffer(bytes), error);
            boost::asio::read(socket, boost::asio::dynamic_buffer(out), error);
        }
        return std::chrono::steady_clock::now() - start;
    };
    CHECK(closed_after("", false) < 5s);
    CHECK(closed_after("GET / HTTP/1.1\r\n\r\n", false) < 5s);  // no TLS
    CHECK(closed_after("", true) < 5s);
    CHECK(closed_after("GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: slow and slower\r\n", true) < 5s);
    CHECK(closed_after("POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n", true) < 5s);
    CHECK(world.get("/well").status == 200);
}

TEST_CASE("server: silent clients do not keep others out", "[kube]") {
    constexpr std::size_t most = 8;
    World world;
    kube::ServerLimits limits;
    limits.silent = limits.greetings = limits.strangers = most;
    world.serve(echo, limits);
    boost::asio::io_context io;
    std::vector<tcp::socket> silent;
    for (std::size_t i = 0; i < 3 * most; ++i) silent.push_back(world.connect(io));
    for (int i = 0; i < 3; ++i) CHECK(world.get("/").status == 200);
}

TEST_CASE("server: a certificate that changes is used for new connections, a broken one is not", "[kube]") {
    World world;
    world.serve(echo);
    CHECK(world.get("/").status == 200);
    auto refresh = [&] {
        std::promise<std::string> promise;
        world.server->post([&] {
            auto read = world.server->tls().refresh();
            promise.set_value(read ? "" : read.error().text);
        });
        return promise.get_future().get();
    };
    auto fresh = make_certificate("IP:127.0.0.1");
    world.directory.write("tls.crt", fresh.pem);
    CHECK(refresh().find("tls.key: expected a certificate and its private key in PEM: ") != std::string::npos);
    CHECK(world.get("/").status == 200);
    world.directory.write("tls.key", fresh.key);
    CHECK(refresh().empty());
    CHECK(world.get("/").status == 0);
    world.certificate = fresh;
    CHECK(world.get("/").status == 200);
    world.directory.write("tls.crt", "junk");
    CHECK(refresh().find("tls.crt") != std::string::npos);
    CHECK(world.get("/").status == 200);
}

// promise(peer): Berth accepts a client certificate only if a trusted authority signed it.
TEST_CASE("server: clients are known by certificates that a trusted authority signed", "[kube]") {
    World world;
    auto ours = make_certificate("DNS:me"), theirs = make_certificate("DNS:other");
    world.settings.client_authorities_file = world.directory.write("clients.crt", ours.pem);
    auto tell = [](const ServedRequest &request, const Answering &done) {
        auto state = std::to_string(static_cast<int>(request.certificate.state));
        done({200, state + request.certificate.user.name, "text/plain"});
    };
    world.serve(tell);
    CHECK(world.get("/").body == "0");
    CHECK(world.ask({"GET", "/", {}, {}}, &ours).body == "1test");
    CHECK(world.ask({"GET", "/", {}, {}}, &theirs).body == "2");
    // What the cluster says counts, too.
    world.settings.client_authorities_file.clear();
    world.serve(tell);
    CHECK(world.ask({"GET", "/", {}, {}}, &ours).body == "2");
    std::promise<void> done;
    world.server->post([&] {
        world.server->tls().trust(ours.pem);
        done.set_value();
    });
    done.get_future().get();
    CHECK(world.ask({"GET", "/", {}, {}}, &ours).body == "1test");
}

TEST_CASE("server: without a certificate it makes one, and keeps it where it is told", "[kube]") {
    World world;
    world.settings = {{}, {}, world.directory.file("made"), {"127.0.0.1", "berth.example", "bad,DNS:x"}, {}, true};
    world.serve(echo);
    const auto pem = content_of(world.directory.file("made/kube-scheduler.crt"));
    world.certificate.pem = pem;
    CHECK(world.get("/").status == 200);
    world.server.reset();
    world.serve(echo);
    CHECK(content_of(world.directory.file("made/kube-scheduler.crt")) == pem);
    CHECK(world.get("/").status == 200);
    CHECK((std::filesystem::status(world.directory.file("made/kube-scheduler.key")).permissions() &
           std::filesystem::perms::mask) == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("server: a port in use and an address that is none are refused with what to do", "[kube]") {
    World world;
    world.serve(echo);
    auto listen = [&](const std::string &address) {
        auto tls = kube::ServerTls::open({});
        REQUIRE(tls);
        auto made = kube::Server::listen(address, world.server->port(), std::move(*tls), echo);
        return made ? "" : made.error().text;
    };
    auto port = std::to_string(world.server->port());
    CHECK(listen("127.0.0.1") ==
          "--secure-port " + port + ": cannot listen at 127.0.0.1, port " + port +
              ": Address already in use; expected a free port of this machine's: give another one, "
              "or 0 to serve nothing");
    CHECK(listen("somewhere") == "--bind-address: expected an IP address, got \"somewhere\"");
    kube::ServerTlsSettings settings;
    settings.client_authorities_file = world.key_file;
    auto refused = kube::ServerTls::open(settings);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text ==
          world.key_file + ": expected certificates in PEM, of the authorities that sign those of clients");
}
