// SPDX-License-Identifier: Apache-2.0
#include "kube/lease.h"

#include "decode/wire.h"
#include "decode/write.h"
#include "kube/url.h"
#include "model/build.h"
#include "model/time.h"

#include <charconv>

namespace berth::kube {
namespace {

constexpr std::string_view api_version = "coordination.k8s.io/v1";

std::string json(berth_value value) { return decode::to_json(model::Value{&value}); }

std::string hex(std::int64_t n) {
    constexpr int base = 16;
    char text[20];
    return {text, std::to_chars(text, text + sizeof text, static_cast<std::uint64_t>(n), base).ptr};
}

}  // namespace

std::string LeaseName::collection_path() const {
    return "/apis/coordination.k8s.io/v1/namespaces/" + percent_encoded(name_space) + "/leases";
}

std::string LeaseName::path() const { return collection_path() + "/" + percent_encoded(name); }

model::Result<Lease> read_lease(const std::string &json) {
    auto tree = decode::read_api_json(json);
    if (!tree) return model::Error{"the lease: " + tree.error().text};
    auto root = (*tree)->value();
    if (root["kind"].string() != "Lease") return model::Error{"expected a Lease, got another object"};
    auto spec = root["spec"];
    Lease out;
    out.record.holder = spec["holderIdentity"].string();
    out.record.duration_s = spec["leaseDurationSeconds"].integer().value_or(0);
    out.record.transitions = spec["leaseTransitions"].integer().value_or(0);
    out.record.acquire_time = spec["acquireTime"].string();
    out.record.renew_time = spec["renewTime"].string();
    out.object = std::move(*tree);
    return out;
}

std::string lease_json(const LeaseName &name, const LeaseRecord &record, const model::TreePtr &object) {
    model::Arena arena;
    model::ObjectBuilder metadata(arena), spec(arena), root(arena);
    spec.add("holderIdentity", record.holder).add("leaseDurationSeconds", record.duration_s);
    spec.add("acquireTime", record.acquire_time).add("renewTime", record.renew_time);
    spec.add("leaseTransitions", record.transitions);
    root.add("apiVersion", api_version).add("kind", "Lease");
    if (object) root.add("metadata", object->value()["metadata"]);
    else root.add("metadata", metadata.add("name", name.name).add("namespace", name.name_space));
    root.add("spec", spec);
    return json(root.value());
}

std::string leader_event_json(const LeaseName &name, const model::TreePtr &object, std::string_view message,
                              std::string_view source, std::int64_t now_ns) {
    model::Arena arena;
    auto known = object->value()["metadata"];
    std::string now = model::format_time(now_ns);
    now = now.substr(0, now.find('.')) + "Z";
    model::ObjectBuilder metadata(arena), about(arena), component(arena), root(arena);
    metadata.add("name", name.name + "." + hex(now_ns)).add("namespace", name.name_space);
    about.add("kind", "Lease").add("namespace", name.name_space).add("name", name.name);
    about.add("uid", known["uid"]).add("apiVersion", api_version).add("resourceVersion", known["resourceVersion"]);
    root.add("apiVersion", "v1").add("kind", "Event").add("metadata", metadata).add("involvedObject", about);
    root.add("reason", "LeaderElection").add("message", message);
    root.add("source", component.add("component", source));
    root.add("firstTimestamp", now).add("lastTimestamp", now).add("count", 1).add("type", "Normal");
    root.add("reportingComponent", source).add("reportingInstance", "");
    return json(root.value());
}

}  // namespace berth::kube
