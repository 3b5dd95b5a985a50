// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The default selector of PodTopologySpread: services and owners of a pod (upstream: DefaultSelector).

#include "label_selector.h"
#include "storage_objects.h"

#include <berth/remembered.hpp>

#include <array>
#include <map>

namespace kubernetes {

/// The selector of a pod that has none of its own to spread by: the selectors of all services that select it, and that
/// of the ReplicationController, ReplicaSet or StatefulSet which controls it (plugins/helper/spread.go). It selects
/// everything if there are none. Worked out once per set of labels and owner, until one of those objects changes.
class DefaultSelector {
    enum { Services, ReplicationControllers, ReplicaSets, StatefulSets };

    const berth::Host &host_;
    std::array<berth::Kind, 4> kinds_;
    std::array<std::uint64_t, 4> versions_{};
    berth::Remembered<LabelSelector> known_;

    struct Owner {
        std::string_view api_version, kind, name;
    };
    static Owner owner_of(berth::Pod pod) {
        const auto owner = controller_of(pod);
        return {owner["apiVersion"].string(), owner["kind"].string(), owner["name"].string()};
    }

    using Labels = std::map<std::string, std::string, std::less<>>;
    /// Later ones win; those of one pod agree.
    static void merge(Labels &into, berth::Value labels) {
        for (std::size_t i = 0; i < labels.size(); ++i) into[std::string(labels.key(i))] = labels.member(i).string();
    }
    static LabelSelector selector_of(const Labels &labels) {
        LabelSelector s = LabelSelector::everything();
        for (const auto &[key, value] : labels) s.add(key, value);
        return s;
    }

    static bool selects(berth::Value selector, berth::Pod pod) {
        for (std::size_t i = 0; i < selector.size(); ++i) {
            if (berth::find_label(pod.labels(), selector.key(i)) != selector.member(i).string()) return false;
        }
        return true;
    }

    LabelSelector work_out(berth::Pod pod, const Owner &owner) const {
        Labels labels;
        host_.each(kinds_[Services], pod.name_space(), [&](const berth::Object &service) {
            auto selector = service.at("/spec/selector");
            if (!selector.is_null() && selects(selector, pod)) merge(labels, selector);
        });
        auto find = [&](int kind) {
            return host_.get(kinds_[static_cast<std::size_t>(kind)], pod.name_space(), owner.name);
        };
        if (owner.api_version == "v1" && owner.kind == "ReplicationController")
            if (auto controller = find(ReplicationControllers)) merge(labels, controller.at("/spec/selector"));
        auto selector = selector_of(labels);
        if (owner.api_version != "apps/v1" || (owner.kind != "ReplicaSet" && owner.kind != "StatefulSet"))
            return selector;
        if (auto controller = find(owner.kind == "ReplicaSet" ? ReplicaSets : StatefulSets))
            if (const auto its = LabelSelector::of_field(controller.at("/spec/selector"))) selector.add(*its);
        return selector;
    }

public:
    explicit DefaultSelector(const berth::Host &host)
        : host_(host),
          kinds_{host.kind("", "v1", "services"), host.kind("", "v1", "replicationcontrollers"),
                 host.kind("apps", "v1", "replicasets"), host.kind("apps", "v1", "statefulsets")} {}

    static void declare(berth::Declare d) {
        d.watch("", "v1", "services");
        d.watch("", "v1", "replicationcontrollers");
        d.watch("apps", "v1", "replicasets");
        d.watch("apps", "v1", "statefulsets");
    }

    /// On the loop. Good until the next call.
    const LabelSelector &of(berth::Pod pod) {
        bool stale = false;
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            auto version = host_.version_of(kinds_[i]);
            stale = stale || version != versions_[i];
            versions_[i] = version;
        }
        if (stale) known_.clear();
        auto owner = owner_of(pod);
        std::string key(pod.name_space());
        for (auto part : {owner.api_version, owner.kind, owner.name}) key.append(1, '\1').append(part);
        for (const auto &l : pod.labels())
            key.append(1, '\1').append(berth::view(l.key)).append(1, '\2').append(berth::view(l.value));
        auto [known, fresh] = known_.of(std::move(key));
        if (fresh) known = work_out(pod, owner);
        return known;
    }
};

}  // namespace kubernetes
