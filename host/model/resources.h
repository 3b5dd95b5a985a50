// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The sum of a pod's requests: containers, init containers, pod level and overhead. The sums and maxima are taken on
/// exact quantities; integers are made once, of the result. Formulas: component-helpers v0.36.3 and v0.37.2
/// resource/helpers.go, kubernetes pkg/scheduler/framework/types.go (spec 2.3).

#include "model/accounting.h"
#include "model/quantity.h"
#include "model/value.h"

#include <berth/view/pod.h>

#include <map>
#include <string_view>
#include <vector>

namespace berth::model {

struct ResourceAmount {
    std::string_view name;
    Quantity amount;
};
/// Amounts of resources, each name once, in no particular order. The names belong to a tree. A pod's author chooses how
/// many there are: once they are more than a few, they are found by a tree, which no choice of names makes slow.
class ResourceList {
    static constexpr std::size_t few = 16;
    std::vector<ResourceAmount> all_;
    std::map<std::string_view, std::size_t> indices_;

public:
    std::vector<ResourceAmount>::const_iterator begin() const { return all_.begin(); }
    std::vector<ResourceAmount>::const_iterator end() const { return all_.end(); }
    std::size_t size() const { return all_.size(); }
    bool empty() const { return all_.empty(); }
    void reserve(std::size_t n) { all_.reserve(n); }

    const Quantity *find(std::string_view name) const;
    void set(std::string_view name, const Quantity &amount);
};

inline const Quantity *find(const ResourceList &list, std::string_view name) { return list.find(name); }
void add(ResourceList &list, const ResourceList &more);
/// Takes, for every resource of `other`, the greater amount.
void raise(ResourceList &list, const ResourceList &other);

/// Requests in the specification, and what the status says of them once the pod runs.
struct ResourceState {
    ResourceList requests;
    bool reported = false;  ///< the status has `resources`; per container, the two below count only then
    bool has_actuated = false, has_allocated = false;  ///< the status has them, though nothing be in them; per pod
    ResourceList actuated, allocated;
};

struct ContainerResources : ResourceState {
    bool restartable = false;  ///< an init container with restartPolicy Always: a sidecar
};

struct PodResources {
    std::vector<ContainerResources> containers, init_containers;
    ResourceState pod_level;  ///< of cpu, memory and hugepages only; no requests: not set
    ResourceList overhead;
    bool resize_infeasible = false;  ///< condition PodResizePending has reason Infeasible
    Accounting accounting = Accounting::PerContainer;
};

/// What to put into the sum beside the requests in the specification of the containers, and overhead.
struct RequestOptions {
    bool status = false;     ///< resources in the status
    bool pod_level = false;  ///< pod-level resources in the place of the containers'
    /// 100m cpu, 200Mi memory for every container that requests none; an explicit 0 stays 0.
    bool default_cpu = false, default_memory = false;
};
ResourceList total_requests(const PodResources &pod, RequestOptions options);

/// Can be given at pod level: cpu, memory, hugepages-*.
bool pod_level_resource(std::string_view name);
/// A resource that is counted in pieces outside of Kubernetes' own names: "nvidia.com/gpu".
bool extended_resource(std::string_view name);
/// Counted beside cpu, memory and ephemeral-storage: extended, hugepages-*, attachable-volumes-*, or with
/// kubernetes.io/ in it. Everything else that a pod or a node lists is ignored.
bool scalar_resource(std::string_view name);

/// The list as integers; scalars live in `arena`, or are `like`'s if equal to those.
berth_resources to_resources(Arena &arena, const ResourceList &list, const berth_resources *like = nullptr);
bool equal(const berth_resources &a, const berth_resources &b);

}  // namespace berth::model
