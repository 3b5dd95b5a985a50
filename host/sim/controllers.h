// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The simulated controllers: kubelets, node taints, workloads, pod collector, disruption budgets. They are small
/// counterparts of the real ones, each a watcher of the world that writes to it. A scenario has them all; the
/// simulation of a cluster without a scenario has none.
///
/// - Kubelets: a pod that has a node is Running and Ready at once; one that is deleted takes a second to end.
/// - NodeTaints: a node is tainted node.kubernetes.io/unschedulable as long as it is unschedulable.
/// - Workloads: Deployments, ReplicaSets, StatefulSets, DaemonSets and Jobs make the pods that they lack.
/// - DisruptionBudgets: says in a PodDisruptionBudget's status how many of its pods may be disrupted.
/// - PodCollector: pods of a node that was deleted a minute ago are deleted.

#include "sim/operations.h"

#include <optional>

namespace berth::sim {

/// A watcher that looks at what it wants.
class Controller : public env::Observer {
public:
    void node_added(model::NodePtr) override {}
    void node_updated(model::NodePtr, model::NodePtr) override {}
    void node_deleted(model::NodePtr) override {}
    void pod_added(model::PodPtr) override {}
    void pod_updated(model::PodPtr, model::PodPtr) override {}
    void pod_deleted(model::PodPtr) override {}
    void object_changed(const model::Kind &, model::AnyPtr, model::AnyPtr) override {}
};

class Kubelets : public Controller {
    Operations &operations_;

public:
    explicit Kubelets(Operations &operations) : operations_(operations) {}
    void pod_added(model::PodPtr pod) override { run(*pod); }
    void pod_updated(model::PodPtr before, model::PodPtr after) override;

private:
    void run(const model::Pod &pod);
};

class NodeTaints : public Controller {
    Operations &operations_;

public:
    explicit NodeTaints(Operations &operations) : operations_(operations) {}
    void node_added(model::NodePtr node) override { settle(*node); }
    void node_updated(model::NodePtr, model::NodePtr after) override { settle(*after); }

private:
    void settle(const model::Node &node);
};

class Workloads : public Controller {
    Operations &operations_;
    std::vector<Workload> workloads_;
    PriorityClasses classes_;
    bool due_ = false;

public:
    explicit Workloads(Operations &operations) : operations_(operations) {}
    /// Workloads that are there from now on, and the classes that their pods may name.
    model::Result<void> add(const std::vector<Workload> &workloads, const PriorityClasses &classes);
    const PriorityClasses &classes() const { return classes_; }
    /// How many pods the workload of that identity is to have; nothing if it is not there.
    std::optional<std::int64_t> scale(const std::string &identity) const;
    void node_added(model::NodePtr) override { soon(); }
    void node_updated(model::NodePtr, model::NodePtr) override { soon(); }
    void pod_updated(model::PodPtr, model::PodPtr) override { soon(); }
    void pod_deleted(model::PodPtr) override { soon(); }

private:
    void soon();
    void make_pods();
};

class PodCollector : public Controller {
    Operations &operations_;

public:
    explicit PodCollector(Operations &operations) : operations_(operations) {}
    void node_deleted(model::NodePtr node) override;
};

class DisruptionBudgets : public Controller {
    Operations &operations_;
    const Workloads &workloads_;
    bool due_ = false;

public:
    DisruptionBudgets(Operations &operations, const Workloads &workloads)
        : operations_(operations), workloads_(workloads) {}
    static model::Kind kind() { return model::kind_of("policy", "v1", "poddisruptionbudgets"); }

    void pod_added(model::PodPtr) override { soon(); }
    void pod_updated(model::PodPtr, model::PodPtr) override { soon(); }
    void pod_deleted(model::PodPtr) override { soon(); }
    void object_changed(const model::Kind &kind, model::AnyPtr, model::AnyPtr) override;

    /// Deletes the pod if its budget allows it; else says no.
    bool evict(const model::Pod &pod);

private:
    void soon();
    void settle();
    std::int64_t allowed(model::Value budget) const;
    void set_allowed(model::Value budget, std::int64_t allowed);
};

/// All of them, watching.
class Controllers {
    Kubelets kubelets_;
    NodeTaints taints_;
    Workloads workloads_;
    PodCollector collector_;
    DisruptionBudgets budgets_;

public:
    /// The operations outlive them.
    explicit Controllers(Operations &operations);
    Workloads &workloads() { return workloads_; }
    DisruptionBudgets &budgets() { return budgets_; }
};

}  // namespace berth::sim
