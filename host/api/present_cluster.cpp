// SPDX-License-Identifier: Apache-2.0
#include "api/present_cluster.h"
#include "model/look_ups.h"

#include "decode/write.h"
#include "model/build.h"
#include "model/mirror_pod.h"
#include "sim/patch.h"

#include <algorithm>
#include <memory>

namespace berth::api {
namespace {

using model::ObjectBuilder;
using model::Value;

template <class T>
std::shared_ptr<const T> shared(const berth_object *object) {
    return std::static_pointer_cast<const T>(model::object_of(object)->shared_from_this());
}

class Writer {
    const std::function<void(std::string_view)> &write_;
    bool first_ = true;

public:
    explicit Writer(const std::function<void(std::string_view)> &write) : write_(write) {
        write_(R"({"apiVersion":"v1","kind":"List","items":[)");
    }
    void end() { write_("\n]}\n"); }

    /// What a list of the API server leaves out of its items, and `more`.
    void add(Value object, std::string_view api_version, std::string_view kind,
             const std::function<void(model::Arena &, ObjectBuilder &)> &more = nullptr) {
        model::Arena arena;
        ObjectBuilder patch(arena), metadata(arena);
        patch.add("apiVersion", api_version).add("kind", kind);
        patch.add("metadata", metadata.add("managedFields", model::make_null()));
        if (more) more(arena, patch);
        const auto changes = patch.value();
        write_(std::exchange(first_, false) ? "\n" : ",\n");
        write_(decode::to_json(sim::merged(object, Value{&changes})->value()));
    }
    void add_pod(const model::Pod &pod, std::string_view node) {
        add(pod.tree->value(), "v1", "Pod", [&](model::Arena &arena, ObjectBuilder &patch) {
            ObjectBuilder spec(arena), status(arena);
            if (!node.empty()) patch.add("spec", spec.add("nodeName", node));
            else if (!pod.node_name().empty()) {
                for (const char *field : {"phase", "startTime", "nominatedNodeName", "conditions"})
                    status.add(field, model::make_null());
                patch.add("spec", spec.add("nodeName", model::make_null())).add("status", status);
            }
        });
    }
};

}  // namespace

PresentCluster present_cluster(Scheduler &scheduler) {
    PresentCluster out;
    const auto &nodes = scheduler.cache().snapshot();
    out.nodes.reserve(nodes.count);
    out.placed.reserve(scheduler.cache().pod_count());
    for (std::uint32_t i = 0; i < nodes.count; ++i) {
        const auto slot = nodes.order[i];
        out.nodes.push_back(shared<model::Node>(nodes.obj[slot]));
        const std::uint32_t *rows = nullptr;
        const auto count = model::look_ups(*nodes.pods).pods_of(slot, &rows);
        for (std::uint64_t k = 0; k < count; ++k) out.placed.push_back(shared<model::Pod>(nodes.pods->obj[rows[k]]));
    }
    scheduler.queue().each([&](const queue::QueuedPod &pod) { out.waiting.push_back(pod.pod); });
    scheduler.objects().each(
        [&](const model::Kind &kind, const model::AnyPtr &object) { out.objects.emplace_back(kind, object); });
    return out;
}

void write_cluster(const PresentCluster &cluster, const config::Configuration &configuration, Placing placing,
                   const std::function<void(std::string_view)> &write) {
    Writer out(write);
    for (const auto &node : cluster.nodes) out.add(node->tree->value(), "v1", "Node");
    for (const auto &pod : cluster.placed) {
        const bool ours = std::ranges::find(configuration.profiles, pod->scheduler_name(),
                                            &config::Profile::scheduler_name) != configuration.profiles.end();
        const bool anew = placing == Placing::All && ours && !pod->terminating() && !model::is_mirror(*pod);
        out.add_pod(*pod, anew ? std::string_view{} : pod->node_name());
    }
    for (const auto &pod : cluster.waiting) out.add_pod(*pod, {});
    for (const auto &[kind, object] : cluster.objects) {
        const auto own = object->tree->value()["kind"].string();
        out.add(object->tree->value(), kind.api_version(), kind.name.empty() ? own : std::string_view{kind.name});
    }
    out.end();
}

}  // namespace berth::api
