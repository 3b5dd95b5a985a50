// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The classes of resource names: native, extended, scalar.

#include <string_view>

namespace kubernetes {

/// pkg/apis/core/v1/helper IsNativeResource, IsExtendedResourceName; pkg/scheduler/util IsScalarResourceName.
inline bool is_native_resource(std::string_view name) {
    return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}
inline bool is_extended_resource(std::string_view name) {
    return !is_native_resource(name) && !name.starts_with("requests.");
}
inline bool is_scalar_resource(std::string_view name) {
    return is_extended_resource(name) || name.starts_with("hugepages-") ||
           name.find("kubernetes.io/") != std::string_view::npos || name.starts_with("attachable-volumes-");
}

}  // namespace kubernetes
