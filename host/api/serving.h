// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Berth's HTTPS service: health checks, metrics, `/configz`, the API, the dashboard.

#include "env/clock.h"
#include "env/log.h"
#include "kube/kubeconfig.h"
#include "model/result.h"
#include "report/health.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::api {

class ExplainApi;
class WhatIf;

/// As kube-scheduler's flags of these names.
struct ServingOptions {
    static constexpr std::uint16_t usual_port = 10259;
    static constexpr std::chrono::seconds usual_ttl{10};
    std::uint16_t secure_port = usual_port;  ///< 0: nothing is served
    std::string bind_address = "0.0.0.0";
    std::string cert_dir, tls_cert_file, tls_private_key_file, client_ca_file;
    bool tls_1_3 = false;
    std::string authentication_kubeconfig, authorization_kubeconfig;  ///< empty: the one it schedules with
    bool skip_lookup = false;
    std::vector<std::string> always_allow_paths{"/healthz", "/readyz", "/livez"};
    std::chrono::nanoseconds token_ttl = usual_ttl, authorized_ttl = usual_ttl, unauthorized_ttl = usual_ttl;
    // Not kube-scheduler's: the dashboard.
    std::optional<bool> ui;  ///< nullopt: only if the address is a loopback address
    std::string web_dir;
};

/// Answers from a thread of its own for as long as it lives.
class Serving {
    struct State;
    std::unique_ptr<State> state_;
    Serving();

public:
    /// What the answers are made of; all outlive the serving.
    struct Sources {
        env::Clock &loop;  ///< whose liveness is watched
        env::Log &log;
        report::Health &health;
        std::function<std::string()> configz;  ///< the body of /configz; any thread
        std::function<void()> look;            ///< on the loop: brings the metrics up to date
        std::function<std::string()> metrics;  ///< their text; any thread
        ExplainApi *api = nullptr;             ///< the API for decisions and the cluster; null: none
        WhatIf *what_if = nullptr;             ///< the same
    };
    /// `own`: the credentials that the scheduler itself uses.
    static model::Result<Serving> open(const ServingOptions &options, const kube::Credentials &own, Sources sources);
    Serving(Serving &&) noexcept;
    ~Serving();

    std::uint16_t port() const;
};

}  // namespace berth::api
