// SPDX-License-Identifier: Apache-2.0
#include "sim/pod_writes.h"

#include "model/build.h"
#include "model/time.h"

namespace berth::sim {

namespace {

using model::Arena;
using model::ArrayBuilder;
using model::ObjectBuilder;
using model::Value;

/// Calls add(key, value) for the members of `old` that `patch` does not name, then for those of `patch`; null takes a
/// member away, and what begins with $ is only about order.
template <class Add>
void for_merged(Value old, Value patch, Add &&add) {
    for (std::size_t i = 0; i < old.size(); ++i)
        if (!patch[old.key(i)]) add(old.key(i), old.member(i));
    for (std::size_t i = 0; i < patch.size(); ++i)
        if (!patch.member(i).is_null() && !patch.key(i).starts_with('$')) add(patch.key(i), patch.member(i));
}

Value of_type(Value conditions, std::string_view type) {
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (conditions.at(i)["type"].string() == type) return conditions.at(i);
    return {};
}

ArrayBuilder merged_conditions(Arena &arena, Value old, Value patch) {
    ArrayBuilder out(arena);
    for (std::size_t i = 0; i < old.size(); ++i) {
        ObjectBuilder condition(arena);
        for_merged(old.at(i), of_type(patch, old.at(i)["type"].string()),
                   [&](std::string_view key, Value value) { condition.add(key, value); });
        out.add(condition.value());
    }
    for (std::size_t i = 0; i < patch.size(); ++i)
        if (!of_type(old, patch.at(i)["type"].string())) out.add(patch.at(i));
    return out;
}

/// The object with one member replaced.
model::TreePtr with_member(const model::Tree &tree, std::shared_ptr<model::Tree> made, std::string_view name,
                           const ObjectBuilder &member) {
    ObjectBuilder root(made->arena);
    Value object = tree.value();
    for (std::size_t i = 0; i < object.size(); ++i)
        if (object.key(i) != name) root.add(object.key(i), object.member(i));
    root.add(name, member);
    made->root = root.value();
    return made;
}

model::PodPtr read(const model::TreePtr &tree) {
    return model::read_pod(tree, [](Value, const std::string &, const std::string &) {});
}

}  // namespace

model::PodPtr with_status(const model::Pod &pod, Value patch) {
    auto made = std::make_shared<model::Tree>();
    Value old = pod.tree->value()["status"], status = patch["status"];
    ObjectBuilder member(made->arena);
    for_merged(old, status, [&](std::string_view key, Value value) {
        if (key == "conditions") member.add(key, merged_conditions(made->arena, old[key], value));
        else member.add(key, value);
    });
    return read(with_member(*pod.tree, made, "status", member));
}

model::PodPtr on_its_way_out(const model::Pod &pod, std::int64_t now_ns, std::int64_t grace_seconds) {
    auto made = std::make_shared<model::Tree>();
    ObjectBuilder metadata(made->arena);
    Value old = pod.tree->value()["metadata"];
    for (std::size_t i = 0; i < old.size(); ++i)
        if (old.key(i) != "deletionTimestamp" && old.key(i) != "deletionGracePeriodSeconds")
            metadata.add(old.key(i), old.member(i));
    std::string when = model::format_time(now_ns + grace_seconds * 1'000'000'000);
    when = when.substr(0, when.find('.')) + "Z";
    metadata.add("deletionTimestamp", std::string_view(when));
    metadata.add("deletionGracePeriodSeconds", grace_seconds);
    return read(with_member(*pod.tree, made, "metadata", metadata));
}

}  // namespace berth::sim
