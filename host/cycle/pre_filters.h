// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreFilter: looks at the pod before any node, may narrow the nodes, may reject (upstream: RunPreFilterPlugins).

#include "cycle/search.h"
#include "model/decision.h"

namespace berth::cycle {

/// The nodes that PreFilter plugins left over, in the snapshot (slots) and outside of it (names). Both sorted.
struct Narrowing {
    bool narrowed = false;  ///< false: all nodes
    std::vector<std::uint32_t> slots;
    std::vector<std::string> names;

    void clear();
    bool nothing_left() const { return narrowed && slots.empty() && names.empty(); }
    void intersect(const Narrowing &other);
};

/// Runs the PreFilter plugins of a profile. Reusable; keeps its memory. Loop only.
class PreFilters {
    Narrowing left_, one_;
    std::vector<const plugin::Instance *> skipped_, narrowed_by_;

public:
    /// Success: go on with what is left(). Rejected: the pod fits nowhere, `status.plugin` says who is to blame unless
    /// the plugins' nodes have nothing in common. Anything else: a failure, its text complete.
    /// With `record` it also notes what each plugin said.
    model::Status run(const Search &search, std::vector<model::PreFilterRecord> *record);

    const Narrowing &left() const { return left_; }
    /// Plugins that narrowed the nodes: to blame when the pod fits nowhere, whoever rejected it.
    const std::vector<const plugin::Instance *> &narrowed_by() const { return narrowed_by_; }
    bool skipped(const plugin::Instance *instance) const;
    /// The plugins that did not skip the pod.
    Participants participants(const Search &search) const;
    /// Their names, sorted, as upstream prints a list: "[A B]".
    std::string narrowed_by_text() const;
    /// As upstream: who rejects the node that the pod was promised joins those who narrowed the choice, if there are
    /// any.
    void join_narrowing(const plugin::Instance *instance);

private:
    model::Status call(const Search &search, const plugin::Instance &instance);
};

}  // namespace berth::cycle
