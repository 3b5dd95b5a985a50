// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One client's connection to Berth's server: its requests and their answers.

#include "kube/optional_tls.h"
#include "kube/request_parser.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/serializer.hpp>

#include <memory>
#include <optional>

namespace berth::kube {

/// Everything on the thread that runs the socket's context. Kept alive by what it has under way.
class ServerConnection : public std::enable_shared_from_this<ServerConnection> {
public:
    using Clock = std::chrono::steady_clock;
    using Error = boost::system::error_code;
    using tcp = boost::asio::ip::tcp;

    /// What the connections of a server share; outlives what they have under way.
    struct Owner {
        virtual ~Owner() = default;
        virtual ServerTls *tls() = 0;  ///< null: plain HTTP
        virtual const ServerLimits &limits() const = 0;
        virtual const ServedHandler &handler() const = 0;
        virtual const ServedGate &gate() const = 0;
        /// The client has said something: its TLS handshake may begin when greet() is called.
        virtual void waits_for_handshake(ServerConnection &connection) = 0;
        /// It belongs to `user` from now on, who may have been refused.
        virtual void is_known(ServerConnection &connection, const std::string &user) = 0;
        virtual void is_stranger(ServerConnection &connection) = 0;
        virtual void closed(ServerConnection &connection) = 0;
        /// Counts bytes against what all connections may hold together; false: there is no room for them.
        virtual bool reserve(std::uint64_t bytes) = 0;
        virtual void release(std::uint64_t bytes) = 0;
        virtual void refused_one() = 0;  ///< counts it
        /// `fn` runs on the thread, if that still exists; any thread.
        virtual std::function<void(std::function<void()>)> poster() = 0;
    };

    ServerConnection(tcp::socket socket, std::string peer, Owner &owner);

    void open();
    void greet();  ///< begins the handshake
    void close();
    /// The same, and what the client has not read yet is not kept for it.
    void abort();
    /// Ends it if it takes too long; returns whether it did. To be called again and again.
    bool check_time(Clock::time_point now);
    const std::string &peer() const { return peer_; }
    bool known() const { return known_; }

private:
    /// What is being waited for.
    enum class Stage { Reading, Asking, Writing, Following, Ending };
    using Response = boost::beast::http::response<boost::beast::http::string_body>;
    using Serializer = boost::beast::http::response_serializer<boost::beast::http::string_body>;

    template <class... More, class Step>
    auto then(Step step) {
        return [self = shared_from_this(), step](const Error &error, const More &...more) {
            if (!self->closed_) step(*self, error, more...);
        };
    }
    void allow(ServerLimits::Time time) { until_ = Clock::now() + time; }
    tcp::socket &socket() { return stream_ ? boost::beast::get_lowest_layer(*stream_).socket() : waiting_; }

    void begin();
    void await_request();
    void read_head();
    void judge();
    void allowed(ServedRequest request);
    void read_body();
    void refused();
    void refuse(const Error &error);
    void ask();
    Answering answering();
    void answer(ServedAnswer answer, bool keep_alive);
    void write();
    void written();
    void finish();
    void drain();
    void follow();
    void await_goodbye();
    void send();
    bool reserve(std::uint64_t bytes);
    void release();

    Owner &owner_;
    const std::string peer_;
    tcp::socket waiting_;  ///< until there is a stream
    std::optional<OptionalTls> stream_;
    boost::beast::flat_buffer in_;
    std::optional<RequestParser> parser_;
    ServedRequest request_;
    Response response_;
    std::optional<Serializer> serializer_;
    ClientCertificate certificate_;
    Clock::time_point until_;               ///< the present step ends by then
    Clock::time_point stranger_until_;      ///< a stranger's connection ends by then
    Clock::time_point written_until_;       ///< the answer is written by then
    std::uint64_t exchange_ = 0;            ///< counts requests and answers
    std::uint64_t reserved_ = 0;            ///< bytes
    std::uint64_t body_limit_ = 0;          ///< of the present request
    unsigned strange_requests_ = 0;         ///< since it is a stranger's
    std::size_t drained_ = 0;               ///< bytes
    std::shared_ptr<ServedStream> served_;  ///< the answer that goes on
    std::string out_;                       ///< a piece of it
    Stage stage_ = Stage::Reading;
    bool known_ = false, sending_ = false, closed_ = false;
    bool keep_alive_ = false;  ///< after the answer
    bool unread_ = false;      ///< the client still sends a body that is not read
};

}  // namespace berth::kube
