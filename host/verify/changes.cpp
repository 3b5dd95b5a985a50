// SPDX-License-Identifier: Apache-2.0
#include "verify/changes.h"

#include "model/build.h"
#include "sim/patch.h"

#include <string>

namespace berth::verify {
namespace {

std::string key_of(const model::Tree &tree) {
    const auto meta = tree.value()["metadata"];
    return sim::Store::key(meta["namespace"].string(), meta["name"].string());
}

/// The same object, with all else of another of its kind.
model::TreePtr like(const model::Tree &object, const model::Tree &other) {
    model::Arena arena;
    model::ObjectBuilder root(arena), meta(arena);
    for (const auto *field : {"name", "namespace", "uid"}) {
        const auto text = object.value()["metadata"][field].string();
        meta.add(field, text.empty() ? model::make_null() : model::make_string(arena, text));
    }
    const auto patch = root.add("metadata", meta).value();
    return sim::merged(other.value(), model::Value{&patch});
}

}  // namespace

void ObjectChanges::change(std::uint64_t n) {
    auto absent = std::exchange(gone_, {});
    for (auto &[kind, tree] : absent) {
        if (random_.once_in(2)) (void)store_.put(kind, *tree);
        else gone_.emplace_back(kind, tree);
    }
    for (const auto &kind : store_.kinds()) {
        const auto objects = store_.list(kind);
        for (const auto &object : objects) {
            if (!random_.once_in(n)) continue;
            if (kind.custom && !random_.once_in(3)) {
                (void)store_.put(kind, *like(*object, *objects[random_.below(objects.size())]));
                continue;
            }
            store_.remove(kind, key_of(*object));
            gone_.emplace_back(kind, object);
        }
    }
}

}  // namespace berth::verify
