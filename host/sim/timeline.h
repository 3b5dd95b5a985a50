// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Plays what happens in a scenario on the simulated world, as kubectl would.

#include "sim/controllers.h"
#include "sim/scenario.h"

#include <span>

namespace berth::sim {

class Timeline {
    Operations &operations_;
    Controllers &controllers_;
    std::span<const model::Kind> kinds_;  ///< that the configuration's plugins look at
    std::vector<std::string> warnings_;

public:
    /// All of them outlive it.
    Timeline(Operations &operations, Controllers &controllers, std::span<const model::Kind> kinds)
        : operations_(operations), controllers_(controllers), kinds_(kinds) {}

    /// Does what happens at one time. The error says what cannot be done, or is not simulated, and where the scenario
    /// asks for it; what stood before it was done.
    model::Result<void> play(const Step &step);

    const std::vector<std::string> &warnings() const { return warnings_; }

private:
    model::Result<void> apply(const std::vector<decode::Document> &objects);
    model::Result<void> remove(const Named &what);
    model::Result<void> patch(const NamedPatch &what);
    model::Result<void> finish(const Named &pod);
    model::Result<void> drain(const Named &node);
    void evict_all(const std::string &node, std::int64_t until_ns);
};

}  // namespace berth::sim
