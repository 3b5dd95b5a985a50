// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "node_selector.h"

namespace kubernetes {

/// What a pod demands of its node's labels: spec.nodeSelector and the required node affinity. A term that cannot be
/// parsed never matches; the others still count.
struct RequiredNodeAffinity {
    static constexpr std::string_view pointer =
        "/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution";

    std::vector<NodeRequirement> selector;       ///< spec.nodeSelector
    std::optional<std::vector<NodeTerm>> terms;  ///< the required affinity, if there is one

    /// Of a berth::Pod, or its berth::Object.
    template <class Pod>
    static RequiredNodeAffinity read(const Pod &pod) {
        RequiredNodeAffinity need;
        auto selector = pod.at("/spec/nodeSelector");
        for (std::size_t i = 0; i < selector.size(); ++i)
            need.selector.push_back({std::string(selector.key(i)),
                                     NodeRequirement::Op::In,
                                     {std::string(selector.member(i).string())},
                                     0,
                                     0});
        auto required = pod.at(pointer);
        if (!required.is_null()) need.terms = parse_selector(required, "");
        return need;
    }

    /// Any node will do.
    bool none() const { return selector.empty() && !terms; }

    /// Lets `matches` read columns instead of node objects. Where columns may be declared.
    void declare_columns(const berth::Host &host) {
        for (auto &r : selector) r.column = host.column(BERTH_NODE_LABEL, r.key);
        if (terms) kubernetes::declare_columns(*terms, host);
    }

    bool matches(LabelReader &labels, std::uint32_t slot) const {
        for (const auto &r : selector)
            if (!r.matches(labels.label(r, slot))) return false;
        return !terms || labels.matches_any(*terms, slot);
    }
};

}  // namespace kubernetes
