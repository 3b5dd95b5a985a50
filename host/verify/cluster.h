// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A cluster that chance makes: few names and labels, so that selectors, ports and terms meet each other.

#include "sim/input.h"
#include "verify/random.h"

#include <span>
#include <string>

namespace berth::verify {

struct Size {
    std::size_t nodes = 24, placed = 48, pending = 24;
};

class ClusterMaker {
    Random &random_;
    int serial_;

    std::string labels();
    std::string spec(const std::string &node);
    std::string affinity();
    void add_storage(const model::Kind &kind, sim::Input &out);

public:
    /// Pods have a label, a namespace and an image of their own from now on, as those of Jobs do.
    bool own_values = false;

    /// The pods are numbered from `first` on.
    explicit ClusterMaker(Random &random, int first = 1) : random_(random), serial_(first) {}

    model::NodePtr node(std::size_t number);
    /// Pending if `node` is empty.
    model::PodPtr pod(const std::string &node);
    /// Its objects are of the kinds that the plugin watches; of unknown kinds a few with labels alone.
    sim::Input cluster(const Size &size, std::span<const model::Kind> kinds);
};

}  // namespace berth::verify
