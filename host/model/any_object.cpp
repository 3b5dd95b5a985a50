// SPDX-License-Identifier: Apache-2.0
#include "model/any_object.h"

#include "model/field.h"

namespace berth::model {
namespace {

void read_metadata(AnyObject &o, const Kind &kind, Faults &faults) {
    const Field object(o.tree->value(), faults);
    const auto metadata = object["metadata"], name_space = metadata.object()["namespace"], labels = metadata["labels"];
    // Of a custom kind it is only known whether it has namespaces when an object is in one.
    const bool namespaced = kind.scope == Scope::Namespaced || (kind.scope == Scope::Unknown && name_space.present());
    const auto id = read_identity(o.arena, metadata, kind.name.empty() ? kind.resource : kind.name, namespaced,
                                  NameRule::PathSegment);
    o.name_space = id.name_space;
    o.name = id.name;
    o.uid = id.uid;
    o.labels = read_labels(o.arena, labels);
}

}  // namespace

berth_object_meta AnyObject::meta() const {
    return {.struct_size = sizeof(berth_object_meta),
            .flags = 0,
            .namespace_ = to_str(name_space),
            .name = to_str(name),
            .uid = to_str(uid),
            .resource_version = to_str(resource_version(*this)),
            .labels = labels.data(),
            .labels_len = labels.size()};
}

std::string AnyObject::key() const {
    std::string out(name_space);
    if (!out.empty()) out += '/';
    return out.append(name);
}

AnyPtr read_object(TreePtr tree, const Kind &kind, const FaultSink &fault) {
    Faults faults{&fault, {}};
    if (!tree->value().is_object()) {
        Field(tree->value(), faults).expected(kind.name.empty() ? "an object" : "a " + kind.name);
        return nullptr;
    }
    auto made = std::make_shared<AnyObject>();
    made->tree = std::move(tree);
    read_metadata(*made, kind, faults);
    made->held.count(Holder::Others, sizeof(AnyObject) + made->arena.size() + own_bytes(*made->tree) + object_overhead);
    return faults.seen.empty() ? made : nullptr;
}

}  // namespace berth::model
