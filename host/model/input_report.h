// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The report of missing objects and skipped input in a cluster's files.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace berth::model {

/// Objects of one kind that pods need and the files lack, with the same effect.
struct MissingObjects {
    std::string resource;                ///< as kubectl names it
    std::optional<std::uint64_t> count;  ///< nothing: any that the cluster has
    std::uint64_t pods = 0;              ///< that need them
    std::string effect;                  ///< on the simulation
    std::vector<std::string> first;      ///< "namespace/name" or "name" of the first ones, by name
    bool dumped = true;                  ///< kubectl prints them; else the cluster has none yet

    /// So many are named, in so many bytes at most, and so many counted.
    static constexpr std::size_t most = 5, longest_name = 320, most_counted = 1'000'000;
};

/// What the files hold besides Kubernetes objects, and was left out.
struct SkippedInput {
    std::uint64_t documents = 0, files = 0;
    std::vector<std::string> first;  ///< where the first ones stand

    static constexpr std::size_t most = 5;
};

struct InputReport {
    std::vector<MissingObjects> missing;
    std::string command;  ///< with which kubectl prints the cluster with what is missing; empty: it has nothing of that
    SkippedInput skipped;
};

}  // namespace berth::model
