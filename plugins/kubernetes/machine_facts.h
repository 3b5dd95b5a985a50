// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Labels and taints that describe a machine or its state, which no remedy proposes to change.

#include <string_view>

namespace kubernetes {

/// The part of a label's or taint's key before the slash.
inline std::string_view prefix_of(std::string_view key) {
    const auto slash = key.find('/');
    return slash == key.npos ? std::string_view{} : key.substr(0, slash);
}

/// Whether a label says what a node is, such as its name, zone, architecture and type of machine. The kubelet and the
/// cloud provider set them; a node that is given another value of one stays what it is.
inline bool is_fact_of_machine(std::string_view label) {
    const auto prefix = prefix_of(label);
    const bool of_kubernetes = prefix == "kubernetes.io" || prefix == "k8s.io" || prefix.ends_with(".kubernetes.io") ||
                               prefix.ends_with(".k8s.io");
    return of_kubernetes && prefix != "node-restriction.kubernetes.io" && prefix != "node-role.kubernetes.io";
}

/// Whether a taint says that a node is out of order, or not meant for the pods of users. Advice never proposes to
/// tolerate it.
inline bool is_state_of_node(std::string_view taint) {
    const auto prefix = prefix_of(taint);
    return prefix == "node.kubernetes.io" || prefix == "node.cloudprovider.kubernetes.io" ||
           prefix == "node-role.kubernetes.io";
}

}  // namespace kubernetes
