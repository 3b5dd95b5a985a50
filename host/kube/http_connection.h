// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One connection to the API server over TCP or TLS, with HTTP/2 or HTTP/1.1. HTTP/2 serves many requests at a time
/// where the server offers it, otherwise HTTP/1.1 serves one.

#include "kube/answer_parser.h"
#include "kube/exchange.h"
#include "kube/http2_session.h"
#include "kube/url.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace berth::kube {

/// Everything on the thread that runs the socket's context. Kept alive by what it has under way.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
public:
    using Clock = std::chrono::steady_clock;
    struct Owner {
        virtual ~Owner() = default;
        /// It is open and has room, maybe not only now.
        virtual void idle(HttpConnection &connection) = 0;
        /// It is closed, maybe before it was open.
        virtual void closed(HttpConnection &connection, const std::string &why) = 0;
    };
    struct Target {
        ServerAddress server;
        std::string verified_name;                     ///< the name that the certificate must have
        boost::asio::ssl::context *context = nullptr;  ///< null: plain HTTP
        bool verify = true;
    };

    /// `owner` and `target` outlive it. A stream needs one that was not made for `many`.
    HttpConnection(boost::asio::io_context &io, const Target &target, Owner &owner, bool many);

    void open();
    /// How many requests it takes now.
    std::size_t room() const;
    /// Only when there is room.
    void send(Exchange exchange);
    /// Takes nothing more, and is closed when what is under way is answered.
    void retire(const std::string &why);
    /// What is under way is answered with `why`.
    void close(const std::string &why, bool too_long = false);
    /// Closes it if nothing has come for too long.
    void check_time(Clock::time_point now);

private:
    using Error = boost::system::error_code;
    using tcp = boost::asio::ip::tcp;
    /// With its executor known, nothing is called through a pointer.
    using Socket = boost::asio::basic_stream_socket<tcp, boost::asio::io_context::executor_type>;

    /// What goes on with `step` unless it is closed by then; More: what comes with it, beside an error.
    template <class... More, class Step>
    auto then(Step step) {
        return [self = shared_from_this(), step](const Error &error, const More &...more) {
            if (!self->closed_) step(*self, error, more...);
        };
    }
    void connect(const tcp::resolver::results_type &addresses);
    void shake_hands();
    void opened();
    void read();
    void received(const Error &error, std::size_t n);
    void parse();
    void finish();
    void write();
    void write_soon();
    void settle();
    void notify_writable();
    bool is_busy() const { return exchange_ || (session_ && session_->under_way() > 0); }

    const Target &target_;
    Owner &owner_;
    const bool many_;
    tcp::resolver resolver_;
    Socket socket_;
    std::optional<boost::asio::ssl::stream<Socket &>> tls_;
    boost::beast::flat_buffer in_;
    std::string out_;       ///< what is being written
    std::string retiring_;  ///< why; empty: it is not
    bool writing_ = false, will_write_ = false;

    std::optional<Http2Session> session_;  ///< else HTTP/1.1:
    std::optional<Exchange> exchange_;
    HttpAnswer answer_;
    std::optional<AnswerParser> parser_;
    Clock::time_point last_sign_ = Clock::now();
    std::uint64_t unsolicited_ = 0;  ///< bytes that came while nothing was under way
    bool open_ = false, closed_ = false, pinged_ = false;
};

}  // namespace berth::kube
