// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The player of a scenario's timeline on the simulated world, with kubectl's operations.

#include "sim/controllers.h"
#include "sim/scenario.h"

#include <optional>

namespace berth::sim {

class Timeline {
    Operations &operations_;
    Controllers &controllers_;
    std::vector<std::string> warnings_;

public:
    /// Both outlive it.
    Timeline(Operations &operations, Controllers &controllers) : operations_(operations), controllers_(controllers) {}

    /// Does what happens at one time. The error says what cannot be done, or is not simulated, and where the scenario
    /// asks for it; what stood before it was done.
    model::Result<void> play(const Step &step);

    const std::vector<std::string> &warnings() const { return warnings_; }

private:
    /// An object of another kind than pods and nodes, by its kind and key in the store.
    struct Served {
        model::Kind kind;
        std::string key;
    };
    std::optional<Served> find(const Named &what) const;
    model::Result<void> apply(const std::vector<decode::Document> &objects);
    model::Result<void> remove(const Named &what);
    model::Result<void> patch(const NamedPatch &what);
    model::Result<void> finish(const Named &pod);
    model::Result<void> drain(const Named &node);
    void evict_all(const std::string &node, std::int64_t until_ns);
};

}  // namespace berth::sim
