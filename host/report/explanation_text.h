// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of `berth explain`: the verdict about a pod, then the reasons.

#include "model/value.h"

#include <string>

namespace berth::report {

struct ViewOptions {
    std::size_t nodes = 5;  ///< of the best ones
    bool wide = false;      ///< names in full, and scores as raw/normalized/weighted
};

/// The text of an answer (report/explanation.h): the verdict in its first line, then why. What the answer lacks, an
/// older or newer server's say, is left out.
std::string view_of(model::Value answer, const ViewOptions &options);

/// Whether the pod has a node, or would get one.
bool is_placed(model::Value answer);

}  // namespace berth::report
