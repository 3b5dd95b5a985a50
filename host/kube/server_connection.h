// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One client of the server: a request and its answer, and so on.

#include "kube/optional_tls.h"
#include "kube/request_parser.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>

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
        virtual void closed(ServerConnection &connection) = 0;
        /// `fn` runs on the thread, if that still exists; any thread.
        virtual std::function<void(std::function<void()>)> poster() = 0;
    };

    ServerConnection(tcp::socket socket, Owner &owner);

    void open();
    void close();
    /// Nothing of its client's is being answered.
    bool silent() const { return !answering_; }
    Clock::time_point since() const { return since_; }

private:
    using Response = boost::beast::http::response<boost::beast::http::string_body>;

    template <class... More, class Step>
    auto then(Step step) {
        return [self = shared_from_this(), step](const Error &error, const More &...) {
            if (!self->closed_) step(*self, error);
        };
    }
    void await_request();
    void read_head();
    void read_body();
    void refuse(const Error &error);
    void ask();
    void answer(ServedAnswer answer, bool keep_alive);
    void finish();
    void follow();
    void await_goodbye();
    void send();

    Owner &owner_;
    OptionalTls stream_;
    boost::asio::steady_timer patience_;
    boost::beast::flat_buffer in_;
    std::optional<RequestParser> parser_;
    Response response_;
    ClientCertificate certificate_;
    Clock::time_point since_ = Clock::now();
    std::uint64_t asked_ = 0;
    std::shared_ptr<ServedStream> served_;  ///< the answer that goes on
    std::string out_;                       ///< a piece of it
    bool answering_ = false, sending_ = false, closed_ = false;
};

}  // namespace berth::kube
