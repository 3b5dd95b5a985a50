// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/server_connection.h"

#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>

namespace berth::kube {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

ServerConnection::ServerConnection(tcp::socket socket, Owner &owner)
    : owner_(owner),
      stream_(std::move(socket), owner.tls() ? owner.tls()->context() : nullptr),
      patience_(stream_.get_executor()) {}

void ServerConnection::open() {
    if (!stream_.encrypted()) return await_request();
    beast::get_lowest_layer(stream_).expires_after(owner_.limits().handshake);
    stream_.tls().async_handshake(asio::ssl::stream_base::server, then([](ServerConnection &c, const Error &error) {
                                      if (error) return c.close();
                                      c.certificate_ = c.owner_.tls()->client(c.stream_.tls().native_handle());
                                      c.await_request();
                                  }));
}

/// A client may be silent between its requests, but not within one.
void ServerConnection::await_request() {
    constexpr std::size_t piece = 4 << 10;
    answering_ = false;
    since_ = Clock::now();
    parser_.emplace(owner_.limits());
    if (in_.size() > 0) return read_head();
    beast::get_lowest_layer(stream_).expires_after(owner_.limits().idle);
    stream_.async_read_some(in_.prepare(piece), [self = shared_from_this()](const Error &error, std::size_t n) {
        if (self->closed_) return;
        if (error) return self->close();
        self->in_.commit(n);
        self->read_head();
    });
}

void ServerConnection::read_head() {
    beast::get_lowest_layer(stream_).expires_after(owner_.limits().head);
    http::async_read_header(stream_, in_, *parser_, then<std::size_t>([](ServerConnection &c, const Error &error) {
                                if (error) return c.refuse(error);
                                if (!beast::iequals(c.parser_->get()[http::field::expect], "100-continue"))
                                    return c.read_body();
                                static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
                                asio::async_write(c.stream_, asio::buffer(go_on),
                                                  c.then<std::size_t>([](ServerConnection &d, const Error &broken) {
                                                      if (broken) d.close();
                                                      else d.read_body();
                                                  }));
                            }));
}

void ServerConnection::read_body() {
    beast::get_lowest_layer(stream_).expires_after(owner_.limits().body);
    http::async_read(stream_, in_, *parser_, then<std::size_t>([](ServerConnection &c, const Error &error) {
                         if (error) c.refuse(error);
                         else c.ask();
                     }));
}

/// What cannot be read is told to whoever still listens.
void ServerConnection::refuse(const Error &error) {
    constexpr int bad = 400, too_large = 413, head_too_large = 431;
    if (error == http::error::header_limit)
        return answer({head_too_large, "431 Request Header Fields Too Large\n"}, false);
    if (error == http::error::body_limit)
        return answer(status_answer(too_large, "RequestEntityTooLarge",
                                    "Request entity too large: limit is " + std::to_string(owner_.limits().body_bytes)),
                      false);
    const bool theirs = error.category() == http::make_error_code(http::error::bad_method).category() &&
                        error != http::error::end_of_stream && error != http::error::partial_message;
    if (theirs) return answer({bad, "400 Bad Request: " + error.message() + "\n"}, false);
    close();
}

void ServerConnection::ask() {
    constexpr int bad = 400, no_answer = 504;
    const bool keep_alive = parser_->get().keep_alive();
    auto request = parser_->take(certificate_);
    if (!request) return answer({bad, "400 Bad Request\n"}, false);

    answering_ = true;
    beast::get_lowest_layer(stream_).expires_never();
    const auto number = ++asked_;
    patience_.expires_after(owner_.limits().answer);
    patience_.async_wait(then([number, keep_alive](ServerConnection &c, const Error &error) {
        if (!error && c.asked_ == number && c.answering_)
            c.answer({no_answer, "504 Gateway Timeout: the scheduler does not answer\n"}, keep_alive);
    }));
    owner_.handler()(std::move(*request),
                     [weak = weak_from_this(), post = owner_.poster(), number, keep_alive](ServedAnswer answer) {
                         post([weak, number, keep_alive, answer = std::move(answer)]() mutable {
                             auto self = weak.lock();
                             if (!self || self->closed_ || self->asked_ != number || !self->answering_) return;
                             self->answer(std::move(answer), keep_alive);
                         });
                     });
}

void ServerConnection::answer(ServedAnswer answer, bool keep_alive) {
    constexpr unsigned http_1_1 = 11;
    ++asked_;
    patience_.cancel();
    response_ = {};
    response_.version(http_1_1);
    response_.result(static_cast<unsigned>(answer.status));
    response_.set(http::field::cache_control, "no-cache, private");
    response_.set(http::field::content_type, answer.content_type);
    response_.set("X-Content-Type-Options", "nosniff");
    for (const auto &[name, value] : answer.headers) response_.set(name, value);
    const bool whole = !parser_->is_header_done() || parser_->get().method() != http::verb::head;
    served_ = whole ? std::move(answer.stream) : nullptr;
    if (served_) keep_alive = false;  // its end is the connection's
    else response_.content_length(answer.body.size());
    response_.keep_alive(keep_alive);
    if (whole) response_.body() = std::move(answer.body);
    beast::get_lowest_layer(stream_).expires_after(owner_.limits().write);
    http::async_write(stream_, response_, then<std::size_t>([keep_alive](ServerConnection &c, const Error &error) {
                          if (error) c.close();
                          else if (c.served_) c.follow();
                          else if (keep_alive) c.await_request();
                          else c.finish();
                      }));
}

/// Sends what comes, for as long as the client is there.
void ServerConnection::follow() {
    beast::get_lowest_layer(stream_).expires_never();
    await_goodbye();
    served_->attach([weak = weak_from_this()] {
        if (auto self = weak.lock()) self->send();
    });
    send();
}

/// The client has nothing more to say; what it says goes unheard.
void ServerConnection::await_goodbye() {
    constexpr std::size_t piece = 1 << 10;
    in_.clear();
    stream_.async_read_some(in_.prepare(piece), then<std::size_t>([](ServerConnection &c, const Error &error) {
                                if (error && c.served_) c.close();
                                else if (error) c.finish();
                                else c.await_goodbye();
                            }));
}

void ServerConnection::send() {
    constexpr std::size_t most = 256 << 10;
    if (closed_ || sending_ || !served_) return;
    out_ = served_->take();
    if (out_.size() > most) return close();  // who does not read
    if (out_.empty()) {
        if (!served_->ended()) return;
        served_.reset();
        return beast::get_lowest_layer(stream_).cancel();  // await_goodbye() says farewell
    }
    sending_ = true;
    beast::get_lowest_layer(stream_).expires_after(owner_.limits().write);
    asio::async_write(stream_, asio::buffer(out_), then<std::size_t>([](ServerConnection &c, const Error &error) {
                          c.sending_ = false;
                          if (error) c.close();
                          else c.send();
                      }));
}

/// Says that nothing more comes, so that the client knows the answer for whole.
void ServerConnection::finish() {
    constexpr std::chrono::seconds farewell{2};
    answering_ = false;
    if (!stream_.encrypted()) return close();
    beast::get_lowest_layer(stream_).expires_after(farewell);
    stream_.tls().async_shutdown(then([](ServerConnection &c, const Error &) { c.close(); }));
}

void ServerConnection::close() {
    if (std::exchange(closed_, true)) return;
    auto self = shared_from_this();
    if (served_) served_->leave();
    patience_.cancel();
    beast::get_lowest_layer(stream_).close();
    owner_.closed(*this);
}

}  // namespace berth::kube
