// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A device with attributes and capacities, as CEL selectors see it.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace kubernetes::cel {

/// A semantic version as the ResourceSlice states it, not yet parsed.
struct VersionText {
    std::string text;
    bool operator==(const VersionText &) const = default;
};

/// monostate: none of the types that upstream knows (with it every selector fails on the device).
using AttributeValue = std::variant<std::monostate, bool, std::int64_t, std::string, VersionText>;

/// `name` is qualified ("domain/id") or bare ("id"); then the domain is the driver's name.
struct Attribute {
    std::string name;
    AttributeValue value;
};

/// `value` is a quantity as the ResourceSlice states it, such as "40Gi".
struct Capacity {
    std::string name;
    std::string value;
};

/// What a selector sees of a device. Names within `attributes`, and within `capacity`, differ.
struct Device {
    std::string driver;
    std::vector<Attribute> attributes;
    std::vector<Capacity> capacity;
    bool allow_multiple_allocations = false;
};

}  // namespace kubernetes::cel
