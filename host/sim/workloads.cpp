// SPDX-License-Identifier: Apache-2.0
#include "sim/workloads.h"

#include "model/build.h"

#include <berth/node_selector.hpp>
#include <berth/selector.hpp>
#include <berth/toleration.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace berth::sim {
namespace {

using model::Value;

std::string_view name_space_of(Value o) {
    auto ns = o["metadata"]["namespace"].string();
    return ns.empty() ? "default" : ns;
}

/// "Kind namespace/name" of a workload, and of the controller that an object says it belongs to.
std::string identity(std::string_view kind, std::string_view ns, std::string_view name) {
    return std::string(kind) + " " + std::string(ns) + "/" + std::string(name);
}

/// What the DaemonSet controller lets its pods tolerate.
std::vector<berth_toleration> daemon_tolerations(Value spec) {
    using namespace std::string_view_literals;
    auto make = [](std::string_view key, std::string_view effect) {
        return berth_toleration{model::to_str(key), model::to_str("Exists"), {}, model::to_str(effect)};
    };
    std::vector<berth_toleration> all{make("node.kubernetes.io/not-ready"sv, "NoExecute"sv),
                                      make("node.kubernetes.io/unreachable"sv, "NoExecute"sv),
                                      make("node.kubernetes.io/disk-pressure"sv, "NoSchedule"sv),
                                      make("node.kubernetes.io/memory-pressure"sv, "NoSchedule"sv),
                                      make("node.kubernetes.io/pid-pressure"sv, "NoSchedule"sv),
                                      make("node.kubernetes.io/unschedulable"sv, "NoSchedule"sv)};
    if (spec["hostNetwork"].is_true()) all.push_back(make("node.kubernetes.io/network-unavailable"sv, "NoSchedule"sv));
    return all;
}

/// Where the DaemonSet controller runs a pod of a template (pkg/controller/daemon, nodeShouldRunDaemonPod: name, node
/// affinity and taints; resources are the scheduler's business). Reads the template in place.
class DaemonNodes {
    std::string_view name_;                       // spec.nodeName; "": any node
    NodeTerm selector_;                           // spec.nodeSelector
    std::optional<std::vector<NodeTerm>> terms_;  // the required affinity, if there is one
    std::vector<berth_toleration> tolerations_;

public:
    explicit DaemonNodes(Value spec) : name_(spec["nodeName"].string()), tolerations_(daemon_tolerations(spec)) {
        auto selector = spec["nodeSelector"], own = spec["tolerations"];
        for (std::size_t i = 0; i < selector.size(); ++i)
            selector_.labels.push_back(
                {std::string(selector.key(i)), SelectionOperator::In, {std::string(selector.member(i).string())}, 0});
        auto required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
        if (!required.is_null()) terms_ = parse_node_selector(required, "");
        for (std::size_t i = 0; i < own.size(); ++i) {
            auto text = [&](const char *member) { return model::to_str(own.at(i)[member].string()); };
            tolerations_.push_back({text("key"), text("operator"), text("value"), text("effect")});
        }
    }

    bool has(const model::Node &node) const {
        if (!name_.empty() && name_ != node.name) return false;
        auto matches = [&](const NodeTerm &term) { return matches_term(term, node.labels, node.name); };
        if (!matches(selector_) || (terms_ && std::ranges::none_of(*terms_, matches))) return false;
        return std::ranges::none_of(node.taints, [&](const berth_taint &taint) {
            return keeps_away(taint) && !tolerated(tolerations_, taint);
        });
    }
};

/// Builds one pod of a template.
class PodMaker {
    Value workload_, template_;
    std::string kind_;

public:
    PodMaker(Value workload, std::string kind)
        : workload_(workload), template_(workload["spec"]["template"]), kind_(std::move(kind)) {}

    /// `node`: of a daemon pod, else empty.
    model::TreePtr make(const std::string &suffix, std::string_view node) const {
        auto tree = std::make_shared<model::Tree>();
        auto &arena = tree->arena;
        auto name = std::string(workload_["metadata"]["name"].string()) + "-" + suffix;
        model::ObjectBuilder meta(arena), owner(arena), root(arena);
        meta.add("name", name).add("namespace", name_space_of(workload_));
        for (auto field : {"labels", "annotations"})
            if (auto v = template_["metadata"][field]) meta.add(field, v);
        if (auto created = workload_["metadata"]["creationTimestamp"]) meta.add("creationTimestamp", created);
        owner.add("apiVersion", workload_["apiVersion"])
            .add("kind", kind_)
            .add("name", workload_["metadata"]["name"].string())
            .add("uid", workload_["metadata"]["uid"].string())
            .add("controller", true);
        model::ArrayBuilder owners(arena);
        owners.add(owner.value());
        meta.add("ownerReferences", owners);
        root.add("apiVersion", "v1").add("kind", "Pod").add("metadata", meta);
        if (node.empty()) root.add("spec", template_["spec"]);
        else root.add("spec", daemon_spec(arena, node));
        tree->root = root.value();
        return tree;
    }

private:
    /// The template's spec, tied to a node by affinity and with the tolerations of daemons.
    berth_value daemon_spec(model::Arena &arena, std::string_view node) const {
        auto spec = template_["spec"];
        model::ObjectBuilder out(arena);
        for (std::size_t i = 0; i < spec.size(); ++i)
            if (spec.key(i) != "affinity" && spec.key(i) != "tolerations") out.add(spec.key(i), spec.member(i));
        model::ObjectBuilder field(arena), term(arena), required(arena), node_affinity(arena), affinity(arena);
        model::ArrayBuilder values(arena), fields(arena), terms(arena);
        values.add(node);
        field.add("key", "metadata.name").add("operator", "In").add("values", values);
        fields.add(field.value());
        term.add("matchFields", fields);
        terms.add(term.value());
        required.add("nodeSelectorTerms", terms);
        auto old = spec["affinity"];
        if (auto preferred = old["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"])
            node_affinity.add("preferredDuringSchedulingIgnoredDuringExecution", preferred);
        node_affinity.add("requiredDuringSchedulingIgnoredDuringExecution", required);
        affinity.add("nodeAffinity", node_affinity);
        for (auto other : {"podAffinity", "podAntiAffinity"})
            if (auto v = old[other]) affinity.add(other, v);
        out.add("affinity", affinity);
        model::ArrayBuilder tolerations(arena);
        for (std::size_t i = 0; i < spec["tolerations"].size(); ++i) tolerations.add(spec["tolerations"].at(i));
        for (const auto &t : daemon_tolerations(spec)) {
            model::ObjectBuilder one(arena);
            one.add("key", model::view(t.key)).add("operator", "Exists").add("effect", model::view(t.effect));
            tolerations.add(one.value());
        }
        out.add("tolerations", tolerations);
        return out.value();
    }
};

constexpr std::array kinds{"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet"};
constexpr std::int64_t pods_max = 1'000'000;

/// A count in a workload's spec; a wrong one is reported and counts as 0.
std::int64_t count(const Workload &w, std::string_view field, std::int64_t absent, const WorkloadFault &fault) {
    auto v = w.tree->value()["spec"][field];
    if (v.is_null()) return absent;
    auto n = v.integer();
    if (n && *n >= 0 && *n <= pods_max) return *n;
    fault(w.where,
          identity(w) + ": spec." + std::string(field) + ": expected a number from 0 to " + std::to_string(pods_max));
    return 0;
}

/// Has the Job ended? Its pods may be gone by then.
bool job_ended(Value job) {
    auto conditions = job["status"]["conditions"];
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        auto type = conditions.at(i)["type"].string();
        if ((type == "Complete" || type == "Failed") && conditions.at(i)["status"].string() == "True") return true;
    }
    return false;
}

/// How many pods the workload wants at this moment, finished ones not counted.
std::int64_t wanted(const Workload &w, std::string_view kind, std::int64_t finished, const WorkloadFault &fault) {
    if (kind != "Job") return count(w, "replicas", 1, fault);
    auto spec = w.tree->value()["spec"];
    if (spec["suspend"].is_true() || job_ended(w.tree->value())) return 0;
    // A pod that succeeded may have been deleted since; then only the status knows of it.
    finished = std::max(finished, w.tree->value()["status"]["succeeded"].integer().value_or(0));
    auto parallelism = count(w, "parallelism", 1, fault);
    if (spec["completions"].is_null()) return finished > 0 ? 0 : parallelism;
    return std::min(parallelism, std::max<std::int64_t>(0, count(w, "completions", 1, fault) - finished));
}

/// The node that the DaemonSet controller made a pod for, also before it is bound.
std::string_view daemon_node(const model::Pod &pod) {
    if (!pod.node_name().empty()) return pod.node_name();
    auto affinity = pod.tree->value()["spec"]["affinity"]["nodeAffinity"];
    auto terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
    for (std::size_t i = 0; i < terms.size(); ++i)
        for (std::size_t k = 0; k < terms.at(i)["matchFields"].size(); ++k) {
            auto field = terms.at(i)["matchFields"].at(k);
            if (field["key"].string() == "metadata.name" && field["operator"].string() == "In")
                return field["values"].at(0).string();
        }
    return {};
}

struct Owned {
    std::int64_t alive = 0, leaving = 0, succeeded = 0;
    std::set<std::string, std::less<>> nodes;  ///< of a DaemonSet: those that have their pod
};

/// Gives names that no pod has yet.
class Names {
    std::set<std::string, std::less<>> taken_;  ///< "namespace/name"

public:
    bool take(std::string_view ns, const std::string &name) {
        return taken_.insert(std::string(ns) + "/" + name).second;
    }
};

}  // namespace

std::string owner_of(Value o) {
    auto owners = o["metadata"]["ownerReferences"];
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (owners.at(i)["controller"].is_true())
            return identity(owners.at(i)["kind"].string(), name_space_of(o), owners.at(i)["name"].string());
    return "";
}

std::string identity(const Workload &workload) {
    auto o = workload.tree->value();
    return identity(o["kind"].string(), name_space_of(o), o["metadata"]["name"].string());
}

bool is_workload(std::string_view api_version, std::string_view kind) {
    if (api_version == "batch/v1") return kind == "Job";
    return api_version == "apps/v1" && std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

std::vector<model::TreePtr> expand(const std::vector<Workload> &workloads, std::span<const model::PodPtr> pods,
                                   std::span<const model::NodePtr> nodes, const WorkloadFault &fault) {
    std::map<std::string, Owned> owned;
    Names names;
    for (const auto &pod : pods) {
        auto o = pod->tree->value();
        names.take(pod->name_space(), std::string(pod->name()));
        auto owner = owner_of(o);
        if (owner.empty()) continue;
        auto &mine = owned[owner];
        if (pod->phase() == "Succeeded") ++mine.succeeded;
        if (pod->finished()) continue;
        ++(pod->terminating() ? mine.leaving : mine.alive);
        mine.nodes.emplace(daemon_node(*pod));
    }
    std::set<std::string> stood_for;  // Deployments whose ReplicaSets are in the input
    for (const auto &w : workloads)
        if (auto owner = owner_of(w.tree->value()); !owner.empty()) stood_for.insert(owner);

    // In order of identity, so that the order of files does not decide which of two gets a name.
    std::map<std::string, const Workload *> by_identity;
    for (const auto &w : workloads) by_identity.emplace(identity(w), &w);
    std::vector<model::TreePtr> made;
    for (const auto &[id, workload] : by_identity) {
        const auto &w = *workload;
        auto o = w.tree->value();
        std::string kind(o["kind"].string());
        if (stood_for.contains(id)) continue;
        if (!o["spec"]["template"]["spec"].is_object()) {
            fault(w.where, id + ": spec.template.spec: required");
            continue;
        }
        if (std::string why; !LabelSelector::of_field(o["spec"]["selector"], &why)) {
            fault(w.where, id + ": spec.selector: " + why);
            continue;
        }
        // What is being deleted makes no pods any more.
        if (!o["metadata"]["deletionTimestamp"].is_null()) continue;
        const auto &mine = owned[id];
        PodMaker maker(o, kind);
        auto own_name = std::string(o["metadata"]["name"].string());
        if (kind == "DaemonSet") {
            const DaemonNodes wanted_on(o["spec"]["template"]["spec"]);
            for (const auto &node : nodes) {
                if (mine.nodes.contains(node->name) || !wanted_on.has(*node)) continue;
                std::string suffix(node->name);
                for (int i = 0; !names.take(name_space_of(o), own_name + "-" + suffix); ++i)
                    suffix = std::string(node->name) + "-" + std::to_string(i);
                made.push_back(maker.make(suffix, node->name));
            }
            continue;
        }
        auto missing = wanted(w, kind, mine.succeeded, fault) - mine.alive;
        // A ReplicaSet does not wait until a pod has left for good before it makes another.
        if (kind != "ReplicaSet" && kind != "Deployment") missing -= mine.leaving;
        for (std::int64_t i = 0; missing > 0; ++i) {
            auto suffix = std::to_string(i);
            if (!names.take(name_space_of(o), own_name + "-" + suffix)) continue;
            made.push_back(maker.make(suffix, {}));
            --missing;
        }
    }
    return made;
}

}  // namespace berth::sim
