// SPDX-License-Identifier: Apache-2.0
#include "sim/world.h"

#include "decode/document.h"
#include "model/build.h"
#include "sim/patch.h"
#include "sim/reads.h"
#include "sim/requests.h"

namespace berth::sim {

void World::start(const Input &input, env::Observer &observer) {
    store_.start(input, observer);
    volumes_.start();
    claims_.start(input);
}

void World::send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) {
    store_.clock().post([this, request = std::move(request), done = std::move(done)] { done(serve(request)); });
}

env::ApiAnswer World::serve(const env::ApiRequest &request) {
    if (request.reads()) return serve_read(store_, request);
    const auto *kind = store_.kind(request.group, request.version, request.resource);
    if (!kind)
        return refuse(501, "the simulated API server has no " + request.resource +
                               (request.group.empty() ? "" : "." + request.group) +
                               ": of objects it has pods and what plugins declare to watch");
    if (*kind == pod_kind && request.verb == env::Verb::Create && request.subresource == "binding")
        return bind(request);
    return serve_object(store_, *kind, request);
}

env::ApiAnswer World::bind(const env::ApiRequest &request) {
    const auto before = store_.pod(request.name_space + "/" + request.name);
    if (!before) return refuse(404, "pods \"" + request.name + "\" not found", {{}, "pods", request.name});
    auto body = decode::read_document(request.body, "binding");
    if (!body) return refuse(400, body.error().text);
    auto uid = body->value()["metadata"]["uid"].string();
    auto node = body->value()["target"]["name"].string();
    auto conflict = [&](const std::string &why) {
        return refuse(409, "Operation cannot be fulfilled on pods/binding \"" + request.name + "\": " + why,
                      {{}, "pods/binding", request.name});
    };
    if (!uid.empty() && uid != before->uid()) return conflict("the UID in the precondition does not match");
    if (!before->node_name().empty())
        return conflict("pod " + request.name + " is already assigned to node \"" + std::string(before->node_name()) +
                        "\"");
    if (before->terminating())
        return conflict("pod " + request.name + " is being deleted, cannot be assigned to a host");
    if (node.empty()) return refuse(422, "target.name: Required value");
    // What the server does beside it: the pod is no longer nominated, and its condition says that it has a node. And a
    // kubelet, at once: the pod runs.
    model::Arena arena;
    model::ObjectBuilder change(arena), metadata(arena), spec(arena), status(arena), condition(arena);
    model::ArrayBuilder conditions(arena);
    condition.add("type", "PodScheduled").add("status", "True").add("lastProbeTime", model::make_null());
    const auto now = time_text(store_.clock().now_ns());
    condition.add("lastTransitionTime", now);
    condition.add("reason", model::make_null()).add("message", model::make_null());
    conditions.add(condition.value());
    status.add("conditions", conditions).add("nominatedNodeName", model::make_null());
    status.add("phase", "Running").add("startTime", now);
    change.add("metadata", metadata.add("resourceVersion", std::to_string(store_.next_version())));
    change.add("spec", spec.add("nodeName", node)).add("status", status);
    const auto patch = change.value();
    auto after = std::make_shared<model::Tree>();  // of which the store keeps a copy
    const auto merged = strategically_merged(after->arena, before->tree->value(), model::Value{&patch});
    if (!merged) return refuse(500, merged.error().text);
    after->root = *merged;
    if (auto stored = store_.put_pod(after); !stored) return refuse(422, stored.error().text);
    ++bindings_;
    return {201, "{}"};
}

}  // namespace berth::sim
