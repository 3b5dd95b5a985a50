// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The differences between releases of Kubernetes in the default plugins.

#include "cel/rules.h"
#include "devices/rules.h"

#include <berth/host.hpp>

namespace kubernetes {

/// What a release of Kubernetes decides otherwise than the one before, each by what it is. Of the release that the
/// instance decides as; made with it.
struct Rules {
    // Since 1.37.
    bool claim_delete_wakes;              ///< an allocated ResourceClaim that is deleted may free its devices
    bool silent_device_post_filter;       ///< DynamicResources does not say that there is nothing to deallocate
    bool image_volumes_divide;            ///< ImageLocality divides by image volumes as well
    bool selected_namespaces_only;        ///< a namespaceSelector means the namespaces that it selects, and no others
    bool any_anti_affinity_term_wakes;    ///< and not all of them
    bool any_waiting_pod_is_own;          ///< its updates wake pods that were in flight then, as their own would
    bool mount_options_are_features;      ///< of volumes; and a node's list is read against more features
    bool node_operations_may_be_skipped;  ///< which takes a node that declares to know of it
    devices::Rules devices;
    cel::Rules selectors;

    explicit Rules(berth::Kubernetes kubernetes) : Rules(kubernetes.since(37)) {}
    explicit Rules(const berth::Host &host) : Rules(host.kubernetes()) {}

private:
    explicit Rules(bool since_1_37)
        : claim_delete_wakes(since_1_37),
          silent_device_post_filter(since_1_37),
          image_volumes_divide(since_1_37),
          selected_namespaces_only(since_1_37),
          any_anti_affinity_term_wakes(since_1_37),
          any_waiting_pod_is_own(since_1_37),
          mount_options_are_features(since_1_37),
          node_operations_may_be_skipped(since_1_37),
          devices(since_1_37),
          selectors(since_1_37) {}
};

}  // namespace kubernetes
