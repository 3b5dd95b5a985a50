// SPDX-License-Identifier: Apache-2.0
#include "model/read_resources.h"

#include <map>

namespace berth::model {
namespace {

const FaultSink nobody = [](Value, const std::string &, const std::string &) {};

void default_from(ResourceList &requests, const ResourceList &limits) {
    for (const auto &[name, limit] : limits)
        if (!requests.find(name)) requests.set(name, limit);
}

/// The statuses of a pod's containers by their names. Of several with one name the last, as upstream's map of them had
/// it, or per pod the first.
class Statuses {
    std::map<std::string_view, Value> all_;

public:
    Statuses(Value status, Accounting accounting) {
        for (std::string_view list : {"containerStatuses", "initContainerStatuses"}) {
            const auto statuses = status[list];
            for (std::size_t i = 0; statuses.is_array() && i < statuses.size(); ++i)
                if (const auto name = statuses.at(i)["name"].string(); accounting == Accounting::PerPod)
                    all_.try_emplace(name, statuses.at(i));
                else all_[name] = statuses.at(i);
        }
    }
    Value of(std::string_view container) const {
        const auto at = all_.find(container);
        return at == all_.end() ? Value{} : at->second;
    }
};

/// Reads `resources` and `allocatedResources` of a status.
void read_status(ResourceState &state, const Field &status, Accounting accounting) {
    const auto resources = status["resources"], allocated = status["allocatedResources"];
    state.reported = resources.present();
    if (!state.reported && accounting == Accounting::PerContainer) return;
    if (state.reported) {
        const auto actuated = resources.object()["requests"];
        state.has_actuated = actuated.present();
        state.actuated = read_resource_list(actuated);
    }
    state.has_allocated = allocated.present();
    state.allocated = read_resource_list(allocated);
}

ContainerResources read_container(const Field &container, const Field &status, Accounting accounting) {
    ContainerResources result;
    const auto resources = container.object()["resources"], policy = container["restartPolicy"];
    const auto requests = resources.object()["requests"], limits = resources["limits"];
    result.requests = read_resource_list(requests);
    default_from(result.requests, read_resource_list(limits));
    result.restartable = policy.string() == "Always";
    read_status(result, status, accounting);
    return result;
}

std::vector<ContainerResources> read_containers(const Field &containers, const Field &status, const Statuses &statuses,
                                                Accounting accounting) {
    std::vector<ContainerResources> result(containers.items());
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto container = containers.item(i);
        const auto name = container.value()["name"].string();
        const auto reported = status.below(statuses.of(name), name);
        result[i] = read_container(container, reported, accounting);
    }
    return result;
}

void read_pod_level(PodResources &pod, const Field &spec, const Field &status) {
    const auto resources = spec["resources"];
    const auto requests = resources.object()["requests"], limits = resources["limits"];
    auto stated = read_resource_list(requests);
    if (const auto limited = read_resource_list(limits); !limited.empty()) {
        for (const auto &[name, amount] :
             total_requests({pod.containers, pod.init_containers, {}, {}, false, pod.accounting}, {}))
            if ((name == "cpu" || name == "memory") && !find(stated, name)) stated.set(name, amount);
        default_from(stated, limited);
    }
    for (const auto &resource : stated)
        if (pod_level_resource(resource.name)) pod.pod_level.requests.set(resource.name, resource.amount);
    read_status(pod.pod_level, status, pod.accounting);
}

}  // namespace

bool resize_infeasible(Value conditions) {
    for (std::size_t i = 0; i < conditions.size(); ++i)
        if (conditions.at(i)["type"].string() == "PodResizePending")
            return conditions.at(i)["reason"].string() == "Infeasible";
    return false;
}

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
        else list.set(entry.key(), *amount);
    }
    return list;
}

PodResources read_pod_resources(const Field &pod, Accounting accounting) {
    PodResources result;
    result.accounting = accounting;
    const auto spec = pod["spec"], status = pod["status"];
    const auto containers = spec.object()["containers"], init_containers = spec["initContainers"],
               overhead = spec["overhead"];
    status.object();
    const Statuses statuses(status.value(), accounting);
    result.containers = read_containers(containers, status, statuses, accounting);
    result.init_containers = read_containers(init_containers, status, statuses, accounting);
    result.overhead = read_resource_list(overhead);
    read_pod_level(result, spec, status);
    result.resize_infeasible = resize_infeasible(status.value()["conditions"]);
    return result;
}

ResourceList resource_list(Value map) {
    Faults faults{&nobody, {}};
    const Field field(map, faults);
    return read_resource_list(field);
}

ResourceList effective_requests(const Object &pod, Accounting accounting) {
    if (!pod.tree) return {};
    Faults faults{&nobody, {}};
    const Field object(pod.tree->value(), faults);
    return total_requests(read_pod_resources(object, accounting), {.status = true, .pod_level = true});
}

}  // namespace berth::model
