// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The differences between releases of Kubernetes in the allocation of devices.

namespace kubernetes::devices {

struct Rules {
    // Since 1.37.
    bool counters_by_driver;           ///< pools of one name and of two drivers have counters of their own
    bool counter_slices_follow_node;   ///< shared counters reach the nodes that their slice names, and no others
    bool compatibility_groups_refuse;  ///< a slice whose devices have such groups is as good as missing
    bool derived_attributes_refuse;    ///< a request that derives attributes is an error
    bool distinct_by_device;           ///< distinctAttribute compares all devices, and not the last one of each request
    bool bare_share_in_use;            ///< a share that consumes no capacity has taken the device's counters, too
    bool all_with_full_devices;        ///< "All" means devices that have no capacity left as well
    bool capacity_faults;              ///< an amount that cannot be, below zero or too large to round up, is an error
    bool rounded_as_step;              ///< an amount that is rounded up is written as the step is
    bool claim_limit_by_request;       ///< the error about too many devices names the request that goes too far
    bool selector_faults_by_device;    ///< the error of a selector names the device, and may have a hint
    bool config_of_all_is_bare;        ///< a configuration stands once, and names no requests if it is for all

    explicit constexpr Rules(bool since_1_37)
        : counters_by_driver(since_1_37),
          counter_slices_follow_node(since_1_37),
          compatibility_groups_refuse(since_1_37),
          derived_attributes_refuse(since_1_37),
          distinct_by_device(since_1_37),
          bare_share_in_use(since_1_37),
          all_with_full_devices(since_1_37),
          capacity_faults(since_1_37),
          rounded_as_step(since_1_37),
          claim_limit_by_request(since_1_37),
          selector_faults_by_device(since_1_37),
          config_of_all_is_bare(since_1_37) {}
};

}  // namespace kubernetes::devices
