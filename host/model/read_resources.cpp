// SPDX-License-Identifier: Apache-2.0
#include "model/read_resources.h"

namespace berth::model {
namespace {

void default_from(ResourceList &requests, const ResourceList &limits) {
    for (const auto &[name, limit] : limits)
        if (!find(requests, name)) requests.push_back({name, limit});
}

/// The status of the container of that name; the last one, as upstream's map of them has it.
Value status_of(Value status, std::string_view container) {
    Value found;
    for (std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
        const auto statuses = status[list];
        for (std::size_t i = 0; i < statuses.size(); ++i)
            if (statuses.at(i)["name"].string() == container) found = statuses.at(i);
    }
    return found;
}

/// Reads `resources` and `allocatedResources` of a status.
void read_status(ResourceState &state, const Field &status) {
    const auto resources = status["resources"], allocated = status["allocatedResources"];
    if (!resources.present()) return;
    state.reported = true;
    const auto actuated = resources.object()["requests"];
    state.actuated = read_resource_list(actuated);
    state.allocated = read_resource_list(allocated);
}

/// Reads the containers of one list; what they are limited to goes to `limited`.
std::vector<ContainerResources> read_containers(const Field &containers, const Field &status,
                                                std::vector<ContainerResources> &limited) {
    std::vector<ContainerResources> result(containers.items());
    limited.resize(result.size());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto container = containers.item(i);
        const auto resources = container.object()["resources"], policy = container["restartPolicy"];
        const auto requests = resources.object()["requests"], limits = resources["limits"];
        result[i].requests = read_resource_list(requests);
        limited[i].requests = read_resource_list(limits);
        default_from(result[i].requests, limited[i].requests);
        result[i].restartable = limited[i].restartable = policy.string() == "Always";
        const auto name = container.value()["name"].string();
        const auto reported = status.below(status_of(status.value(), name), name);
        read_status(result[i], reported);
    }
    return result;
}

/// Pod-level requests and limits, with the API server's defaults: hugepages are limited to what the containers are,
/// and where there are limits, what the containers request is requested, else the limit.
void read_pod_level(PodResources &pod, const PodResources &limited, const Field &spec, const Field &status) {
    const auto resources = spec["resources"];
    const auto requests = resources.object()["requests"], limits = resources["limits"];
    auto stated = read_resource_list(requests), most = read_resource_list(limits);
    if (!stated.empty() || !most.empty())
        for (const auto &[name, limit] : total_requests(limited, {}))
            if (name.starts_with("hugepages-") && !find(stated, name) && !find(most, name)) set(most, name, limit);
    if (!most.empty())
        for (const auto &[name, amount] : total_requests(pod, {}))
            if ((name == "cpu" || name == "memory") && !find(stated, name)) set(stated, name, amount);
    default_from(stated, most);
    for (const auto &resource : stated)
        if (pod_level_resource(resource.name)) pod.pod_level.requests.push_back(resource);
    read_status(pod.pod_level, status);
}

bool resize_infeasible(Value conditions) {
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (conditions.at(i)["type"].string() == "PodResizePending")
            return conditions.at(i)["reason"].string() == "Infeasible";
    return false;
}

}  // namespace

ResourceList read_resource_list(const Field &map) {
    ResourceList list;
    const auto count = map.members();
    list.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto entry = map.member(i);
        const auto amount = Quantity::read(entry.value());
        if (!amount) entry.expected("a quantity like 500m or 2Gi");
        else if (amount->negative()) entry.expected("a quantity that is not negative");
        else if (!amount->whole() && extended_resource(entry.key())) entry.expected("a whole number");
        else set(list, entry.key(), *amount);
    }
    return list;
}

PodResources read_pod_resources(const Field &pod) {
    PodResources result;
    const auto spec = pod["spec"], status = pod["status"];
    const auto containers = spec.object()["containers"], init_containers = spec["initContainers"],
               overhead = spec["overhead"];
    status.object();
    PodResources limited;
    result.containers = read_containers(containers, status, limited.containers);
    result.init_containers = read_containers(init_containers, status, limited.init_containers);
    read_pod_level(result, limited, spec, status);
    result.overhead = read_resource_list(overhead);
    result.resize_infeasible = resize_infeasible(status.value()["conditions"]);
    return result;
}

}  // namespace berth::model
