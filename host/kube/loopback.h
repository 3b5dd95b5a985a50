// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check whether a host is this machine's loopback address, which only this machine reaches.

#include <string_view>

namespace berth::kube {

inline bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace berth::kube
