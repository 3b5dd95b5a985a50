// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The object store of the simulated API server, with resource versions. Pods are an object like any other here. Loop
/// only.

#include "env/api.h"
#include "env/clock.h"
#include "model/readers.h"
#include "sim/input.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::sim {

inline const model::Kind pod_kind = model::kind_of("", "v1", "pods"), node_kind = model::kind_of("", "v1", "nodes");

class Store {
public:
    /// Called for each change, after the watchers; `before` is null for a new object, `after` for one that is gone.
    using Changed = std::function<void(const model::Kind &, const model::TreePtr &before, const model::TreePtr &after)>;

    explicit Store(env::Clock &clock) : clock_(clock) {}
    Store(const Store &) = delete;
    Store &operator=(const Store &) = delete;

    /// Stores the input and notifies `observer`, in the input's order: objects, nodes, pods.
    void start(const Input &input, env::Observer &observer);
    /// Notifies `observer`, too, of everything, after the earlier observers.
    void watch(env::Observer &observer) { observers_.push_back(&observer); }
    void on_change(Changed changed) { listeners_.push_back(std::move(changed)); }

    /// The kind as it is served here, or nullptr: pods, and those that plugins watch.
    const model::Kind *kind(std::string_view group, std::string_view version, std::string_view resource) const;
    /// The kind that is called so ("PersistentVolumeClaim"), if it is served here.
    const model::Kind *kind_named(std::string_view name) const;
    std::vector<model::Kind> kinds() const;  ///< that are served here, besides pods and nodes
    bool serves(const model::Kind &kind) const { return this->kind(kind.group, kind.version, kind.resource); }
    /// "namespace/name", or "name" if the namespace is empty.
    static std::string key(std::string_view name_space, std::string_view name);
    /// nullptr if there is none.
    model::TreePtr find(const model::Kind &kind, const std::string &key) const;
    /// Every object of the kind, by key.
    std::vector<model::TreePtr> list(const model::Kind &kind) const;
    /// Stores an object, new or changed, with the next version, and notifies the observers. What is stored, or why it
    /// cannot be.
    model::Result<model::TreePtr> put(const model::Kind &kind, const model::Tree &tree);
    /// The same for a pod's tree that was made with next_version(); a copy is stored.
    model::Result<model::TreePtr> put_pod(const model::TreePtr &versioned);
    void remove(const model::Kind &kind, const std::string &key);
    /// The same for nodes.
    model::Result<void> put_node(const model::Tree &tree);
    void remove_node(std::string_view name);
    std::uint64_t next_version() const { return version_ + 1; }

    model::PodPtr pod(const std::string &key) const;
    const std::unordered_map<std::string, model::PodPtr> &pods() const { return pods_; }
    const std::vector<model::NodePtr> &nodes() const { return nodes_; }  ///< by name
    model::NodePtr node(std::string_view name) const;
    env::Clock &clock() const { return clock_; }

private:
    struct OfKind {
        model::Kind kind;
        std::map<std::string, model::AnyPtr> objects;
    };
    OfKind *of(const model::Kind &kind);
    bool is_watched(const model::Kind &kind) const { return std::ranges::count(only_read_, kind) == 0; }
    void notify(const model::Kind &kind, model::TreePtr before, model::TreePtr after,
                std::function<void(env::Observer &)> observed);
    model::TreePtr versioned(const model::Tree &tree) const;
    std::vector<model::NodePtr>::iterator node_place(std::string_view name);

    env::Clock &clock_;
    std::vector<env::Observer *> observers_;
    model::PodReader pod_reader_;
    model::Accounting accounting_ = model::Accounting::PerContainer;
    std::unordered_map<std::string, model::PodPtr> pods_;  ///< by "namespace/name"
    std::vector<model::NodePtr> nodes_;
    std::vector<OfKind> kinds_;
    std::vector<model::Kind> only_read_;  ///< of which observers do not hear
    std::vector<Changed> listeners_;
    std::uint64_t version_ = 0;  ///< the highest that an object has
};

}  // namespace berth::sim
