// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http_server.h"

#include "catch.h"
#include "kube/beast_transport.h"
#include "kube/server.h"
#include "test_directory.h"

#include <future>

namespace berth {

using Tcp = boost::asio::ip::tcp;
using ClientStream = boost::asio::ssl::stream<Tcp::socket>;
using ClientContext = boost::asio::ssl::context;

/// A server at a free port of the loopback, with a certificate of its own, and its clients.
struct ServerWorld {
    TestDirectory directory;
    Certificate certificate = make_certificate("DNS:localhost,IP:127.0.0.1");
    std::string certificate_file = directory.write("tls.crt", certificate.pem);
    std::string key_file = directory.write("tls.key", certificate.key);
    kube::ServerTlsSettings settings{certificate_file, key_file, {}, {}, {}, false};
    std::optional<kube::Server> server;

    void serve(kube::ServedHandler handler, kube::ServerLimits limits = {}, kube::ServedGate gate = {}) {
        auto tls = kube::ServerTls::open(settings);
        REQUIRE(tls);
        auto made = kube::Server::listen("127.0.0.1", 0, std::move(*tls), std::move(handler), limits, std::move(gate));
        REQUIRE(made);
        server.emplace(std::move(*made));
        server->start();
    }
    std::string url() const { return "https://127.0.0.1:" + std::to_string(server->port()); }

    kube::HttpAnswer ask(kube::HttpRequest request, const Certificate *ours = nullptr) const {
        kube::Credentials credentials;
        credentials.server = url();
        credentials.authority = certificate.pem;
        if (ours) {
            credentials.certificate = ours->pem;
            credentials.key = ours->key;
        }
        auto transport = kube::make_beast_transport(credentials);
        REQUIRE(transport);
        std::promise<kube::HttpAnswer> promise;
        auto answer = promise.get_future();
        (*transport)->request(std::move(request), [&](kube::HttpAnswer got) { promise.set_value(std::move(got)); });
        return answer.get();
    }
    kube::HttpAnswer get(const std::string &path) const { return ask({"GET", path, {}, {}}); }

    /// `from`: another address of the loopback makes another peer.
    Tcp::socket connect(boost::asio::io_context &io, const char *from = "127.0.0.1") const {
        Tcp::socket socket(io);
        socket.open(Tcp::v4());
        socket.bind({boost::asio::ip::make_address(from), 0});
        socket.connect({boost::asio::ip::make_address("127.0.0.1"), server->port()});
        return socket;
    }
    /// What comes back for these bytes, sent through TLS, until the server closes.
    std::string raw(const std::string &bytes) const {
        boost::asio::io_context io;
        ClientContext context(ClientContext::tls_client);
        ClientStream stream(connect(io), context);
        stream.handshake(boost::asio::ssl::stream_base::client);
        boost::system::error_code error;
        boost::asio::write(stream, boost::asio::buffer(bytes), error);
        std::string out;
        boost::asio::read(stream, boost::asio::dynamic_buffer(out), error);
        return out;
    }
};

}  // namespace berth
