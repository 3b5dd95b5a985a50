// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `berth explain`: it requests the explanation of a pod from a running Berth.

#include <cstdint>
#include <optional>
#include <string>

namespace berth::cli {

enum class ExplainFormat { Text, Wide, Json };

struct ExplainOptions {
    std::string pod;         ///< "name", "pod/name" or "namespace/name"; empty: the last decisions
    std::string name_space;  ///< empty: that of the kubeconfig's context, else "default"
    bool dry_run = false;
    bool shadow = false;   ///< the decisions in which the shadow differs
    bool pending = false;  ///< all pods that have no node, by cause
    bool all = false;      ///< of these
    bool diff = false;     ///< the pod by the real configuration and by the shadow's
    std::string file;      ///< the pod of a dry run; "-": standard input
    std::string server = "https://127.0.0.1:10259";
    std::string kubeconfig, context, token, authority;
    bool insecure = false;
    ExplainFormat format = ExplainFormat::Text;
    std::optional<std::uint32_t> nodes;
};

/// Asks and prints; returns the exit code.
int explain(const ExplainOptions &options);

}  // namespace berth::cli
