// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The machine's host name, for events and leases.

#include <unistd.h>
#include <string>

namespace berth::env {

inline std::string host_name() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

}  // namespace berth::env
