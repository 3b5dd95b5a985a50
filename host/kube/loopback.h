// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace berth::kube {

/// Whether the host is this machine, reachable from this machine alone.
inline bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace berth::kube
