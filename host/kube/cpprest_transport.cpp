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
    config.set_ssl_context_callback([credentials](SslContext &context) {
        // cpprestsdk has it trust the machine's authorities, which vouch for no server that has one of its own.
        ::SSL_CTX_set_cert_store(context.native_handle(), ::X509_STORE_new());
        set_up_tls(context, credentials);
    });
    return config;
}

/// What is known while a request or stream is under way. The head of the answer and its body come from different tasks.
struct BodyState {
    std::mutex mutex;
    Transport::Data data;  ///< of a stream; empty: the body is kept
    std::uint64_t most = 0;
    pplx::cancellation_token_source cancel;
    int status = 0;
    std::string kept;  ///< body, of a stream what came before the status was known, or that explains a refusal
    bool exceeded = false;

    void take(std::string_view bytes) noexcept {
        std::unique_lock lock(mutex);
        if (data && status == http::status_codes::OK) return data(bytes);
        if (exceeded) return;
        exceeded = kept.size() + bytes.size() > most;
        if (!exceeded) {
            kept.append(bytes);
            return;
        }
        kept = {};
        lock.unlock();
        cancel.cancel();
    }
    void head(int answered) {
        std::lock_guard lock(mutex);
        status = answered;
        if (!data || status != http::status_codes::OK || kept.empty()) return;
        data(kept);
        kept.clear();
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
/// cpprestsdk reports nothing about a request without a body until it is sent.
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
    StreamId last_stream_ = 0;

public:
    CpprestTransport(Credentials credentials, const web::uri &server)
        : credentials_(std::move(credentials)),
          server_(server),
          requests_(server, config_of(credentials_, request_timeout)),
          streams_(server, config_of(credentials_, stream_timeout)),
          bearer_(credentials_) {}

    ~CpprestTransport() override {
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
        start(requests_, request, {}, std::move(done));
    }

    StreamId stream(HttpRequest request, Data data, Done done) override {
        renew();
        return start(streams_, request, std::move(data), std::move(done));
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
    StreamId start(http_client &client, const HttpRequest &request, Data data, Done done) {
        begin();
        auto state = std::make_shared<BodyState>();
        state->data = std::move(data);
        state->most = request.most_bytes;
        StreamId id = 0;
        {
            std::lock_guard lock(mutex_);
            id = ++last_stream_;
            cancels_.emplace(id, state->cancel);
        }
        auto buffer = std::make_shared<StreamBuffer>([state](std::string_view bytes) { state->take(bytes); });
        auto outgoing = message(request);
        ask_before_body(outgoing, request);
        outgoing.set_response_stream(concurrency::streams::ostream(
            concurrency::streams::streambuf<std::uint8_t>(std::shared_ptr<StreamBuffer>(buffer))));
        client.request(outgoing, state->cancel.get_token())
            .then([state](const http::http_response &response) {
                HttpAnswer answer = head_of(response);
                state->head(answer.status);
                return response.content_ready().then([answer](const http::http_response &) { return answer; });
            })
            .then([this, id, state, done = std::move(done)](const pplx::task<HttpAnswer> &task) {
                HttpAnswer answer = outcome(task, [&](HttpAnswer head) {
                    std::lock_guard lock(state->mutex);
                    head.body = std::move(state->kept);
                    return head;
                });
                if (state->exceeded)
                    answer = {0, too_large(server_.authority().to_string(), "an answer", state->most), false, 0, true};
                {
                    std::lock_guard lock(mutex_);
                    cancels_.erase(id);
                }
                done(std::move(answer));
                end();
            });
        return id;
    }

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
        SslContext probe(SslContext::tls_client);
        set_up_tls(probe, credentials);
        return refreshing(std::make_unique<CpprestTransport>(credentials, server_uri(*server)), credentials.exec);
    } catch (const std::exception &e) {
        return unusable(credentials, e.what());
    }
}

}  // namespace berth::kube
