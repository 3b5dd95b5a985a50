// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The HTTP/2 session of a client (RFC 9113), with many requests at a time; it does not own the socket. Bytes come in
/// and go out. The frames and the compression of heads are nghttp2's.

#include "kube/exchange.h"
#include "kube/url.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::kube {

/// One thread at a time.
class Http2Session {
public:
    using Clock = std::chrono::steady_clock;
    struct Answered {
        Transport::Done done;
        HttpAnswer answer;
    };

    /// `server` outlives it.
    explicit Http2Session(const ServerAddress &server);
    ~Http2Session();
    Http2Session(const Http2Session &) = delete;
    Http2Session &operator=(const Http2Session &) = delete;

    /// How many requests it takes now; none once the server has said that the connection ends.
    std::size_t room() const;
    /// Requests that were not answered yet.
    std::size_t under_way() const;
    /// Only when there is room. Its bytes are made by take(), which asks whether it may be sent (HttpRequest::why_not).
    void submit(Exchange exchange, Clock::time_point now);

    /// Takes what the server sent. The error says why the connection is of no use any more.
    model::Result<void> put(std::string_view bytes);
    /// Puts what is to be sent in the place of what `out` has.
    void take(std::string &out);
    /// Hands out those that are answered, each once.
    std::vector<Answered> answered();

    /// Asks the server for a sign of life.
    void ping();
    /// Cancels requests that received nothing for longer than their patience: resets the stream, and answers with
    /// `why`.
    void give_up(Clock::time_point now, const std::string &why);

private:
    struct Stream;
    struct Frames;
    std::unique_ptr<Frames> frames_;
};

}  // namespace berth::kube
