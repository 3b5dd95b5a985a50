// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The container images on the cluster's nodes: their sizes, and how many nodes hold each (upstream: ImageStates).

#include "cluster/dictionary.h"
#include "model/node.h"

namespace berth::cluster {

/// A node that lists a name holds its code. The size of a name is what the node said that listed it first, kept until
/// no node lists it (upstream's addNodeImageStates). `node_count` is the count of this moment; upstream copies it into
/// a node's entry when that entry last entered its snapshot, so there a node may show an older count until something of
/// its own changes. Loop only.
class Images {
    Dictionary<berth_image> names_;
    std::vector<std::uint64_t> seen_;  // by code: the walk in which the name last came up
    std::uint64_t walk_ = 0;

    /// Calls `f(code, size)` once per distinct name of the node, in the node's order.
    template <class F>
    void each(const model::Node &node, F f);

public:
    explicit Images(CodeHistory &history) : names_(history) {}

    /// An update removes the old node first and then adds the new one, as upstream does: a name that only this node
    /// lists gets the new size.
    void add(const model::Node &node);
    void remove(const model::Node &node);
    /// The codes of the node's names, also if the node was never added; a name that no node lists has its size here.
    void codes(const model::Node &node, std::vector<std::uint32_t> &out);
    Dictionary<berth_image> &names() { return names_; }
    const Dictionary<berth_image> &names() const { return names_; }
};

}  // namespace berth::cluster
