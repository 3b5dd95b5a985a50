// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods with volumes in a running world: claims, volumes, classes and what else the storage plugins read.

#include "running_world.h"

#include <initializer_list>

namespace storage_world {

using namespace running_world;

/// An object of a cluster file, of one of the kinds that the storage plugins watch.
inline sim::InputObject object(const std::string &yaml) {
    auto tree = tree_of(yaml);
    std::string version(tree->value()["apiVersion"].string()), name(tree->value()["kind"].string());
    std::string group = version.find('/') != std::string::npos ? version.substr(0, version.find('/')) : "";
    std::string resource = name == "CSIStorageCapacity" ? "csistoragecapacities"
                           : name.ends_with("Class")    ? name + "es"
                                                        : name + "s";
    for (char &c : resource) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    auto kind = model::kind_of(group, version.substr(version.find('/') + 1), resource);
    return {kind, model::read_object(tree, kind, no_faults)};
}

/// `meta` and `spec` are more fields in flow style, each with a comma behind.
inline sim::InputObject claim(const std::string &name, const std::string &spec, const std::string &meta = "",
                              const std::string &status = "phase: Pending") {
    return object("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {" + meta +
                  " namespace: default, name: " + name + ", uid: u-" + name + "}, spec: {" + spec +
                  " resources: {requests: {storage: 2Gi}}}, status: {" + status + "}}");
}
inline sim::InputObject bound_claim(const std::string &name, const std::string &volume,
                                    const std::string &spec = "accessModes: [ReadWriteOnce],") {
    return claim(name, spec + " volumeName: " + volume + ",", "annotations: {pv.kubernetes.io/bind-completed: 'yes'},",
                 "phase: Bound");
}
inline sim::InputObject volume(const std::string &name, const std::string &spec, const std::string &meta = "") {
    return object("{apiVersion: v1, kind: PersistentVolume, metadata: {" + meta + " name: " + name +
                  "}, spec: {accessModes: [ReadWriteOnce], " + spec +
                  " capacity: {storage: 5Gi}}, status: {phase: Available}}");
}
inline sim::InputObject storage_class(const std::string &name, const std::string &mode,
                                      const std::string &provisioner = "a.csi.example.com",
                                      const std::string &more = "") {
    return object("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: " + name +
                  "}, provisioner: " + provisioner + ", " + more + " volumeBindingMode: " + mode + "}");
}
inline model::NodePtr labelled(const std::string &name, const std::string &labels) {
    return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + labels +
                   "}}, status: {allocatable: {cpu: '16', memory: 64Gi, pods: '110'}}}");
}
/// A pod with these entries of spec.volumes, in flow style.
inline model::PodPtr with_volumes(const std::string &name, const std::string &volumes, const std::string &spec = "") {
    return pod(name, "uid: p-" + name + ",", spec + " volumes: [" + volumes + "],");
}
inline std::string of_claim(const std::string &name) {
    return "{name: v-" + name + ", persistentVolumeClaim: {claimName: " + name + "}}";
}

using Texts = std::vector<std::string>;

/// A world with one pod `p` whose fate is asked for.
struct Storage {
    sim::Input input;
    std::unique_ptr<RunningWorld> world;

    Storage(std::vector<model::NodePtr> nodes, std::vector<model::PodPtr> pods, std::vector<sim::InputObject> objects,
            const std::string &plugins = "", std::vector<model::Kind> kinds = {}, config::Release release = {}) {
        input.kinds = std::move(kinds);
        input.nodes = std::move(nodes);
        input.pods = std::move(pods);
        input.objects = std::move(objects);
        world = std::make_unique<RunningWorld>("profiles: [{schedulerName: default-scheduler" + plugins + "}]\n", input,
                                               std::vector<plugin::Pin>{}, "", release);
    }
    FaultyApi &api() const { return world->api; }
    /// An object is stored as it is now.
    void put(const sim::InputObject &o) { CHECK(world->world().store().put(o.kind, *o.object->tree)); }
    /// What the attempts said that failed, without what all of that plugin's say first.
    Texts failures(const std::string &plugin) const {
        auto texts = world->sink.failed;
        const std::string first = "running PreBind plugin \"" + plugin + "\": ";
        for (auto &t : texts)
            if (auto at = t.find(first); at != std::string::npos) t.erase(at, first.size());
        return texts;
    }
    /// As far as things come at once.
    void begin() {
        world->clock().run();
        while (world->scheduler.schedule_one()) world->clock().run();
    }
    void wait(std::int64_t ns) {
        world->clock().advance_to(world->clock().now_ns() + ns);
        begin();
    }
    std::string at(const std::string &name = "p") const { return world->node_of(name); }
    /// The message without its first words and without what PostFilter has to say.
    std::string why(const std::string &name = "p") const {
        const auto &last = world->sink.last.at("default/" + name);
        if (last.phase == "PreBind") return {};  // the filters had nothing against it
        std::string text = last.message;
        auto colon = text.find(": ");
        text = colon == std::string::npos ? text : text.substr(colon + 2);
        auto end = text.find(". ");
        return end == std::string::npos ? text : text.substr(0, end + 1);
    }
    /// Was the pod tried again after the object became this?
    bool woken_by(const sim::InputObject &after, const sim::InputObject *before = nullptr) {
        auto attempts = world->sink.last.at("default/p").attempt;
        world->scheduler.observer().object_changed(after.kind, before ? before->object : nullptr, after.object);
        world->run();
        return world->sink.last.at("default/p").attempt > attempts;
    }
};

}  // namespace storage_world
