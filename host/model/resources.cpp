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

void raise(ResourceList &list, std::string_view name, const Quantity &amount) {
    const auto *had = list.find(name);
    if (!had || amount > *had) list.set(name, amount);
}

void fill_in(ResourceList &list, const RequestOptions &options) {
    if (options.default_cpu && !find(list, "cpu")) list.set("cpu", Quantity::of_milli(100));
    if (options.default_memory && !find(list, "memory")) list.set("memory", Quantity::of(200 * 1024 * 1024));
}

/// What `requests_of(container)` gives, over the pod. Init containers run one after the other beside the sidecars
/// started before them: the most that they ask for at any moment is a lower bound of what the pod needs. Of each
/// container only what it asks for itself is looked at: of everything else the most is at least what the sidecars have.
template <class Of>
ResourceList aggregate(const PodResources &pod, const RequestOptions &options, Of requests_of) {
    ResourceList sum, sidecars, most;
    for (const auto &container : pod.containers) {
        ResourceList requests = requests_of(container, true);
        fill_in(requests, options);
        add(sum, requests);
    }
    for (const auto &container : pod.init_containers) {
        ResourceList requests = requests_of(container, container.restartable);
        fill_in(requests, options);
        if (container.restartable) {
            add(sum, requests);
            add(sidecars, requests);
        }
        for (const auto &[name, requested] : requests) {
            auto now = requested;
            if (const auto *beside = sidecars.find(name)) {
                if (container.restartable) now = *beside;
                else now += *beside;
            }
            raise(most, name, now);
        }
    }
    raise(sum, most);
    return sum;
}

/// Per pod: what is allocated, and what the containers run with, each with the specification where the status is
/// silent.
ResourceList reported_requests(const PodResources &pod, const RequestOptions &options) {
    const auto &level = pod.pod_level;
    ResourceList allocated, actuated;
    if (level.has_allocated && level.has_actuated) {
        allocated = level.allocated;
        actuated = level.actuated;
    } else {
        const ResourceList none;
        auto specified = [&](const ContainerResources &c) -> const ResourceList & {
            return pod.resize_infeasible ? none : c.requests;
        };
        auto allocated_of = [&](const ContainerResources &c, bool) -> const ResourceList & {
            return c.has_allocated ? c.allocated : specified(c);
        };
        allocated = aggregate(pod, options, allocated_of);
        actuated = aggregate(pod, options, [&](const ContainerResources &c, bool runs) -> const ResourceList & {
            return c.has_actuated ? c.actuated : allocated_of(c, runs);
        });
    }
    raise(actuated, allocated);
    return actuated;
}

ResourceList container_requests(const PodResources &pod, const RequestOptions &options) {
    const bool per_pod = options.status && pod.accounting == Accounting::PerPod;
    auto reported = per_pod ? reported_requests(pod, options) : ResourceList{};
    if (per_pod && pod.resize_infeasible) return reported;
    auto sum = aggregate(pod, options, [&](const ContainerResources &c, bool runs) {
        const bool status = options.status && !per_pod && c.reported && runs;
        return status ? effective(c, pod.resize_infeasible) : c.requests;
    });
    raise(sum, reported);
    return sum;
}

/// Of a pod that states some.
ResourceList pod_level_requests(const PodResources &pod, const RequestOptions &options) {
    const auto &level = pod.pod_level;
    if (!options.status || !level.reported) return level.requests;
    const auto most = effective(level, pod.resize_infeasible);
    ResourceList out;
    if (pod.accounting == Accounting::PerPod) {
        for (const auto &[name, amount] : most)
            if (pod_level_resource(name)) out.set(name, amount);
        return out;
    }
    for (const auto &[name, requested] : level.requests) {
        const auto *now = most.find(name);
        out.set(name, now ? *now : Quantity{});
    }
    return out;
}

}  // namespace

const Quantity *ResourceList::find(std::string_view name) const {
    if (indices_.empty()) {
        const auto at = std::ranges::find(all_, name, &ResourceAmount::name);
        return at == all_.end() ? nullptr : &at->amount;
    }
    const auto at = indices_.find(name);
    return at == indices_.end() ? nullptr : &all_[at->second].amount;
}

void ResourceList::set(std::string_view name, const Quantity &amount) {
    if (const auto *known = find(name)) {
        *const_cast<Quantity *>(known) = amount;  // of ours
        return;
    }
    all_.push_back({name, amount});
    if (all_.size() <= few) return;
    for (auto i = indices_.size(); i < all_.size(); ++i) indices_.emplace(all_[i].name, i);
}

void add(ResourceList &list, const ResourceList &more) {
    for (const auto &resource : more) {
        auto sum = resource.amount;
        if (const auto *had = list.find(resource.name)) (sum = *had) += resource.amount;
        list.set(resource.name, sum);
    }
}

void raise(ResourceList &list, const ResourceList &other) {
    for (const auto &resource : other) {
        raise(list, resource.name, resource.amount);
    }
}

ResourceList total_requests(const PodResources &pod, RequestOptions options) {
    auto total = container_requests(pod, options);
    if (options.pod_level && !pod.pod_level.requests.empty())
        for (const auto &[name, amount] : pod_level_requests(pod, options)) total.set(name, amount);
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
