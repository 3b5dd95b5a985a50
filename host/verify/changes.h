// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Changes of a test's cluster that no plugin caused.

#include "sim/store.h"
#include "verify/random.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace berth::verify {

/// Changes objects of the kinds that plugins watch: they go and come back. One of a custom kind also gets what another
/// object of the kind has, for any content of a custom resource may change.
class ObjectChanges {
    sim::Store &store_;
    Random &random_;
    std::vector<std::pair<model::Kind, model::TreePtr>> gone_;

public:
    ObjectChanges(sim::Store &store, Random &random) : store_(store), random_(random) {}
    /// Changes about one object in `n`. Draws nothing if there are no objects.
    void change(std::uint64_t n);
};

}  // namespace berth::verify
