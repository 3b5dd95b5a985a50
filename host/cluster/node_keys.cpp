// SPDX-License-Identifier: Apache-2.0
#include "cluster/node_keys.h"

#include <berth/view/column.h>

#include <algorithm>

namespace berth::cluster {

namespace {

std::string_view key_of(const berth_label &label) { return model::view(label.key); }
std::string_view key_of(const berth_scalar &scalar) { return model::view(scalar.name); }

template <class T>
std::span<const T> none() {
    return {};
}

std::span<const berth_scalar> scalars(const model::Node *node) {
    if (!node) return none<berth_scalar>();
    return {node->allocatable.scalars, node->allocatable.scalars_len};
}

}  // namespace

template <class T>
bool NodeKeys::change(Counts &counts, std::span<const T> before, std::span<const T> after) {
    // A node that says something new of itself rarely has other keys than before.
    if (std::ranges::equal(
            before, after, {}, [](const T &t) { return key_of(t); }, [](const T &t) { return key_of(t); }))
        return false;
    bool changed = false;
    for (const T &t : after) {
        auto at = counts.find(key_of(t));
        if (at == counts.end()) at = counts.emplace(key_of(t), 0).first;
        changed |= at->second++ == 0;
    }
    for (const T &t : before) {
        auto at = counts.find(key_of(t));
        if (at == counts.end() || --at->second > 0) continue;
        counts.erase(at);
        changed = true;
    }
    return changed;
}

void NodeKeys::change(const model::Node *before, const model::Node *after) {
    using Labels = std::span<const berth_label>;
    const bool labels = change(labels_, before ? before->labels : Labels{}, after ? after->labels : Labels{});
    const bool annotations =
        change(annotations_, before ? before->annotations : Labels{}, after ? after->annotations : Labels{});
    const bool resources = change(resources_, scalars(before), scalars(after));
    labels_version_ += labels;
    version_ += labels || annotations || resources;
}

const NodeKeys::Counts *NodeKeys::counts(std::uint32_t kind) const {
    switch (kind) {
        case BERTH_COLUMN_NODE_LABEL: return &labels_;
        case BERTH_COLUMN_NODE_ANNOTATION: return &annotations_;
        case BERTH_COLUMN_NODE_ALLOCATABLE:
        case BERTH_COLUMN_NODE_REQUESTED: return &resources_;
        default: return nullptr;
    }
}

bool NodeKeys::covers(std::uint32_t kind) {
    return kind >= BERTH_COLUMN_NODE_LABEL && kind <= BERTH_COLUMN_NODE_REQUESTED;
}

bool NodeKeys::has(std::uint32_t kind, std::string_view key) const {
    const auto *of_kind = counts(kind);
    if (!of_kind) return false;
    const bool everywhere =
        of_kind == &resources_ && (key == "cpu" || key == "memory" || key == "ephemeral-storage" || key == "pods");
    return everywhere || of_kind->contains(key);
}

}  // namespace berth::cluster
