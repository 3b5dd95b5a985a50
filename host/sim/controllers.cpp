// SPDX-License-Identifier: Apache-2.0
#include "sim/controllers.h"

#include "model/build.h"
#include "sim/requests.h"

#include <algorithm>

namespace berth::sim {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::string_view unschedulable = "node.kubernetes.io/unschedulable";

/// `{patch}` from what `fill` adds to an object; keeps its memory.
template <class Fill>
model::TreePtr patch_of(Fill fill) {
    auto tree = std::make_shared<model::Tree>();
    model::ObjectBuilder root(tree->arena);
    fill(tree->arena, root);
    tree->root = root.value();
    return tree;
}

}  // namespace

void Kubelets::pod_updated(model::PodPtr before, model::PodPtr after) {
    if (before->node_name().empty()) run(*after);
    if (!after->terminating() || before->terminating() || after->node_name().empty()) return;
    // Containers end a second after SIGTERM.
    operations_.store().clock().after(second_ns, [this, after] { operations_.end_pod(*after); });
}

void Kubelets::run(const model::Pod &pod) {
    auto status = pod.tree->value()["status"];
    auto conditions = status["conditions"];
    bool known = false;
    for (std::size_t i = 0; i < conditions.size(); ++i) known |= conditions.at(i)["type"].string() == "Ready";
    if (pod.node_name().empty() || pod.finished() || pod.terminating() || known) return;
    auto patch = patch_of([&](model::Arena &arena, model::ObjectBuilder &root) {
        const auto now = time_text(operations_.store().clock().now_ns());
        model::ArrayBuilder all(arena);
        for (std::size_t i = 0; i < conditions.size(); ++i) all.add(conditions.at(i));
        all.add(model::ObjectBuilder(arena)
                    .add("type", "Ready")
                    .add("status", "True")
                    .add("lastTransitionTime", now)
                    .value());
        model::ObjectBuilder out(arena);
        out.add("phase", "Running").add("conditions", all);
        if (!status["startTime"]) out.add("startTime", now);
        root.add("status", out);
    });
    // The pod was deleted meanwhile.
    (void)operations_.patch_pod(pod.key(), patch->value());
}

void NodeTaints::settle(const model::Node &node) {
    auto now = operations_.store().node(node.name);
    if (!now) return;
    const auto is_it = [](const berth_taint &t) {
        return model::view(t.key) == unschedulable && model::view(t.effect) == "NoSchedule";
    };
    if (std::ranges::any_of(now->taints, is_it) == now->unschedulable) return;
    auto patch = patch_of([&](model::Arena &arena, model::ObjectBuilder &root) {
        model::ArrayBuilder taints(arena);
        auto old = now->tree->value()["spec"]["taints"];
        for (std::size_t i = 0; i < old.size(); ++i)
            if (old.at(i)["key"].string() != unschedulable || old.at(i)["effect"].string() != "NoSchedule")
                taints.add(old.at(i));
        if (now->unschedulable)
            taints.add(model::ObjectBuilder(arena).add("key", unschedulable).add("effect", "NoSchedule").value());
        root.add("spec", model::ObjectBuilder(arena).add("taints", taints));
    });
    (void)operations_.patch_node(now->name, patch->value());
}

model::Result<void> Workloads::add(const std::vector<Workload> &workloads, const PriorityClasses &classes) {
    classes_ = classes;
    for (const auto &workload : workloads) {
        auto known = std::ranges::find(workloads_, identity(workload), [](const Workload &w) { return identity(w); });
        if (known == workloads_.end()) {
            workloads_.push_back(workload);
            continue;
        }
        auto was = known->tree->value()["spec"], is = workload.tree->value()["spec"];
        const auto count = [](model::Value spec) { return spec["replicas"].integer().value_or(1); };
        if (!model::equal(was["template"], is["template"]) || count(is) < count(was))
            return model::Error{workload.where + ": " + identity(workload) +
                                ": a simulation can only give it more replicas: rollouts and the choice of pods to "
                                "delete are not simulated"};
        *known = workload;
    }
    soon();
    return {};
}

std::optional<std::int64_t> Workloads::scale(const std::string &identity) const {
    auto at = std::ranges::find(workloads_, identity, [](const Workload &w) { return sim::identity(w); });
    if (at == workloads_.end()) return std::nullopt;
    return at->tree->value()["spec"]["replicas"].integer().value_or(1);
}

void Workloads::soon() {
    if (workloads_.empty() || due_) return;
    due_ = true;
    operations_.store().clock().post([this] {
        due_ = false;
        make_pods();
    });
}

void Workloads::make_pods() {
    std::vector<model::PodPtr> pods;
    for (const auto &[key, pod] : operations_.store().pods()) pods.push_back(pod);
    // They were looked through when they were read.
    const auto no_faults = [](const std::string &, const std::string &) {};
    for (const auto &tree : expand(workloads_, pods, operations_.store().nodes(), no_faults)) {
        auto pod =
            model::read_pod(classes_.admitted(tree), [](model::Value, const std::string &, const std::string &) {});
        if (pod) (void)operations_.apply(*pod);
    }
}

void PodCollector::node_deleted(model::NodePtr node) {
    constexpr std::int64_t patience_ns = 60 * second_ns;
    operations_.store().clock().after(patience_ns, [this, node] {
        if (operations_.store().node(node->name)) return;
        std::vector<std::string> orphans;
        for (const auto &[key, pod] : operations_.store().pods())
            if (pod->node_name() == node->name) orphans.push_back(key);
        std::ranges::sort(orphans);
        for (const auto &key : orphans) (void)operations_.delete_object(pod_kind, key);
    });
}

Controllers::Controllers(Operations &operations)
    : kubelets_(operations),
      taints_(operations),
      workloads_(operations),
      collector_(operations),
      budgets_(operations, workloads_) {
    for (Controller *each :
         std::initializer_list<Controller *>{&kubelets_, &taints_, &workloads_, &collector_, &budgets_})
        operations.store().watch(*each);
}

}  // namespace berth::sim
