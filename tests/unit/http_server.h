// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A little HTTP server for the tests of transports: on the loopback, with a thread for each connection.

#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "http2_peer.h"
#include "kube/cpprest_transport.h"

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace berth {

/// What the process needs before there is a transport; once, whoever comes first.
inline void prepare_transports() {
    static const bool prepared = (kube::prepare_process(), true);
    (void)prepared;
}

struct Certificate {
    std::string pem, key;
};

/// A certificate that signs itself, for a server or client; `names` as in "DNS:api.example,IP:127.0.0.1".
inline Certificate make_certificate(const std::string &names) {
    constexpr long version_3 = 2, a_day = 86400;
    Certificate out;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    X509_set_version(certificate, version_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -a_day);
    X509_gmtime_adj(X509_getm_notAfter(certificate), a_day);
    X509_set_pubkey(certificate, key);
    X509_NAME *name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char *>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION *alternatives = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
    X509_add_ext(certificate, alternatives, -1);
    X509_sign(certificate, key, EVP_sha256());
    auto text = [](auto write) {
        BIO *memory = BIO_new(BIO_s_mem());
        write(memory);
        char *bytes = nullptr;
        auto size = BIO_get_mem_data(memory, &bytes);
        std::string pem(bytes, static_cast<std::size_t>(size));
        BIO_free(memory);
        return pem;
    };
    out.pem = text([&](BIO *to) { PEM_write_bio_X509(to, certificate); });
    out.key = text([&](BIO *to) { PEM_write_bio_PrivateKey(to, key, nullptr, nullptr, 0, nullptr, nullptr); });
    X509_EXTENSION_free(alternatives);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return out;
}

class HttpServer {
    using tcp = boost::asio::ip::tcp;
    using Context = boost::asio::ssl::context;

public:
    class Session {
        friend class HttpServer;
        tcp::socket socket_;
        std::optional<boost::asio::ssl::stream<tcp::socket &>> tls_;
        std::string in_;
        std::optional<Http2Peer> http2_;
        std::int32_t stream_ = 0;  ///< of the request that is being answered
        std::thread thread_;

        /// The next request, head and body; empty at the end.
        std::string next() {
            for (std::size_t wanted = 0;;) {
                auto head = in_.find("\r\n\r\n");
                if (head != in_.npos) {
                    wanted = head + 4;
                    auto length = in_.find("Content-Length:");
                    if (length < head) wanted += std::stoul(in_.substr(length + 15));
                    if (in_.size() >= wanted) {
                        std::string request = in_.substr(0, wanted);
                        in_.erase(0, wanted);
                        return request;
                    }
                }
                if (!read()) return {};
            }
        }
        bool read() {
            char piece[4096];
            boost::system::error_code error;
            auto n = tls_ ? tls_->read_some(boost::asio::buffer(piece), error)
                          : socket_.read_some(boost::asio::buffer(piece), error);
            if (!error) in_.append(piece, n);
            return !error;
        }
        /// The same of HTTP/2, written as it would be in HTTP/1.1, with the names of headers in lower case.
        std::string next2() {
            for (;;) {
                write(http2_->take());
                if (auto request = http2_->next()) {
                    stream_ = request->stream;
                    return request->method + " " + request->path + " HTTP/2\r\n" + request->head + "\r\n" +
                           request->body;
                }
                if (!read() || !http2_->put(std::exchange(in_, {}))) return {};
            }
        }

    public:
        explicit Session(tcp::socket socket) : socket_(std::move(socket)) {}
        void write(std::string_view text) {
            boost::system::error_code error;
            if (tls_) boost::asio::write(*tls_, boost::asio::buffer(text), error);
            else boost::asio::write(socket_, boost::asio::buffer(text), error);
        }
        /// An answer with a length.
        void answer(int status, const std::string &body, const std::string &more_head = {}) {
            if (http2_) {
                http2_->answer(stream_, status, body);
                return write(http2_->take());
            }
            write("HTTP/1.1 " + std::to_string(status) + " Whatever\r\n" + more_head +
                  "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
        }
        /// Waits until the client closes the connection.
        void await_end() {
            while (!next().empty()) {
            }
        }
    };
    /// Answers a request; false closes the connection. Any thread, several at a time.
    using Handler = std::function<bool(Session &, const std::string &request)>;

    /// `tls` may be null, and outlives it.
    explicit HttpServer(Handler handler, Context *tls = nullptr, const std::string &address = "127.0.0.1")
        : handler_(std::move(handler)), tls_(tls) {
        tcp::endpoint endpoint(boost::asio::ip::make_address(address), 0);
        acceptor_ = tcp::acceptor(io_, endpoint);
        host_ = address.find(':') == address.npos ? address : "[" + address + "]";
        accept();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~HttpServer() {
        io_.stop();
        thread_.join();
        for (auto &session : sessions_) ::shutdown(session.socket_.native_handle(), SHUT_RDWR);
        for (auto &session : sessions_) session.thread_.join();
    }

    std::string url(const std::string &scheme = "http") const {
        return scheme + "://" + host_ + ":" + std::to_string(acceptor_.local_endpoint().port());
    }
    int connections() const { return connections_; }

private:
    void accept() {
        acceptor_.async_accept([this](const boost::system::error_code &error, tcp::socket socket) {
            if (error) return;
            ++connections_;
            auto &session = sessions_.emplace_back(std::move(socket));
            session.thread_ = std::thread([this, &session] { serve(session); });
            accept();
        });
    }
    void serve(Session &session) {
        boost::system::error_code error;
        if (tls_) {
            session.tls_.emplace(session.socket_, *tls_);
            session.tls_->handshake(boost::asio::ssl::stream_base::server, error);
            const unsigned char *protocol = nullptr;
            unsigned size = 0;
            SSL_get0_alpn_selected(session.tls_->native_handle(), &protocol, &size);
            if (std::string_view(reinterpret_cast<const char *>(protocol), size) == "h2") session.http2_.emplace();
        }
        auto next = [&] { return session.http2_ ? session.next2() : session.next(); };
        for (std::string request; !error && !(request = next()).empty();)
            if (!handler_(session, request)) break;
        ::shutdown(session.socket_.native_handle(), SHUT_RDWR);
    }

    boost::asio::io_context io_;
    tcp::acceptor acceptor_{io_};
    Handler handler_;
    Context *tls_;
    std::string host_;
    std::list<Session> sessions_;
    std::atomic<int> connections_ = 0;
    std::thread thread_;
};

}  // namespace berth
