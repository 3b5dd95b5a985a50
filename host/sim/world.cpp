// SPDX-License-Identifier: Apache-2.0
#include "sim/world.h"

#include "decode/document.h"
#include "sim/pod_writes.h"
#include "sim/spec_field.h"

namespace berth::sim {
namespace {

env::ApiAnswer refuse(int status, std::string text) { return {status, std::move(text)}; }

/// The pod with spec.nodeName set, as the API server stores it after a binding.
model::PodPtr bound(const model::Pod &pod, std::string_view node) {
    return model::read_pod(with_spec_field(*pod.tree, "nodeName", node),
                           [](model::Value, const std::string &, const std::string &) {});
}

}  // namespace

void World::start(const Input &input, env::Observer &observer) {
    observer_ = &observer;
    for (const auto &[kind, object] : input.objects) observer.object_changed(kind, nullptr, object);
    for (const auto &node : input.nodes) observer.node_added(node);
    for (const auto &pod : input.pods) pods_.emplace(pod->key(), pod);
    for (const auto &pod : input.pods) observer.pod_added(pod);
}

model::PodPtr World::pod(const std::string &key) const {
    auto at = pods_.find(key);
    return at == pods_.end() ? nullptr : at->second;
}

void World::send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) {
    clock_.post([this, request = std::move(request), done = std::move(done)] { done(answer(request)); });
}

env::ApiAnswer World::answer(const env::ApiRequest &request) {
    if (request.group.empty() && request.resource == "pods") {
        if (request.verb == env::Verb::Create && request.subresource == "binding") return bind(request);
        if (request.verb == env::Verb::Patch && request.subresource == "status") return patch_status(request);
        if (request.verb == env::Verb::Delete && request.subresource.empty()) return remove(request);
    }
    return refuse(501, "the simulated API server does not serve writes to " + request.resource +
                           (request.subresource.empty() ? "" : "/" + request.subresource));
}

/// The watch speaks after the answer, as a server's does.
void World::replace(const model::PodPtr &before, const model::PodPtr &after) {
    pods_[before->key()] = after;
    clock_.post([this, before, after] { observer_->pod_updated(before, after); });
}

env::ApiAnswer World::patch_status(const env::ApiRequest &request) {
    auto at = pods_.find(request.name_space + "/" + request.name);
    if (at == pods_.end()) return refuse(404, "pods \"" + request.name + "\" not found");
    auto body = decode::read_document(request.body, "patch");
    if (!body) return refuse(400, body.error().text);
    auto after = with_status(*at->second, body->value());
    if (!after) return refuse(422, "the patch makes no pod");
    replace(at->second, after);
    return {200, "{}"};
}

/// A pod without a node goes at once, another one when its grace period is over.
env::ApiAnswer World::remove(const env::ApiRequest &request) {
    auto at = pods_.find(request.name_space + "/" + request.name);
    if (at == pods_.end()) return refuse(404, "pods \"" + request.name + "\" not found");
    const model::PodPtr pod = at->second;
    if (pod->terminating()) return {200, "{}"};
    auto grace = pod->tree->value()["spec"]["terminationGracePeriodSeconds"].integer().value_or(30);
    std::string key = pod->key(), uid(pod->uid());
    if (pod->node_name().empty() || grace <= 0) {
        clock_.post([this, key, uid] { gone(key, uid); });
        return {200, "{}"};
    }
    replace(pod, on_its_way_out(*pod, clock_.now_ns(), grace));
    clock_.after(grace * 1'000'000'000, [this, key, uid] { gone(key, uid); });
    return {200, "{}"};
}

void World::gone(const std::string &key, std::string_view uid) {
    auto at = pods_.find(key);
    if (at == pods_.end() || at->second->uid() != uid) return;
    const model::PodPtr pod = at->second;
    pods_.erase(at);
    observer_->pod_deleted(pod);
}

env::ApiAnswer World::bind(const env::ApiRequest &request) {
    auto key = request.name_space + "/" + request.name;
    auto at = pods_.find(key);
    if (at == pods_.end()) return refuse(404, "pods \"" + request.name + "\" not found");
    auto body = decode::read_document(request.body, "binding");
    if (!body) return refuse(400, body.error().text);
    auto uid = body->value()["metadata"]["uid"].string();
    auto node = body->value()["target"]["name"].string();
    const auto before = at->second;
    auto conflict = [&](const std::string &why) {
        return refuse(409, "Operation cannot be fulfilled on pods/binding \"" + request.name + "\": " + why);
    };
    if (!uid.empty() && uid != before->uid()) return conflict("the UID in the precondition does not match");
    if (!before->node_name().empty())
        return conflict("pod " + request.name + " is already assigned to node \"" + std::string(before->node_name()) +
                        "\"");
    if (before->terminating())
        return conflict("pod " + request.name + " is being deleted, cannot be assigned to a host");
    if (node.empty()) return refuse(422, "target.name: Required value");
    auto after = bound(*before, node);
    ++bindings_;
    replace(before, after);
    return {201, "{}"};
}

}  // namespace berth::sim
