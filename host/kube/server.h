// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Berth's own HTTPS (or HTTP) server, with limits per peer. HTTP/1.1 on a thread of its own, so that it answers while
/// the loop is busy. Large answers are made on another thread.

#include "kube/served.h"
#include "kube/server_tls.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace berth::kube {

/// What a client may cost. A connection is silent until its first byte, then waits for its handshake, and is then a
/// *stranger* until the gate has allowed a request because of its user. Each of these four groups has its own limit. If
/// a group is full, a new connection replaces the oldest one of the peer with the most connections. So a client that
/// only connects displaces no stranger, and a stranger has at least strangers / handshakes seconds, enough for a probe.
/// Connections that take longer are closed, and larger requests are refused.
struct ServerLimits {
    using Time = std::chrono::milliseconds;
    std::size_t silent = 256, greetings = 768, strangers = 384;  ///< connections
    std::size_t known = 64;                                      ///< connections; the longest unused is replaced
    std::uint32_t head_bytes = 64 << 10;
    std::uint64_t body_bytes = 3 << 20;  ///< as the API server's
    std::uint64_t stranger_body_bytes = 64 << 10;
    std::uint64_t together_bytes = 64 << 20;  ///< bodies and large answers of all connections
    unsigned stranger_requests = 4;           ///< by one connection
    double handshakes = 1000;                 ///< a second; one takes 0.4 ms
    Time stranger{15'000};                    ///< from accepting a stranger to the end
    Time handshake{5'000}, head{5'000}, body{30'000}, answer{60'000}, write{60'000}, idle{90'000};
    Time stall{10'000};  ///< that a client may read nothing of its answer
};

/// What a server has seen so far, and has now.
struct ServerCounts {
    std::uint64_t strangers = 0, known = 0;  ///< connections now; strangers: all that are not known
    std::uint64_t accepted = 0;
    std::uint64_t crowded_out = 0;  ///< closed because there were too many
    std::uint64_t too_slow = 0;     ///< closed because a limit of time had passed
    std::uint64_t refused = 0;      ///< requests answered 4xx or 5xx before any handler saw them
};

class Server {
    struct State;
    std::shared_ptr<State> state_;
    explicit Server(std::shared_ptr<State> state) : state_(std::move(state)) {}

public:
    /// Listens at `address` ("" and "0.0.0.0" and "::": everywhere, IPv6 too), to answer through `handler` what `gate`
    /// has allowed; without a gate everything is allowed, and no client is a stranger after its first request. Port 0:
    /// any that is free. The error names address and port. Without `tls` it speaks plain HTTP.
    static model::Result<Server> listen(const std::string &address, std::uint16_t port, std::optional<ServerTls> tls,
                                        ServedHandler handler, ServerLimits limits = {}, ServedGate gate = {});
    Server(Server &&) = default;
    Server &operator=(Server &&) = default;
    ~Server();  ///< as stop()

    void start();  ///< answers from now on
    /// Closes every connection and ends the threads; answers and posts that come afterwards go nowhere.
    void stop();

    std::uint16_t port() const;
    /// `fn` runs on the server's thread soon; any thread. It must not take long: probes wait for it.
    void post(std::function<void()> fn);
    /// `fn` runs soon on a thread that serves no requests, one after the other: for what may take long. Any thread.
    void work(std::function<void()> fn);
    /// `fn` runs on the server's thread again and again, first after `interval`.
    void every(std::chrono::milliseconds interval, std::function<void()> fn);
    ServerTls &tls();             ///< if there is one; on the server's thread
    ServerCounts counts() const;  ///< on the server's thread
};

}  // namespace berth::kube
