// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A request to the API server, with the callback that waits for its answer.

#include "kube/transport.h"

#include <chrono>
#include <string>

namespace berth::kube {

struct Exchange {
    HttpRequest request;
    std::string token;  ///< of the requester; empty: none
    Transport::Data data;
    Transport::Done done;
    Transport::StreamId stream = 0;                 ///< 0: no stream
    std::chrono::steady_clock::time_point since{};  ///< when it was requested

    bool is_late(std::chrono::steady_clock::time_point now) const {
        return request.whole.count() > 0 && now - since > request.whole;
    }

    /// Why it is not to be sent; empty: it is.
    std::string why_not() const { return request.why_not ? request.why_not() : std::string{}; }
};

}  // namespace berth::kube
