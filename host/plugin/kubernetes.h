// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The release and the feature gates that a plugin learns (berth.host.kubernetes/draft1), and what it asked for.

#include "config/configuration.h"

#include <berth/host.h>

#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace berth::plugin {

/// The release that a configuration decides as: what berth.host.kubernetes/draft1 answers.
struct Kubernetes {
    config::Release release{};
    std::string feature_gates{};          ///< as of Configuration
    config::KubernetesInstead instead{};  ///< for one plugin

    Kubernetes() = default;
    explicit Kubernetes(const config::Configuration &configuration)
        : release(configuration.release), feature_gates(configuration.feature_gates) {}
    Kubernetes(const config::Configuration &configuration, std::string_view plugin) : Kubernetes(configuration) {
        if (const auto at = configuration.instead.find(plugin); at != configuration.instead.end()) instead = at->second;
    }
};

/// What a plugin asked berth.host.kubernetes/draft1. Any thread.
class KubernetesUse {
    mutable std::mutex mutex_;
    bool release_ = false;
    std::set<std::string, std::less<>> gates_;

public:
    void add_release();
    void add_gate(std::string_view name);
    bool release() const;
    std::set<std::string, std::less<>> gates() const;  ///< names
};

/// For `default_args`, which comes before there is an instance. Lives as long as `world`.
struct WithoutInstance {
    Kubernetes kubernetes;
    KubernetesUse &use;
};
berth_host host_without_instance(WithoutInstance &world);

}  // namespace berth::plugin
