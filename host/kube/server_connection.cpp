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

namespace {

/// Beyond the longest head: what a client may send ahead of what was read. In a chunked body it also bounds the line
/// before a chunk, to which Beast sets no limit.
constexpr std::size_t ahead_bytes = 64 << 10;
constexpr int http_bad = 400, http_too_large = 413, http_head_too_large = 431, http_unavailable = 503,
              http_no_answer = 504;

ServedAnswer no_room() {
    return status_answer(http_unavailable, "ServiceUnavailable",
                         "too many large requests and answers are under way: ask again");
}

}  // namespace

ServerConnection::ServerConnection(tcp::socket socket, std::string peer, Owner &owner)
    : owner_(owner),
      peer_(std::move(peer)),
      waiting_(std::move(socket)),
      in_(owner.limits().head_bytes + ahead_bytes),
      stranger_until_(Clock::now() + owner.limits().stranger) {}

/// Nothing is spent on a client that says nothing: TLS begins with its first byte.
void ServerConnection::open() {
    if (!owner_.tls()) return begin();
    allow(owner_.limits().handshake);
    waiting_.async_wait(tcp::socket::wait_read, then([](ServerConnection &c, const Error &error) {
                            if (error) c.close();
                            else c.owner_.waits_for_handshake(c);
                        }));
}

void ServerConnection::greet() {
    stream_.emplace(std::move(waiting_), owner_.tls()->context());
    stream_->tls().async_handshake(asio::ssl::stream_base::server, then([](ServerConnection &c, const Error &error) {
                                       if (error) return c.close();
                                       c.certificate_ = c.owner_.tls()->client(c.stream_->tls().native_handle());
                                       c.await_request();
                                   }));
}

void ServerConnection::begin() {
    stream_.emplace(std::move(waiting_), nullptr);
    await_request();
}

/// A client may be silent between its requests, but not within one.
void ServerConnection::await_request() {
    constexpr std::size_t piece = 4 << 10;
    stage_ = Stage::Reading;
    parser_.emplace(owner_.limits());
    body_limit_ = owner_.limits().body_bytes;
    if (in_.size() > 0) return read_head();
    allow(owner_.limits().idle);
    stream_->async_read_some(in_.prepare(piece),
                             then<std::size_t>([](ServerConnection &c, const Error &error, std::size_t n) {
                                 if (error) return c.close();
                                 c.in_.commit(n);
                                 c.read_head();
                             }));
}

void ServerConnection::read_head() {
    allow(owner_.limits().head);
    http::async_read_header(*stream_, in_, *parser_,
                            then<std::size_t>([](ServerConnection &c, const Error &error, std::size_t) {
                                if (error) c.refuse(error);
                                else c.judge();
                            }));
}

/// Asks whether the request may be made before anything more is read of it.
void ServerConnection::judge() {
    keep_alive_ = parser_->get().keep_alive();
    auto request = parser_->head(certificate_);
    if (!request) return answer({http_bad, "400 Bad Request\n"}, false);
    request->peer = peer_;
    stage_ = Stage::Asking;
    const auto number = ++exchange_;
    allow(owner_.limits().answer);
    if (!owner_.gate()) {
        request->known = true;
        return allowed(std::move(*request));
    }
    owner_.gate()(
        std::move(*request),
        [weak = weak_from_this(), number](ServedRequest good) {
            auto self = weak.lock();
            if (self && !self->closed_ && self->exchange_ == number) self->allowed(std::move(good));
        },
        [weak = weak_from_this(), reply = answering()](ServedAnswer why) {
            if (auto self = weak.lock(); self && !self->closed_) self->refused();
            reply(std::move(why));
        });
}

void ServerConnection::refused() {
    owner_.refused_one();
    if (!std::exchange(known_, false)) return;
    strange_requests_ = 0;
    stranger_until_ = Clock::now() + owner_.limits().stranger;
    owner_.is_stranger(*this);
}

void ServerConnection::allowed(ServedRequest request) {
    request_ = std::move(request);
    if (request_.known) {
        known_ = true;
        owner_.is_known(*this, request_.user.name.empty() ? peer_ : request_.user.name);
    }
    if (closed_) return;
    if (parser_->is_done()) return ask();
    if (!request_.known) parser_->body_limit(body_limit_ = owner_.limits().stranger_body_bytes);
    const auto length = parser_->content_length() ? *parser_->content_length() : body_limit_;
    if (length > body_limit_) return refuse(http::error::body_limit);
    if (request_.known && !reserve(length)) {
        unread_ = true;
        return answer(no_room(), false);
    }
    if (!beast::iequals(parser_->get()[http::field::expect], "100-continue")) return read_body();
    static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    asio::async_write(*stream_, asio::buffer(go_on),
                      then<std::size_t>([](ServerConnection &c, const Error &error, std::size_t) {
                          if (error) c.close();
                          else c.read_body();
                      }));
}

void ServerConnection::read_body() {
    stage_ = Stage::Reading;
    allow(owner_.limits().body);
    http::async_read(*stream_, in_, *parser_,
                     then<std::size_t>([](ServerConnection &c, const Error &error, std::size_t) {
                         if (error) return c.refuse(error);
                         c.request_.body = c.parser_->take_body();
                         c.ask();
                     }));
}

/// Answers an unreadable request with its error, if the client still reads.
void ServerConnection::refuse(const Error &error) {
    unread_ = true;
    owner_.refused_one();
    if (error == http::error::header_limit)
        return answer({http_head_too_large, "431 Request Header Fields Too Large\n"}, false);
    if (error == http::error::body_limit)
        return answer(status_answer(http_too_large, "RequestEntityTooLarge",
                                    "Request entity too large: limit is " + std::to_string(body_limit_)),
                      false);
    const bool theirs = error.category() == http::make_error_code(http::error::bad_method).category() &&
                        error != http::error::end_of_stream && error != http::error::partial_message;
    if (theirs) return answer({http_bad, "400 Bad Request: " + error.message() + "\n"}, false);
    close();
}

void ServerConnection::ask() {
    stage_ = Stage::Asking;
    ++exchange_;
    allow(owner_.limits().answer);
    owner_.handler()(std::move(request_), answering());
}

/// The callback for the current request; a response that comes when there is another request, or none, is dropped.
Answering ServerConnection::answering() {
    return [weak = weak_from_this(), post = owner_.poster(), number = exchange_](ServedAnswer answer) {
        post([weak, number, answer = std::move(answer)]() mutable {
            auto self = weak.lock();
            if (!self || self->closed_ || self->exchange_ != number || self->stage_ != Stage::Asking) return;
            self->answer(std::move(answer), self->keep_alive_);
        });
    };
}

void ServerConnection::answer(ServedAnswer answer, bool keep_alive) {
    constexpr unsigned http_1_1 = 11;
    constexpr std::size_t large = 128 << 10;
    ++exchange_;
    stage_ = Stage::Writing;
    if (!known_ && ++strange_requests_ >= owner_.limits().stranger_requests) keep_alive = false;
    if (unread_) keep_alive = false;
    if (answer.body.size() > large && !reserve(answer.body.size())) answer = no_room();
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
    keep_alive_ = keep_alive;
    written_until_ = Clock::now() + owner_.limits().write;
    serializer_.emplace(response_);
    write();
}

/// Writes in pieces, to distinguish a client that reads slowly from one that does not read.
void ServerConnection::write() {
    until_ = std::min(Clock::now() + owner_.limits().stall, written_until_);
    http::async_write_some(*stream_, *serializer_,
                           then<std::size_t>([](ServerConnection &c, const Error &error, std::size_t) {
                               if (error) c.close();
                               else if (c.serializer_->is_done()) c.written();
                               else c.write();
                           }));
}

void ServerConnection::written() {
    serializer_.reset();
    response_ = {};
    release();
    if (served_) follow();
    else if (keep_alive_) await_request();
    else if (unread_) drain();
    else finish();
}

/// Sends what comes, for as long as the client is there.
void ServerConnection::follow() {
    stage_ = Stage::Following;
    until_ = Clock::time_point::max();
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
    stream_->async_read_some(in_.prepare(piece),
                             then<std::size_t>([](ServerConnection &c, const Error &error, std::size_t) {
                                 if (error && c.served_) c.close();
                                 else if (error) c.finish();
                                 else c.await_goodbye();
                             }));
}

void ServerConnection::send() {
    constexpr std::size_t most = 256 << 10;
    if (closed_ || sending_ || !served_) return;
    out_ = served_->take();
    if (out_.size() > most) return close();  // the client does not read
    if (out_.empty()) {
        until_ = Clock::time_point::max();
        if (!served_->ended()) return;
        served_.reset();
        allow(owner_.limits().stall);
        return beast::get_lowest_layer(*stream_).cancel();  // await_goodbye() says farewell
    }
    sending_ = true;
    allow(owner_.limits().stall);
    asio::async_write(*stream_, asio::buffer(out_),
                      then<std::size_t>([](ServerConnection &c, const Error &error, std::size_t) {
                          c.sending_ = false;
                          if (error) c.close();
                          else c.send();
                      }));
}

/// Says that nothing more comes, so that the client knows the answer for whole.
void ServerConnection::finish() {
    constexpr std::chrono::seconds farewell{2};
    stage_ = Stage::Ending;
    if (!stream_->encrypted()) return close();
    allow(farewell);
    stream_->tls().async_shutdown(then([](ServerConnection &c, const Error &) { c.close(); }));
}

/// Hears out for a moment a client that was answered while it was still sending: if its bytes were left lying, the
/// kernel would take the answer back.
void ServerConnection::drain() {
    constexpr std::size_t piece = 16 << 10, most = 256 << 10;
    if (std::exchange(stage_, Stage::Ending) != Stage::Ending) allow(std::chrono::seconds{1});
    in_.clear();
    stream_->async_read_some(in_.prepare(piece),
                             then<std::size_t>([](ServerConnection &c, const Error &error, std::size_t n) {
                                 if (error || (c.drained_ += n) > most) c.close();
                                 else c.drain();
                             }));
}

bool ServerConnection::check_time(Clock::time_point now) {
    if (!known_ && now >= stranger_until_) return abort(), true;
    if (now < until_) return false;
    if (stage_ != Stage::Asking) return abort(), true;
    answer({http_no_answer, "504 Gateway Timeout: the scheduler does not answer\n"}, keep_alive_);
    return false;
}

bool ServerConnection::reserve(std::uint64_t bytes) {
    if (!owner_.reserve(bytes)) {
        owner_.refused_one();
        return false;
    }
    reserved_ += bytes;
    return true;
}

void ServerConnection::release() { owner_.release(std::exchange(reserved_, 0)); }

void ServerConnection::abort() {
    Error ignored;
    if (!closed_) (void)socket().set_option(asio::socket_base::linger(true, 0), ignored);
    close();
}

void ServerConnection::close() {
    if (std::exchange(closed_, true)) return;
    auto self = shared_from_this();
    if (served_) served_->leave();
    release();
    Error ignored;
    (void)socket().close(ignored);
    owner_.closed(*this);
}

}  // namespace berth::kube
