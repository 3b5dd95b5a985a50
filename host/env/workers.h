// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface of background work: it enters the core only here, so that a simulation can own it.

#include <functional>

namespace berth::env {

/// Runs what would hold up the loop.
class Workers {
public:
    virtual ~Workers() = default;
    /// Runs `work` somewhere, then `done` on the loop. Neither throws. Any thread.
    virtual void submit(std::function<void()> work, std::function<void()> done) = 0;
};

}  // namespace berth::env
