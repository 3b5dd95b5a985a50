// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/http_connection.h"

#include "kube/tls.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/write.hpp>

namespace berth::kube {

namespace asio = boost::asio;

HttpConnection::HttpConnection(asio::io_context &io, const Target &target, Owner &owner)
    : target_(target), owner_(owner), resolver_(io), socket_(io) {}

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
    // Only names can be asked for, not addresses (RFC 6066).
    if (no_address) SSL_set_tlsext_host_name(tls_->native_handle(), name.c_str());
    if (target_.verify) {
        tls_->set_verify_mode(asio::ssl::verify_peer);
        tls_->set_verify_callback(asio::ssl::host_name_verification(name));
    }
    tls_->async_handshake(asio::ssl::stream_base::client, then([](HttpConnection &c, const Error &error) {
                              if (error) c.close("TLS handshake: " + error.message() + expected_certificate);
                              else c.opened();
                          }));
}

void HttpConnection::opened() {
    open_ = true;
    last_sign_ = Clock::now();
    // From now on it always reads, so that it learns at once when the server closes the connection.
    read();
    owner_.idle(*this);
}

void HttpConnection::send(Exchange exchange) {
    exchange_ = std::move(exchange);
    answer_ = {};
    parser_.emplace(answer_, exchange_->data);
    last_sign_ = Clock::now();
    auto sent = then<std::size_t>([](HttpConnection &c, const Error &error, std::size_t) {
        if (error) c.close("cannot send: " + error.message());
    });
    auto text = asio::buffer(exchange_->text);
    if (tls_) asio::async_write(*tls_, text, std::move(sent));
    else asio::async_write(socket_, text, std::move(sent));
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
    last_sign_ = Clock::now();
    parse();
    if (!closed_) read();
}

void HttpConnection::parse() {
    while (in_.size() > 0) {
        if (!exchange_) return close("the server sent what nobody asked for");
        Error error;
        in_.consume(parser_->put(in_.data(), error));
        if (error == boost::beast::http::error::need_more) return;
        if (error) return close("the server's answer is not HTTP: " + error.message());
        if (!parser_->is_done()) continue;
        finish();
        if (closed_) return;
    }
}

void HttpConnection::finish() {
    auto exchange = std::move(*exchange_);
    auto answer = std::move(answer_);
    bool again = parser_->keep_alive() && exchange.stream == 0;
    parser_.reset();
    exchange_.reset();
    if (again) owner_.idle(*this);
    else close("the server asked for it");
    exchange.done(std::move(answer));
}

void HttpConnection::close(const std::string &why) {
    if (std::exchange(closed_, true)) return;
    auto self = shared_from_this();
    resolver_.cancel();
    Error ignored;
    (void)socket_.close(ignored);
    if (auto exchange = std::exchange(exchange_, std::nullopt)) {
        parser_.reset();
        exchange->done({0, why, false, 0});
    }
    owner_.closed(*this, why);
}

void HttpConnection::check_time(Clock::time_point now) {
    // Opening takes a moment. A request is answered within a minute by a server that is well. A watch is never quiet
    // for long: a bookmark comes about every minute. A server that is well closes idle connections only after a minute.
    constexpr std::chrono::seconds to_open{30}, to_answer{60}, between_news{180}, idle{30};
    auto quiet = now - last_sign_;
    if (!open_) {
        if (quiet > to_open) close("cannot connect: timed out");
    } else if (!exchange_) {
        if (quiet > idle) close("not needed");
    } else if (quiet > (exchange_->stream != 0 ? between_news : to_answer)) {
        close("timed out: nothing came");
    }
}

}  // namespace berth::kube
