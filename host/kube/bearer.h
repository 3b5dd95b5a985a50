// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bearer token of requests, from a file, a kubeconfig or another program.

#include "kube/kubeconfig.h"

#include <chrono>
#include <string>

namespace berth::kube {

/// One thread. What another program gives must have been given once.
class Bearer {
    std::string token_, file_;
    std::shared_ptr<ExecCredential> exec_;
    std::chrono::steady_clock::time_point read_{};

public:
    explicit Bearer(const Credentials &credentials)
        : token_(credentials.token), file_(credentials.token_file), exec_(credentials.exec) {
        if (!file_.empty()) token_.clear();
    }

    /// Empty: there is none. A token file is read again when it was read more than a minute ago.
    const std::string &token();
};

}  // namespace berth::kube
