// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What an API server writes into a pod's spec on the pod's behalf: a priority at admission, a node at binding.

#include "model/build.h"

#include <memory>
#include <string_view>

namespace berth::sim {

/// A copy of the object with `spec.<field>` set to `value`, a text or a number; an earlier value is replaced. Without a
/// spec the copy has none either.
template <class T>
model::TreePtr with_spec_field(const model::Tree &tree, std::string_view field, const T &value) {
    auto made = std::make_shared<model::Tree>();
    model::ObjectBuilder root(made->arena), spec(made->arena);
    auto o = tree.value();
    auto old_spec = o["spec"];
    for (std::size_t i = 0; i < old_spec.size(); ++i)
        if (old_spec.key(i) != field) spec.add(old_spec.key(i), old_spec.member(i));
    spec.add(field, value);
    for (std::size_t i = 0; i < o.size(); ++i) {
        if (o.key(i) == "spec") root.add("spec", spec);
        else root.add(o.key(i), o.member(i));
    }
    made->root = root.value();
    return made;
}

}  // namespace berth::sim
