// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Look-ups of many members in one object, in time n log n.

#include "model/value.h"

#include <cstddef>
#include <map>
#include <string_view>

namespace berth::model {

/// The members of an object by their names, as Value::operator[] finds them, but without going over all of them for
/// each: so n look-ups among n members take no longer than in proportion to n log n, whatever the names are. Of few
/// members no tree is made. Reads the object in place; one thread.
class Members {
    static constexpr std::size_t few = 64;
    Value object_;
    std::map<std::string_view, std::size_t> indices_;

public:
    /// An object converts to its members.
    Members(Value object) : object_(object) {
        if (!object.is_object() || object.size() <= few) return;
        for (std::size_t i = 0; i < object.size(); ++i) indices_.emplace(object.key(i), i);
    }

    Value operator[](std::string_view name) const {
        if (indices_.empty()) return object_[name];
        const auto at = indices_.find(name);
        return at == indices_.end() ? Value{} : object_.member(at->second);
    }
};

}  // namespace berth::model
