// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A random cluster for tests of plugins, or a given one with copies of its objects. Random ones have few names and
/// labels, so that selectors, ports and terms meet each other.

#include "sim/input.h"
#include "verify/material.h"
#include "verify/random.h"

#include <span>
#include <string>
#include <vector>

namespace berth::verify {

/// Of a given cluster there are all nodes, up to most_given_nodes, with their pods, unless `exact` says that the number
/// counts.
struct Size {
    std::size_t nodes = 24, placed = 48, pending = 24;
    bool exact = false;
};
inline constexpr std::size_t most_given_nodes = 200;
/// From here on pods are numbered that are in no cluster.
inline constexpr int first_stranger = 1'000'000;

class ClusterMaker {
    Random &random_;
    const Material &material_;
    int serial_;
    Random extra_;                    ///< for what the plugin looks for, so that all else is the same without
    std::vector<std::string> names_;  ///< of a given cluster's nodes, and of their copies

    std::string labels();
    std::string spec(const std::string &node);
    std::string affinity();
    void add_storage(const model::Kind &kind, sim::Input &out);
    std::string value();
    berth_value leaf(model::Arena &arena);
    berth_value field(model::Arena &arena, const std::vector<std::vector<std::string>> &paths);
    model::TreePtr with_requested(const model::TreePtr &object);
    model::TreePtr with_resources(const model::TreePtr &object);
    model::TreePtr with_fields(const model::TreePtr &object);
    void add_custom(const model::Kind &kind, sim::Input &out);
    void add_requested(const model::Kind &kind, sim::Input &out);
    model::TreePtr with_data(const model::TreePtr &object);
    const sim::Input *given() const { return material_.given.get(); }
    model::NodePtr copy_of(const model::Node &node, const std::string &name) const;
    model::PodPtr copy_of(const model::Pod &pod, const std::string &node);
    void add_given_nodes(const Size &size, sim::Input &out);
    void add_given_pods(const Size &size, sim::Input &out);
    sim::Input given_cluster(const Size &size);

public:
    /// Pods have a label, a namespace and an image of their own from now on, as those of Jobs do.
    bool own_values = false;

    /// The pods are numbered from `first` on.
    ClusterMaker(Random &random, const Material &material, int first = 1)
        : random_(random),
          material_(material),
          serial_(first),
          extra_(material.seed + static_cast<std::uint64_t>(first)) {}

    const Material &material() const { return material_; }
    /// Another node of the same name each time.
    model::NodePtr node(std::size_t number);
    /// Pending if `node` is empty.
    model::PodPtr pod(const std::string &node);
    /// Its objects are of the kinds that the plugin watches; of unknown kinds a few with labels alone.
    sim::Input cluster(const Size &size, std::span<const model::Kind> kinds);
};

}  // namespace berth::verify
