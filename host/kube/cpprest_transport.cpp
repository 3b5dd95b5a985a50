// SPDX-License-Identifier: Apache-2.0
#include <utility>  // Boost.Asio 1.74 lacks this include where g++ 12 needs it.

#include "kube/cpprest_transport.h"

#include "kube/bearer.h"
#include "kube/exec_credential.h"
#include "kube/stream_buffer.h"
#include "kube/tls.h"
#include "kube/url.h"

#include <cpprest/http_client.h>
#include <pplx/threadpool.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

namespace berth::kube {
namespace {

namespace http = web::http;
using http::client::http_client;
using http::client::http_client_config;
using SslContext = boost::asio::ssl::context;

// Idle time on a connection. A request is answered within a minute by a server that is well. A watch is never quiet
// for long: a bookmark comes about every minute.
constexpr std::chrono::seconds request_timeout{60}, stream_timeout{180};

http_client_config config_of(const Credentials &credentials, std::chrono::seconds timeout) {
    http_client_config config;
    config.set_timeout(timeout);
    config.set_max_redirects(0);  // a redirect would be sent the token
    config.set_validate_certificates(!credentials.insecure);
    config.set_ssl_context_callback([credentials](SslContext &context) { set_up_tls(context, credentials); });
    return config;
}

/// What is known while a stream is under way. The head of the answer and its body come from different tasks.
struct StreamState {
    std::mutex mutex;
    Transport::Data data;
    int status = 0;
    std::string early;  ///< body that came before the status was known, or that explains a refusal

    void take(std::string_view bytes) noexcept {
        std::lock_guard lock(mutex);
        if (status == http::status_codes::OK) data(bytes);
        else early.append(bytes);
    }
    void head(int answered) {
        std::lock_guard lock(mutex);
        status = answered;
        if (status != http::status_codes::OK || early.empty()) return;
        data(early);
        early.clear();
    }
};

HttpAnswer no_answer(std::string what, std::error_code error) {
    // cpprestsdk says so when no address of the host took the connection.
    bool unsent = error == std::errc::host_unreachable || error == std::errc::connection_refused;
    if (what == "Error in SSL handshake") what += expected_certificate;
    return {0, std::move(what), unsent, 0};
}

/// What a request's own why_not() said.
struct Refused : std::exception {
    std::string why;
    explicit Refused(std::string text) : why(std::move(text)) {}
    const char *what() const noexcept override { return why.c_str(); }
};

/// Asks before the first of the body, once there is a connection: without its body no server carries a request out.
/// Of a request without a body cpprestsdk tells nothing until it is sent.
void ask_before_body(http::http_request &message, const HttpRequest &request) {
    if (!request.why_not || request.body.empty()) return;
    message.set_progress_handler([why_not = request.why_not](http::message_direction::direction way, auto sent) {
        if (way != http::message_direction::upload || sent != 0) return;
        if (auto why = why_not(); !why.empty()) throw Refused(std::move(why));
    });
}

/// Waits for `task` and puts what it throws in the answer's place.
template <class T, class Use>
HttpAnswer outcome(const pplx::task<T> &task, Use use) {
    try {
        return use(task.get());
    } catch (const Refused &refused) {
        return {0, refused.why, true, 0};
    } catch (const http::http_exception &e) {
        return no_answer(e.what(), e.error_code());
    } catch (const pplx::task_canceled &) {
        return {0, "cancelled", false, 0};
    } catch (const std::exception &e) {
        return {0, e.what(), false, 0};
    }
}

HttpAnswer head_of(const http::http_response &response) {
    HttpAnswer answer;
    answer.status = response.status_code();
    auto after = response.headers().find("Retry-After");
    if (after != response.headers().end()) answer.retry_after_s = std::atoi(after->second.c_str());
    return answer;
}

class CpprestTransport : public Transport {
    Credentials credentials_;
    std::chrono::steady_clock::time_point read_ = std::chrono::steady_clock::now();
    web::uri server_;
    http_client requests_, streams_;
    Bearer bearer_;

    std::mutex mutex_;
    std::condition_variable idle_;
    std::size_t under_way_ = 0;
    std::unordered_map<StreamId, pplx::cancellation_token_source> cancels_;
    pplx::cancellation_token_source end_;  ///< of everything
    StreamId last_stream_ = 0;

public:
    CpprestTransport(Credentials credentials, const web::uri &server)
        : credentials_(std::move(credentials)),
          server_(server),
          requests_(server, config_of(credentials_, request_timeout)),
          streams_(server, config_of(credentials_, stream_timeout)),
          bearer_(credentials_) {}

    ~CpprestTransport() override {
        end_.cancel();
        std::vector<pplx::cancellation_token_source> streams;
        std::unique_lock lock(mutex_);
        for (auto &[id, source] : cancels_) streams.push_back(source);
        lock.unlock();
        for (auto &source : streams) source.cancel();
        lock.lock();
        idle_.wait(lock, [this] { return under_way_ == 0; });
    }

    void request(HttpRequest request, Done done) override {
        renew();
        begin();
        auto outgoing = message(request);
        ask_before_body(outgoing, request);
        requests_.request(outgoing, end_.get_token())
            .then([](const http::http_response &response) {
                HttpAnswer answer = head_of(response);
                return response.extract_utf8string(true).then([answer](std::string body) mutable {
                    answer.body = std::move(body);
                    return answer;
                });
            })
            .then([this, done = std::move(done)](const pplx::task<HttpAnswer> &task) {
                done(outcome(task, [](HttpAnswer answer) { return answer; }));
                end();
            });
    }

    StreamId stream(HttpRequest request, Data data, Done done) override {
        renew();
        begin();
        auto state = std::make_shared<StreamState>();
        state->data = std::move(data);
        pplx::cancellation_token_source cancel;
        StreamId id = 0;
        {
            std::lock_guard lock(mutex_);
            id = ++last_stream_;
            cancels_.emplace(id, cancel);
        }
        auto buffer = std::make_shared<StreamBuffer>([state](std::string_view bytes) { state->take(bytes); });
        auto outgoing = message(request);
        outgoing.set_response_stream(concurrency::streams::ostream(
            concurrency::streams::streambuf<std::uint8_t>(std::shared_ptr<StreamBuffer>(buffer))));
        streams_.request(outgoing, cancel.get_token())
            .then([state](const http::http_response &response) {
                HttpAnswer answer = head_of(response);
                state->head(answer.status);
                return response.content_ready().then([answer](const http::http_response &) { return answer; });
            })
            .then([this, id, state, done = std::move(done)](const pplx::task<HttpAnswer> &task) {
                HttpAnswer answer = outcome(task, [&](HttpAnswer head) {
                    std::lock_guard lock(state->mutex);
                    head.body = std::move(state->early);
                    return head;
                });
                {
                    std::lock_guard lock(mutex_);
                    cancels_.erase(id);
                }
                done(std::move(answer));
                end();
            });
        return id;
    }

    void cancel(StreamId stream) override {
        std::unique_lock lock(mutex_);
        auto at = cancels_.find(stream);
        if (at == cancels_.end()) return;
        auto source = at->second;
        lock.unlock();
        source.cancel();
    }

private:
    /// Another client certificate means other connections; those under way keep theirs.
    void renew() {
        if (!credentials_.exec && credentials_.certificate_file.empty() && credentials_.key_file.empty()) return;
        auto now = std::chrono::steady_clock::now();
        if (now - read_ < credentials_.reread) return;
        read_ = now;
        auto fresh = renewed(credentials_);
        if (!fresh) return;
        credentials_ = std::move(*fresh);
        requests_ = http_client(server_, config_of(credentials_, request_timeout));
        streams_ = http_client(server_, config_of(credentials_, stream_timeout));
    }

    http::http_request message(const HttpRequest &request) {
        http::http_request out(request.method);
        out.set_request_uri(web::uri(request.path));
        auto &headers = out.headers();
        if (!credentials_.server_name.empty()) headers.add("Host", credentials_.server_name);
        else if (server_.host().find(':') != std::string::npos) headers.add("Host", server_.host());
        headers.add("Accept", std::string(request.accept));
        headers.add("User-Agent", "berth");
        if (const auto &token = bearer_.token(); !token.empty()) headers.add("Authorization", "Bearer " + token);
        if (!request.body.empty()) out.set_body(request.body, request.content_type);
        return out;
    }

    void begin() {
        std::lock_guard lock(mutex_);
        ++under_way_;
    }
    void end() {
        std::lock_guard lock(mutex_);
        if (--under_way_ == 0) idle_.notify_all();
    }
};

/// cpprestsdk wants an IPv6 address without its brackets.
web::uri server_uri(const ServerAddress &server) {
    return web::uri_builder()
        .set_scheme(server.tls ? "https" : "http")
        .set_host(server.host)
        .set_port(server.port)
        .set_path(server.path)
        .to_uri();
}

}  // namespace

void prepare_process() {
    constexpr std::size_t io_threads = 2;
    // The I/O threads outlive main; OpenSSL must not be taken down under them by exit handlers.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr);
    ::setenv("SSL_CERT_FILE", "/dev/null", 1);
    ::setenv("SSL_CERT_DIR", "/nonexistent", 1);
    crossplat::threadpool::initialize_with_threads(io_threads);
}

model::Result<std::unique_ptr<Transport>> make_cpprest_transport(const Credentials &given) {
    auto begun = started(given);
    if (!begun) return begun.error();
    const auto &credentials = *begun;
    auto server = parse_server(credentials.server);
    if (!server) return unusable(credentials, server.error().text);
    try {
        // What is wrong with certificates is found here, not at the first connection.
        SslContext trial(SslContext::tls_client);
        set_up_tls(trial, credentials);
        return refreshing(std::make_unique<CpprestTransport>(credentials, server_uri(*server)), credentials.exec);
    } catch (const std::exception &e) {
        return unusable(credentials, e.what());
    }
}

}  // namespace berth::kube
