// SPDX-License-Identifier: Apache-2.0
#include "model/pod.h"

#include "model/field.h"
#include "model/read_resources.h"
#include "model/shared_values.h"

#include <berth/view/pod_fields.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace berth::model {
namespace {

/// Room for what a spec's lists need, so that an arena is one block of the right size.
std::size_t arena_size(Value spec) {
    const auto containers = spec["containers"].size() + spec["initContainers"].size();
    return spec["tolerations"].size() * sizeof(berth_toleration) + containers * sizeof(berth_pod_image) +
           3 * sizeof(berth_resources);
}

/// The same for what is a pod's own.
std::size_t own_size(Value metadata) {
    return metadata["labels"].size() * sizeof(berth_label) + (metadata["uid"] ? 0 : uid_size);
}

/// What is read of a spec: for one pod, or for all that have it alike.
struct SpecTarget {
    berth_pod &view;
    const berth_resources *&effective_nonzero;
    Arena &arena;
    std::string_view &group_name;
};

void take(std::int64_t &out, const Field &at, bool is_time) { out = (is_time ? at.time() : at.integer()).value_or(0); }
void take(berth_str &out, const Field &at, bool) { out = to_str(at.string()); }
template <class T>
    requires std::is_integral_v<T>
void take(T &out, const Field &at, bool) {
    using Limits = std::numeric_limits<T>;
    out = static_cast<T>(at.integer(Limits::min(), Limits::max()).value_or(0));
}

/// Calls take(field) for the field at `path` below `from`, as in "a.b".
template <class Take>
void descend(const Field &from, std::string_view path, const Take &take) {
    const auto dot = path.find('.');
    const auto field = from.object()[path.substr(0, dot)];
    if (dot == path.npos) take(field);
    else descend(field, path.substr(dot + 1), take);
}

/// Reads the fields whose path in BERTH_POD_FIELDS begins with `part`, which `document` is.
void read_listed(berth_pod &view, std::string_view part, const Field &document) {
    const auto read = [&]<detail::Plain T>(const detail::PodField<T> &field) {
        if (!field.path.starts_with(part)) return;
        descend(document, field.path.substr(part.size()),
                [&](const Field &at) { take(view.*field.at, at, field.is_time()); });
    };
    detail::each_pod_field([&](const auto &field) {
        if constexpr (requires { read(field); }) read(field);
    });
}

void read_tolerations(SpecTarget pod, const Field &list) {
    const auto count = list.items();
    auto *tolerations = pod.arena.array<berth_toleration>(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto item = list.item(i);
        const auto key = item.object()["key"], op = item["operator"], value = item["value"], effect = item["effect"];
        tolerations[i] = {to_str(key.string()), to_str(op.choice({"Equal", "Exists", "Lt", "Gt"})),
                          to_str(value.string()),
                          to_str(effect.choice({"NoSchedule", "PreferNoSchedule", "NoExecute"}))};
    }
    pod.view.tolerations = tolerations;
    pod.view.tolerations_len = count;
}

void read_images(SpecTarget pod, const Field &spec) {
    std::vector<berth_pod_image> images;
    auto take = [&](std::string_view name, std::uint32_t use) {
        const auto containers = spec[name];
        for (std::size_t i = 0; i < containers.items(); ++i) {
            const auto container = containers.item(i);
            const auto image = container["image"];
            images.push_back({to_str(image.string()), use, 0});
        }
    };
    take("initContainers", BERTH_IMAGE_INIT_CONTAINER);
    take("containers", BERTH_IMAGE_CONTAINER);
    const auto volumes = spec["volumes"];
    for (std::size_t i = 0; i < volumes.items(); ++i) {
        const auto volume = volumes.item(i);
        const auto image = volume["image"];
        if (!image.present()) continue;
        const auto reference = image.object()["reference"];
        images.push_back({to_str(reference.string()), BERTH_IMAGE_VOLUME, 0});
    }
    auto *kept = pod.arena.array<berth_pod_image>(images.size());
    std::copy(images.begin(), images.end(), kept);
    pod.view.images = kept;
    pod.view.images_len = images.size();
}

/// With hostNetwork a port without a hostPort is the node's port of the same number.
void take_host_ports(std::vector<berth_port> &ports, const Field &list, bool host_network) {
    for (std::size_t i = 0; i < list.items(); ++i) {
        const auto item = list.item(i);
        const auto host_port = item.object()["hostPort"], container_port = item["containerPort"],
                   protocol = item["protocol"], ip = item["hostIP"];
        auto port = host_port.integer(0, 65535).value_or(0);
        const auto inner = container_port.integer(0, 65535).value_or(0);
        const auto spoken = protocol.choice({"TCP", "UDP", "SCTP"});
        const auto address = ip.string();
        if (port == 0 && host_network) port = inner;
        if (port == 0) continue;
        ports.push_back({to_str(spoken.empty() ? "TCP" : spoken), to_str(address.empty() ? "0.0.0.0" : address),
                         static_cast<std::int32_t>(port), 0});
    }
}

void read_host_ports(SpecTarget pod, const Field &spec) {
    std::vector<berth_port> ports;
    const auto network = spec["hostNetwork"];
    const bool host_network = network.boolean();
    for (std::string_view name : {"containers", "initContainers"}) {
        const auto containers = spec[name];
        for (std::size_t i = 0; i < containers.items(); ++i) {
            const auto container = containers.item(i);
            if (name == "initContainers" && container.value()["restartPolicy"].string() != "Always") continue;
            const auto list = container["ports"];
            take_host_ports(ports, list, host_network);
        }
    }
    auto *kept = pod.arena.array<berth_port>(ports.size());
    std::copy(ports.begin(), ports.end(), kept);
    pod.view.host_ports = kept;
    pod.view.host_ports_len = ports.size();
}

/// Container names identify a pod's statuses, so one cannot be there twice.
void check_container_names(const Field &spec) {
    std::set<std::string_view> seen;
    for (std::string_view list : {"initContainers", "containers"}) {
        const auto containers = spec[list];
        for (std::size_t i = 0; i < containers.items(); ++i) {
            const auto container = containers.item(i);
            const auto name = container["name"];
            const auto text = name.string();
            if (!text.empty() && !seen.insert(text).second)
                name.fault("another container of this pod is called \"" + std::string(text) + "\" too");
        }
    }
}

/// The resources in every way in which somebody counts them. Mostly they are all alike and share what they can.
void read_resources(SpecTarget pod, const Field &object, Accounting accounting) {
    const auto resources = read_pod_resources(object, accounting);
    const bool level = !resources.pod_level.requests.empty();
    // Pod-level requests make the defaults needless for what the sum already has.
    auto with_defaults = [&](RequestOptions options) {
        const auto bare = total_requests(resources, options);
        const bool all = !options.pod_level || !level;
        options.default_cpu = all || !find(bare, "cpu");
        options.default_memory = all || !find(bare, "memory");
        return total_requests(resources, options);
    };
    std::array<const berth_resources *, 6> known;
    std::size_t count = 0;
    auto keep = [&](const ResourceList &list) {
        const auto made = to_resources(pod.arena, list, count ? known[0] : nullptr);
        for (std::size_t i = 0; i < count; ++i)
            if (equal(made, *known[i])) return known[i];
        auto *kept = pod.arena.array<berth_resources>(1);
        *kept = made;
        return known[count++] = kept;
    };
    const RequestOptions plain{}, spec{.pod_level = true}, status{.status = true, .pod_level = true};
    pod.view.current_requests = keep(total_requests(resources, status));
    pod.effective_nonzero = keep(with_defaults(status));
    pod.view.requests = keep(total_requests(resources, spec));
    pod.view.requests_nonzero = keep(with_defaults(spec));
    pod.view.container_requests = keep(total_requests(resources, plain));
    pod.view.container_requests_nonzero = keep(with_defaults(plain));
}

/// Whether a status may say of resources what the spec does not.
bool reports_resources(Value status, Accounting accounting) {
    if (accounting == Accounting::PerPod && resize_infeasible(status["conditions"])) return true;
    return status["resources"] || status["allocatedResources"] || status["containerStatuses"].size() > 0 ||
           status["initContainerStatuses"].size() > 0;
}

void read_metadata(Pod &pod, const Field &metadata) {
    const auto labels_field = metadata["labels"], deleted = metadata["deletionTimestamp"];
    const auto id = read_identity(pod.arena, metadata, "Pod", true);
    pod.view.name = to_str(id.name);
    pod.view.namespace_ = to_str(id.name_space);
    pod.view.uid = to_str(id.uid);
    const auto labels = read_labels(pod.arena, labels_field);
    pod.view.labels = labels.data();
    pod.view.labels_len = labels.size();
    read_listed(pod.view, "metadata.", metadata);
    deleted.time();
    if (deleted.present()) pod.view.pod_flags |= BERTH_FLAG_POD_TERMINATING;
}

/// Lets loops over all pods skip those that cannot matter.
void read_pod_flags(SpecTarget pod, Value spec) {
    Value affinity = spec["affinity"], anti = affinity["podAntiAffinity"];
    if (affinity["podAffinity"].is_object() || anti.is_object()) pod.view.pod_flags |= BERTH_FLAG_POD_HAS_AFFINITY;
    if (anti["requiredDuringSchedulingIgnoredDuringExecution"].size() > 0)
        pod.view.pod_flags |= BERTH_FLAG_POD_HAS_REQUIRED_ANTI_AFFINITY;
    if (spec["volumes"].size() > 0) pod.view.pod_flags |= BERTH_FLAG_POD_HAS_VOLUMES;
}

void read_spec(SpecTarget pod, const Field &spec) {
    const auto scheduler = spec.object()["schedulerName"], tolerations = spec["tolerations"],
               group = spec["schedulingGroup"];
    const auto group_name = group.object()["podGroupName"];
    pod.group_name = group_name.string();
    read_listed(pod.view, "spec.", spec);
    const auto scheduler_name = scheduler.string();
    pod.view.scheduler_name = to_str(scheduler_name.empty() ? "default-scheduler" : scheduler_name);
    read_tolerations(pod, tolerations);
    read_images(pod, spec);
    read_host_ports(pod, spec);
    check_container_names(spec);
    read_pod_flags(pod, spec.value());
}

void read_status(Pod &pod, const Field &status) {
    const auto phase = status.object()["phase"], start = status["startTime"];
    read_listed(pod.view, "status.", status);
    pod.status_phase = phase.string();
    pod.start_time_ns = start.time().value_or(0);
}

}  // namespace

std::string_view resource_version(const Object &object) {
    return object.tree ? object.tree->value()["metadata"]["resourceVersion"].string() : std::string_view{};
}

berth_object_meta Pod::meta() const {
    return {.struct_size = sizeof(berth_object_meta),
            .flags = 0,
            .namespace_ = view.namespace_,
            .name = view.name,
            .uid = view.uid,
            .resource_version = to_str(resource_version(*this)),
            .labels = view.labels,
            .labels_len = view.labels_len};
}

std::string Pod::key() const {
    std::string key(name_space());
    key += '/';
    return key.append(name());
}

std::shared_ptr<const PodSpec> read_pod_spec(Value spec) {
    auto out = std::make_shared<PodSpec>();
    compact_copy(*out, spec);
    out->more = Arena(arena_size(spec));
    const berth_kv member{to_str("spec"), out->root};
    const berth_value pod{BERTH_VALUE_OBJECT, 0, {1}, {&member}};
    const FaultSink nobody = [](Value, const std::string &, const std::string &) {};
    Faults faults{&nobody, {}};
    const Field object(Value{&pod}, faults);
    const auto field = object["spec"];
    const SpecTarget target{out->view, out->effective_nonzero, out->more, out->group_name};
    read_spec(target, field);
    read_resources(target, object, {});
    out->held.count(Holder::Pods, sizeof(PodSpec) + out->arena.size() + out->more.size() + object_overhead);
    return faults.seen.empty() ? out : nullptr;
}

PodPtr read_pod(TreePtr tree, const FaultSink &fault) { return read_pod_of(nullptr, std::move(tree), fault); }

PodPtr read_pod_of(const PodSpec *known, TreePtr tree, const FaultSink &fault, Accounting accounting) {
    auto pod = std::make_shared<Pod>();
    pod->accounting = accounting;
    pod->tree = std::move(tree);
    const auto root = pod->tree->value();
    Faults faults{&fault, {}};
    const Field object(root, faults);
    const auto metadata = object["metadata"], spec = object["spec"], status = object["status"];
    if (!root.is_object()) {
        object.expected("a Pod");
        return nullptr;
    }
    const SpecTarget target{pod->view, pod->effective_nonzero, pod->arena, pod->group_name};
    pod->arena = Arena(own_size(root["metadata"]) + (known ? 0 : arena_size(root["spec"])));
    if (known) {
        pod->view = known->view;
        pod->effective_nonzero = known->effective_nonzero;
        pod->group_name = known->group_name;
    }
    read_metadata(*pod, metadata);
    if (!known) read_spec(target, spec);
    const auto node = spec["nodeName"];
    pod->view.node_name = to_str(node.string());
    read_status(*pod, status);
    if (!known || reports_resources(status.value(), accounting)) read_resources(target, object, accounting);
    pod->view.struct_size = sizeof(berth_pod);
    pod->view.obj = handle(pod.get());
    pod->held.count(Holder::Pods, sizeof(Pod) + pod->arena.size() + own_bytes(*pod->tree) + object_overhead);
    return !faults.seen.empty() ? nullptr : pod;
}

PodPtr assumed_copy(const PodPtr &pod, std::string_view node) {
    auto copy = std::make_shared<Pod>();
    copy->tree = pod->tree;
    copy->original = pod->original ? pod->original : pod;
    copy->arena = Arena(node.size());
    copy->view = pod->view;
    copy->effective_nonzero = pod->effective_nonzero;
    copy->accounting = pod->accounting;
    copy->start_time_ns = pod->start_time_ns;
    copy->status_phase = pod->status_phase;
    copy->group_name = pod->group_name;
    copy->view.obj = handle(copy.get());
    copy->view.node_name = to_str(copy->arena.copy(node));
    copy->view.pod_flags |= BERTH_FLAG_POD_ASSUMED;
    copy->held.count(Holder::Pods, sizeof(Pod) + copy->arena.size() + object_overhead);
    return copy;
}

}  // namespace berth::model
