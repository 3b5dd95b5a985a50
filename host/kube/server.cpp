// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/server.h"

#include "kube/fair_queue.h"
#include "kube/peer.h"
#include "kube/server_connection.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <list>
#include <memory>
#include <thread>
#include <unordered_map>

namespace berth::kube {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;

struct Server::State final : ServerConnection::Owner, std::enable_shared_from_this<State> {
    using Clock = ServerConnection::Clock;

    asio::io_context io{1}, work{1};
    asio::executor_work_guard<asio::io_context::executor_type> more_work{work.get_executor()};
    tcp::acceptor acceptor{io};
    asio::steady_timer pause{io}, pace{io}, glance{io};
    std::optional<ServerTls> server_tls;
    ServedHandler served;
    ServedGate judge;
    ServerLimits most;
    std::unordered_map<ServerConnection *, std::shared_ptr<ServerConnection>> connections;
    /// Each connection is in one of these, and goes from the left to the right.
    FairQueue<ServerConnection *> silent{most.silent}, greetings{most.greetings}, strangers{most.strangers},
        known{most.known};
    Clock::time_point next_greeting{};  ///< in the long run
    bool paced = false, glances = false;
    std::uint64_t reserved = 0;
    ServerCounts seen;
    std::list<asio::steady_timer> timers;
    std::thread thread, worker;

    State(std::optional<ServerTls> with, ServedHandler handler_of_all, ServerLimits limits, ServedGate gate_of_all)
        : server_tls(std::move(with)), served(std::move(handler_of_all)), judge(std::move(gate_of_all)), most(limits) {}

    ServerTls *tls() override { return server_tls ? &*server_tls : nullptr; }
    const ServerLimits &limits() const override { return most; }
    const ServedHandler &handler() const override { return served; }
    const ServedGate &gate() const override { return judge; }
    std::function<void(std::function<void()>)> poster() override {
        return [weak = weak_from_this()](std::function<void()> fn) {
            if (auto self = weak.lock()) asio::post(self->io, std::move(fn));
        };
    }

    bool reserve(std::uint64_t bytes) override {
        if (bytes > most.together_bytes - reserved) return false;
        reserved += bytes;
        return true;
    }
    void release(std::uint64_t bytes) override { reserved -= bytes; }
    void refused_one() override { ++seen.refused; }

    void closed(ServerConnection &connection) override {
        for (auto *queue : {&silent, &greetings, &strangers, &known})
            if (queue->remove(&connection)) break;
        connections.erase(&connection);
    }
    void crowd_out(const std::optional<ServerConnection *> &connection) {
        if (!connection) return;
        ++seen.crowded_out;
        (*connection)->abort();
    }
    void is_known(ServerConnection &connection, const std::string &user) override {
        known.remove(&connection);
        strangers.remove(&connection);
        crowd_out(known.add(user, &connection));
    }
    void is_stranger(ServerConnection &connection) override {
        known.remove(&connection);
        crowd_out(strangers.add(connection.peer(), &connection));
    }

    bool bind(const tcp::endpoint &endpoint, Error &error) {
        (void)acceptor.open(endpoint.protocol(), error);
        if (error) return false;
        (void)acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (endpoint.address().is_v6())
            (void)acceptor.set_option(asio::ip::v6_only(!endpoint.address().is_unspecified()), error);
        (void)acceptor.bind(endpoint, error);
        if (!error) (void)acceptor.listen(tcp::acceptor::max_listen_connections, error);
        if (!error) (void)acceptor.non_blocking(true, error);
        if (!error) return true;
        Error ignored;
        (void)acceptor.close(ignored);
        return false;
    }

    /// Many at a time: each waits behind no more than what one turn of the thread does for the others.
    void accept() {
        acceptor.async_wait(tcp::acceptor::wait_read, [this](const Error &stopped) {
            constexpr int at_a_time = 64;
            if (stopped) return;
            for (int i = 0; i < at_a_time; ++i) {
                Error error;
                tcp::socket socket = acceptor.accept(io, error);
                if (!error) {
                    add(std::move(socket));
                } else if (error == asio::error::would_block || error == asio::error::try_again) {
                    break;
                } else if (no_room(error)) {
                    // Takes the descriptor of the client that has got the least far. Without one, some may be free in
                    // a moment.
                    if (auto oldest = silent.oldest()) crowd_out(oldest);
                    else if (oldest = greetings.oldest(); oldest) crowd_out(oldest);
                    else if (oldest = strangers.oldest(); oldest) crowd_out(oldest);
                    else return accept_later();
                }
                // Any other error is that of a connection that is gone already.
            }
            accept();
        });
    }
    static bool no_room(const Error &error) {
        using namespace boost::system::errc;
        return error == too_many_files_open || error == too_many_files_open_in_system || error == no_buffer_space ||
               error == not_enough_memory;
    }
    void accept_later() {
        constexpr std::chrono::milliseconds breath{100};
        pause.expires_after(breath);
        pause.async_wait([this](const Error &stopped) {
            if (!stopped) accept();
        });
    }

    void add(tcp::socket socket) {
        Error error;
        const auto from = socket.remote_endpoint(error);
        if (error) return;  // it is gone already
        ++seen.accepted;
        (void)socket.set_option(tcp::no_delay(true), error);
        auto connection = std::make_shared<ServerConnection>(std::move(socket), peer_of(from.address()), *this);
        connections.emplace(connection.get(), connection);
        crowd_out((tls() ? silent : strangers).add(connection->peer(), connection.get()));
        connection->open();
        if (!std::exchange(glances, true)) look();
    }

    void waits_for_handshake(ServerConnection &connection) override {
        silent.remove(&connection);
        crowd_out(greetings.add(connection.peer(), &connection));
        greet();
    }

    /// Begins handshakes, the most expensive request of a stranger, at the permitted rate (GCRA); first those of peers
    /// that have had few. Only handshakes count as strangers, so each has enough time.
    void greet() {
        constexpr std::chrono::milliseconds at_once{50};
        const auto apart =
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / most.handshakes));
        const auto now = Clock::now();
        while (!greetings.empty() && next_greeting <= now + at_once) {
            next_greeting = std::max(next_greeting, now) + apart;
            auto *connection = *greetings.next(FairQueue<ServerConnection *>::Order::OldestFirst);
            crowd_out(strangers.add(connection->peer(), connection));
            connection->greet();
        }
        if (greetings.empty() || std::exchange(paced, true)) return;
        pace.expires_at(next_greeting - at_once);
        pace.async_wait([this](const Error &stopped) {
            paced = false;
            if (!stopped) greet();
        });
    }

    /// Ends what takes too long, for as long as there are connections.
    void look() {
        constexpr std::chrono::milliseconds rhythm{250};
        glance.expires_after(rhythm);
        glance.async_wait([this](const Error &stopped) {
            if (stopped) return;
            const auto now = Clock::now();
            std::vector<std::shared_ptr<ServerConnection>> all;
            all.reserve(connections.size());
            for (const auto &[key, connection] : connections) all.push_back(connection);
            for (const auto &connection : all) seen.too_slow += connection->check_time(now) ? 1 : 0;
            if (connections.empty()) glances = false;
            else look();
        });
    }

    void repeat(asio::steady_timer &timer, std::chrono::milliseconds interval, const std::function<void()> &fn) {
        timer.expires_after(interval);
        timer.async_wait([this, &timer, interval, fn](const Error &error) {
            if (error) return;
            fn();
            repeat(timer, interval, fn);
        });
    }
};

model::Result<Server> Server::listen(const std::string &address, std::uint16_t port, std::optional<ServerTls> tls,
                                     ServedHandler handler, ServerLimits limits, ServedGate gate) {
    Error error;
    auto where = asio::ip::make_address(address.empty() ? "0.0.0.0" : address, error);
    if (error) return model::Error{"--bind-address: expected an IP address, got \"" + address + "\""};
    auto state = std::make_shared<State>(std::move(tls), std::move(handler), limits, std::move(gate));
    const bool everywhere = where.is_unspecified();
    // A machine without IPv6 listens with IPv4 alone.
    bool bound = everywhere && state->bind({asio::ip::address_v6::any(), port}, error);
    if (!bound && (!everywhere || error != asio::error::address_in_use)) bound = state->bind({where, port}, error);
    if (!bound)
        return model::Error{"--secure-port " + std::to_string(port) + ": cannot listen at " + where.to_string() +
                            ", port " + std::to_string(port) + ": " + error.message() +
                            "; expected a free port of this machine's: give another one, or 0 to serve nothing"};
    return Server(std::move(state));
}

Server::~Server() {
    if (state_) stop();
}

void Server::start() {
    state_->accept();
    state_->thread = std::thread([raw = state_.get()] { raw->io.run(); });
    state_->worker = std::thread([raw = state_.get()] { raw->work.run(); });
}

void Server::stop() {
    state_->io.stop();
    state_->work.stop();
    if (state_->thread.joinable()) state_->thread.join();
    if (state_->worker.joinable()) state_->worker.join();
    // The threads are gone, so this may touch what was theirs.
    for (auto all = std::exchange(state_->connections, {}); auto &[key, connection] : all) connection->close();
}

std::uint16_t Server::port() const { return state_->acceptor.local_endpoint().port(); }

void Server::post(std::function<void()> fn) { asio::post(state_->io, std::move(fn)); }

void Server::work(std::function<void()> fn) { asio::post(state_->work, std::move(fn)); }

void Server::every(std::chrono::milliseconds interval, std::function<void()> fn) {
    post([state = state_.get(), interval, fn = std::move(fn)] {
        state->repeat(state->timers.emplace_back(state->io), interval, fn);
    });
}

ServerCounts Server::counts() const {
    auto out = state_->seen;
    out.strangers = state_->silent.size() + state_->greetings.size() + state_->strangers.size();
    out.known = state_->known.size();
    return out;
}

ServerTls &Server::tls() { return *state_->server_tls; }

}  // namespace berth::kube
