// SPDX-License-Identifier: Apache-2.0
#include "memory_file.h"

#include "cluster/cache.h"
#include "decode/stream.h"
#include "decode/write.h"
#include "sim/input.h"
#include "sim/missing_objects.h"
#include "sim/scenario.h"

#include <array>
#include <sstream>

namespace berth::fuzz {
namespace {

/// A workload may make a million pods, which is meant and takes its time.
bool makes_many(model::Value object) {
    constexpr std::int64_t many = 50;
    for (const auto *field : {"replicas", "parallelism"})
        if (object["spec"][field].integer().value_or(0) > many) return true;
    return false;
}

void as_scheduler_keeps_it(const sim::Input &input) {
    cluster::Cache cache;
    for (const auto &node : input.nodes) cache.add_node(node);
    for (const auto &pod : input.pods) cache.add_pod(pod);
    (void)cache.snapshot();
    for (const auto &pod : input.pods) cache.remove_pod(*pod);
    promise(cache.pod_count() == 0, "pods that were removed are gone");
    const auto &nodes = cache.snapshot();
    for (std::uint32_t i = 0; i < nodes.count; ++i) {
        const auto slot = nodes.order[i];
        promise(nodes.requested_cpu[slot] == 0 && nodes.pod_count[slot] == 0, "a node without pods is empty");
    }
}

}  // namespace

void cluster(std::string_view bytes) {
    std::istringstream in{std::string(bytes)};
    std::vector<decode::Document> documents;
    bool many = false;
    const auto read = decode::read_stream(in, "f.yaml", [&](decode::Document document) {
        many = many || makes_many(document.value());
        documents.push_back(std::move(document));
        return model::Result<void>{};
    });
    promise(read || read.error().text.starts_with("f.yaml"), "a refusal begins with the file");
    for (const auto &document : documents) {
        if (!document.value().is_object()) continue;
        constexpr std::size_t long_text = 1 << 20;  // aliases may stand for a million values
        const auto json = decode::to_json(document.value());
        if (json.size() > long_text) continue;
        const auto again = decode::read_document(json, "again.json");
        promise(again.ok() && decode::to_json(again->value()) == json, "what is written as JSON is the same");
        const auto yaml = decode::read_document(decode::to_yaml(document.value()), "again.yaml");
        promise(yaml.ok() && decode::to_json(yaml->value()) == json, "what is written as YAML is the same");
        if (!sim::is_scenario(document.value())) continue;
        const auto scenario = sim::read_scenario(document);
        promise(scenario || scenario.error().text.starts_with("f.yaml"), "a refusal begins with the file");
        if (!scenario) continue;
        for (const auto &step : scenario->timeline) (void)sim::read_objects(step.apply, {});
        for (const auto &object : scenario->objects) many = many || makes_many(object.value());
        if (!many) (void)sim::read_objects(scenario->objects, {});
    }
    if (many) return;
    static const std::array kinds{
        model::kind_of("", "v1", "namespaces"), model::kind_of("", "v1", "persistentvolumeclaims"),
        model::kind_of("example.com", "v1", "widgets"), model::kind_of("resource.k8s.io", "v1", "resourceclaims"),
        model::kind_of("storage.k8s.io", "v1", "storageclasses")};
    const MemoryFile file(bytes);
    const auto input = sim::read_input({file.path()}, {}, kinds);
    if (!input) return promise(!input.error().text.empty(), "a refusal says why");
    promise(read.ok(), "what is refused as a stream is refused as a file");
    as_scheduler_keeps_it(*input);
    static const std::array<std::string, 1> profiles{"default-scheduler"};
    const auto missing = sim::missing_objects(*input, profiles);
    for (const auto &one : missing)
        promise(one.pods > 0 && one.first.size() <= model::MissingObjects::most, "what is missing is missed by a pod");
    (void)sim::dump_command(*input, missing);
}

}  // namespace berth::fuzz
