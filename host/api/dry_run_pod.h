// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pod of a dry run, with the defaults that the API server would set.

#include "kube/served.h"
#include "model/pod.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace berth::api {

struct DryRunPod {
    model::TreePtr tree;
    std::vector<std::string> warnings;  ///< what was added or left out, where that may surprise

    /// The pod; with a `uid`, it is the one of that uid.
    model::PodPtr pod(std::string_view uid = {}) const;
};

/// Reads a Pod from JSON and gives it what admission would: a name, the priority of a built-in class, the tolerations
/// for nodes that are not ready. Where it is, its status and its uid do not count. Else the answer that says what is
/// wrong with it.
std::variant<DryRunPod, kube::ServedAnswer> read_dry_run_pod(std::string_view body);
/// One more pod like that one.
DryRunPod one_more(const model::Pod &pod);

}  // namespace berth::api
