// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A recording's cluster at one point of its replay, and the part that matters to one pod, as a scenario. See
/// docs/simulate.md.

#include "env/api.h"
#include "model/decision.h"
#include "model/value.h"
#include "plugin/host_context.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace berth::offline {

/// Passes every event on. Loop only.
class SeenWorld : public env::Observer {
    env::Observer *next_ = nullptr;
    std::uint64_t added_ = 0;
    std::map<std::string, std::pair<std::uint64_t, model::NodePtr>, std::less<>> nodes_;  ///< with their order
    std::map<std::string, model::PodPtr> pods_;                                           ///< by uid
    std::map<std::pair<std::string, std::string>, model::AnyPtr> objects_;                ///< by kind and key
    std::map<std::string, std::string> placed_;     ///< uid to node, until the cluster says so
    std::map<std::string, std::string> nominated_;  ///< likewise, the nominated one; "": none

    void keep(const model::PodPtr &pod);

public:
    void pass_on_to(env::Observer &next) { next_ = &next; }
    /// The scheduler has decided: until the cluster says where the pod is, it is there.
    void decided(const model::Decision &decision);

    void node_added(model::NodePtr node) override;
    void node_updated(model::NodePtr before, model::NodePtr after) override;
    void node_deleted(model::NodePtr node) override;
    void pod_added(model::PodPtr pod) override;
    void pod_updated(model::PodPtr before, model::PodPtr after) override;
    void pod_deleted(model::PodPtr pod) override;
    void object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) override;

    /// The scenario of the pod that `decision`, with its tables, is about, as of before decided(decision): the nodes,
    /// the objects that plugins watch, the pods with a node or a nominated node, and that pod, with what became of it.
    /// `configuration` may be null. It says as which release it is decided.
    model::TreePtr scenario(const model::Decision &decision, const model::TreePtr &configuration,
                            const plugin::Kubernetes &as) const;
};

}  // namespace berth::offline
