// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/server.h"

#include "kube/server_connection.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <list>
#include <thread>
#include <unordered_map>

namespace berth::kube {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Error = boost::system::error_code;

struct Server::State final : ServerConnection::Owner, std::enable_shared_from_this<State> {
    asio::io_context io{1};
    tcp::acceptor acceptor{io};
    asio::steady_timer pause{io};
    std::optional<ServerTls> server_tls;
    ServedHandler served;
    ServerLimits most;
    std::unordered_map<ServerConnection *, std::shared_ptr<ServerConnection>> connections;
    std::list<asio::steady_timer> timers;
    std::thread thread;

    State(std::optional<ServerTls> with, ServedHandler handler_of_all, ServerLimits limits)
        : server_tls(std::move(with)), served(std::move(handler_of_all)), most(limits) {}

    ServerTls *tls() override { return server_tls ? &*server_tls : nullptr; }
    const ServerLimits &limits() const override { return most; }
    const ServedHandler &handler() const override { return served; }
    void closed(ServerConnection &connection) override { connections.erase(&connection); }
    std::function<void(std::function<void()>)> poster() override {
        return [weak = weak_from_this()](std::function<void()> fn) {
            if (auto self = weak.lock()) asio::post(self->io, std::move(fn));
        };
    }

    bool bind(const tcp::endpoint &endpoint, Error &error) {
        (void)acceptor.open(endpoint.protocol(), error);
        if (error) return false;
        (void)acceptor.set_option(tcp::acceptor::reuse_address(true), error);
        if (endpoint.address().is_v6())
            (void)acceptor.set_option(asio::ip::v6_only(!endpoint.address().is_unspecified()), error);
        (void)acceptor.bind(endpoint, error);
        if (!error) (void)acceptor.listen(tcp::acceptor::max_listen_connections, error);
        if (!error) return true;
        Error ignored;
        (void)acceptor.close(ignored);
        return false;
    }

    void accept() {
        acceptor.async_accept([this](const Error &error, tcp::socket socket) {
            constexpr std::chrono::milliseconds breath{100};
            if (error == asio::error::operation_aborted) return;
            if (!error) {
                add(std::move(socket));
                return accept();
            }
            // No file descriptors are left, say: in a moment there may be.
            pause.expires_after(breath);
            pause.async_wait([this](const Error &stopped) {
                if (!stopped) accept();
            });
        });
    }

    void add(tcp::socket socket) {
        if (connections.size() >= most.connections) {
            ServerConnection *oldest = nullptr;
            for (const auto &[key, connection] : connections)
                if (connection->silent() && (!oldest || connection->since() < oldest->since())) oldest = key;
            if (!oldest) return;
            oldest->close();
        }
        Error ignored;
        (void)socket.set_option(tcp::no_delay(true), ignored);
        auto connection = std::make_shared<ServerConnection>(std::move(socket), *this);
        connections.emplace(connection.get(), connection);
        connection->open();
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
                                     ServedHandler handler, ServerLimits limits) {
    Error error;
    auto where = asio::ip::make_address(address.empty() ? "0.0.0.0" : address, error);
    if (error) return model::Error{"--bind-address: expected an IP address, got \"" + address + "\""};
    auto state = std::make_shared<State>(std::move(tls), std::move(handler), limits);
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
}

void Server::stop() {
    state_->io.stop();
    if (state_->thread.joinable()) state_->thread.join();
    // The thread is gone, so this may touch what was its own.
    for (auto all = std::exchange(state_->connections, {}); auto &[key, connection] : all) connection->close();
}

std::uint16_t Server::port() const { return state_->acceptor.local_endpoint().port(); }

void Server::post(std::function<void()> fn) { asio::post(state_->io, std::move(fn)); }

void Server::every(std::chrono::milliseconds interval, std::function<void()> fn) {
    post([state = state_.get(), interval, fn = std::move(fn)] {
        state->repeat(state->timers.emplace_back(state->io), interval, fn);
    });
}

ServerTls &Server::tls() { return *state_->server_tls; }

}  // namespace berth::kube
