// SPDX-License-Identifier: Apache-2.0
#include "server_world.h"

#include <openssl/core_names.h>
#include <openssl/param_build.h>

#include <sys/resource.h>

using namespace berth;
using namespace std::chrono_literals;

namespace {

using kube::Answering;
using kube::ServedAnswer;
using kube::ServedRequest;
using Clock = std::chrono::steady_clock;

constexpr auto soon = 5s;  ///< where a limit of milliseconds is meant, and without it there would be minutes

void ok(const ServedRequest &, const Answering &done) { done({200, "ok"}); }

/// Lets everybody in, as nobody in particular or as whoever the header says.
void by_header(ServedRequest request, const std::function<void(ServedRequest)> &allowed, const Answering &) {
    request.user.name = request.authorization;
    request.known = !request.authorization.empty();
    allowed(std::move(request));
}

std::string get(const std::string &user = {}, const std::string &more = {}) {
    return "GET / HTTP/1.1\r\nHost: x\r\n" + (user.empty() ? "" : "Authorization: " + user + "\r\n") + more + "\r\n";
}

/// A client that stays.
struct Client {
    boost::asio::io_context io;
    ClientContext context{ClientContext::tls_client};
    ClientStream stream;
    std::string in;

    explicit Client(const ServerWorld &world, const char *from = "127.0.0.1", int window = 0)
        : stream(Tcp::socket(io), context) {
        stream.next_layer() = world.connect(io, from);
        if (window > 0) stream.next_layer().set_option(boost::asio::socket_base::receive_buffer_size(window));
        patience(soon);
        stream.handshake(boost::asio::ssl::stream_base::client);
    }
    /// How long the kernel waits in a read or write.
    void patience(std::chrono::seconds time) {
        const timeval most{time.count(), 0};
        const int socket = stream.next_layer().native_handle();
        REQUIRE(::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most) == 0);
        REQUIRE(::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most) == 0);
    }
    bool write(const std::string &text) {
        boost::system::error_code error;
        boost::asio::write(stream, boost::asio::buffer(text), error);
        return !error;
    }
    /// The status of the next answer, whose body is "ok" or ends with the connection; 0: there is none.
    int answer() {
        boost::system::error_code error;
        while (in.find("\r\n\r\n") == in.npos) {
            char piece[4096];
            const auto n = stream.read_some(boost::asio::buffer(piece), error);
            if (error) return 0;
            in.append(piece, n);
        }
        const int status = std::stoi(in.substr(9, 3));
        const auto length = std::stoul(in.substr(in.find("Content-Length: ") + 16));
        const auto end = in.find("\r\n\r\n") + 4 + length;
        while (in.size() < end) {
            char piece[4096];
            const auto n = stream.read_some(boost::asio::buffer(piece), error);
            if (error) return 0;
            in.append(piece, n);
        }
        in.erase(0, end);
        return status;
    }
    int ask(const std::string &request) { return write(request) ? answer() : 0; }
    /// Whether the server closes, within the time.
    bool is_closed() {
        const auto start = Clock::now();
        boost::system::error_code error;
        boost::asio::read(stream, boost::asio::dynamic_buffer(in), error);
        return Clock::now() - start < soon;
    }
};

kube::ServerCounts counts(ServerWorld &world) {
    std::promise<kube::ServerCounts> promise;
    world.server->post([&] { promise.set_value(world.server->counts()); });
    return promise.get_future().get();
}

}  // namespace

// promise(peer): Berth serves the next client, from the same address or another, regardless of how many connections one
// address opens.
TEST_CASE("server: many connections from one address do not keep other clients out", "[kube]") {
    ServerWorld world;
    kube::ServerLimits limits;
    limits.silent = limits.strangers = 8;
    world.serve(ok, limits, by_header);
    Client early(world);
    CHECK(early.ask(get()) == 200);
    boost::asio::io_context io;
    std::vector<Tcp::socket> silent;
    std::vector<std::unique_ptr<Client>> crowd;
    for (int i = 0; i < 40; ++i) silent.push_back(world.connect(io, "127.0.0.2"));
    for (int i = 0; i < 20; ++i) {
        crowd.push_back(std::make_unique<Client>(world, "127.0.0.2"));
        CHECK(crowd.back()->ask(get()) == 200);
    }
    // Whoever has few connections keeps them.
    CHECK(early.ask(get()) == 200);
    // The first of the crowd took the place of one more that is silent.
    CHECK(counts(world).strangers == 8 + 7);
    CHECK(counts(world).crowded_out == 33 + 13);
    CHECK(counts(world).accepted == 61);
}

// promise(peer): A client that is being served keeps its connection, even if many others from its address connect
// without sending a byte or wait for their handshake.
TEST_CASE("server: a connection without a request does not replace one that is being served", "[kube]") {
    ServerWorld world;
    kube::ServerLimits limits;
    limits.silent = limits.greetings = limits.strangers = 4;
    limits.handshakes = 0.001;
    std::promise<Answering> asked;
    world.serve([&](const ServedRequest &, const Answering &done) { asked.set_value(done); }, limits, by_header);
    Client served(world);
    CHECK(served.write(get()));
    auto done = asked.get_future().get();
    boost::asio::io_context io;
    std::vector<Tcp::socket> crowd;
    for (int i = 0; i < 80; ++i) {
        crowd.push_back(world.connect(io));
        boost::system::error_code is_closed;
        if (i % 2 == 0) boost::asio::write(crowd.back(), boost::asio::buffer("\x16\x03\x01", 3), is_closed);
    }
    const auto start = Clock::now();
    while (counts(world).crowded_out < 80 - 4 - 4 && Clock::now() - start < soon) std::this_thread::sleep_for(1ms);
    CHECK(counts(world).accepted == 81);
    CHECK(counts(world).strangers <= 1 + 4 + 4);
    done({200, "ok"});
    CHECK(served.answer() == 200);
}

// promise(peer): Strangers, regardless of their number, do not displace authorized clients.
TEST_CASE("server: strangers do not crowd out those who are known", "[kube]") {
    ServerWorld world;
    kube::ServerLimits limits;
    limits.strangers = 4;
    limits.known = 3;
    limits.stranger = 200ms;
    world.serve(ok, limits, by_header);
    std::vector<std::unique_ptr<Client>> ours;
    for (const char *user : {"ann", "bob", "bob"}) {
        ours.push_back(std::make_unique<Client>(world));
        CHECK(ours.back()->ask(get(user)) == 200);
    }
    boost::asio::io_context io;
    std::vector<Tcp::socket> crowd;
    for (int i = 0; i < 20; ++i) crowd.push_back(world.connect(io));
    std::this_thread::sleep_for(600ms);  // a stranger's time
    for (auto &one : ours) CHECK(one->ask(get("ann")) == 200);
    // Nor does one user those of another: the third connection of ann's takes the place of her first.
    CHECK(ours[1]->ask(get("bob")) == 200);
    Client fourth(world);
    CHECK(fourth.ask(get("ann")) == 200);
    CHECK(ours[1]->ask(get("bob")) == 200);
    CHECK(ours[0]->ask(get("ann")) == 0);
    CHECK(counts(world).known == 3);
}

// promise(peer): Berth disconnects a client that does not read its answers within seconds.
TEST_CASE("server: whoever does not read is cut off", "[kube]") {
    ServerWorld world;
    kube::ServerLimits limits;
    limits.stall = 200ms;
    const std::string large(64 << 20, 'x');
    limits.together_bytes = 2 * large.size();
    world.serve([&](const ServedRequest &, const Answering &done) { done({200, large}); }, limits, by_header);
    Client lazy(world, "127.0.0.1", 4096);
    CHECK(lazy.write(get("ann")));
    const auto start = Clock::now();
    while (counts(world).too_slow == 0 && Clock::now() - start < soon) std::this_thread::sleep_for(20ms);
    CHECK(counts(world).too_slow == 1);
    CHECK(counts(world).known == 0);
    // Whoever reads slowly is not.
    limits.stall = 1s;
    limits.write = 20s;
    world.serve([&](const ServedRequest &, const Answering &done) { done({200, large.substr(0, 4 << 20)}); }, limits,
                by_header);
    Client slow(world, "127.0.0.1", 64 << 10);
    CHECK(slow.write(get("ann")));
    std::size_t got = 0;
    boost::system::error_code error;
    for (std::vector<char> piece(256 << 10); got < (4 << 20);) {
        const auto n = slow.stream.read_some(boost::asio::buffer(piece), error);
        if (error) break;
        if (got / (1 << 20) != (got + n) / (1 << 20)) std::this_thread::sleep_for(500ms);
        got += n;
    }
    CHECK(got > (4 << 20));
    // An answer that goes on is no exception.
    limits.stall = 200ms;
    auto endless = std::make_shared<kube::ServedStream>();
    world.serve([&](const ServedRequest &, const Answering &done) { done({200, {}, "text/plain", {}, endless}); },
                limits, by_header);
    Client deaf(world, "127.0.0.1", 4096);
    CHECK(deaf.write(get("ann")));
    auto ended = [&] {
        std::promise<bool> promise;
        world.server->post([&] {
            if (!endless->ended()) endless->write(std::string(100 << 10, 'y'));
            promise.set_value(endless->ended());
        });
        return promise.get_future().get();
    };
    for (const auto begun = Clock::now(); !ended() && Clock::now() - begun < soon;) std::this_thread::sleep_for(10ms);
    CHECK(ended());
}

// promise(peer): Berth closes a stranger's connection after a few requests.
TEST_CASE("server: only the first few requests of a stranger's pipeline are answered", "[kube]") {
    ServerWorld world;
    std::atomic<int> asked = 0;
    kube::ServerLimits limits;
    limits.stranger_requests = 4;
    world.serve(
        [&](const ServedRequest &, const Answering &done) {
            ++asked;
            done({200, "ok"});
        },
        limits, by_header);
    std::string many;
    for (int i = 0; i < 100; ++i) many += get();
    Client stranger(world);
    CHECK(stranger.write(many));
    int answers = 0;
    while (stranger.answer() == 200) ++answers;
    CHECK(answers == 4);
    CHECK(asked == 4);
    Client friendly(world);
    for (int i = 0; i < 20; ++i) CHECK(friendly.ask(get("ann")) == 200);
    // Somebody who was known and then is not counts anew.
    for (int i = 0; i < 3; ++i) CHECK(friendly.ask(get()) == 200);
    CHECK(asked == 27);
}

// promise(peer): Berth closes a stranger's connection after some seconds, regardless of its activity.
TEST_CASE("server: a stranger's connection ends at its time limit, even if it is busy", "[kube]") {
    ServerWorld world;
    kube::ServerLimits limits;
    limits.stranger = 300ms;
    limits.stranger_requests = 1'000'000;
    world.serve(ok, limits, by_header);
    Client busy(world);
    const auto start = Clock::now();
    while (busy.ask(get()) == 200 && Clock::now() - start < soon) std::this_thread::sleep_for(10ms);
    CHECK(Clock::now() - start < soon);
    // So does one whose question waits for somebody else.
    world.serve([](const ServedRequest &, const Answering &) {}, limits, by_header);
    Client waiting(world);
    CHECK(waiting.write(get()));
    CHECK(waiting.is_closed());
}

// promise(peer): Berth reads no further bytes of a refused request, and only a few bytes of a stranger's request.
TEST_CASE("server: no body is read before its request is allowed", "[kube]") {
    ServerWorld world;
    kube::ServerLimits limits;
    limits.stranger_body_bytes = 10;
    world.serve([](const ServedRequest &request, const Answering &done) { done({200, request.body}); }, limits,
                [](ServedRequest request, const auto &allowed, const Answering &refused) {
                    if (request.path == "/no") return refused({403, "no"});
                    by_header(std::move(request), allowed, refused);
                });
    auto post = [&](const std::string &path, const std::string &more) {
        return world.raw("POST " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + more);
    };
    // The body does not come, and is not waited for.
    CHECK(post("/no", "Content-Length: 1000\r\n\r\n").starts_with("HTTP/1.1 403 "));
    CHECK(post("/no", "Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n").starts_with("HTTP/1.1 403 "));
    CHECK(post("/", "Content-Length: 11\r\n\r\n").starts_with("HTTP/1.1 413 "));
    CHECK(post("/", "Transfer-Encoding: chunked\r\n\r\nb\r\n0123456789a\r\n0\r\n\r\n").starts_with("HTTP/1.1 413 "));
    // Neither is the line before a chunk, or what comes after the last one, read without end, whoever it is.
    const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n", endless(200'000, 'x');
    CHECK(post("/", chunked + "1;" + endless).starts_with("HTTP/1.1 400 "));
    CHECK(post("/", chunked + "0\r\nx: " + endless).starts_with("HTTP/1.1 4"));
    CHECK(post("/", "Authorization: ann\r\n" + chunked + "1;" + endless).starts_with("HTTP/1.1 400 "));
    CHECK(post("/", "Content-Length: 10\r\n\r\n0123456789").ends_with("\r\n\r\n0123456789"));
    CHECK(post("/", "Authorization: ann\r\nContent-Length: 11\r\n\r\n0123456789a").ends_with("\r\n\r\n0123456789a"));
    CHECK(post("/", "Authorization: ann\r\nContent-Length: 4000000\r\n\r\n").find("limit is 3145728") !=
          std::string::npos);
}

// promise(peer): The memory for request bodies and answers together is bounded.
TEST_CASE("server: large requests and answers share a budget", "[kube]") {
    ServerWorld world;
    kube::ServerLimits limits;
    limits.together_bytes = 1'000'000;
    std::vector<Answering> waiting;
    std::atomic<int> asked = 0;
    world.serve(
        [&](const ServedRequest &request, const Answering &done) {
            if (request.path == "/large") return done({200, std::string(900'000, 'x')});
            waiting.push_back(done);
            ++asked;
        },
        limits, by_header);
    auto body = "POST / HTTP/1.1\r\nHost: x\r\nAuthorization: ann\r\nContent-Length: 600000\r\n\r\n" +
                std::string(600'000, 'x');
    Client first(world);
    CHECK(first.write(body));
    while (asked == 0) std::this_thread::sleep_for(1ms);
    Client second(world);
    CHECK(second.ask(body.substr(0, body.find("\r\n\r\n") + 4)) == 503);
    Client third(world);
    CHECK(third.ask("GET /large HTTP/1.1\r\nHost: x\r\nAuthorization: ann\r\n\r\n") == 503);
    // What was answered is room again.
    waiting.at(0)({200, "ok"});
    CHECK(first.answer() == 200);
    for (int i = 0; i < 3; ++i) CHECK(third.ask("GET /large HTTP/1.1\r\nHost: x\r\nAuthorization: ann\r\n\r\n") == 200);
}

// promise(peer): Berth starts handshakes at a bounded rate, and a flood of them does not delay other clients.
TEST_CASE("server: a peer that has had many handshakes waits until others have had theirs", "[kube]") {
    ServerWorld world;
    kube::ServerLimits limits;
    limits.handshakes = 20;
    world.serve(ok, limits, by_header);
    boost::asio::io_context io;
    std::vector<Tcp::socket> flood;
    const std::string hello("\x16\x03\x01\x02\x00\x01", 6);  // the begin of a ClientHello
    for (int i = 0; i < 100; ++i) {
        flood.push_back(world.connect(io, "127.0.0.2"));
        boost::asio::write(flood.back(), boost::asio::buffer(hello));
    }
    // Five seconds' worth of handshakes wait by now.
    const auto start = Clock::now();
    Client probe(world);
    CHECK(probe.ask(get()) == 200);
    CHECK(Clock::now() - start < 2s);
}

// promise(peer): A client cannot make a TLS handshake expensive by its choice of groups, renegotiation, long chains or
// large keys.
TEST_CASE("server: expensive handshakes are refused", "[kube]") {
    ServerWorld world;
    world.serve(ok);
    auto shakes_hands = [&](const std::function<void(SSL_CTX *)> &choose) {
        boost::asio::io_context io;
        ClientContext context(ClientContext::tls_client);
        choose(context.native_handle());
        ClientStream stream(world.connect(io), context);
        boost::system::error_code error;
        (void)stream.handshake(boost::asio::ssl::stream_base::client, error);
        // The server judges what a client of TLS 1.3 shows after the client thinks it is done.
        if (!error) boost::asio::write(stream, boost::asio::buffer(get()), error);
        char byte = 0;
        if (!error) boost::asio::read(stream, boost::asio::buffer(&byte, 1), error);
        return !error;
    };
    auto with_groups = [&](const char *groups) {
        return shakes_hands([&](SSL_CTX *context) { REQUIRE(SSL_CTX_set1_groups_list(context, groups) == 1); });
    };
    for (const char *good : {"X25519", "P-256", "P-384", "P-521", "ffdhe8192:P-256"}) CHECK(with_groups(good));
    for (const char *bad : {"ffdhe2048", "ffdhe8192", "X448"}) CHECK_FALSE(with_groups(bad));

    auto key_of = [](int bits) { return EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<std::size_t>(bits)); };
    auto certificate_of = [](EVP_PKEY *key, EVP_PKEY *signer) {
        X509 *out = X509_new();
        X509_set_version(out, 2);
        X509_gmtime_adj(X509_getm_notBefore(out), 0);
        X509_gmtime_adj(X509_getm_notAfter(out), 3600);
        X509_set_pubkey(out, key);
        X509_sign(out, signer, EVP_sha256());
        return out;
    };
    EVP_PKEY *key = key_of(2048);
    auto with_chain = [&](int more, EVP_PKEY *of_chain) {
        return shakes_hands([&](SSL_CTX *context) {
            X509 *own = certificate_of(key, key);
            REQUIRE(SSL_CTX_use_certificate(context, own) == 1);
            X509_free(own);
            REQUIRE(SSL_CTX_use_PrivateKey(context, key) == 1);
            for (int i = 0; i < more; ++i) SSL_CTX_add_extra_chain_cert(context, certificate_of(of_chain, key));
        });
    };
    CHECK(with_chain(0, key));
    CHECK(with_chain(7, key));
    CHECK_FALSE(with_chain(8, key));
    // A key of a length that nobody has, as numbers alone: to find two such primes takes minutes.
    std::vector<unsigned char> modulus(2048, 1);
    modulus.back() = 0x80;  // the little end comes first
    unsigned exponent = 65537;
    OSSL_PARAM numbers[] = {OSSL_PARAM_construct_BN(OSSL_PKEY_PARAM_RSA_N, modulus.data(), modulus.size()),
                            OSSL_PARAM_construct_uint(OSSL_PKEY_PARAM_RSA_E, &exponent), OSSL_PARAM_construct_end()};
    EVP_PKEY *huge = nullptr;
    EVP_PKEY_CTX *maker = EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr);
    REQUIRE(EVP_PKEY_fromdata_init(maker) == 1);
    REQUIRE(EVP_PKEY_fromdata(maker, &huge, EVP_PKEY_PUBLIC_KEY, numbers) == 1);
    EVP_PKEY_CTX_free(maker);
    CHECK_FALSE(with_chain(1, huge));
    EVP_PKEY_free(huge);
    EVP_PKEY_free(key);

    boost::asio::io_context io;
    ClientContext context(ClientContext::tlsv12_client);
    ClientStream again(world.connect(io), context);
    again.handshake(boost::asio::ssl::stream_base::client);
    REQUIRE(SSL_renegotiate(again.native_handle()) == 1);
    boost::system::error_code error;
    (void)again.handshake(boost::asio::ssl::stream_base::client, error);
    CHECK(error);
}

// UBSan opens a pipe to look at an object's type, so it cannot watch a process that has no descriptors.
#ifndef BERTH_SANITIZED
// promise(peer): When no file descriptors are left, Berth closes strangers' connections.
TEST_CASE("server: without descriptors the newest client is served all the same", "[kube]") {
    auto made = kube::Server::listen("127.0.0.1", 0, std::nullopt, ok, {}, by_header);
    REQUIRE(made);
    const boost::asio::ip::tcp::endpoint there(boost::asio::ip::make_address("127.0.0.1"), made->port());
    boost::asio::io_context io;
    std::vector<Tcp::socket> waiting;
    for (int i = 0; i < 50; ++i) waiting.emplace_back(io).connect(there);
    // No more than three descriptors from here on.
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const int next = ::dup(0);
    ::close(next);
    rlimit few = before;
    few.rlim_cur = static_cast<rlim_t>(next) + 3;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
    made->start();
    auto &last = waiting.back();
    boost::asio::write(last, boost::asio::buffer(get({}, "Connection: close\r\n")));
    std::string out;
    boost::system::error_code error;
    boost::asio::read(last, boost::asio::dynamic_buffer(out), error);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(out.starts_with("HTTP/1.1 200 OK"));
    made->stop();
}
#endif

// promise(peer): Berth answers probes while it prepares a large answer for another client.
TEST_CASE("server: preparing a large answer does not delay other clients", "[kube]") {
    ServerWorld world;
    std::promise<void> release;
    auto released = release.get_future().share();
    world.serve([&](const ServedRequest &request, const Answering &done) {
        if (request.path != "/slow") return done({200, "ok"});
        world.server->work([released, done] {
            released.wait();
            done({200, "slow"});
        });
    });
    auto slow = std::async(std::launch::async, [&] { return world.get("/slow").body; });
    for (int i = 0; i < 5; ++i) CHECK(world.get("/livez").body == "ok");
    release.set_value();
    CHECK(slow.get() == "slow");
}
