// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Random nodes, pods and other objects for the plugins that count pods: few labels, so that selectors meet them.

#include "running_world.h"

#include <random>

namespace random_objects {

using namespace running_world;

/// Makes the objects of a random world.
class Maker {
    std::mt19937 random_;
    int serial_ = 0, values_ = 0;

    std::string one_of(std::initializer_list<const char *> list) { return *(list.begin() + below(list.size())); }
    std::string labels() {
        std::string out;
        if (below(4)) out += "app: " + one_of({"a", "b", plain ? "a" : "c"}) + ", ";
        if (below(3) == 0) out += "tier: " + one_of({"x", "y"}) + ", ";
        if (fresh) out += "job: " + new_value() + ", ";
        return "labels: {" + out + "},";
    }
    std::string selector() {
        if (plain) return "{matchLabels: {app: " + one_of({"a", "b"}) + "}}";
        switch (below(4)) {
            case 0: return "{}";
            case 1: return "{matchExpressions: [{key: tier, operator: " + one_of({"Exists", "DoesNotExist"}) + "}]}";
            default: return "{matchLabels: {app: " + one_of({"a", "b", "c"}) + "}}";
        }
    }
    /// Some node has the first ones, at times the next, never the last.
    std::string key() {
        if (rare && below(8) == 0) return one_of({"rare", "rarer", "never"});
        return one_of({"zone", "disk", "name", "zone"});
    }
    std::string term() {
        std::string out = "topologyKey: " + key() + ", labelSelector: " + selector();
        if (below(4) == 0) out += ", namespaces: [" + one_of({"n1", "n2", "n3"}) + "]";
        if (below(4) == 0)
            out +=
                ", namespaceSelector: {matchExpressions: [{key: team, operator: " + one_of({"Exists", "DoesNotExist"}) +
                "}]}";
        return "{" + out + "}";
    }
    std::string affinity() {
        std::string out;
        for (const auto *kind : {"podAffinity", "podAntiAffinity"}) {
            std::string one;
            if (below(3) == 0) one += "requiredDuringSchedulingIgnoredDuringExecution: [" + term() + "],";
            if (below(3) == 0)
                one += "preferredDuringSchedulingIgnoredDuringExecution: [{weight: " + std::to_string(1 + below(9)) +
                       ", podAffinityTerm: " + term() + "}],";
            if (!one.empty()) out += std::string(kind) + ": {" + one + "},";
        }
        return below(2) || out.empty() ? "" : "affinity: {" + out + "},";
    }
    std::string constraints() {
        std::string out;
        while (below(2))
            out += "{maxSkew: " + std::to_string(1 + below(2)) + ", topologyKey: " + key() +
                   ", whenUnsatisfiable: " + one_of({"DoNotSchedule", "ScheduleAnyway"}) +
                   ", labelSelector: " + selector() + "},";
        return out.empty() ? "" : "topologySpreadConstraints: [" + out + "],";
    }

public:
    bool fresh = false;  ///< with values that there never were before
    bool rare = false;   ///< also keys that few nodes have, or none
    bool plain = false;  ///< without what upstream counts otherwise on trial: terminating pods, selectors of everything

    explicit Maker(unsigned seed) : random_(seed) {}
    unsigned below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
    std::string node_name() { return "n" + std::to_string(below(8)); }
    std::string name_space() {
        if (fresh && below(4) == 0) return new_value();
        return plain && below(6) ? "n1" : one_of({"n1", "n2", "n3"});
    }
    std::string new_value() { return "new-" + std::to_string(++values_); }

    model::NodePtr node(const std::string &name) {
        std::string labels;
        if (below(8)) labels += "zone: " + (fresh && below(4) ? new_value() : one_of({"z1", "z2", "z3", "''"})) + ", ";
        if (below(4)) labels += "disk: " + (fresh && below(2) ? new_value() : one_of({"d1", "d2"})) + ", ";
        if (below(8)) labels += "name: " + name + ", ";
        if (rare && below(12) == 0) labels += "rare: " + one_of({"r1", "''"}) + ", ";
        if (rare && below(24) == 0) labels += "rarer: r, ";
        return node_of("{apiVersion: v1, kind: Node, metadata: {name: " + name + ", labels: {" + labels +
                       "}}, status: {allocatable: {cpu: '16', memory: 64Gi, pods: '110'}}}");
    }
    /// Pending if `where` is empty.
    model::PodPtr pod(const std::string &where) {
        auto name = "p" + std::to_string(++serial_);
        auto meta = "namespace: " + name_space() + ", uid: u-" + name + ", " + labels();
        if (!plain && below(9) == 0) meta += "deletionTimestamp: '2026-01-01T02:00:00Z',";
        return again(name, where.empty() ? meta.substr(0, meta.find("deletion")) : meta, where);
    }
    model::PodPtr again(const std::string &name, const std::string &meta, const std::string &where) {
        return running_world::pod(name, meta,
                                  (where.empty() ? "" : "nodeName: " + where + ",") + affinity() + constraints());
    }
    model::AnyPtr name_space_object(const std::string &name) {
        return model::read_object(tree_of("{apiVersion: v1, kind: Namespace, metadata: {name: " + name + ", labels: {" +
                                          (below(2) ? "team: t" : "") + "}}}"),
                                  namespaces_kind(), no_faults);
    }
    model::AnyPtr service(const std::string &name) {
        return model::read_object(tree_of("{apiVersion: v1, kind: Service, metadata: {name: " + name +
                                          ", namespace: n1}, spec: {selector: {app: " + one_of({"a", "b"}) + "}}}"),
                                  services_kind(), no_faults);
    }
    static model::Kind namespaces_kind() { return model::kind_of("", "v1", "namespaces"); }
    static model::Kind services_kind() { return model::kind_of("", "v1", "services"); }
};

}  // namespace random_objects
