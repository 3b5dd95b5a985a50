// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreFilter: it checks the pod before any node, and may limit the nodes (upstream: RunPreFilterPlugins). It may reject
/// the pod.

#include "cycle/search.h"
#include "model/decision.h"

namespace berth::cycle {

/// The nodes that PreFilter plugins allow, in the snapshot (slots) and outside of it (names). Both sorted.
struct PreFilterResult {
    bool limited = false;  ///< false: all nodes
    std::vector<std::uint32_t> slots;
    std::vector<std::string> names;

    void clear();
    bool nothing_left() const { return limited && slots.empty() && names.empty(); }
    void intersect(const PreFilterResult &other);
};

/// Runs the PreFilter plugins of a profile. Reusable; keeps its memory. Loop only.
class PreFilters {
    PreFilterResult left_, one_;
    std::vector<const plugin::Instance *> skipped_, limited_by_;

public:
    /// Success: go on with what is left(). Rejected: the pod fits nowhere; `status.plugin` is the rejecting plugin,
    /// empty if the plugins' nodes have nothing in common. Anything else: a failure, its text complete. With `record`
    /// it also notes what each plugin said.
    model::Status run(const Search &search, std::vector<model::PreFilterRecord> *record);

    const PreFilterResult &left() const { return left_; }
    /// The plugins that limited the nodes. They count as rejectors if no node fits, as upstream.
    const std::vector<const plugin::Instance *> &limited_by() const { return limited_by_; }
    bool skipped(const plugin::Instance *instance) const;
    /// The plugins that did not skip the pod.
    Participants participants(const Search &search) const;
    /// In upstream's words, why they left out a node, or `all` nodes.
    std::string reason_left_out(bool all) const;
    /// As upstream: if plugins limited the nodes, the plugin that rejects the nominated node counts as one of them.
    void add_limiting(const plugin::Instance *instance);

private:
    model::Status call(const Search &search, const plugin::Instance &instance);
};

}  // namespace berth::cycle
