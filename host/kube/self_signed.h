// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A self-signed certificate for a server that was given no certificate.

#include "model/result.h"

#include <string>
#include <vector>

namespace berth::kube {

struct SelfSigned {
    std::string certificate, key;  ///< PEM
};

/// For localhost, the loopback addresses and these addresses or names. It holds for ten years.
model::Result<SelfSigned> make_self_signed(const std::vector<std::string> &addresses);

}  // namespace berth::kube
