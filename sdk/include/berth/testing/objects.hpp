// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects of a test's cluster as the ABI shows them: metadata, and a pod's requests.

#include <berth/berth.h>
#include <berth/quantity.hpp>
#include <berth/testing/yaml.hpp>
#include <berth/time.hpp>
#include <berth/view/pod_fields.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <type_traits>

namespace berth::testing {

/// The value at a JSON pointer; absent where there is none.
inline Value at_pointer(Value value, std::string_view pointer) {
    while (!pointer.empty() && value) {
        auto part = pointer.substr(1, pointer.find('/', 1) - 1);
        pointer.remove_prefix(part.size() + 1);
        std::string key;
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (part[i] == '~' && i + 1 < part.size()) key += part[++i] == '1' ? '/' : '~';
            else key += part[i];
        }
        std::size_t place = 0;
        if (!value.is_array()) value = value[key];
        else if (auto [p, e] = std::from_chars(key.data(), key.data() + key.size(), place); e == std::errc{})
            value = value.at(place);
        else value = {};
    }
    return value;
}

/// "apps" of "apps/v1", "" of "v1".
inline std::string_view group_of(std::string_view api_version) {
    const auto slash = api_version.find('/');
    return api_version.substr(0, slash == std::string_view::npos ? 0 : slash);
}

/// An object: what a `const berth_object *` points to here.
struct StoredObject {
    Value tree;
    std::string api_version, kind, name_space, name, uid, resource_version;
    std::vector<berth_label> labels;

    explicit StoredObject(Value t) : tree(t) {
        auto meta = t["metadata"];
        api_version = t["apiVersion"].string();
        kind = t["kind"].string();
        name_space = meta["namespace"].string();
        name = meta["name"].string();
        if (kind.empty() || name.empty())
            throw std::runtime_error("an object of the cluster has no kind or no metadata.name");
        if (name_space.empty() && kind == "Pod") name_space = "default";
        uid = meta["uid"].string();
        if (uid.empty()) uid = "uid-" + name;
        resource_version = meta["resourceVersion"].string();
        auto all = meta["labels"];
        for (std::size_t i = 0; i < all.size(); ++i)
            labels.push_back({to_str(all.key(i)), to_str(all.member(i).string())});
        std::ranges::sort(labels, {}, [](const berth_label &l) { return view(l.key); });
    }
    std::string key() const { return name_space.empty() ? name : name_space + "/" + name; }
    std::string_view group() const { return group_of(api_version); }
    const berth_object *handle() const { return reinterpret_cast<const berth_object *>(this); }
    static const StoredObject &of(const berth_object *o) { return *reinterpret_cast<const StoredObject *>(o); }
};

/// Amounts by resource; cpu in milli-CPU.
using Amounts = std::map<std::string, std::int64_t, std::less<>>;

inline Amounts amounts(Value list) {
    Amounts out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto amount = Quantity::read(list.member(i));
        if (!amount) throw std::runtime_error(std::string(list.key(i)) + ": expected a quantity like 500m or 2Gi");
        out[std::string(list.key(i))] = list.key(i) == "cpu" ? amount->milli_value() : amount->value();
    }
    return out;
}
inline void add(Amounts &to, const Amounts &more) {
    for (const auto &[name, n] : more) to[name] += n;
}

/// What a pod asks for: containers and sidecars together, or more if an init container needs it, and the overhead.
/// `least`: a container that asks for no cpu or memory counts as if it asked for a little (upstream's "non-zero").
inline Amounts requests_of(Value spec, bool least, bool pod_level) {
    auto of = [&](Value container) {
        auto out = amounts(container["resources"]["limits"]);
        for (const auto &[name, n] : amounts(container["resources"]["requests"])) out[name] = n;
        if (least) out.try_emplace("cpu", 100), out.try_emplace("memory", std::int64_t{200} << 20);
        return out;
    };
    Amounts total, sidecars, peak;
    for (std::size_t i = 0; i < spec["containers"].size(); ++i) add(total, of(spec["containers"].at(i)));
    for (std::size_t i = 0; i < spec["initContainers"].size(); ++i) {
        auto container = spec["initContainers"].at(i);
        auto now = of(container);
        add(now, sidecars);
        for (const auto &[name, n] : now) peak[name] = std::max(peak[name], n);
        if (container["restartPolicy"].string() == "Always") sidecars = now;
    }
    add(total, sidecars);
    for (const auto &[name, n] : peak) total[name] = std::max(total[name], n);
    if (pod_level)
        for (const auto &[name, n] : amounts(spec["resources"]["requests"])) total[name] = n;
    add(total, amounts(spec["overhead"]));
    return total;
}

/// A pod as a plugin sees it.
struct StoredPod {
    StoredObject object;
    berth_pod pod{};

    explicit StoredPod(Value tree) : object(tree) {
        auto spec = tree["spec"];
        pod.struct_size = sizeof pod;
        pod.obj = object.handle();
        pod.uid = to_str(object.uid), pod.namespace_ = to_str(object.name_space), pod.name = to_str(object.name);
        berth::detail::each_pod_field([&](const auto &field) { read_listed(field); });
        pod.requests = keep(requests_of(spec, false, true)), pod.requests_nonzero = keep(requests_of(spec, true, true));
        pod.container_requests = keep(requests_of(spec, false, false));
        pod.container_requests_nonzero = keep(requests_of(spec, true, false));
        pod.current_requests = pod.requests;
        pod.labels = object.labels.data(), pod.labels_len = object.labels.size();
        read_tolerations(spec["tolerations"]);
        read_images(spec);
        pod.scheduler_name = to_str(spec["schedulerName"] ? spec["schedulerName"].string() : "default-scheduler");
        pod.node_name = to_str(spec["nodeName"].string());
        pod.attempts = 1;
        const auto affinity = spec["affinity"];
        const bool anti = affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"].size() > 0;
        if (tree["metadata"]["deletionTimestamp"]) pod.pod_flags |= BERTH_FLAG_POD_TERMINATING;
        if (affinity["podAffinity"] || affinity["podAntiAffinity"]) pod.pod_flags |= BERTH_FLAG_POD_HAS_AFFINITY;
        if (anti) pod.pod_flags |= BERTH_FLAG_POD_HAS_REQUIRED_ANTI_AFFINITY;
        if (spec["volumes"].size()) pod.pod_flags |= BERTH_FLAG_POD_HAS_VOLUMES;
    }
    StoredPod(const StoredPod &) = delete;
    StoredPod &operator=(const StoredPod &) = delete;

    bool finished() const {
        auto phase = object.tree["status"]["phase"].string();
        return phase == "Succeeded" || phase == "Failed";
    }

private:
    struct Resources {
        std::vector<std::string> names;
        std::vector<berth_scalar> scalars;
        berth_resources view{};
    };
    std::vector<std::unique_ptr<Resources>> resources_;
    std::vector<berth_toleration> tolerations_;
    std::vector<berth_pod_image> images_;
    std::vector<berth_port> ports_;

    /// A field that BERTH_POD_FIELDS gives a path, from there.
    template <berth::detail::Plain T>
    void read_listed(const berth::detail::PodField<T> &field) {
        if (field.path.empty()) return;
        std::string pointer = "/" + std::string(field.path);
        std::ranges::replace(pointer, '.', '/');
        const auto value = at_pointer(object.tree, pointer);
        if constexpr (std::is_same_v<T, berth_str>) pod.*field.at = to_str(value.string());
        else
            pod.*field.at =
                static_cast<T>((field.is_time() ? parse_time(value.string()) : value.integer()).value_or(0));
    }
    template <class Field>
    void read_listed(const Field &) {}  // StoredPod fills it
    const berth_resources *keep(const Amounts &amounts) {
        auto &kept = *resources_.emplace_back(std::make_unique<Resources>());
        kept.names.reserve(amounts.size());
        for (const auto &[name, n] : amounts) {
            if (name == "cpu") kept.view.cpu = n;
            else if (name == "memory") kept.view.memory = n;
            else if (name == "ephemeral-storage") kept.view.ephemeral = n;
            else kept.scalars.push_back({to_str(kept.names.emplace_back(name)), n});
        }
        kept.view.scalars = kept.scalars.data(), kept.view.scalars_len = kept.scalars.size();
        return &kept.view;
    }
    void read_tolerations(Value list) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto t = list.at(i);
            tolerations_.push_back({to_str(t["key"].string()), to_str(t["operator"].string()),
                                    to_str(t["value"].string()), to_str(t["effect"].string())});
        }
        pod.tolerations = tolerations_.data(), pod.tolerations_len = tolerations_.size();
    }
    void read_images(Value spec) {
        for (auto [list, use] :
             {std::pair{"initContainers", BERTH_IMAGE_INIT_CONTAINER}, std::pair{"containers", BERTH_IMAGE_CONTAINER}})
            for (std::size_t i = 0; i < spec[list].size(); ++i) {
                auto container = spec[list].at(i);
                images_.push_back({to_str(container["image"].string()), use, 0});
                if (use == BERTH_IMAGE_CONTAINER || container["restartPolicy"].string() == "Always")
                    read_ports(container["ports"]);
            }
        pod.images = images_.data(), pod.images_len = images_.size();
        pod.host_ports = ports_.data(), pod.host_ports_len = ports_.size();
    }
    void read_ports(Value list) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto port = list.at(i)["hostPort"].integer().value_or(0);
            auto protocol = list.at(i)["protocol"].string(), ip = list.at(i)["hostIP"].string();
            if (port > 0)
                ports_.push_back({to_str(protocol.empty() ? "TCP" : protocol), to_str(ip.empty() ? "0.0.0.0" : ip),
                                  static_cast<std::int32_t>(port), 0});
        }
    }
};

}  // namespace berth::testing
