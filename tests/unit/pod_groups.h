// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodGroups and their pods for tests.

#include "fake_plugin.h"
#include "model/pod_group.h"

#include <string>

namespace berth {

/// `policy`: "basic: {}", "gang: {minCount: 3}"; `more`: members of the object.
inline model::AnyPtr group_object(const std::string &name, const std::string &policy, const std::string &more = {}) {
    return any_object(model::pod_group_kind(),
                      "{apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup, metadata: "
                      "{namespace: default, name: " +
                          name + ", uid: g-" + name + "}, spec: {schedulingPolicy: {" + policy + "}}" + more + "}");
}
inline model::PodGroupPtr pod_group(const std::string &name, const std::string &policy = "basic: {}",
                                    const std::string &more = {}) {
    return model::read_pod_group(group_object(name, policy, more), no_faults);
}
/// A pod of that group; `more`: fields of its spec, each with a comma behind it.
inline model::PodPtr member(const std::string &name, const std::string &group, const std::string &more = {}) {
    return plain_pod(
        name, "",
        "spec: {" + more + "schedulingGroup: {podGroupName: " + group + "}, containers: [{name: c, image: i}]}");
}

}  // namespace berth
