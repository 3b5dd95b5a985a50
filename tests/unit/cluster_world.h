// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Nodes and pods made by hand, for the tests of the cluster room.

#include "model/build.h"
#include "model/node.h"

#include <map>
#include <string>
#include <vector>

namespace berth::cluster_test {

using Texts = std::map<std::string, std::string>;

struct NodeSpec {
    std::string name, zone{};
    std::int64_t cpu = 4000, memory = 1 << 30, pods = 110;
    Texts labels{}, annotations{};
    std::map<std::string, std::int64_t> scalars{};
    std::vector<std::string> taints{};  ///< keys; the value is "v", the effect NoSchedule
    std::vector<std::pair<std::vector<std::string>, std::int64_t>> images{};
    bool unschedulable = false;
    std::string provider{};  ///< spec.providerID, if not empty
};

struct PodSpec {
    std::string uid, node{};
    std::int64_t cpu = 100, memory = 1000;
    std::string name_space = "default", scheduler = "default-scheduler", phase{};
    Texts labels{}, annotations{};
    std::map<std::string, std::int64_t> scalars{};
    std::vector<std::string> images{};
    std::vector<std::int32_t> ports{};
    std::int32_t priority = 0;
    std::int64_t start = 0;
    bool terminating = false;
};

inline berth_str text(model::Arena &arena, const std::string &s) { return model::to_str(arena.copy(s)); }

inline std::span<const berth_label> labels(model::Arena &arena, const Texts &texts) {
    auto *out = arena.array<berth_label>(texts.size());
    std::size_t n = 0;
    for (const auto &[key, value] : texts) out[n++] = {text(arena, key), text(arena, value)};
    return {out, n};
}

inline berth_resources resources(model::Arena &arena, std::int64_t cpu, std::int64_t memory,
                                 const std::map<std::string, std::int64_t> &scalars) {
    auto *out = arena.array<berth_scalar>(scalars.size());
    std::size_t n = 0;
    for (const auto &[name, value] : scalars) out[n++] = {text(arena, name), value};
    return {cpu, memory, 7 * cpu, out, n};
}

inline model::NodePtr make_node(const NodeSpec &spec) {
    auto node = std::make_shared<model::Node>();
    auto &arena = node->arena;
    auto tree = std::make_shared<model::Tree>();
    model::ObjectBuilder inner(tree->arena), root(tree->arena);
    if (!spec.provider.empty()) inner.add("providerID", spec.provider);
    tree->root = root.add("spec", inner).value();
    node->tree = tree;
    node->name = arena.copy(spec.name);
    node->unschedulable = spec.unschedulable;
    node->allocatable = resources(arena, spec.cpu, spec.memory, spec.scalars);
    node->allocatable_pods = spec.pods;
    node->labels = labels(arena, spec.labels);
    node->annotations = labels(arena, spec.annotations);
    auto *taints = arena.array<berth_taint>(spec.taints.size());
    for (std::size_t i = 0; i < spec.taints.size(); ++i)
        taints[i] = {text(arena, spec.taints[i]), text(arena, "v"), text(arena, "NoSchedule")};
    node->taints = {taints, spec.taints.size()};
    auto *images = arena.array<model::NodeImage>(spec.images.size());
    for (std::size_t i = 0; i < spec.images.size(); ++i) {
        const auto &[names, size] = spec.images[i];
        auto *out = arena.array<berth_str>(names.size());
        for (std::size_t k = 0; k < names.size(); ++k) out[k] = text(arena, names[k]);
        images[i] = {{out, names.size()}, size};
    }
    node->images = {images, spec.images.size()};
    node->zone_key = spec.zone.empty() ? "" : "r:" + std::string(1, '\0') + ":" + spec.zone;
    return node;
}

inline model::PodPtr make_pod(const PodSpec &spec) {
    auto pod = std::make_shared<model::Pod>();
    auto &arena = pod->arena;
    auto tree = std::make_shared<model::Tree>();
    model::ObjectBuilder annotations(tree->arena), meta(tree->arena), root(tree->arena);
    for (const auto &[key, value] : spec.annotations) annotations.add(key, value);
    meta.add("uid", spec.uid);
    if (!annotations.empty()) meta.add("annotations", annotations);
    tree->root = root.add("metadata", meta).value();
    pod->tree = tree;
    auto &view = pod->view;
    view.struct_size = sizeof view;
    view.obj = model::handle(pod.get());
    view.uid = text(arena, spec.uid);
    view.namespace_ = text(arena, spec.name_space);
    view.name = text(arena, "pod-" + spec.uid);
    view.node_name = text(arena, spec.node);
    view.scheduler_name = text(arena, spec.scheduler);
    view.priority = spec.priority;
    view.pod_flags = spec.terminating ? BERTH_FLAG_POD_TERMINATING : 0;
    auto all = labels(arena, spec.labels);
    view.labels = all.data();
    view.labels_len = all.size();
    auto *images = arena.array<berth_pod_image>(spec.images.size());
    for (std::size_t i = 0; i < spec.images.size(); ++i)
        images[i] = {text(arena, spec.images[i]), static_cast<std::uint32_t>(i % 2), 0};
    view.images = images;
    view.images_len = spec.images.size();
    auto *ports = arena.array<berth_port>(spec.ports.size());
    for (std::size_t i = 0; i < spec.ports.size(); ++i)
        ports[i] = {text(arena, "TCP"), text(arena, "0.0.0.0"), spec.ports[i], 0};
    view.host_ports = ports;
    view.host_ports_len = spec.ports.size();
    auto *accounted = arena.array<berth_resources>(2);
    accounted[0] = resources(arena, spec.cpu, spec.memory, spec.scalars);
    accounted[1] = {spec.cpu + 1, spec.memory + 1, 0, nullptr, 0};
    view.current_requests = &accounted[0];
    pod->effective_nonzero = &accounted[1];
    pod->start_time_ns = spec.start;
    pod->status_phase = arena.copy(spec.phase);
    return pod;
}

}  // namespace berth::cluster_test
