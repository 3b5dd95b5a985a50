// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The material of test clusters: given files, or chance.

#include "config/release.h"
#include "sim/input.h"
#include "sim/scenario.h"
#include "verify/requests.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::verify {

/// `--cluster` and `--scenario`.
struct ClusterFiles {
    std::vector<std::string> clusters{};  ///< files and directories, as `berth simulate` takes them
    std::string scenario{};
    std::optional<config::Release> release{};  ///< nothing: the scenario's, or the usual one

    bool given() const { return !clusters.empty() || !scenario.empty(); }
    /// The scenario, if one is given.
    model::Result<std::optional<sim::Scenario>> read_scenario() const;
    /// With objects of `kinds`. Of a scenario also the objects that its timeline brings. There is at least one node.
    model::Result<sim::Input> read(std::span<const model::Kind> kinds) const;
};

struct Material {
    std::shared_ptr<const sim::Input> given{};  ///< null: the cluster is made up
    Requests requests{};                        ///< that a cluster which is made up fulfils now and then
    std::uint64_t seed = 1;
};

}  // namespace berth::verify
