// SPDX-License-Identifier: Apache-2.0

// What the default plugins decide otherwise as 1.37 than as 1.36.

#include "storage_world.h"

using namespace storage_world;

namespace {

const config::Release before = *config::Release::of("1.36"), now = *config::Release::of("1.37");

const std::string profile = "profiles: [{schedulerName: default-scheduler}]\n";
const std::string no_preemption =
    "profiles: [{schedulerName: default-scheduler, plugins: {postFilter: {disabled: [{name: '*'}]}}}]\n";

std::string only_score(const std::string &plugin) {
    return "profiles: [{schedulerName: default-scheduler, plugins: {score: {disabled: [{name: '*'}], enabled: "
           "[{name: " +
           plugin + ", weight: 1}]}}}]\n";
}

struct World : RunningWorld {
    World(config::Release release, const sim::Input &input, const std::string &profiles = profile)
        : RunningWorld(profiles, input, {}, "", release) {}

    void comes(const model::PodPtr &pod) {
        CHECK(world().store().put(sim::pod_kind, *pod->tree));
        run();
    }
    /// What its first attempt said.
    std::string first_message(const model::PodPtr &pod) {
        CHECK(world().store().put(sim::pod_kind, *pod->tree));
        clock().run();
        CHECK(scheduler.schedule_one());
        clock().run();
        return message(std::string(pod->name()));
    }
};

model::NodePtr four_cpus(const std::string &name) {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name +
                   "}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}");
}
model::PodPtr wants(const std::string &name, int cpu, int priority, const std::string &on = "",
                    const std::string &labels = "", const std::string &status = "") {
    return pod_of("{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {" + labels +
                  "}}, spec: {priority: " + std::to_string(priority) + (on.empty() ? "" : ", nodeName: " + on) +
                  ", containers: [{name: c, image: i, resources: {requests: {cpu: " + std::to_string(cpu) +
                  "}}}]}, status: {" + status + "}}");
}
const std::string started = "startTime: '2026-01-01T00:00:00Z'";

sim::InputObject budget(const std::string &name, const std::string &labels, int allowed) {
    const auto kind = model::kind_of("policy", "v1", "poddisruptionbudgets");
    return {kind, model::read_object(tree_of("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: "
                                             "default, name: " +
                                             name + "}, spec: {selector: {matchLabels: {" + labels +
                                             "}}}, status: {disruptionsAllowed: " + std::to_string(allowed) + "}}"),
                                     kind, no_faults())};
}

/// "" if the plugin gave the node no score.
std::string score(const model::Decision &d, const std::string &node, const std::string &plugin) {
    for (const auto &n : d.nodes)
        for (const auto &s : n.scores)
            if (n.name == node && s.plugin == plugin) return std::to_string(s.raw);
    return "";
}

}  // namespace

TEST_CASE("release: a preemption says whom it found, and DynamicResources is silent", "[sim][release]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {wants("low", 4, 0, "n", "", started)};
    const auto fits = wants("p", 2, 10), never = wants("p", 5, 10);
    const std::string short_of_cpu = "0/1 nodes are available: 1 Insufficient cpu.";
    CHECK(World(before, input).first_message(fits) == short_of_cpu);
    CHECK(World(now, input).first_message(fits) ==
          short_of_cpu + " preemption: found a potential placement for pod on node n, preempting 1 victims");
    const std::string helpless = " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
    CHECK(World(before, input).first_message(never) == short_of_cpu + " no new claims to deallocate," + helpless);
    CHECK(World(now, input).first_message(never) == short_of_cpu + helpless);
}

TEST_CASE("release: image volumes count among the images", "[sim][release]") {
    sim::Input input;
    input.nodes = {node("bare"), node_of("{apiVersion: v1, kind: Node, metadata: {name: held}, status: {allocatable: "
                                         "{cpu: '16', memory: 64Gi, pods: '110'}, images: [{names: ['big:1'], "
                                         "sizeBytes: 1048576000}]}}")};
    input.pods = {pod_of(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: 'big:1'}], volumes: "
        "[{name: v, image: {reference: 'other:1'}}]}}")};
    auto held = [&](config::Release release) {
        World world(release, input, only_score("ImageLocality"));
        return score(world.sink.last.at("default/p"), "held", "ImageLocality");
    };
    CHECK(held(before) == "48");  // (500 - 23) of (1000 - 23)
    CHECK(held(now) == "24");     // and of (2000 - 23)
}
