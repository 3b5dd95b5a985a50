// SPDX-License-Identifier: Apache-2.0
#include "model/node.h"

#include "model/field.h"
#include "model/read_resources.h"

#include <algorithm>

namespace berth::model {
namespace {

std::string_view find_label(std::span<const berth_label> labels, std::string_view key) {
    auto at = std::lower_bound(labels.begin(), labels.end(), key,
                               [](const berth_label &label, std::string_view k) { return view(label.key) < k; });
    return at != labels.end() && view(at->key) == key ? view(at->value) : std::string_view{};
}

bool has_label(std::span<const berth_label> labels, std::string_view key) {
    return std::any_of(labels.begin(), labels.end(), [&](const berth_label &l) { return view(l.key) == key; });
}

/// component-helpers v0.36.3, node/topology: the beta label counts if it is there, even empty.
std::string zone_key(const Node &node) {
    auto label = [&](std::string_view beta, std::string_view key) {
        return std::string(node.label(has_label(node.labels, beta) ? beta : key));
    };
    const auto zone = label("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone");
    const auto region = label("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region");
    if (zone.empty() && region.empty()) return {};
    return region + ':' + '\0' + ':' + zone;
}

void read_taints(Node &node, const Field &list) {
    const auto count = list.items();
    auto *taints = node.arena.array<berth_taint>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto item = list.item(i);
        const auto key = item.object()["key"], value = item["value"], effect = item["effect"];
        const auto known = effect.choice({"NoSchedule", "PreferNoSchedule", "NoExecute"});
        if (key.string().empty()) key.fault("a taint needs a key");
        if (!effect.present()) effect.fault("a taint needs an effect: NoSchedule, PreferNoSchedule or NoExecute");
        taints[i] = {to_str(key.string()), to_str(value.string()), to_str(known)};
    }
    node.taints = {taints, count};
}

void read_images(Node &node, const Field &list) {
    const auto count = list.items();
    auto *images = node.arena.array<NodeImage>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto item = list.item(i);
        const auto names = item.object()["names"], size = item["sizeBytes"];
        const auto names_count = names.items();
        auto *kept = node.arena.array<berth_str>(names_count);
        for (std::size_t n = 0; n < names_count; ++n) {
            const auto name = names.item(n);
            kept[n] = to_str(name.string());
        }
        images[i] = NodeImage{{kept, names_count}, size.integer(0).value_or(0)};
    }
    node.images = {images, count};
}

/// Room for what a node's lists need.
std::size_t arena_size(Value node) {
    const auto metadata = node["metadata"], images = node["status"]["images"];
    std::size_t size = (metadata["labels"].size() + metadata["annotations"].size()) * sizeof(berth_label) +
                       node["spec"]["taints"].size() * sizeof(berth_taint) + images.size() * sizeof(NodeImage) +
                       node["status"]["allocatable"].size() * sizeof(berth_scalar) + uid_size;
    for (std::size_t i = 0; i < images.size(); ++i) size += images.at(i)["names"].size() * sizeof(berth_str);
    return size;
}

/// What the node has for pods; without `allocatable` all its capacity, as the API server defaults it.
void read_allocatable(Node &node, const Field &status) {
    const auto allocatable = status["allocatable"], capacity = status["capacity"];
    const auto list = read_resource_list(allocatable.present() ? allocatable : capacity);
    node.allocatable = to_resources(node.arena, list);
    if (const auto *pods = find(list, "pods")) node.allocatable_pods = pods->value();
}

}  // namespace

berth_object_meta Node::meta() const {
    return {.struct_size = sizeof(berth_object_meta),
            .flags = 0,
            .namespace_ = {},
            .name = to_str(name),
            .uid = to_str(uid),
            .resource_version = to_str(resource_version(*this)),
            .labels = labels.data(),
            .labels_len = labels.size()};
}

std::string_view Node::label(std::string_view key) const { return find_label(labels, key); }

NodePtr read_node(TreePtr tree, const FaultSink &fault) {
    auto node = std::make_shared<Node>();
    node->tree = std::move(tree);
    const auto root = node->tree->value();
    node->arena = Arena(arena_size(root));
    Faults faults{&fault, {}};
    const Field object(root, faults);
    if (!root.is_object()) {
        object.expected("a Node");
        return nullptr;
    }
    const auto metadata = object["metadata"], spec = object["spec"], status = object["status"];
    const auto id = read_identity(node->arena, metadata, "Node", false);
    node->name = id.name;
    node->uid = id.uid;
    const auto labels = metadata["labels"], annotations = metadata["annotations"];
    node->labels = read_labels(node->arena, labels);
    node->annotations = read_labels(node->arena, annotations);
    const auto unschedulable = spec.object()["unschedulable"], taints = spec["taints"];
    node->unschedulable = unschedulable.boolean();
    read_taints(*node, taints);
    const auto images = status.object()["images"];
    read_images(*node, images);
    read_allocatable(*node, status);
    node->zone_key = zone_key(*node);
    node->held.count(Holder::Nodes, sizeof(Node) + node->arena.size() + own_bytes(*node->tree) + object_overhead);
    return !faults.seen.empty() ? nullptr : node;
}

}  // namespace berth::model
