// SPDX-License-Identifier: Apache-2.0
#include "model/resources.h"

#include "model/name.h"

#include <algorithm>

namespace berth::model {
namespace {

ResourceList effective(const ResourceState &state, bool resize_infeasible) {
    ResourceList list = resize_infeasible ? ResourceList{} : state.requests;
    raise(list, state.actuated);
    raise(list, state.allocated);
    return list;
}

void fill_in(ResourceList &list, const RequestOptions &options) {
    if (options.default_cpu && !find(list, "cpu")) set(list, "cpu", Quantity::of_milli(100));
    if (options.default_memory && !find(list, "memory")) set(list, "memory", Quantity::of(200 * 1024 * 1024));
}

/// Init containers run one after the other beside the sidecars started before them: the most that they ask for at any
/// moment is a lower bound of what the pod needs.
ResourceList container_requests(const PodResources &pod, const RequestOptions &options) {
    ResourceList sum, sidecars, most;
    for (const auto &container : pod.containers) {
        auto requests =
            options.status && container.reported ? effective(container, pod.resize_infeasible) : container.requests;
        fill_in(requests, options);
        add(sum, requests);
    }
    for (const auto &container : pod.init_containers) {
        const bool status = options.status && container.reported && container.restartable;
        auto requests = status ? effective(container, pod.resize_infeasible) : container.requests;
        fill_in(requests, options);
        if (container.restartable) {
            add(sum, requests);
            add(sidecars, requests);
            raise(most, sidecars);
        } else {
            add(requests, sidecars);
            raise(most, requests);
        }
    }
    raise(sum, most);
    return sum;
}

}  // namespace

const Quantity *find(const ResourceList &list, std::string_view name) {
    auto at = std::find_if(list.begin(), list.end(), [&](const ResourceAmount &r) { return r.name == name; });
    return at == list.end() ? nullptr : &at->amount;
}

void set(ResourceList &list, std::string_view name, const Quantity &amount) {
    auto at = std::find_if(list.begin(), list.end(), [&](const ResourceAmount &r) { return r.name == name; });
    if (at == list.end()) list.push_back({name, amount});
    else at->amount = amount;
}

void add(ResourceList &list, const ResourceList &more) {
    for (const auto &resource : more) {
        auto sum = resource.amount;
        if (const auto *had = find(list, resource.name)) (sum = *had) += resource.amount;
        set(list, resource.name, sum);
    }
}

void raise(ResourceList &list, const ResourceList &other) {
    for (const auto &resource : other) {
        const auto *had = find(list, resource.name);
        if (!had || resource.amount > *had) set(list, resource.name, resource.amount);
    }
}

ResourceList total_requests(const PodResources &pod, RequestOptions options) {
    auto total = container_requests(pod, options);
    if (options.pod_level) {
        const auto &level = pod.pod_level;
        const bool status = options.status && level.reported;
        const auto now = status ? effective(level, pod.resize_infeasible) : ResourceList{};
        for (const auto &[name, requested] : level.requests) {
            const auto *actual = find(now, name);
            set(total, name, !status ? requested : actual ? *actual : Quantity{});
        }
    }
    add(total, pod.overhead);
    return total;
}

bool pod_level_resource(std::string_view name) {
    return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

bool extended_resource(std::string_view name) {
    const auto slash = name.find('/');
    if (slash == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos) return false;
    // The name must still be a qualified one behind the "requests." of a quota: 253 for the domain, 9 less.
    return !name.starts_with("requests.") && slash <= 253 - 9 && dns_subdomain(name.substr(0, slash)) &&
           label_name(name.substr(slash + 1));
}

bool scalar_resource(std::string_view name) {
    return extended_resource(name) || name.starts_with("hugepages-") || name.starts_with("attachable-volumes-") ||
           name.find("kubernetes.io/") != std::string_view::npos;
}

berth_resources to_resources(Arena &arena, const ResourceList &list, const berth_resources *like) {
    berth_resources result{};
    std::vector<berth_scalar> scalars;
    for (const auto &[name, amount] : list) {
        if (name == "cpu") result.cpu = amount.milli_value();
        else if (name == "memory") result.memory = amount.value();
        else if (name == "ephemeral-storage") result.ephemeral = amount.value();
        else if (scalar_resource(name)) scalars.push_back({to_str(name), amount.value()});
    }
    std::sort(scalars.begin(), scalars.end(),
              [](const berth_scalar &a, const berth_scalar &b) { return view(a.name) < view(b.name); });
    result.scalars = scalars.data();
    result.scalars_len = scalars.size();
    if (like) {
        auto alike = *like;
        alike.cpu = result.cpu;
        alike.memory = result.memory;
        alike.ephemeral = result.ephemeral;
        if (equal(alike, result)) return alike;
    }
    auto *kept = arena.array<berth_scalar>(scalars.size());
    std::copy(scalars.begin(), scalars.end(), kept);
    result.scalars = kept;
    return result;
}

bool equal(const berth_resources &a, const berth_resources &b) {
    return a.cpu == b.cpu && a.memory == b.memory && a.ephemeral == b.ephemeral &&
           std::equal(a.scalars, a.scalars + a.scalars_len, b.scalars, b.scalars + b.scalars_len,
                      [](const berth_scalar &x, const berth_scalar &y) {
                          return view(x.name) == view(y.name) && x.value == y.value;
                      });
}

}  // namespace berth::model
