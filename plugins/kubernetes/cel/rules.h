// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The differences between releases of Kubernetes in CEL selectors.

namespace kubernetes::cel {

struct Rules {
    bool attributes_are_dynamic;  ///< since 1.37: an attribute may be a list, and what is dynamic a selector

    explicit constexpr Rules(bool since_1_37) : attributes_are_dynamic(since_1_37) {}
};

}  // namespace kubernetes::cel
