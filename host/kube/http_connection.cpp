// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/http_connection.h"

#include "kube/tls.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>

namespace berth::kube {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

/// What may be spoken over TLS, the best first, each after its length (RFC 7301).
constexpr std::string_view protocols("\x02h2\x08http/1.1"), http2 = protocols.substr(1, 2);

void write_http1(const Exchange &exchange, const ServerAddress &server, std::string &text) {
    const auto &request = exchange.request;
    text.append(request.method).append(" ").append(server.path).append(request.path);
    text.append(" HTTP/1.1\r\nHost: ").append(server.authority);
    text.append("\r\nAccept: ").append(request.accept).append("\r\nUser-Agent: berth\r\n");
    if (!exchange.token.empty()) text.append("Authorization: Bearer ").append(exchange.token).append("\r\n");
    if (!request.body.empty() || request.method != "GET") {
        if (!request.content_type.empty()) text.append("Content-Type: ").append(request.content_type).append("\r\n");
        text.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
    }
    text.append("\r\n").append(request.body);
}

}  // namespace

HttpConnection::HttpConnection(asio::io_context &io, const Target &target, Owner &owner, bool many)
    : target_(target), owner_(owner), many_(many), resolver_(io), socket_(io) {}

void HttpConnection::open() {
    resolver_.async_resolve(target_.server.host, target_.server.port,
                            then<tcp::resolver::results_type>(
                                [](HttpConnection &c, const Error &error, const tcp::resolver::results_type &found) {
                                    if (error) c.close("the address of the host cannot be found: " + error.message());
                                    else c.connect(found);
                                }));
}

void HttpConnection::connect(const tcp::resolver::results_type &addresses) {
    asio::async_connect(socket_, addresses,
                        then<tcp::endpoint>([](HttpConnection &c, const Error &error, const tcp::endpoint &) {
                            if (error) return c.close("cannot connect: " + error.message());
                            Error ignored;
                            (void)c.socket_.set_option(tcp::no_delay(true), ignored);
                            if (c.target_.context) c.shake_hands();
                            else c.opened();
                        }));
}

void HttpConnection::shake_hands() {
    tls_.emplace(socket_, *target_.context);
    const std::string &name = target_.verified_name;
    Error no_address;
    asio::ip::make_address(name, no_address);
    // Only names can be sent, not addresses (RFC 6066).
    if (no_address) SSL_set_tlsext_host_name(tls_->native_handle(), name.c_str());
    if (target_.verify) {
        tls_->set_verify_mode(asio::ssl::verify_peer);
        tls_->set_verify_callback(asio::ssl::host_name_verification(name));
    }
    if (many_)
        SSL_set_alpn_protos(tls_->native_handle(), reinterpret_cast<const unsigned char *>(protocols.data()),
                            static_cast<unsigned>(protocols.size()));
    tls_->async_handshake(asio::ssl::stream_base::client, then([](HttpConnection &c, const Error &error) {
                              if (error) c.close("TLS handshake: " + error.message() + expected_certificate);
                              else c.opened();
                          }));
}

void HttpConnection::opened() {
    open_ = true;
    last_sign_ = Clock::now();
    if (tls_ && many_) {
        const unsigned char *chosen = nullptr;
        unsigned size = 0;
        SSL_get0_alpn_selected(tls_->native_handle(), &chosen, &size);
        if (std::string_view(reinterpret_cast<const char *>(chosen), size) == http2) {
            session_.emplace(target_.server);
            write_soon();
        }
    }
    // From now on it always reads, so that it learns at once when the server closes the connection.
    read();
    owner_.idle(*this);
}

std::size_t HttpConnection::room() const {
    if (!open_ || closed_ || !retiring_.empty()) return 0;
    return session_ ? session_->room() : exchange_ ? 0 : 1;
}

void HttpConnection::send(Exchange exchange) {
    const auto now = Clock::now();
    if (!is_busy()) last_sign_ = now;
    unsolicited_ = 0;
    if (session_) {
        session_->submit(std::move(exchange), now);
        return write_soon();
    }
    if (auto why = exchange.why_not(); !why.empty())
        return asio::post(socket_.get_executor(),
                          [done = std::move(exchange.done), why = std::move(why)] { done({0, why, true, 0}); });
    exchange_ = std::move(exchange);
    answer_ = {};
    parser_.emplace(answer_, exchange_->data, exchange_->request.most_bytes);
    out_.clear();
    write_http1(*exchange_, target_.server, out_);
    write();
}

/// With what else is to be written by then.
void HttpConnection::write_soon() {
    if (writing_ || std::exchange(will_write_, true)) return;
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        self->will_write_ = false;
        if (self->closed_ || self->writing_) return;
        self->session_->take(self->out_);
        if (!self->out_.empty()) self->write();
        self->settle();  // those that cannot be sent
    });
}

void HttpConnection::write() {
    writing_ = true;
    auto sent = then<std::size_t>([](HttpConnection &c, const Error &error, std::size_t) {
        c.writing_ = false;
        if (error) c.close("cannot send: " + error.message());
        else if (c.session_) c.write_soon();
    });
    if (tls_) asio::async_write(*tls_, asio::buffer(out_), std::move(sent));
    else asio::async_write(socket_, asio::buffer(out_), std::move(sent));
}

void HttpConnection::read() {
    constexpr std::size_t piece = 16 << 10;  // a TLS record
    auto received =
        then<std::size_t>([](HttpConnection &c, const Error &error, std::size_t n) { c.received(error, n); });
    if (tls_) tls_->async_read_some(in_.prepare(piece), std::move(received));
    else socket_.async_read_some(in_.prepare(piece), std::move(received));
}

void HttpConnection::received(const Error &error, std::size_t n) {
    if (error) {
        Error incomplete = error;
        // An answer without a length ends with the connection.
        if (parser_ && parser_->got_some()) parser_->put_eof(incomplete);
        if (!incomplete) return finish();
        return close(error == asio::error::eof || error == asio::ssl::error::stream_truncated
                         ? "the server closed the connection"
                         : error.message());
    }
    in_.commit(n);
    // Between requests a server may ping, but not for ever.
    if (!is_busy()) unsolicited_ += n;
    if (unsolicited_ > mebibyte)
        return close(too_large(target_.server.authority, "frames outside a request", mebibyte));
    last_sign_ = Clock::now();
    pinged_ = false;
    if (session_) {
        const auto bytes = in_.data();
        auto taken = session_->put({static_cast<const char *>(bytes.data()), bytes.size()});
        in_.consume(in_.size());
        settle();
        if (!taken) close(taken.error().text);
        else if (!closed_) write_soon();
    } else {
        parse();
    }
    if (!closed_) read();
}

/// Completes the finished requests.
void HttpConnection::settle() {
    auto answered = session_->answered();
    if (answered.empty()) return;
    notify_writable();
    for (auto &one : answered) one.done(std::move(one.answer));
}

void HttpConnection::notify_writable() {
    if (retiring_.empty()) owner_.idle(*this);
    else if (!is_busy()) close(retiring_);
}

void HttpConnection::retire(const std::string &why) {
    if (!is_busy()) return close(why);
    retiring_ = why;
}

void HttpConnection::parse() {
    while (in_.size() > 0) {
        if (!exchange_) return close("the server sent a response without a request");
        Error error;
        in_.consume(parser_->put(in_.data(), error));
        const auto &authority = target_.server.authority;
        if (error == http::error::body_limit)
            return close(too_large(authority, "an answer", exchange_->request.most_bytes), true);
        // What waits for more is a line or a head: a body never stays here.
        const bool more = error == http::error::need_more;
        if (error == http::error::header_limit || (more && in_.size() > most_of_head))
            return close(too_large(authority, "headers or a line", most_of_head));
        if (more) return;
        if (error) return close("the server's answer is not HTTP: " + error.message());
        if (!parser_->is_done()) continue;
        finish();
        if (closed_) return;
    }
}

void HttpConnection::finish() {
    auto exchange = std::move(*exchange_);
    auto answer = std::move(answer_);
    // A server may answer before it has read the whole request; the rest of that is still in the way.
    bool again = parser_->keep_alive() && exchange.stream == 0 && !writing_;
    parser_.reset();
    exchange_.reset();
    if (again) notify_writable();
    else close("the server asked for it");
    exchange.done(std::move(answer));
}

void HttpConnection::close(const std::string &why, bool too_long) {
    if (std::exchange(closed_, true)) return;
    auto self = shared_from_this();
    resolver_.cancel();
    Error ignored;
    (void)socket_.close(ignored);
    if (session_) {
        session_->give_up(Clock::time_point::max(), why);
        for (auto &one : session_->answered()) one.done(std::move(one.answer));
    }
    if (auto exchange = std::exchange(exchange_, std::nullopt)) {
        parser_.reset();
        exchange->done({0, why, false, 0, too_long});
    }
    owner_.closed(*this, why);
}

void HttpConnection::check_time(Clock::time_point now) {
    // Opening takes a moment. A watch is never quiet for long: a bookmark comes about every minute. A server that is
    // well closes idle connections only after a minute.
    constexpr std::chrono::seconds to_open{30}, between_data{180}, idle{30}, to_ping{15};
    constexpr const char *too_long = "timed out: nothing came";
    auto quiet = now - last_sign_;
    if (!open_) {
        if (quiet > to_open) close("cannot connect: timed out");
    } else if (!is_busy()) {
        if (quiet > idle) close("not needed");
    } else if (session_) {
        // A server that takes long for one request still answers a ping. Without one, the check itself may have been
        // late.
        if (pinged_ && quiet > 2 * to_ping) return close(too_long);
        if (quiet > to_ping && !std::exchange(pinged_, true)) session_->ping();
        session_->give_up(now, too_long);
        settle();
        if (!closed_) write_soon();
    } else if (exchange_->is_late(now)) {
        close("timed out: the answer did not come whole");
    } else if (quiet > (exchange_->stream != 0 ? between_data : exchange_->request.patience)) {
        close(too_long);
    }
}

}  // namespace berth::kube
