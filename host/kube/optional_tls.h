// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A socket with or without TLS, with the same reads and writes.

#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <memory>
#include <utility>

namespace berth::kube {

class OptionalTls {
public:
    using Context = boost::asio::ssl::context;
    using executor_type = boost::beast::tcp_stream::executor_type;
    using next_layer_type = boost::beast::tcp_stream;

    /// Without a context nothing is encrypted.
    OptionalTls(boost::asio::ip::tcp::socket socket, std::shared_ptr<Context> context)
        : encrypted_(context != nullptr),
          context_(context ? std::move(context) : std::make_shared<Context>(Context::tls_server)),
          tls_(std::move(socket), *context_) {}

    bool encrypted() const { return encrypted_; }
    boost::beast::ssl_stream<boost::beast::tcp_stream> &tls() { return tls_; }

    executor_type get_executor() { return tls_.get_executor(); }
    next_layer_type &next_layer() { return tls_.next_layer(); }
    const next_layer_type &next_layer() const { return tls_.next_layer(); }

    template <class Buffers, class Handler>
    void async_read_some(const Buffers &buffers, Handler &&handler) {
        if (encrypted_) tls_.async_read_some(buffers, std::forward<Handler>(handler));
        else tls_.next_layer().async_read_some(buffers, std::forward<Handler>(handler));
    }
    template <class Buffers, class Handler>
    void async_write_some(const Buffers &buffers, Handler &&handler) {
        if (encrypted_) tls_.async_write_some(buffers, std::forward<Handler>(handler));
        else tls_.next_layer().async_write_some(buffers, std::forward<Handler>(handler));
    }

private:
    bool encrypted_;
    std::shared_ptr<Context> context_;
    boost::beast::ssl_stream<boost::beast::tcp_stream> tls_;
};

}  // namespace berth::kube
