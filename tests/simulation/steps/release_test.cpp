// SPDX-License-Identifier: Apache-2.0

// What the default plugins decide otherwise as 1.37 than as 1.36.

#include "claims_world.h"

using namespace claims_world;

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
                                     kind, no_faults)};
}

/// "" if the plugin gave the node no score.
std::string score(const model::Decision &d, const std::string &node, const std::string &plugin) {
    for (const auto &n : d.nodes)
        for (const auto &s : n.scores)
            if (n.name == node && s.plugin == plugin) return std::to_string(s.raw);
    return "";
}

struct NoNodes : queue::NodeTables {
    const berth_nodes *table(int, const model::Node &) override { return nullptr; }
    std::uint32_t slot(std::string_view) override { return BERTH_NO_SLOT; }
};

/// Whether a pod that `plugin` has rejected is tried again when another one changes while it is in flight.
bool wakes(config::Release release, const std::string &plugin, const std::string &spec, const model::PodPtr &then,
           const model::PodPtr &after) {
    RunningWorld world(profile, {}, {}, "", release);
    const auto profiles = world.build(profile, false);
    const config::Rules rules(release);
    NoNodes tables;
    queue::Hints hints(profiles, tables, nullptr, rules);
    queue::QueuedPod waiting;
    waiting.renew(pod("waiting", "", spec));
    waiting.profile = &profiles.front();
    for (const auto &instance : profiles.front().instances)
        if (instance->name == plugin) waiting.unschedulable.push_back(instance.get());
    CHECK(waiting.unschedulable.size() == 1);
    queue::QueuedPod *const pods[] = {&waiting};
    std::vector<queue::Strategy> says;
    bool woken = false;
    for (const auto &event : queue::pod_events(then, after, rules.target_pod_events)) {
        hints.ask(event, pods, says);
        woken = woken || says.front() != queue::Strategy::Skip;
    }
    return woken;
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

TEST_CASE("release: a broken budget spares the budgets behind it", "[sim][release]") {
    // On n both pods are protected, unless the first one's broken budget ends the walk; on m one of two is.
    sim::Input input;
    input.nodes = {four_cpus("n"), four_cpus("m")};
    input.pods = {wants("n1", 2, 1, "n", "app: a, tier: b", "startTime: '2026-01-01T00:00:00Z'"),
                  wants("n2", 2, 1, "n", "tier: b", "startTime: '2026-01-01T00:00:05Z'"),
                  wants("m1", 2, 5, "m", "app: c", started), wants("m2", 2, 5, "m", "", started)};
    input.objects = {budget("a", "app: a", 0), budget("b", "tier: b", 1), budget("c", "app: c", 0)};
    auto gone = [&](config::Release release) {
        World world(release, input);
        world.comes(wants("p", 4, 10));
        return world.node_of("p");
    };
    CHECK(gone(before) == "m");
    CHECK(gone(now) == "n");
}

TEST_CASE("release: of victims that have not started, the one that came last gives way", "[sim][release]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {wants("z", 2, 1, "n")};
    auto left = [&](config::Release release) {
        World world(release, input);
        world.comes(wants("a", 2, 1, "n"));
        world.comes(wants("p", 2, 10));
        CHECK(world.node_of("p") == "n");
        return std::string(world.stored("a") ? "a" : "") + (world.stored("z") ? "z" : "");
    };
    CHECK(left(before) == "a");
    CHECK(left(now) == "z");
}

TEST_CASE("release: the nomination of a gated pod counts", "[sim][release]") {
    sim::Input input;
    input.nodes = {four_cpus("n")};
    input.pods = {pod_of(
        "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulingGates: [{name: g}], containers: [{name: c, "
        "image: i}]}, status: {nominatedNodeName: n}}")};
    auto nominated = [&](config::Release release) {
        World world(release, input);
        return world.scheduler.scheduling_state(world.stored("p")).nominated_node;
    };
    CHECK(nominated(before).empty());
    CHECK(nominated(now) == "n");
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

TEST_CASE("release: a namespaceSelector of NotIn means the namespaces that it selects", "[sim][release]") {
    sim::Input input;
    input.nodes = {labelled("n", "zone: z1")};
    input.objects = {object("{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {team: x}}}")};
    const std::string term =
        "topologyKey: zone, labelSelector: {matchLabels: {app: a}}, namespaceSelector: {matchExpressions: [{key: team, "
        "operator: NotIn, values: [";
    auto avoiding = [&](const std::string &team) {
        return pod("p", "",
                   "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{" + term + team +
                       "]}]}}]}},");
    };
    auto at = [&](config::Release release, const std::string &team) {
        auto with = input;
        with.pods = {pod("q", "labels: {app: a},", "nodeName: n,"), avoiding(team)};
        return World(release, with, no_preemption).node_of("p");
    };
    CHECK(at(before, "x").empty());
    CHECK(at(now, "x") == "n");
    CHECK(at(now, "y").empty());
}

TEST_CASE("release: a pod that one of two terms keeps away is tried again when that pod goes", "[sim][release]") {
    sim::Input input;
    input.nodes = {labelled("n", "zone: z1")};
    const auto q = pod("q", "uid: u-q, labels: {app: a},", "nodeName: n,");
    const std::string term = "{topologyKey: zone, labelSelector: {matchLabels: {app: ";
    input.pods = {q, pod("p", "",
                         "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + term +
                             "a}}}, " + term + "b}}}]}},")};
    auto attempts = [&](config::Release release) {
        World world(release, input, no_preemption);
        CHECK(world.sink.last.at("default/p").attempt == 1);
        world.scheduler.observer().pod_deleted(q);
        world.run();
        return world.sink.last.at("default/p").attempt;
    };
    CHECK(attempts(before) == 1);
    CHECK(attempts(now) == 2);
}

TEST_CASE("release: the room for volumes counts in scores", "[sim][release]") {
    const std::vector<model::NodePtr> nodes{labelled("n", "disk: ssd"), labelled("m", "disk: hdd")};
    auto room = [](const std::string &disk, const std::string &capacity) {
        return object(
            "{apiVersion: storage.k8s.io/v1, kind: CSIStorageCapacity, metadata: {namespace: s, name: " + disk +
            "}, storageClassName: k, capacity: " + capacity + ", nodeTopology: {matchLabels: {disk: " + disk + "}}}");
    };
    auto scores = [&](config::Release release, const std::string &provisioner, std::vector<sim::InputObject> more,
                      const std::string &of_pod = of_claim("c")) {
        // Of no use; but where there is none the world has no such kind, and no volume controller.
        more.push_back(volume("of-nobody", ""));
        more.push_back(storage_class("k", "WaitForFirstConsumer", provisioner));
        more.push_back(claim("c", "accessModes: [ReadWriteOnce], storageClassName: k,"));
        more.push_back(claim("d", "accessModes: [ReadWriteOnce], storageClassName: k,"));
        const Storage s(nodes, {with_volumes("p", of_pod)}, std::move(more), "", {}, release);
        const auto &d = s.world->sink.last.at("default/p");
        return score(d, "n", "VolumeBinding") + " " + score(d, "m", "VolumeBinding");
    };
    const auto driver = object(
        "{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: a.csi.example.com}, spec: "
        "{storageCapacity: true}}");
    const std::string csi = "a.csi.example.com", none = "kubernetes.io/no-provisioner";
    const std::vector<sim::InputObject> rooms{driver, room("ssd", "10Gi"), room("hdd", "5Gi")};
    CHECK(scores(before, csi, rooms) == " ");
    CHECK(scores(now, csi, rooms) == "80 60");
    CHECK(scores(now, csi, rooms, of_claim("c") + ", " + of_claim("d")) == "60 20");
    CHECK(scores(now, csi, {}) == "0 0");  // nobody says how much room there is
    const auto there = volume("v", "csi: {driver: a.csi.example.com, volumeHandle: h}, storageClassName: k,");
    CHECK(scores(before, none, {there}) == " ");
    CHECK(scores(now, none, {there}) == "60 60");
    CHECK(scores(now, none, {}, "") == "0 0");
}

TEST_CASE("release: the shape of storage scores is an argument", "[sim][release]") {
    const std::string args = "shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]";
    const std::string plugins = ", pluginConfig: [{name: VolumeBinding, args: {" + args + "}}]";
    const auto there = volume("v", "csi: {driver: a.csi.example.com, volumeHandle: h}, storageClassName: k,");
    const Storage s({labelled("n", ""), labelled("m", "")}, {with_volumes("p", of_claim("c"))},
                    {storage_class("k", "WaitForFirstConsumer", "kubernetes.io/no-provisioner"),
                     claim("c", "accessModes: [ReadWriteOnce], storageClassName: k,"), there},
                    plugins, {}, now);
    CHECK(score(s.world->sink.last.at("default/p"), "n", "VolumeBinding") == "40");
}

TEST_CASE("release: a node without the driver of a volume, if the driver says that this matters", "[sim][release]") {
    auto why = [&](config::Release release, const std::string &spec, const std::string &drivers) {
        return Storage({node("n")}, {with_volumes("p", of_claim("c"))},
                       {bound_claim("c", "v"), volume("v", "csi: {driver: a.csi.example.com, volumeHandle: h},"),
                        object("{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: a.csi.example.com}, "
                               "spec: {" +
                               spec + "}}"),
                        object("{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: n}, spec: {drivers: [" +
                               drivers + "]}}")},
                       "", {}, release)
            .why();
    };
    const std::string matters = "preventPodSchedulingIfMissing: true";
    const std::string installed = "{name: a.csi.example.com, nodeID: n}";
    CHECK(why(now, matters, "") == "1 a.csi.example.com CSI driver is not installed on the node.");
    CHECK(why(now, matters, installed).empty());
    CHECK(why(now, "preventPodSchedulingIfMissing: false", "").empty());
    CHECK(why(now, "", "").empty());
    CHECK(why(before, matters, "").empty());
}

TEST_CASE("release: a pod is tried again when an allocated claim is deleted", "[sim][release]") {
    auto woken = [](config::Release release, const std::string &status) {
        Storage s({node("n")}, {claiming()}, {resource_claim("c", ""), device_class("gpus")}, "", {}, release);
        CHECK(s.why() == "1 cannot allocate all claims.");
        const auto attempts = s.world->sink.last.at("default/p").attempt;
        s.world->scheduler.observer().object_changed(ClaimsWorld::kind(), resource_claim("d", status).object, nullptr);
        s.world->run();
        return s.world->sink.last.at("default/p").attempt > attempts;
    };
    CHECK_FALSE(woken(before, allocation + "}"));
    CHECK(woken(now, allocation + "}"));
    CHECK_FALSE(woken(now, ""));
}

TEST_CASE("release: options of mounts are a feature that the node must declare", "[sim][release]") {
    auto at = [](config::Release release, const std::string &where, const std::string &features) {
        sim::Input input;
        input.nodes = {node_of(
            "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: "
            "'10'}, declaredFeatures: [" +
            features + "]}}")};
        const std::string mounts = "volumeMounts: [{name: v, mountPath: /v, bindMountOptions: [noexec]}]";
        input.pods = {pod("p", "", where + ": [{name: i, image: i, " + mounts + "}],")};
        return World(release, input).node_of("p");
    };
    CHECK(at(before, "initContainers", "") == "n");
    CHECK(at(now, "initContainers", "").empty());
    CHECK(at(now, "ephemeralContainers", "").empty());
    CHECK(at(now, "initContainers", "VolumeBindMountOptions") == "n");
    // Upstream's walk over a list that is not sorted: what comes after a greater name is missed.
    CHECK(at(now, "initContainers", "VolumeBindMountOptions, DRAOptionalNodeOperations") == "n");
    CHECK(at(now, "initContainers", "X, VolumeBindMountOptions").empty());
}

TEST_CASE("release: what another waiting pod changes wakes one that was in flight", "[sim][release]") {
    const std::string tolerant = "tolerations: [{operator: Exists}], ", on_node = "nodeName: n, ";
    const std::string spread =
        "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
        "{matchLabels: {app: a}}}], ";
    const auto plain = pod("other"), labelled = pod("other", "labels: {app: a},");
    const auto claimed = pod("other", "", "", ", status: {resourceClaimStatuses: [{name: c, resourceClaimName: x}]}");
    struct Change {
        std::string plugin, spec;
        model::PodPtr then, after;
    };
    for (const auto &c :
         {Change{"TaintToleration", "", plain, pod("other", "", tolerant)},
          Change{"NodeUnschedulable", "", plain, pod("other", "", tolerant)},
          Change{"InterPodAffinity", "", plain, labelled}, Change{"PodTopologySpread", spread, plain, labelled},
          Change{"NodeResourcesFit", "", wants("other", 2, 0), wants("other", 1, 0)},
          Change{"DynamicResources", "", plain, claimed}}) {
        CAPTURE(c.plugin);
        CHECK_FALSE(wakes(before, c.plugin, c.spec, c.then, c.after));
        CHECK(wakes(now, c.plugin, c.spec, c.then, c.after));
    }
    for (const auto release : {before, now}) {
        // What does not concern it, and a pod that has a node.
        CHECK_FALSE(wakes(release, "TaintToleration", "", plain, labelled));
        CHECK_FALSE(wakes(release, "PodTopologySpread", spread, plain, pod("other", "labels: {app: b},")));
        CHECK_FALSE(wakes(release, "NodeDeclaredFeatures", "", plain, labelled));
        CHECK_FALSE(
            wakes(release, "TaintToleration", "", pod("other", "", on_node), pod("other", "", on_node + tolerant)));
    }
}

TEST_CASE("release: devices that skip operations of the node need one that knows of it", "[sim][release]") {
    auto at = [](config::Release release, const std::string &result, const std::string &features) {
        const std::string of_node =
            "{apiVersion: v1, kind: Node, metadata: {name: n}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: "
            "'10'}, declaredFeatures: [" +
            features + "]}}";
        const Storage s({node_of(of_node)}, {claiming()},
                        {resource_claim("c",
                                        "allocation: {devices: {results: [{request: r, driver: d, pool: p, device: "
                                        "g" +
                                            result + "}]}}"),
                         device_class("gpus")},
                        "", {}, release);
        return s.at().empty() ? s.why() : s.at();
    };
    const std::string skips = ", skipNodeOperations: [Prepare]";
    CHECK(at(before, skips, "") == "n");
    CHECK(at(now, "", "") == "n");
    CHECK(at(now, skips, "") == "1 cannot allocate all claims.");  // PostFilter had the claim give back its device
    CHECK(at(now, skips, "A, DRAOptionalNodeOperations") == "n");
}

TEST_CASE("release: devices are allocated as the release does", "[sim][release]") {
    auto why = [](config::Release release) {
        const Storage s(
            {node("n")}, {claiming()},
            {resource_claim("c", "", "", "exactly: {deviceClassName: gpus, count: 33}"), device_class("gpus")}, "", {},
            release);
        return s.world->message("p");
    };
    CHECK(why(before).ends_with("claim default/c: number of requested devices 33 exceeds the claim limit of 32"));
    CHECK(why(now).ends_with(
        "claim default/c, request r: adding 33 devices exceeds the claim limit of 32, with 0 already "
        "accounted for"));

    const auto of_containers = [](config::Release release) {
        const std::string more =
            "[{name: a, image: i, resources: {requests: {example.com/gpu: 4}}}, {name: b, image: i, "
            "resources: {requests: {example.com/gpu: 33}}}, {name: c, image: i, resources: "
            "{requests: {example.com/gpu: 1}}}]";
        const Storage s({node("n")},
                        {pod_of("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: " + more + "}}")},
                        {device_class("gpus", "extendedResourceName: example.com/gpu")}, "", {}, release);
        return s.world->message("p");
    };
    CHECK(of_containers(before).ends_with(
        "claim default/<extended-resources>: number of requested devices 38 exceeds the claim limit of 32"));
    CHECK(of_containers(now).ends_with(
        "claim default/<extended-resources>, request container-1-request-0: adding 33 devices exceeds the claim limit "
        "of 32, with 4 already accounted for"));
}

TEST_CASE("release: a DeviceTaintRule taints the devices that it selects", "[sim][release]") {
    const auto rule = [](const std::string &selector, const std::string &effect = "NoSchedule") {
        return object("{apiVersion: resource.k8s.io/v1, kind: DeviceTaintRule, metadata: {name: r}, spec: {" +
                      selector + "taint: {key: broken, value: fan, effect: " + effect + "}}}");
    };
    const auto world = [](config::Release release, const sim::InputObject *taints,
                          const std::string &tolerations = "") {
        std::vector<sim::InputObject> objects{
            resource_claim("c", "", "", "exactly: {deviceClassName: gpus" + tolerations + "}"), device_class("gpus"),
            object("{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: d, "
                   "nodeName: "
                   "n, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: g}]}}")};
        if (taints) objects.push_back(*taints);
        return std::make_unique<Storage>(std::vector{node("n")}, std::vector{claiming()}, objects, "",
                                         std::vector<model::Kind>{}, release);
    };
    const auto at = [&](config::Release release, const sim::InputObject &taints, const std::string &tolerations = "") {
        const auto s = world(release, &taints, tolerations);
        const auto node = s->at();
        return node.empty() ? s->why() : node;
    };
    const std::string none = "1 cannot allocate all claims.";
    CHECK(at(now, rule("deviceSelector: {}, ")) == none);
    CHECK(at(now, rule("deviceSelector: {driver: d, pool: p, device: g}, ")) == none);
    CHECK(at(now, rule("deviceSelector: {driver: d, pool: p, device: g}, ", "NoExecute")) == none);
    CHECK(at(now, rule("deviceSelector: {driver: d, pool: p, device: g}, ", "None")) == "n");
    CHECK(at(now, rule("")) == "n");
    CHECK(at(now, rule("deviceSelector: {driver: e}, ")) == "n");
    CHECK(at(now, rule("deviceSelector: {pool: q}, ")) == "n");
    CHECK(at(now, rule("deviceSelector: {device: h}, ")) == "n");
    CHECK(at(now, rule("deviceSelector: {}, "), ", tolerations: [{key: broken, operator: Exists}]") == "n");
    CHECK(at(now, rule("deviceSelector: {}, "), ", tolerations: [{key: broken, value: fan}]") == "n");
    CHECK(at(now, rule("deviceSelector: {}, "), ", tolerations: [{key: broken, value: bus}]") == none);
    CHECK(at(before, rule("deviceSelector: {}, ")) == "n");

    const auto kind = model::kind_of("resource.k8s.io", "v1", "devicetaintrules");
    const auto first = rule("deviceSelector: {device: g}, ");
    /// Whether the pod that waits is tried again when the rule becomes `after`, and how many attempts it takes.
    const auto attempts = [&](const sim::InputObject *after) {
        const auto s = world(now, &first);
        const auto begun = s->world->sink.last.at("default/p").attempt;
        s->world->scheduler.observer().object_changed(kind, first.object, after ? after->object : nullptr);
        s->world->run();
        return s->world->sink.last.at("default/p").attempt - begun;
    };
    CHECK(attempts(nullptr) == 1);
    const auto elsewhere = rule("deviceSelector: {device: h}, ");
    const auto other = object(
        "{apiVersion: resource.k8s.io/v1, kind: DeviceTaintRule, metadata: {name: other}, spec: {deviceSelector: "
        "{driver: d}, taint: {key: broken, effect: NoSchedule}}}");
    /// Where the pod that waits is once the rule has become `after`, beside a rule that came meanwhile or none.
    const auto lands = [&](const sim::InputObject *after, const sim::InputObject *more) {
        const auto s = world(now, &first);
        if (more) s->world->scheduler.observer().object_changed(kind, nullptr, more->object);
        s->world->scheduler.observer().object_changed(kind, first.object, after ? after->object : nullptr);
        s->world->run();
        return s->at();
    };
    CHECK(lands(nullptr, nullptr) == "n");
    CHECK(lands(&elsewhere, nullptr) == "n");
    CHECK(lands(nullptr, &other).empty());
    for (const auto &[after, wakes] : {std::pair{rule("deviceSelector: {device: h}, "), 1U},
                                       {rule("deviceSelector: {device: g}, ", "NoExecute"), 1U},
                                       {rule("deviceSelector: {device: g, driver: d}, "), 0U},
                                       {rule("deviceSelector: {}, "), 0U}})
        CHECK(attempts(&after) == wakes);
}
