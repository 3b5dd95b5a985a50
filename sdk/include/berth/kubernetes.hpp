// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The release of Kubernetes whose decisions a plugin makes, and its feature gates.

#include <berth/draft/kubernetes.h>
#include <berth/entry.h>
#include <berth/status.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace berth {

/// From Host::kubernetes or ArgsReader::kubernetes. A draft: a host that does not offer it decides as 1.36.
class Kubernetes {
    const berth_host *host_;
    const berth_host_kubernetes *table_;

public:
    static constexpr std::uint32_t oldest = 36;

    explicit Kubernetes(const berth_host *host) : host_(host) {
        BERTH_USES_DRAFT(BERTH_HOST_KUBERNETES_DRAFT1);
        constexpr std::string_view id = BERTH_HOST_KUBERNETES_DRAFT1;
        table_ = static_cast<const berth_host_kubernetes *>(host->get_service(host, {id.data(), id.size()}));
        if (table_ && !BERTH_HAS(table_, gate)) table_ = nullptr;
    }

    std::uint32_t minor() const { return table_ ? table_->minor(host_) : oldest; }  ///< 37 of 1.37
    bool since(std::uint32_t least) const { return minor() >= least; }
    /// Whether that feature gate is on. Nothing: the release has none of that name, or the host does not say.
    std::optional<bool> gate(std::string_view name) const {
        const auto answer = table_ ? table_->gate(host_, {name.data(), name.size()}) : BERTH_STATUS_NOT_FOUND;
        return answer < 0 ? std::nullopt : std::optional(answer != 0);
    }
};

}  // namespace berth
