// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin VolumeZone: the zone and region labels of volumes.

#include "storage_objects.h"

#include <algorithm>
#include <array>
#include <set>

namespace kubernetes {

/// Filter: the zone and region labels of the pod's volumes agree with those of the node.
class VolumeZone {
    /// The old names stand before the new ones: entry i + 2 is the new name of entry i.
    static constexpr std::array<std::string_view, 4> keys{
        "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
        "topology.kubernetes.io/zone", "topology.kubernetes.io/region"};

    struct Topology {
        std::string volume;
        std::size_t key;  ///< index into keys
        std::set<std::string, std::less<>> values;
        bool operator==(const Topology &) const = default;
    };
    struct Topologies {
        std::vector<Topology> all;
        berth::Verdict refused;
    };

    const berth::Host &host_;
    berth::Kind claims_, volumes_, classes_;
    std::array<std::uint32_t, 4> columns_{};
    berth::StateKey<Topologies> state_;

    /// "a__b" as a set; nothing if a part is empty.
    static std::optional<std::set<std::string, std::less<>>> zones_of(std::string_view label) {
        std::set<std::string, std::less<>> zones;
        for (;;) {
            auto end = label.find("__");
            auto zone = label.substr(0, end);
            while (!zone.empty() && zone.front() == ' ') zone.remove_prefix(1);
            while (!zone.empty() && zone.back() == ' ') zone.remove_suffix(1);
            if (zone.empty()) return std::nullopt;
            zones.emplace(zone);
            if (end == std::string_view::npos) return zones;
            label.remove_prefix(end + 2);
        }
    }

    static void add_topologies(const berth::Object &volume, std::vector<Topology> &into) {
        auto labels = volume.at("/metadata/labels");
        std::size_t k = 0;
        for (auto key : keys) {
            if (auto label = labels[key]; label.is_string())
                if (auto zones = zones_of(label.string()))
                    into.push_back({std::string(volume.name()), k, std::move(*zones)});
            ++k;
        }
    }

    /// Of one claim without a volume: why it is refused, or success if it waits for a consumer.
    berth::Verdict judge_unbound(const berth::Object &claim) const {
        std::string name(storage_class_of(claim));
        if (name.empty()) return berth::unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
        auto storage_class = host_.get(classes_, "", name);
        if (!storage_class) return berth::unresolvable(not_found("storageclass.storage.k8s.io", name));
        if (waits_for_pods(storage_class)) return berth::ok;
        return berth::unresolvable("PersistentVolume had no name");
    }

    Topologies topologies_of(berth::Pod pod) const {
        Topologies found;
        auto volumes = pod.at("/spec/volumes");
        for (std::size_t i = 0; i < volumes.size() && found.refused.code() == BERTH_STATUS_SUCCESS; ++i) {
            auto named = volumes.at(i)["persistentVolumeClaim"];
            if (named.is_null()) continue;
            auto name = named["claimName"].string();
            if (name.empty()) {
                found.refused = berth::unresolvable("PersistentVolumeClaim had no name");
                continue;
            }
            auto claim = host_.get(claims_, pod.name_space(), name);
            if (!claim) {
                found.refused = berth::unresolvable(claim_not_found(name));
                continue;
            }
            auto volume_name = claim.at("/spec/volumeName").string();
            if (volume_name.empty()) {
                found.refused = judge_unbound(claim);
                continue;
            }
            auto volume = host_.get(volumes_, "", volume_name);
            if (volume) add_topologies(volume, found.all);
            else found.refused = berth::unresolvable(not_found("persistentvolume", volume_name));
        }
        return found;
    }

    static bool agrees(const Topology &t, const std::array<berth::Column, 4> &columns, std::uint32_t slot) {
        auto code = columns[t.key].code(slot);
        const auto *column = &columns[t.key];
        if (!code && t.key < 2) {
            column = &columns[t.key + 2];
            code = column->code(slot);
        }
        return code && t.values.contains(berth::view(column->dict<berth_str>()[*code]));
    }

public:
    static constexpr const char *description = "Requires that zone labels of volumes and nodes agree";
    static constexpr std::array watches{"v1/persistentvolumeclaims", "v1/persistentvolumes",
                                        "storage.k8s.io/v1/storageclasses"};

    explicit VolumeZone(const berth::Host &host)
        : host_(host),
          claims_(host.kind("", "v1", "persistentvolumeclaims")),
          volumes_(host.kind("", "v1", "persistentvolumes")),
          classes_(host.kind("storage.k8s.io", "v1", "storageclasses")),
          state_(host.state_key<Topologies>("PreFilterVolumeZone")) {
        for (std::size_t k = 0; k < keys.size(); ++k) columns_[k] = host.column(BERTH_COLUMN_NODE_LABEL, keys[k]);
    }

    void declare(berth::Declare d) const {
        d.watch("", "v1", "persistentvolumeclaims");
        d.watch("", "v1", "persistentvolumes");
        d.watch("storage.k8s.io", "v1", "storageclasses");
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        auto found = topologies_of(pod);
        if (found.refused.code() != BERTH_STATUS_SUCCESS) return found.refused;
        if (found.all.empty()) return berth::skip();
        state.put(state_, std::move(found));
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        Topologies own;
        const auto *wanted = state.get(state_);
        if (!wanted) {  // PreFilter is not enabled: Filter asks for itself
            own = topologies_of(pod);
            wanted = &own;
        }
        std::array<berth::Column, 4> columns;
        for (std::size_t k = 0; k < keys.size(); ++k) columns[k] = nodes.column(columns_[k]);
        for (std::size_t i : call.each(slots)) {
            bool zoned = std::any_of(columns.begin(), columns.end(), [&](const auto &c) { return c.has(slots[i]); });
            if (wanted->refused.code() != BERTH_STATUS_SUCCESS) out.set(i, wanted->refused);
            else if (!zoned || std::all_of(wanted->all.begin(), wanted->all.end(),
                                           [&](const auto &t) { return agrees(t, columns, slots[i]); }))
                out.accept(i);
            else
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE,
                           call.reason("node(s) had no available volume zone"));
        }
    }

    void events(berth::Events on) const {
        on.add_hinted("storage.k8s.io/StorageClass", BERTH_EVENT_ADD);
        on.add("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_LABEL);
        on.add_hinted("PersistentVolumeClaim", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        on.add_hinted("PersistentVolume", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto before = event.old_object(), after = event.new_object();
        if (!after) return berth::Hint::Skip;
        bool helps = false;
        if (event.resource() == "PersistentVolumeClaim") {
            helps = uses_claim(pod, after, false);
        } else if (event.resource() == "PersistentVolume") {
            std::vector<Topology> old, now;
            if (before) add_topologies(before, old);
            add_topologies(after, now);
            helps = !before || old != now;
        } else {
            helps = waits_for_pods(after);
        }
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes
