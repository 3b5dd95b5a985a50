// SPDX-License-Identifier: Apache-2.0
#pragma once

/// HTTPS (or HTTP) for those who ask Berth itself: HTTP/1.1 on a thread of its own, so that it answers whatever the
/// loop does.

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

/// What a client may cost. Whoever takes longer is cut off; what is larger is refused.
struct ServerLimits {
    std::size_t connections = 256;  ///< when there are more, the one that has been silent longest is closed
    std::uint32_t head_bytes = 64 << 10;
    std::uint64_t body_bytes = 3 << 20;  ///< as the API server's
    std::chrono::milliseconds handshake{10'000}, head{10'000}, body{30'000}, answer{60'000}, write{60'000},
        idle{90'000};
};

class Server {
    struct State;
    std::shared_ptr<State> state_;
    explicit Server(std::shared_ptr<State> state) : state_(std::move(state)) {}

public:
    /// Listens at `address` ("" and "0.0.0.0" and "::": everywhere, IPv6 too), to answer through `handler`. Port 0: any
    /// that is free. The error names address and port.
    /// Without `tls` it speaks plain HTTP.
    static model::Result<Server> listen(const std::string &address, std::uint16_t port, std::optional<ServerTls> tls,
                                        ServedHandler handler, ServerLimits limits = {});
    Server(Server &&) = default;
    Server &operator=(Server &&) = default;
    ~Server();  ///< as stop()

    void start();  ///< answers from now on
    /// Closes every connection and ends the thread; answers and posts that come afterwards go nowhere.
    void stop();

    std::uint16_t port() const;
    /// `fn` runs on the server's thread soon; any thread.
    void post(std::function<void()> fn);
    /// `fn` runs on the server's thread again and again, first after `interval`.
    void every(std::chrono::milliseconds interval, std::function<void()> fn);
    ServerTls &tls();  ///< if there is one; on the server's thread
};

}  // namespace berth::kube
