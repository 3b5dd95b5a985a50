// SPDX-License-Identifier: Apache-2.0
#include "sim/patch.h"

#include "model/build.h"
#include "model/members.h"

namespace berth::sim {
namespace {

berth_value merge(model::Arena &arena, model::Value base, model::Value patch) {
    if (!patch.is_object()) return model::copy(arena, patch);
    model::ObjectBuilder out(arena);
    const model::Members before(base), changes(patch);
    for (std::size_t i = 0; base.is_object() && i < base.size(); ++i) {
        const auto change = changes[base.key(i)];
        if (!change) out.add(base.key(i), base.member(i));
        else if (!change.is_null()) out.add(base.key(i), merge(arena, base.member(i), change));
    }
    for (std::size_t i = 0; i < patch.size(); ++i)
        if (!before[patch.key(i)] && !patch.member(i).is_null())
            out.add(patch.key(i), merge(arena, {}, patch.member(i)));
    return out.value();
}

}  // namespace

model::TreePtr merged(model::Value base, model::Value patch) {
    auto made = std::make_shared<model::Tree>();
    made->root = merge(made->arena, base, patch);
    return made;
}

}  // namespace berth::sim
