// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin NodeVolumeLimits: the limits of volumes per node and CSI driver.

#include "csi_migration.h"
#include "storage_objects.h"

#include <map>
#include <memory>
#include <stdexcept>

namespace kubernetes {

/// Filter: no more volumes of a CSI driver are attached to a node than its CSINode allows.
class NodeVolumeLimits {
    /// Volumes, each with its driver: "driver/handle" → driver.
    struct Volumes {
        std::map<std::string, std::string> drivers;
        berth::Verdict fault;

        void add(const std::string &driver, const std::string &handle) {
            if (!driver.empty() && !handle.empty()) drivers.emplace(driver + "/" + handle, driver);
        }
    };

    const berth::Host &host_;
    berth::Kind claims_, volumes_, classes_, csi_nodes_, attachments_;
    bool asks_for_drivers_;    ///< behind a feature gate
    berth::Kind csi_drivers_;  ///< if it does
    /// Node name → names of its VolumeAttachments. Changed on the loop, between cycles.
    std::unique_ptr<std::map<std::string, std::set<std::string>, std::less<>>> attached_;

    /// Of a claim without a volume: its class says the driver; the handle is one that no volume has.
    void add_unbound(const berth::Object &claim, bool on_csi_node, Volumes &into) const {
        auto name = storage_class_of(claim);
        if (name.empty()) return;
        auto storage_class = host_.get(classes_, "", name);
        if (!storage_class) return;
        auto provisioner = storage_class.at("/provisioner").string();
        if (const auto *kind = in_tree_provisioner(provisioner)) {
            if (!kind->counted || !on_csi_node) return;
            provisioner = kind->driver;
        }
        into.add(std::string(provisioner), "\x01unbound-" + full_name(claim.name_space(), claim.name()));
    }

    void add_claim(const berth::Object &claim, bool on_csi_node, Volumes &into) const {
        auto name = claim.at("/spec/volumeName").string();
        auto volume = name.empty() ? berth::Object{} : host_.get(volumes_, "", name);
        if (!volume) return add_unbound(claim, on_csi_node, into);
        auto spec = volume.at("/spec");
        if (auto csi = spec["csi"]; !csi.is_null())
            return into.add(std::string(csi["driver"].string()), std::string(csi["volumeHandle"].string()));
        const auto *kind = in_tree_volume(spec);
        if (!kind || !kind->counted || !on_csi_node) return;
        auto handle = volume_handle(*kind, spec, volume.at("/metadata/labels"));
        if (handle.fault.empty()) into.add(std::string(kind->driver), handle.handle);
    }

    static void add_inline(berth::Value volume, bool on_csi_node, Volumes &into) {
        const auto *kind = in_tree_volume(volume);
        if (!kind || !kind->counted || !on_csi_node) return;
        auto handle = volume_handle(*kind, volume, berth::Value{});
        if (handle.fault.empty()) {
            // Here upstream counts an empty handle too.
            into.drivers.emplace(std::string(kind->driver) + "/" + handle.handle, std::string(kind->driver));
        } else {
            into.fault = berth::error("converting volume(" + std::string(volume["name"].string()) +
                                      ") from inline to csi: " + handle.fault);
        }
    }

    /// Adds the volumes of a pod; `fresh` is the current pod, whose claims must exist.
    void add_volumes_of(berth::Pod pod, bool on_csi_node, bool fresh, Volumes &into) const {
        auto volumes = pod.at("/spec/volumes");
        for (std::size_t i = 0; i < volumes.size() && into.fault.code() == BERTH_STATUS_SUCCESS; ++i) {
            auto named = claim_behind(pod, volumes.at(i));
            if (!named) {
                add_inline(volumes.at(i), on_csi_node, into);
                continue;
            }
            if (named->name.empty()) {
                into.fault = berth::error("PersistentVolumeClaim had no name");
                continue;
            }
            auto claim = host_.get(claims_, pod.name_space(), named->name);
            if (!claim) {
                if (fresh)
                    into.fault = berth::unresolvable("looking up PVC " + full_name(pod.name_space(), named->name) +
                                                     ": " + claim_not_found(named->name));
                continue;
            }
            auto stranger = named->ephemeral ? not_made_for(claim, pod) : std::string();
            if (stranger.empty()) add_claim(claim, on_csi_node, into);
            else into.fault = berth::error(std::move(stranger));
        }
    }

    /// Counts the node's VolumeAttachments that no placed pod accounts for.
    void add_attachments(std::string_view node, Volumes &into) const {
        auto at = attached_->find(node);
        if (at == attached_->end()) return;
        for (const auto &name : at->second) {
            auto attachment = host_.get(attachments_, "", name);
            auto attacher = attachment.at("/spec/attacher").string();
            // There is no volume called "", which is what one gets of an attachment without a name.
            auto volume = host_.get(volumes_, "", attachment.at("/spec/source/persistentVolumeName").string());
            if (!volume || volume.at("/spec/csi").is_null()) continue;
            into.drivers.emplace(
                std::string(attacher) + "/" + std::string(volume.at("/spec/csi/volumeHandle").string()),
                std::string(attacher));
        }
    }

    static std::map<std::string, std::int64_t> limits_of(const berth::Object &csi_node) {
        std::map<std::string, std::int64_t> limits;
        if (!csi_node) return limits;
        auto drivers = csi_node.at("/spec/drivers");
        for (std::size_t i = 0; i < drivers.size(); ++i)
            if (auto count = drivers.at(i)["allocatable"]["count"].integer())
                limits[std::string(drivers.at(i)["name"].string())] = *count;
        return limits;
    }

    /// The first driver, by name, that must be on a node with such volumes and is not on this one; "" if there is none.
    std::string missing_driver(const Volumes &fresh, const berth::Object &csi_node) const {
        std::set<std::string_view> drivers;
        for (const auto &[volume, driver] : fresh.drivers) drivers.insert(driver);
        const auto here = csi_node ? csi_node.at("/spec/drivers") : berth::Value{};
        for (const auto driver : drivers) {
            // What is no CSIDriver may be no driver of CSI.
            if (!host_.get(csi_drivers_, "", driver).at("/spec/preventPodSchedulingIfMissing").is_true()) continue;
            bool found = false;
            for (std::size_t i = 0; i < here.size(); ++i) found = found || here.at(i)["name"].string() == driver;
            if (!found) return std::string(driver);
        }
        return {};
    }

    berth::Verdict judge(const Volumes &fresh, const berth::Object &csi_node, berth::Nodes nodes,
                         std::uint32_t slot) const {
        if (fresh.fault.code() != BERTH_STATUS_SUCCESS) return fresh.fault;
        if (fresh.drivers.empty()) return berth::ok;
        if (asks_for_drivers_)
            if (const auto driver = missing_driver(fresh, csi_node); !driver.empty())
                return berth::unschedulable(driver + " CSI driver is not installed on the node");
        auto limits = limits_of(csi_node);
        if (limits.empty()) return berth::ok;
        Volumes attached;
        auto placed = nodes.pods();
        for (auto row : placed.on(slot)) {
            if (!(placed.flags(row) & BERTH_FLAG_POD_HAS_VOLUMES)) continue;
            add_volumes_of(placed[row], static_cast<bool>(csi_node), false, attached);
            if (attached.fault.code() != BERTH_STATUS_SUCCESS) return attached.fault;
        }
        std::map<std::string_view, std::int64_t> more;
        for (const auto &[volume, driver] : fresh.drivers)
            if (!attached.drivers.contains(volume)) ++more[driver];
        add_attachments(nodes[slot].name(), attached);
        std::map<std::string_view, std::int64_t> now;
        for (const auto &[volume, driver] : attached.drivers) ++now[driver];
        for (const auto &[driver, n] : more) {
            auto limit = limits.find(std::string(driver));
            if (limit != limits.end() && now[driver] + n > limit->second)
                return berth::unschedulable("node(s) exceed max volume count");
        }
        return berth::ok;
    }

    static bool has_countable(berth::Pod pod) {
        auto volumes = pod.at("/spec/volumes");
        for (std::size_t i = 0; i < volumes.size(); ++i)
            if (claim_behind(pod, volumes.at(i)) || in_tree_volume(volumes.at(i))) return true;
        return false;
    }

    static bool limit_grew(const berth::Object &before, const berth::Object &after) {
        auto old = limits_of(before);
        auto now = limits_of(after);
        return std::any_of(now.begin(), now.end(), [&](const auto &driver) {
            auto at = old.find(driver.first);
            return driver.second > (at == old.end() ? 0 : at->second);
        });
    }

    /// May the end of an attachment let the pod in? A volume without a known driver is an error, as in Filter.
    static berth::Hint after_detached(berth::Pod pod, const berth::Object &attachment) {
        auto volumes = pod.at("/spec/volumes");
        for (std::size_t i = 0; i < volumes.size(); ++i) {
            if (!volumes.at(i)["persistentVolumeClaim"].is_null()) return berth::Hint::Queue;
            const auto *kind = in_tree_volume(volumes.at(i));
            if (!kind) continue;
            if (!volume_handle(*kind, volumes.at(i), berth::Value{}).fault.empty()) return berth::Hint::Error;
            if (attachment.at("/spec/attacher").string() == kind->driver) return berth::Hint::Queue;
        }
        return berth::Hint::Skip;
    }

public:
    static constexpr const char *description = "Keeps to the limits on volumes of a node's CSI drivers";
    static constexpr std::array watches{"v1/persistentvolumeclaims",           "v1/persistentvolumes",
                                        "storage.k8s.io/v1/storageclasses",    "storage.k8s.io/v1/csinodes",
                                        "storage.k8s.io/v1/volumeattachments", "storage.k8s.io/v1/csidrivers"};

    explicit NodeVolumeLimits(const berth::Host &host)
        : host_(host),
          claims_(host.kind("", "v1", "persistentvolumeclaims")),
          volumes_(host.kind("", "v1", "persistentvolumes")),
          classes_(host.kind("storage.k8s.io", "v1", "storageclasses")),
          csi_nodes_(host.kind("storage.k8s.io", "v1", "csinodes")),
          attachments_(host.kind("storage.k8s.io", "v1", "volumeattachments")),
          asks_for_drivers_(host.kubernetes().gate("VolumeLimitScaling").value_or(false)),
          csi_drivers_(asks_for_drivers_ ? host.kind("storage.k8s.io", "v1", "csidrivers") : berth::Kind{}),
          attached_(std::make_unique<std::map<std::string, std::set<std::string>, std::less<>>>()) {
        host.subscribe(
            attachments_, [index = attached_.get()](const berth::Object &before, const berth::Object &after) {
                if (before)
                    (*index)[std::string(before.at("/spec/nodeName").string())].erase(std::string(before.name()));
                if (after) (*index)[std::string(after.at("/spec/nodeName").string())].emplace(after.name());
            });
    }

    void declare(berth::Declare d) const {
        d.watch("", "v1", "persistentvolumeclaims");
        d.watch("", "v1", "persistentvolumes");
        d.watch("storage.k8s.io", "v1", "storageclasses");
        d.watch("storage.k8s.io", "v1", "csinodes");
        d.watch("storage.k8s.io", "v1", "volumeattachments");
        if (asks_for_drivers_) d.watch("storage.k8s.io", "v1", "csidrivers");
    }

    berth::Verdict pre_filter(berth::Pod pod) const { return has_countable(pod) ? berth::ok : berth::skip(); }

    void filter(berth::Call call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        Volumes without, with;  // a CSINode: in-tree volumes count only where there is one
        add_volumes_of(pod, false, true, without);
        add_volumes_of(pod, true, true, with);
        for (std::size_t i : call.each(slots)) {
            auto csi_node = host_.get(csi_nodes_, "", nodes[slots[i]].name());
            out.set(i, judge(csi_node ? with : without, csi_node, nodes, slots[i]));
        }
    }

    void events(berth::Events on) const {
        on.add("storage.k8s.io/CSINode", BERTH_EVENT_ADD);
        on.add_hinted("storage.k8s.io/CSINode", BERTH_EVENT_UPDATE);
        on.add_hinted("Pod", BERTH_EVENT_DELETE);
        on.add_hinted("PersistentVolumeClaim", BERTH_EVENT_ADD);
        on.add_hinted("storage.k8s.io/VolumeAttachment", BERTH_EVENT_DELETE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        bool helps = false;
        if (event.resource() == "storage.k8s.io/CSINode") {
            helps = event.new_object() && (!event.old_object() || limit_grew(event.old_object(), event.new_object()));
        } else if (event.resource() == "PersistentVolumeClaim") {
            helps = event.new_object() && uses_claim(pod, event.new_object(), true);
        } else if (event.resource() == "storage.k8s.io/VolumeAttachment") {
            if (event.old_object()) return after_detached(pod, event.old_object());
        } else if (auto gone = event.old_pod()) {
            helps = (!gone->node_name().empty() || !gone->nominated_node().empty()) && has_countable(*gone);
        }
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes
