// SPDX-License-Identifier: Apache-2.0
#include "api/overview.h"
#include "model/look_ups.h"

#include "api/query.h"
#include "report/overview.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>

namespace berth::api {
namespace {

constexpr int not_found = 404;

const model::Node *node_of(const berth_nodes &nodes, std::uint32_t slot) {
    return static_cast<const model::Node *>(model::object_of(nodes.obj[slot]));
}

/// "region:", NUL, ":zone" for people.
std::string zone_text(const std::string &key) {
    const auto nul = key.find('\0');
    if (nul == key.npos || nul == 0) return key;
    const auto region = key.substr(0, nul - 1), zone = key.substr(std::min(key.size(), nul + 2));
    return region.empty() || zone.empty() ? region + zone : region + "/" + zone;
}

/// The resources beyond the usual ones that nodes have, in the order of their names.
std::set<std::string> scalars_of(const berth_nodes &nodes) {
    std::set<std::string> out;
    for (std::uint32_t i = 0; i < nodes.count; ++i) {
        const auto &has = node_of(nodes, nodes.order[i])->allocatable;
        for (std::uint64_t k = 0; k < has.scalars_len; ++k)
            if (has.scalars[k].value > 0) out.emplace(model::view(has.scalars[k].name));
    }
    return out;
}

report::NodeColumns::Resource resource(const berth_nodes &nodes, std::string name, const std::int64_t *allocatable,
                                       const std::int64_t *requested) {
    report::NodeColumns::Resource out{std::move(name), {}, {}};
    for (std::uint32_t i = 0; i < nodes.count; ++i) {
        out.allocatable.push_back(allocatable[nodes.order[i]]);
        out.requested.push_back(requested[nodes.order[i]]);
    }
    return out;
}

const std::int64_t *numbers(const berth_nodes &nodes, std::uint32_t id) {
    berth_column column{};
    column.struct_size = sizeof column;
    return model::look_ups(nodes).column(id, &column) == BERTH_STATUS_SUCCESS
               ? static_cast<const std::int64_t *>(column.data)
               : nullptr;
}

void add_resources(report::NodeColumns &out, cluster::Cache &cache, const berth_nodes &nodes) {
    out.resources.push_back(resource(nodes, "cpu", nodes.allocatable_cpu, nodes.requested_cpu));
    out.resources.push_back(resource(nodes, "memory", nodes.allocatable_memory, nodes.requested_memory));
    const std::vector<std::int64_t> pods(nodes.pod_count, nodes.pod_count + nodes.slots);
    out.resources.push_back(resource(nodes, "pods", nodes.allocatable_pods, pods.data()));
    auto disks = resource(nodes, "ephemeral-storage", nodes.allocatable_ephemeral, nodes.requested_ephemeral);
    if (std::ranges::any_of(disks.allocatable, [](auto n) { return n > 0; })) out.resources.push_back(std::move(disks));
    for (const auto &name : scalars_of(nodes)) {
        if (out.resources.size() >= Overview::most_resources) break;
        const auto *has = numbers(nodes, cache.ask_column(BERTH_COLUMN_NODE_ALLOCATABLE, name));
        const auto *requested = numbers(nodes, cache.ask_column(BERTH_COLUMN_NODE_REQUESTED, name));
        if (has && requested) out.resources.push_back(resource(nodes, name, has, requested));
    }
}

report::NodeColumns columns_of(cluster::Cache &cache) {
    report::NodeColumns out;
    const auto &nodes = cache.snapshot();
    std::unordered_map<std::uint32_t, std::uint32_t> zones;  // by code
    out.names.reserve(nodes.count);
    for (std::uint32_t i = 0; i < nodes.count; ++i) {
        const auto slot = nodes.order[i];
        out.names.emplace_back(model::view(nodes.name[slot]));
        const auto [at, fresh] = zones.try_emplace(nodes.zone_code[slot], static_cast<std::uint32_t>(zones.size()));
        if (fresh) out.zones.push_back(zone_text(node_of(nodes, slot)->zone_key));
        out.zone.push_back(at->second);
        if (nodes.node_flags[slot] & BERTH_FLAG_NODE_UNSCHEDULABLE) out.closed.push_back(i);
    }
    add_resources(out, cache, nodes);
    return out;
}

report::NodePods pods_of(const berth_nodes &nodes, std::uint32_t slot) {
    report::NodePods out;
    const auto &node = *node_of(nodes, slot);
    out.name = node.name;
    out.zone = zone_text(node.zone_key);
    out.closed = node.unschedulable;
    for (const auto &taint : node.taints) {
        const auto value = model::view(taint.value);
        out.taints.push_back(std::string(model::view(taint.key)) + (value.empty() ? "" : "=" + std::string(value)) +
                             ":" + std::string(model::view(taint.effect)));
    }
    const std::uint32_t *rows = nullptr;
    const auto count = model::look_ups(*nodes.pods).pods_of(slot, &rows);
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto &pod = *static_cast<const model::Pod *>(model::object_of(nodes.pods->obj[rows[i]]));
        const auto &asks = pod.effective();
        report::NodePods::Pod one{{std::string(pod.name_space()), std::string(pod.name()), {}},
                                  std::string(pod.scheduler_name()),
                                  pod.view.priority,
                                  asks.cpu,
                                  asks.memory,
                                  {},
                                  false,
                                  pod.terminating()};
        for (std::uint64_t k = 0; k < asks.scalars_len; ++k)
            one.scalars.emplace_back(model::view(asks.scalars[k].name), asks.scalars[k].value);
        one.assumed = (nodes.pods->pod_flags[rows[i]] & BERTH_FLAG_POD_ASSUMED) != 0;
        out.pods.push_back(std::move(one));
    }
    return out;
}

/// The pods that wait, the longest first; `left_out` becomes how many there are besides.
std::vector<const queue::QueuedPod *> longest_waiting(const queue::Queue &queue, std::size_t most,
                                                      std::size_t &left_out) {
    std::vector<const queue::QueuedPod *> out;
    queue.each([&](const queue::QueuedPod &pod) { out.push_back(&pod); });
    const auto kept = static_cast<std::ptrdiff_t>(std::min(most, out.size()));
    std::ranges::partial_sort(out, out.begin() + kept, {}, [](const queue::QueuedPod *p) {
        return std::pair(p->view.initial_attempt_ns != 0 ? p->view.initial_attempt_ns : p->view.queued_time_ns,
                         p->order);
    });
    left_out = out.size() - static_cast<std::size_t>(kept);
    out.resize(static_cast<std::size_t>(kept));
    return out;
}

}  // namespace

/// Texts are made elsewhere, as the explainer's.
template <class T>
void Overview::write(const kube::Answering &done, T what) {
    what.by = world_.answerer();
    work_(
        [done, what = std::make_shared<T>(std::move(what))] { done({200, report::json(*what), "application/json"}); });
}

void Overview::add_to(kube::Routes &routes, Explainer::Post work) {
    work_ = std::move(work);
    routes.add(explain_base + "cluster", [this](const kube::ServedRequest &request, const kube::Answering &done) {
        if (is_method(request, "GET", done)) world_.questions.ask([this, done] { cluster(done); }, done);
    });
    const auto nodes = explain_base + "nodes/";
    routes.add_below(nodes, [this, nodes](const kube::ServedRequest &request, const kube::Answering &done) {
        if (!is_method(request, "GET", done)) return;
        world_.questions.ask([this, done, name = request.path.substr(nodes.size())] { node(name, done); }, done);
    });
    routes.add(explain_base + "memory", [this](const kube::ServedRequest &request, const kube::Answering &done) {
        // Also before the whole cluster is known: what it takes to list it is seen here.
        if (is_method(request, "GET", done)) world_.loop.post([this, done] { memory(done); });
    });
    routes.add(explain_base + "pending", [this](const kube::ServedRequest &request, const kube::Answering &done) {
        if (!is_method(request, "GET", done)) return;
        const auto most = number(request, "limit", usual_waiting, most_waiting);
        if (!most) return done(bad_number("limit"));
        world_.questions.ask([this, done, most = *most] { waiting(most, done); }, done);
    });
}

void Overview::memory(const kube::Answering &done) {
    if (!world_.memory) return done(kube::status_answer(not_found, "NotFound", "memory is not counted here"));
    work_([done, by = world_.answerer(), use = world_.memory()] {
        done({200, report::json(by, use), "application/json"});
    });
}

void Overview::cluster(const kube::Answering &done) { write(done, columns_of(world_.scheduler->cache())); }

void Overview::node(const std::string &name, const kube::Answering &done) {
    const auto &nodes = world_.scheduler->cache().snapshot();
    const auto slot = model::find_node(nodes, model::to_str(name));
    if (slot == BERTH_NO_SLOT)
        return done(kube::status_answer(not_found, "NotFound", "nodes \"" + name + "\" not found"));
    write(done, pods_of(nodes, slot));
}

void Overview::waiting(std::size_t most, const kube::Answering &done) {
    const auto &queue = world_.scheduler->queue();
    report::Waiting out;
    out.active = queue.active();
    out.backing_off = queue.backing_off();
    out.unschedulable = queue.unschedulable();
    out.gated = queue.gated();
    std::set<std::string> listed;  // plugins whose events are there
    for (const auto *pod : longest_waiting(queue, most, out.omitted)) {
        auto state = world_.scheduler->scheduling_state(pod->pod);
        for (auto &wake : state.wakes)
            if (!listed.contains(wake.plugin)) out.wakes.push_back(std::move(wake));
        for (auto &wake : out.wakes) listed.insert(wake.plugin);
        state.wakes.clear();
        out.pods.push_back(std::move(state));
    }
    out.decisions = world_.last.newest(SIZE_MAX);
    write(done, std::move(out));
}

}  // namespace berth::api
