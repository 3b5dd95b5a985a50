// SPDX-License-Identifier: Apache-2.0
#include "kube/exec_credential.h"

#include "decode/fields.h"
#include "model/time.h"

#include <unistd.h>
#include <algorithm>
#include <utility>

namespace berth::kube {
namespace {

using std::chrono::system_clock;

constexpr std::size_t most_output = 1 << 20;
/// Between two calls of the program; failures double it up to the most.
constexpr std::chrono::seconds least_pause{1}, most_pause{60};

std::int64_t now_ns() { return std::chrono::nanoseconds(system_clock::now().time_since_epoch()).count(); }

/// A token goes into the head of a request and must end nothing there.
bool can_be_sent(const std::string &token) {
    return std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

model::Result<ExecAnswer> ExecAnswer::read(const std::string &text, const std::string &api_version) {
    auto document = decode::read_document(text, "decoding stdout");
    if (!document) return document.error();
    decode::FieldErrors errors;
    decode::Fields root(*document, errors);
    ExecAnswer out;
    const auto version = root.string("apiVersion").value_or(""), kind = root.string("kind").value_or("");
    if (errors.empty() && kind != "ExecCredential")
        return model::Error{"decoding stdout: expected kind ExecCredential, got \"" + kind + "\""};
    if (errors.empty() && version != api_version)
        return model::Error{"exec plugin is configured to use API version " + api_version +
                            ", plugin returned version " + version};
    auto status = root.object("status");
    if (!status && errors.empty()) return model::Error{"exec plugin didn't return a status field"};
    if (status) {
        out.token = status->string("token").value_or("");
        out.certificate = status->string("clientCertificateData").value_or("");
        out.key = status->string("clientKeyData").value_or("");
        if (auto expires = status->string("expirationTimestamp").value_or(""); !expires.empty()) {
            auto time = model::parse_time(expires);
            if (time) out.expires_ns = *time;
            else status->error("expirationTimestamp", "expected a time such as 2026-01-01T00:00:00Z");
        }
    }
    if (!errors.empty()) return model::Error{decode::messages(std::move(errors))};
    if (out.token.empty() && out.certificate.empty() && out.key.empty())
        return model::Error{"exec plugin didn't return a token or cert/key pair"};
    if (out.certificate.empty() != out.key.empty())
        return model::Error{"exec plugin returned only certificate or key, not both"};
    if (!can_be_sent(out.token)) return model::Error{"exec plugin returned a token with blanks or control characters"};
    return out;
}

ExecCredential::~ExecCredential() {
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

model::Result<ExecAnswer> ExecCredential::ask() const {
    if (settings_.needs_terminal && ::isatty(STDIN_FILENO) == 0)
        return model::Error{"exec plugin cannot support interactive mode: standard input is not a terminal"};
    const auto ended = env::run_command(settings_.command, settings_.patience, most_output, stop_);
    const auto &program = settings_.command.program;
    if (!ended.found)
        return model::Error{"exec: executable " + program + " not found" +
                            (settings_.install_hint.empty() ? "" : "\n\n" + settings_.install_hint)};
    if (!ended.why.empty())
        return model::Error{"exec: executable " + program + " failed: " + ended.why +
                            (ended.complaints.empty() ? "" : ": " + ended.complaints)};
    return ExecAnswer::read(ended.output, settings_.api_version);
}

void ExecCredential::keep(model::Result<ExecAnswer> answer) {
    std::scoped_lock lock(mutex_);
    if (answer) answer_ = std::make_shared<ExecAnswer>(std::move(*answer));
    fault_ = answer ? "" : answer.error().text;
}

model::Result<void> ExecCredential::start() {
    if (answer()) return {};
    keep(ask());
    if (!answer()) return model::Error{settings_.where + ": getting credentials: " + fault()};
    thread_ = std::thread([this] { run(); });
    return {};
}

void ExecCredential::run() {
    auto pause = least_pause;
    for (std::unique_lock lock(mutex_); !stop_;) {
        // The wall clock may be set, so sleeps are short.
        changed_.wait_for(lock, least_pause, [&] { return stop_.load(); });
        if (stop_ || (!wanted_ && now_ns() < answer_->expires_ns)) continue;
        wanted_ = false;
        lock.unlock();
        keep(ask());
        lock.lock();
        const bool useless = !fault_.empty() || now_ns() >= answer_->expires_ns;
        pause = useless ? std::min(2 * pause, most_pause) : least_pause;
        if (useless) changed_.wait_for(lock, pause, [&] { return stop_.load(); });
    }
}

std::shared_ptr<const ExecAnswer> ExecCredential::answer() const {
    std::scoped_lock lock(mutex_);
    return answer_;
}

void ExecCredential::refused() {
    std::scoped_lock lock(mutex_);
    wanted_ = true;
}

std::string ExecCredential::fault() const {
    std::scoped_lock lock(mutex_);
    return fault_;
}

namespace {

class RefreshingTransport final : public Transport {
    std::shared_ptr<ExecCredential> credential_;
    std::unique_ptr<Transport> inner_;

    Done watched(Done done) const {
        return [done = std::move(done), credential = credential_](HttpAnswer answer) {
            constexpr int unauthorized = 401;
            if (answer.status == unauthorized) {
                credential->refused();
                // Explains why the server rejects the credentials.
                if (auto why = credential->fault(); !why.empty()) answer.body = "getting credentials: " + why;
            }
            done(std::move(answer));
        };
    }

public:
    RefreshingTransport(std::unique_ptr<Transport> inner, std::shared_ptr<ExecCredential> credential)
        : credential_(std::move(credential)), inner_(std::move(inner)) {}

    void request(HttpRequest request, Done done) override {
        inner_->request(std::move(request), watched(std::move(done)));
    }
    StreamId stream(HttpRequest request, Data data, Done done) override {
        return inner_->stream(std::move(request), std::move(data), watched(std::move(done)));
    }
    void cancel(StreamId stream) override { inner_->cancel(stream); }
};

}  // namespace

std::unique_ptr<Transport> refreshing(std::unique_ptr<Transport> inner, std::shared_ptr<ExecCredential> credential) {
    if (!credential) return inner;
    return std::make_unique<RefreshingTransport>(std::move(inner), std::move(credential));
}

}  // namespace berth::kube
