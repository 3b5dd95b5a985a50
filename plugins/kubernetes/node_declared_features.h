// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin NodeDeclaredFeatures: node features that a pod needs.

#include "own_update.h"

#include <berth/plugin.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace kubernetes {

/// Filter: the node declares the features that the pod cannot run without.
class NodeDeclaredFeatures {
    /// A feature, and whether 1.36 knows it.
    struct Known {
        std::string_view name;
        bool in_1_36;
    };
    /// Sorted by name (component-helpers/nodedeclaredfeatures). A pod can require three of them; the others matter here
    /// because a node's list is read against all that the release knows.
    static constexpr std::array<Known, 9> known{{{"DRANodeAllocatableResources", false},
                                                 {"DRAOptionalNodeOperations", false},
                                                 {"ExtendWebSocketsToKubelet", true},
                                                 {"InPlacePodLevelResourcesVerticalScaling", true},
                                                 {"InPlacePodVerticalScalingInitContainers", true},
                                                 {"InPlacePodVerticalScalingMemoryBackedVolumes", false},
                                                 {"RestartAllContainersOnContainerExits", true},
                                                 {"UserNamespacesHostNetworkSupport", true},
                                                 {"VolumeBindMountOptions", false}}};
    static constexpr unsigned restart_all = 1u << 6, user_namespaces = 1u << 7, mount_options = 1u << 8;

    struct Wanted {
        unsigned features;
    };
    Rules rules_;
    std::uint32_t declared_;
    berth::StateKey<Wanted> state_;

    static bool restarts_all(berth::Value containers) {
        for (std::size_t i = 0; i < containers.size(); ++i) {
            auto rules = containers.at(i)["restartPolicyRules"];
            for (std::size_t k = 0; k < rules.size(); ++k)
                if (rules.at(k)["action"].string() == "RestartAllContainers") return true;
        }
        return false;
    }

    static bool mounts_with_options(berth::Value containers) {
        for (std::size_t i = 0; i < containers.size(); ++i) {
            auto mounts = containers.at(i)["volumeMounts"];
            for (std::size_t k = 0; k < mounts.size(); ++k)
                if (mounts.at(k)["bindMountOptions"].size() > 0) return true;
        }
        return false;
    }

    unsigned wanted_by(berth::Pod pod) const {
        auto spec = pod.at("/spec");
        unsigned all = restarts_all(spec["containers"]) || restarts_all(spec["initContainers"]) ? restart_all : 0;
        if (spec["hostNetwork"].is_true() && spec["hostUsers"].boolean() == false) all |= user_namespaces;
        if (rules_.mount_options_are_features)
            for (const auto *containers : {"containers", "initContainers", "ephemeralContainers"})
                if (mounts_with_options(spec[containers])) all |= mount_options;
        return all;
    }

    /// A node's list is taken to be sorted, as the API server has it; what is out of order may be missed, as upstream.
    unsigned declared_by(berth::Value list) const {
        unsigned all = 0;
        for (std::size_t i = 0, k = 0; i < list.size() && k < known.size();) {
            if (!known[k].in_1_36 && !rules_.mount_options_are_features) {
                ++k;
                continue;
            }
            auto name = list.at(i).string();
            if (name == known[k].name) all |= 1u << k;
            if (name <= known[k].name) ++i;
            if (name >= known[k].name) ++k;
        }
        return all;
    }

    static bool same(berth::Value a, berth::Value b) {
        if (a.size() != b.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a.at(i).string() != b.at(i).string()) return false;
        return true;
    }

public:
    static constexpr const char *description = "Requires that the node declares the features that the pod needs";

    explicit NodeDeclaredFeatures(const berth::Host &host)
        : rules_(host),
          declared_(host.column(BERTH_COLUMN_NODE_FIELD, "/status/declaredFeatures")),
          state_(host.state_key<Wanted>("PreFilterNodeDeclaredFeatures")) {}

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        auto features = wanted_by(pod);
        if (features == 0) return berth::skip();
        state.put(state_, Wanted{features});
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto *wanted = state.get(state_);
        if (!wanted)
            throw std::runtime_error("error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found");
        auto declared = nodes.column(declared_);
        for (std::size_t i : call.each(slots)) {
            if ((wanted->features & ~declared_by(declared.value(slots[i]))) == 0) out.accept(i);
            else
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE,
                           call.reason("node(s) didn't match Pod's required features"));
        }
    }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        signature.add(wanted_by(pod));
        return true;
    }

    void events(berth::Events on) const {
        on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_DECLARED_FEATURE);
        on.add_hinted("Pod", BERTH_EVENT_UPDATE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        bool helps = false;
        if (event.resource() == "Node") {
            auto before = event.old_node(), after = event.new_node();
            helps = after &&
                    (!before || !same(before->at("/status/declaredFeatures"), after->at("/status/declaredFeatures")));
        } else {
            auto before = event.old_pod(), after = own_update(event, pod, rules_);
            helps = before && after && wanted_by(*before) != wanted_by(*after);
        }
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes
