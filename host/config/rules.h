// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The differences between releases of Kubernetes in the host, outside of the plugins.

#include "config/release.h"
#include "model/accounting.h"

namespace berth::config {

/// What a release decides otherwise than the one before in the host itself, each by what it is. What the default
/// plugins decide otherwise is theirs.
struct Rules {
    model::Accounting accounting = model::Accounting::PerContainer;
    /// A plugin that waits for new nodes also gets the event that one loses a taint or is uncordoned.
    bool taint_wakes_all_node_waiters = true;
    bool flush_reaches_gated = false;      ///< and not only pods that wait for an event after an attempt
    bool gated_nomination_counts = false;  ///< before the pod has passed PreEnqueue
    /// Events of pods that wait have other names; raised requests and a node's policy of preemption are facets.
    bool target_pod_events = false;
    bool binding_repeats_after_500 = false;
    bool metrics_know_groups = false;  ///< texts that tell pods from groups of pods, and their queues

    constexpr Rules() = default;
    constexpr explicit Rules(Release release) {
        if (release.minor() < 37) return;
        accounting = model::Accounting::PerPod;
        taint_wakes_all_node_waiters = false;
        flush_reaches_gated = gated_nomination_counts = target_pod_events = true;
        binding_repeats_after_500 = metrics_know_groups = true;
    }
};

}  // namespace berth::config
