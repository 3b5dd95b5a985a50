// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/beast_transport.h"

#include "kube/bearer.h"
#include "kube/exec_credential.h"
#include "kube/http_connection.h"
#include "kube/tls.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

namespace berth::kube {
namespace {

namespace asio = boost::asio;
using SslContext = asio::ssl::context;

/// Connections for requests; opening one costs as much as many requests, so only a few are opened at a time: meanwhile
/// others may become free.
constexpr std::size_t most_connections = 100, most_opening = 4;
constexpr std::chrono::seconds between_checks{1};

/// Whether `text` can stand in the head of a request and end nothing there.
bool is_plain(std::string_view text, char least) {
    for (char c : text)
        if ((c >= 0 && c < least) || c == 0x7f) return false;
    return true;
}

SslContext make_context(const Credentials &credentials) {
    SslContext context(SslContext::tls_client);
    context.set_options(SslContext::default_workarounds | SslContext::no_tlsv1 | SslContext::no_tlsv1_1);
    set_up_tls(context, credentials);
    return context;
}

/// Everything on one thread.
class Pool final : public HttpConnection::Owner {
    using StreamId = Transport::StreamId;

    /// A connection that is open or being opened: one of the pool, or that of a stream.
    struct Kept {
        std::shared_ptr<HttpConnection> connection;
        bool opening = true;
        std::uint64_t certificate = 0;  ///< which one it shows, counted
        StreamId stream = 0;
        std::optional<Exchange> first;  ///< what a stream's connection is opened for
    };

    asio::io_context &io_;
    asio::steady_timer timer_{io_};
    Credentials credentials_;
    HttpConnection::Clock::time_point read_ = HttpConnection::Clock::now();
    SslContext context_;
    HttpConnection::Target target_;
    Bearer bearer_;
    std::unordered_map<HttpConnection *, Kept> connections_;
    std::unordered_map<StreamId, HttpConnection *> streams_;
    std::vector<HttpConnection *> idle_;
    std::deque<Exchange> waiting_;
    std::size_t opening_ = 0, pooled_ = 0;
    std::uint64_t certificate_ = 0;

public:
    Pool(asio::io_context &io, const Credentials &credentials, ServerAddress server, SslContext context)
        : io_(io), credentials_(credentials), context_(std::move(context)), bearer_(credentials) {
        target_.server = std::move(server);
        target_.verified_name = credentials.server_name.empty() ? target_.server.host : credentials.server_name;
        target_.context = target_.server.tls ? &context_ : nullptr;
        target_.verify = !credentials.insecure;
        check_times();
    }

    Pool(const Pool &) = delete;
    Pool &operator=(const Pool &) = delete;

    ~Pool() override {
        for (auto &exchange : std::exchange(waiting_, {})) exchange.done({0, "cancelled", true, 0});
        for (auto &connection : all()) connection->close("cancelled");
    }

    void request(HttpRequest request, Transport::Done done) {
        Exchange exchange{std::move(request), {}, {}, std::move(done), 0};
        if (!prepare(exchange)) return;
        exchange.since = HttpConnection::Clock::now();
        waiting_.push_back(std::move(exchange));
        pump();
    }

    void stream(StreamId id, HttpRequest request, Transport::Data data, Transport::Done done) {
        Exchange exchange{std::move(request), {}, std::move(data), std::move(done), id};
        if (!prepare(exchange)) return;
        Kept &kept = add(false);
        kept.stream = id;
        kept.first = std::move(exchange);
        streams_.emplace(id, kept.connection.get());
    }

    void cancel(StreamId stream) {
        auto at = streams_.find(stream);
        if (at != streams_.end()) at->second->close("cancelled");
    }

private:
    /// Gives it the token. Answers the exchange itself, soon, and returns false when it cannot be sent.
    bool prepare(Exchange &exchange) {
        exchange.token = bearer_.token();
        const auto &request = exchange.request;
        if (is_plain(request.path, '!') && is_plain(request.content_type, ' ') && is_plain(exchange.token, ' '))
            return true;
        asio::post(io_, [done = std::move(exchange.done)] {
            done({0, "a path, content type or token with control characters or blanks is not sent", false, 0});
        });
        return false;
    }

    Kept &add(bool many) {
        auto connection = std::make_shared<HttpConnection>(io_, target_, *this, many);
        connection->open();
        auto *key = connection.get();
        Kept &kept = connections_[key];
        kept.connection = std::move(connection);
        kept.certificate = certificate_;
        return kept;
    }

    std::vector<std::shared_ptr<HttpConnection>> all() const {
        std::vector<std::shared_ptr<HttpConnection>> out;
        for (const auto &[key, kept] : connections_) out.push_back(kept.connection);
        return out;
    }

    /// Gives what waits to connections that are free, the one used last first, and opens more.
    void pump() {
        while (!waiting_.empty() && !idle_.empty()) {
            auto *connection = idle_.back();
            if (connection->room() == 0) {
                idle_.pop_back();
                continue;
            }
            auto exchange = std::move(waiting_.front());
            waiting_.pop_front();
            connection->send(std::move(exchange));
        }
        while (opening_ < std::min(most_opening, waiting_.size()) && pooled_ < most_connections) {
            ++opening_;
            ++pooled_;
            add(true);
        }
    }

    void idle(HttpConnection &connection) override {
        Kept &kept = connections_.at(&connection);
        bool opened = std::exchange(kept.opening, false);
        if (kept.first) return connection.send(*std::exchange(kept.first, std::nullopt));
        if (opened) --opening_;
        if (kept.certificate != certificate_) return connection.retire("the client certificate was renewed");
        if (std::ranges::find(idle_, &connection) == idle_.end()) idle_.push_back(&connection);
        pump();
    }

    void closed(HttpConnection &connection, const std::string &why) override {
        Kept kept = std::move(connections_.extract(&connection).mapped());
        if (kept.stream != 0) {
            streams_.erase(kept.stream);
            if (kept.first) kept.first->done({0, why, true, 0});
            return;
        }
        --pooled_;
        std::erase(idle_, &connection);
        if (kept.opening) {
            --opening_;
            // It was opened for one of those that wait; where no connection is open, no request waits for an
            // unreachable server.
            std::size_t hopeless = std::min<std::size_t>(waiting_.size(), pooled_ > opening_ ? 1 : waiting_.size());
            for (; hopeless > 0; --hopeless) {
                auto exchange = std::move(waiting_.front());
                waiting_.pop_front();
                exchange.done({0, why, true, 0});
            }
        }
        pump();
    }

    /// A server may open connections and take no request on any.
    void give_up(HttpConnection::Clock::time_point now) {
        std::vector<Exchange> late;
        std::erase_if(waiting_, [&](Exchange &exchange) {
            if (now - exchange.since <= exchange.request.patience && !exchange.is_late(now)) return false;
            late.push_back(std::move(exchange));
            return true;
        });
        for (auto &exchange : late)
            exchange.done({0,
                           "timed out: no connection to " + target_.server.authority + " took the request within " +
                               std::to_string(std::chrono::ceil<std::chrono::seconds>(now - exchange.since).count()) +
                               " s",
                           true, 0});
    }

    /// Another client certificate means other connections; those under way keep theirs.
    void renew(HttpConnection::Clock::time_point now) {
        if (!credentials_.exec && credentials_.certificate_file.empty() && credentials_.key_file.empty()) return;
        if (now - read_ < credentials_.reread) return;
        read_ = now;
        auto fresh = renewed(credentials_);
        if (!fresh) return;
        credentials_ = std::move(*fresh);
        context_ = make_context(credentials_);
        ++certificate_;
        for (auto *connection : std::exchange(idle_, {})) connection->retire("the client certificate was renewed");
    }

    void check_times() {
        timer_.expires_after(between_checks);
        timer_.async_wait([this](const boost::system::error_code &error) {
            if (error) return;
            auto now = HttpConnection::Clock::now();
            renew(now);
            for (auto &connection : all()) connection->check_time(now);
            give_up(now);
            check_times();
        });
    }
};

/// On the caller's thread.
class OnLoop final : public Transport {
    asio::io_context &loop_;
    Pool pool_;
    StreamId last_stream_ = 0;

public:
    OnLoop(asio::io_context &loop, const Credentials &credentials, ServerAddress server, SslContext context)
        : loop_(loop), pool_(loop, credentials, std::move(server), std::move(context)) {}

    void request(HttpRequest request, Done done) override { pool_.request(std::move(request), std::move(done)); }
    StreamId stream(HttpRequest request, Data data, Done done) override {
        pool_.stream(++last_stream_, std::move(request), std::move(data), std::move(done));
        return last_stream_;
    }
    void cancel(StreamId stream) override {
        // Not now: maybe it is the stream's own callback that asks for it.
        asio::post(loop_, [this, stream] { pool_.cancel(stream); });
    }
};

/// On a thread of its own.
class OnThread final : public Transport {
    asio::io_context io_{1};
    std::optional<Pool> pool_;  ///< the thread's, once it runs
    StreamId last_stream_ = 0;
    std::thread thread_;

public:
    OnThread(const Credentials &credentials, ServerAddress server, SslContext context) {
        pool_.emplace(io_, credentials, std::move(server), std::move(context));
        thread_ = std::thread([this] { io_.run(); });
    }
    ~OnThread() override {
        asio::post(io_, [this] {
            pool_.reset();
            io_.stop();
        });
        thread_.join();
    }
    OnThread(const OnThread &) = delete;
    OnThread &operator=(const OnThread &) = delete;

    void request(HttpRequest request, Done done) override {
        asio::post(io_, [this, request = std::move(request), done = std::move(done)]() mutable {
            pool_->request(std::move(request), std::move(done));
        });
    }
    StreamId stream(HttpRequest request, Data data, Done done) override {
        StreamId id = ++last_stream_;
        asio::post(io_,
                   [this, id, request = std::move(request), data = std::move(data), done = std::move(done)]() mutable {
                       pool_->stream(id, std::move(request), std::move(data), std::move(done));
                   });
        return id;
    }
    void cancel(StreamId stream) override {
        asio::post(io_, [this, stream] { pool_->cancel(stream); });
    }
};

/// `make` takes the credentials, the server and what TLS needs.
template <class Make>
model::Result<std::unique_ptr<Transport>> make_transport(const Credentials &given, Make make) {
    auto begun = started(given);
    if (!begun) return begun.error();
    const auto &credentials = *begun;
    auto server = parse_server(credentials.server);
    if (!server) return unusable(credentials, server.error().text);
    try {
        return refreshing(make(credentials, std::move(*server), make_context(credentials)), credentials.exec);
    } catch (const std::exception &e) {
        return unusable(credentials, e.what());
    }
}

}  // namespace

model::Result<std::unique_ptr<Transport>> make_beast_transport(const Credentials &credentials) {
    return make_transport(credentials, [](const Credentials &own, ServerAddress server, SslContext context) {
        return std::make_unique<OnThread>(own, std::move(server), std::move(context));
    });
}

model::Result<std::unique_ptr<Transport>> make_beast_transport_on(asio::io_context &loop,
                                                                  const Credentials &credentials) {
    return make_transport(credentials, [&](const Credentials &own, ServerAddress server, SslContext context) {
        return std::make_unique<OnLoop>(loop, own, std::move(server), std::move(context));
    });
}

}  // namespace berth::kube
