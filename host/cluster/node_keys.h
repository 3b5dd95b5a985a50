// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The label keys, annotation keys and resource names that the cluster's nodes have. A name that only a pod writes is
/// none of them, so nothing need be kept for it.

#include "model/keyed_hash.h"
#include "model/node.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::cluster {

/// Counts nodes by key. Loop only.
class NodeKeys {
    using Counts = model::KeyedTable<std::uint32_t>;

    Counts labels_, annotations_, resources_;
    std::uint64_t version_ = 1, labels_version_ = 1;

    const Counts *counts(std::uint32_t kind) const;
    /// Whether a key came that no node had, or the last node with a key lost it.
    template <class T>
    static bool change(Counts &counts, std::span<const T> before, std::span<const T> after);

public:
    /// A node comes (`before` is null), changes, or goes (`after` is null).
    void change(const model::Node *before, const model::Node *after);

    /// Whether columns of that kind (BERTH_COLUMN_NODE_…) are made of such keys.
    static bool covers(std::uint32_t kind);
    /// Whether a node has the key; of a kind that is covered. Every node has cpu, memory, ephemeral-storage and pods.
    bool has(std::uint32_t kind, std::string_view key) const;

    std::uint64_t version() const { return version_; }                ///< grows when the answer of has() changes
    std::uint64_t labels_version() const { return labels_version_; }  ///< the same of labels
};

}  // namespace berth::cluster
