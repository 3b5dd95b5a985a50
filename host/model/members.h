// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Many look-ups in one object.

#include "model/value.h"

#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace berth::model {

/// The members of an object by their names, as Value::operator[] finds them, but without going over all of them for
/// each: so n look-ups among n members take no longer than in proportion to n. Of few members no table is made. Reads
/// the object in place; one thread.
class Members {
    static constexpr std::size_t few = 64;
    Value object_;
    std::unordered_map<std::string_view, std::size_t> places_;

public:
    /// An object can be given wherever its members are asked for.
    Members(Value object) : object_(object) {
        if (!object.is_object() || object.size() <= few) return;
        places_.reserve(object.size());
        for (std::size_t i = 0; i < object.size(); ++i) places_.emplace(object.key(i), i);
    }

    Value operator[](std::string_view name) const {
        if (places_.empty()) return object_[name];
        const auto at = places_.find(name);
        return at == places_.end() ? Value{} : object_.member(at->second);
    }
};

}  // namespace berth::model
