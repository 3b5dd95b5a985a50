// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Credentials from an `exec` program of a kubeconfig (client.authentication.k8s.io). The program gives a token or a
/// client certificate.

#include "env/command.h"
#include "kube/transport.h"
#include "model/result.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace berth::kube {

struct ExecSettings {
    std::string where;        ///< for messages
    std::string api_version;  ///< client.authentication.k8s.io/v1 or v1beta1
    env::Command command;
    std::string install_hint;
    bool needs_terminal = false;  ///< interactiveMode Always
    std::chrono::milliseconds patience{60'000};
};

/// What the program answered.
struct ExecAnswer {
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    std::string token;                ///< empty: none
    std::string certificate, key;     ///< PEM, both or none
    std::int64_t expires_ns = never;  ///< since the epoch

    static model::Result<ExecAnswer> read(const std::string &text, const std::string &api_version);
};

/// Asks the program on a thread of its own: when its answer has expired, and when the API server did not take it. Any
/// thread.
class ExecCredential {
    const ExecSettings settings_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<const ExecAnswer> answer_;
    std::string fault_;
    bool wanted_ = false;
    std::atomic<bool> stop_ = false;
    std::thread thread_;

    model::Result<ExecAnswer> ask() const;
    void keep(model::Result<ExecAnswer> answer);
    void run();

public:
    explicit ExecCredential(ExecSettings settings) : settings_(std::move(settings)) {}
    ~ExecCredential();
    ExecCredential(const ExecCredential &) = delete;
    ExecCredential &operator=(const ExecCredential &) = delete;

    /// Waits for the first answer; once is enough.
    model::Result<void> start();
    /// After start().
    std::shared_ptr<const ExecAnswer> answer() const;
    /// The API server did not take the answer.
    void refused();
    /// Why there is no newer answer; empty: there is.
    std::string fault() const;
};

/// `inner`; reports every response 401 to the credential.
std::unique_ptr<Transport> refreshing(std::unique_ptr<Transport> inner, std::shared_ptr<ExecCredential> credential);

}  // namespace berth::kube
