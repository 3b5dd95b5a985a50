// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin VolumeBinding: a pod's PersistentVolumeClaims, and the volumes for them.

#include "storage_score.h"
#include "volume_pre_bind.h"

#include <array>
#include <optional>
#include <stdexcept>

namespace kubernetes {

/// The claims of a pod are bound, or can be where it goes: PreFilter and Filter judge, Reserve assumes, PreBind writes
/// and waits for the volume controller.
class VolumeBinding {
    /// Not copyable: all clones of the state mean the same.
    struct Held {
        std::unique_ptr<VolumesOfPod> volumes;
    };
    /// Lives where it is, whatever becomes of the plugin object that is moved about at create.
    struct Shared {
        VolumeBinder binder;
        VolumePreBind::Waiting waiting;
        explicit Shared(const berth::Host &host) : binder(host) {}
    };

    const berth::Host &host_;
    std::unique_ptr<Shared> shared_;
    berth::StateKey<Held> state_;
    std::int64_t timeout_ns_;
    std::optional<StorageScore> score_;  ///< behind a feature gate

    VolumeBinder &binder() const { return shared_->binder; }

    static bool scores(const berth::Kubernetes &kubernetes) {
        return kubernetes.gate("StorageCapacityScoring").value_or(false);
    }

    /// Why the pod must wait because of one of its claims, if it must.
    berth::Verdict check_claim(berth::Pod pod, const ClaimOfPod &named, const berth::Object &claim) const {
        if (!claim)
            return berth::unresolvable(named.ephemeral ? "waiting for ephemeral volume controller to create the "
                                                         "persistentvolumeclaim " +
                                                             berth::json_quote(named.name)
                                                       : claim_not_found(named.name));
        auto name = berth::json_quote(claim.name());
        if (claim.at("/status/phase").string() == "Lost")
            return berth::unresolvable("persistentvolumeclaim " + name + " bound to non-existent persistentvolume " +
                                       berth::json_quote(claim.at("/spec/volumeName").string()));
        if (!claim.at("/metadata/deletionTimestamp").is_null())
            return berth::unresolvable("persistentvolumeclaim " + name + " is being deleted");
        if (named.ephemeral)
            if (auto why = not_made_for(claim, pod); !why.empty()) return berth::unresolvable(std::move(why));
        return berth::ok;
    }

    std::vector<berth::Object> claims_of(berth::Pod pod, berth::Verdict &refused) const {
        std::vector<berth::Object> found;
        auto volumes = pod.at("/spec/volumes");
        for (std::size_t i = 0; i < volumes.size() && refused.code() == BERTH_STATUS_SUCCESS; ++i)
            if (auto named = claim_behind(pod, volumes.at(i))) {
                found.push_back(host_.get(binder().claims, pod.name_space(), named->name));
                refused = check_claim(pod, *named, found.back());
            }
        return found;
    }

    VolumesOfPod *volumes_of(berth::State state) const {
        auto *held = state.get(state_);
        return held ? held->volumes.get() : nullptr;
    }

    std::uint32_t reasons_of(berth::Call call, const VolumesOnNode &found) const {
        std::array<berth_str, 4> texts{};
        std::size_t n = 0;
        if (!found.reachable) texts[n++] = BERTH_STR("node(s) didn't match PersistentVolume's node affinity");
        if (!found.matched) texts[n++] = BERTH_STR("node(s) didn't find available persistent volumes to bind");
        if (!found.enough) texts[n++] = BERTH_STR("node(s) did not have enough free storage");
        if (!found.exist)
            texts[n++] = BERTH_STR("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
        return call.reasons(std::span(texts).first(n));
    }

    static berth::Hint when(bool helps) { return helps ? berth::Hint::Queue : berth::Hint::Skip; }

    static bool uses_driver(berth::Pod pod, std::string_view driver) {
        auto volumes = pod.at("/spec/volumes");
        for (std::size_t i = 0; i < volumes.size(); ++i)
            if (auto csi = volumes.at(i)["csi"]; !csi.is_null() && csi["driver"].string() == driver) return true;
        return false;
    }

    static bool same_topologies(const berth::Object &a, const berth::Object &b) {
        auto x = a.at("/allowedTopologies"), y = b.at("/allowedTopologies");
        return (x.size() == 0 && y.size() == 0) || berth::json(x) == berth::json(y);
    }

    static bool limit_grew(const berth::Object &before, const berth::Object &after) {
        auto old = VolumeBinder::volume_limit(before), now = VolumeBinder::volume_limit(after);
        return now && (!old || now->value() > old->value());
    }

public:
    static constexpr const char *description = "Binds the pod's volumes, or has them made, where the pod goes";
    static constexpr std::array watches{
        "v1/persistentvolumeclaims",  "v1/persistentvolumes",         "storage.k8s.io/v1/storageclasses",
        "storage.k8s.io/v1/csinodes", "storage.k8s.io/v1/csidrivers", "storage.k8s.io/v1/csistoragecapacities",
    };
    static constexpr std::array writes{"update v1/persistentvolumeclaims", "update v1/persistentvolumes"};

    static void default_args(berth::ArgsReader &args) {
        auto timeout = args.field("bindTimeoutSeconds");
        if (!timeout.is_null() && !timeout.integer())
            args.error("bindTimeoutSeconds", "expected a whole number, got " + std::string(berth::kind_name(timeout)));
        if (timeout.integer().value_or(0) < 0)
            args.error("bindTimeoutSeconds", "Invalid value: " + std::to_string(*timeout.integer()) +
                                                 ": invalid BindTimeoutSeconds, should not be a negative value");
        args.set("bindTimeoutSeconds", std::to_string(timeout.integer().value_or(600)));
        auto shape = args.field("shape");
        if (!scores(args.kubernetes())) {
            if (!shape.is_null())
                args.error("shape", "Invalid value: " + berth::json(shape) +
                                        ": unexpected field `shape`, remove it or turn on the feature gate "
                                        "StorageCapacityScoring");
            return;
        }
        const bool given = !shape.is_null() && !(shape.is_array() && shape.size() == 0);
        if (given) Shape::check(shape, "shape", args);
        args.set("shape",
                 given ? berth::json(shape) : R"([{"utilization":0,"score":10},{"utilization":100,"score":0}])");
    }

    VolumeBinding(berth::Args args, const berth::Host &host)
        : host_(host),
          shared_(std::make_unique<Shared>(host)),
          state_(host.state_key<Held>("VolumeBinding")),
          timeout_ns_(args.integer<std::int64_t>("bindTimeoutSeconds", 600) * 1'000'000'000) {
        if (scores(host.kubernetes())) score_.emplace(args["shape"]);
        auto *shared = shared_.get();
        host.subscribe(binder().volumes, [shared](const berth::Object &before, const berth::Object &after) {
            const auto &object = after ? after : before;
            std::string name(object.name());
            shared->binder.table.changed(before, after);
            shared->binder.assumed_volumes.changed(
                name, after ? berth::view(after.meta().resource_version) : std::string_view{});
            VolumePreBind::wake(shared->waiting, "volume " + name);
            // A claim may have been waiting for a volume that is made for it.
            auto ref = object.at("/spec/claimRef");
            VolumePreBind::wake(shared->waiting, full_name(ref["namespace"].string(), ref["name"].string()));
        });
        host.subscribe(binder().claims, [shared](const berth::Object &before, const berth::Object &after) {
            const auto &object = after ? after : before;
            auto key = full_name(object.name_space(), object.name());
            shared->binder.assumed_claims.changed(
                key, after ? berth::view(after.meta().resource_version) : std::string_view{});
            VolumePreBind::wake(shared->waiting, key);
        });
    }

    void declare(berth::Declare d) const {
        for (const auto *resource : {"persistentvolumeclaims", "persistentvolumes"}) {
            d.watch("", "v1", resource);
            d.write(BERTH_VERB_UPDATE, "", "v1", resource);
        }
        for (const auto *resource : {"storageclasses", "csinodes", "csidrivers", "csistoragecapacities"})
            d.watch("storage.k8s.io", "v1", resource);
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        berth::Verdict refused;
        auto claims = claims_of(pod, refused);
        if (refused.code() != BERTH_STATUS_SUCCESS) return refused;
        if (claims.empty()) {
            state.put(state_, Held{std::make_unique<VolumesOfPod>()});
            return berth::skip();
        }
        auto volumes = std::make_unique<VolumesOfPod>();
        bool must_wait = false;
        for (const auto &claim : claims) {
            if (fully_bound(claim)) {
                volumes->bound.push_back(binder().table.find(claim.at("/spec/volumeName").string()));
            } else if (auto delayed = binder().read_unbound(claim)) {
                volumes->delayed.push_back(std::move(*delayed));
            } else {
                must_wait = true;
            }
        }
        if (must_wait) return berth::unresolvable("pod has unbound immediate PersistentVolumeClaims");
        state.put(state_, Held{std::move(volumes)});
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        auto *volumes = volumes_of(state);
        if (!volumes) throw std::runtime_error("not found");
        volumes->filtered = true;
        for (std::size_t i : call.each(slots)) {
            auto found = binder().find(*volumes, nodes[slots[i]].name(), labels_of(host_, nodes, slots[i]));
            if (!found.fault.empty()) out.set(i, berth::error(std::move(found.fault)));
            else if (found.fits()) out.accept(i);
            else out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, reasons_of(call, found));
        }
    }

    /// Every pod is scored, without volumes too, or none.
    berth::Verdict pre_score(berth::Call, berth::State state, berth::Pod, berth::Nodes, berth::Slots) const {
        if (!score_) return berth::skip();
        return volumes_of(state) ? berth::ok : berth::error("not found");
    }
    void score(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto *volumes = score_ ? volumes_of(state) : nullptr;
        if (score_ && !volumes) throw std::runtime_error("not found");
        const bool any = volumes && volumes->filtered && !volumes->delayed.empty();
        for (std::size_t i : call.each(slots)) {
            out[i] = 0;
            if (!any) continue;
            const auto labels = labels_of(host_, nodes, slots[i]);
            out[i] = score_->of(binder().find(*volumes, nodes[slots[i]].name(), labels), labels);
        }
    }

    /// A pod without claims gets the same score everywhere.
    bool sign(berth::Pod pod, berth::Nodes, berth::Signature) const {
        auto volumes = pod.at("/spec/volumes");
        for (std::size_t i = 0; i < volumes.size(); ++i)
            if (claim_behind(pod, volumes.at(i))) return false;
        return true;
    }

    berth::Verdict reserve(berth::Call, berth::State state, berth::Pod, berth::Node node) const {
        auto *volumes = volumes_of(state);
        if (!volumes) return berth::error("not found");
        volumes->all_bound = !volumes->filtered || volumes->delayed.empty();
        if (volumes->all_bound) return berth::ok;
        // What Filter found for the node: nothing has changed since.
        volumes->labels = KeptLabels(node.at("/metadata/labels"));
        binder().assume(binder().find(*volumes, node.name(), volumes->labels), node.name(), volumes->writes);
        return berth::ok;
    }

    void unreserve(berth::Call, berth::State state, berth::Pod, std::string_view) const {
        auto *volumes = volumes_of(state);
        if (!volumes) return;
        if (volumes->waits) {
            volumes->waits->abandon();
            volumes->writes = volumes->waits->writes();
        }
        for (const auto &w : volumes->writes)
            if (w.of_claim || !w.written) binder().restore(w);
        volumes->writes.clear();
    }

    berth::Preflight preflight(berth::Call, berth::State state, berth::Pod, std::string_view) const {
        const auto *volumes = volumes_of(state);
        if (!volumes) return {berth::error("not found"), true};
        return {volumes->all_bound ? berth::skip() : berth::ok, true};
    }

    berth::Verdict pre_bind(berth::Call call, berth::State state, berth::Pod, std::string_view node,
                            berth::Done done) const {
        auto *volumes = volumes_of(state);
        if (!volumes) return berth::error("not found");
        if (volumes->all_bound) return berth::ok;
        volumes->waits = std::make_shared<VolumePreBind>(binder(), shared_->waiting, volumes->writes, std::string(node),
                                                         std::move(volumes->labels), done);
        volumes->waits->start(call, timeout_ns_);
        return berth::in_progress();
    }

    void events(berth::Events on) const {
        on.add_hinted("storage.k8s.io/StorageClass", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        on.add_hinted("PersistentVolumeClaim", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        on.add("PersistentVolume", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        on.add("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_LABEL);
        on.add_hinted("storage.k8s.io/CSINode", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        on.add_hinted("storage.k8s.io/CSIDriver", BERTH_EVENT_UPDATE);
        on.add_hinted("storage.k8s.io/CSIStorageCapacity", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto before = event.old_object(), after = event.new_object();
        if (!after) return berth::Hint::Skip;
        auto resource = event.resource();
        if (resource == "PersistentVolumeClaim") return when(uses_claim(pod, after, true));
        if (resource == "storage.k8s.io/CSIDriver")
            return when(before && uses_driver(pod, after.name()) && before.at("/spec/storageCapacity").is_true() &&
                        !after.at("/spec/storageCapacity").is_true());
        if (!before) return berth::Hint::Queue;
        if (resource == "storage.k8s.io/StorageClass") return when(!same_topologies(before, after));
        if (resource == "storage.k8s.io/CSIStorageCapacity") return when(limit_grew(before, after));
        constexpr std::string_view migrated = "storage.alpha.kubernetes.io/migrated-plugins";
        return when(annotation(before, migrated).value_or("") != annotation(after, migrated).value_or(""));
    }
};

}  // namespace kubernetes
