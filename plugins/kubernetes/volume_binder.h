// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The binder of volumes to a pod's claims (upstream: volumebinding/binder.go).

#include "assumed_volumes.h"

#include <atomic>
#include <unordered_set>

namespace kubernetes {

class VolumePreBind;

/// What VolumeBinding knows about a pod's volumes, from PreFilter on.
struct VolumesOfPod {
    std::vector<VolumePtr> bound;  ///< of bound claims; null: it does not exist
    std::vector<DelayedClaim> delayed;
    std::atomic<bool> filtered = false;  ///< Filter ran: upstream binds nothing else
    bool all_bound = false;              ///< nothing is left to do; from Reserve on
    std::vector<VolumeWrite> writes;     ///< from Reserve on: volumes, then claims
    KeptLabels labels;                   ///< of the node, from Reserve on
    std::shared_ptr<VolumePreBind> waits;
};

/// What a node would mean for a pod's volumes.
struct VolumesOnNode {
    bool reachable = true, matched = true, enough = true, exist = true;
    std::vector<std::pair<VolumePtr, const DelayedClaim *>> bindings;
    std::vector<const DelayedClaim *> provisions;
    std::string fault;  ///< an error of upstream's; nothing else counts then

    bool fits() const { return reachable && matched && enough && exist; }
};

/// Finds and assumes volumes for pods (pkg/scheduler/framework/plugins/volumebinding/binder.go).
class VolumeBinder {
    const berth::Host &host_;

public:
    berth::Kind claims, volumes, classes, csi_nodes, drivers, capacities;
    VolumeTable table;                       ///< changed on the loop, between cycles
    Assumed<AssumedVolume> assumed_volumes;  ///< by name; likewise
    Assumed<AssumedClaim> assumed_claims;    ///< by "namespace/name"

    explicit VolumeBinder(const berth::Host &host)
        : host_(host),
          claims(host.kind("", "v1", "persistentvolumeclaims")),
          volumes(host.kind("", "v1", "persistentvolumes")),
          classes(host.kind("storage.k8s.io", "v1", "storageclasses")),
          csi_nodes(host.kind("storage.k8s.io", "v1", "csinodes")),
          drivers(host.kind("storage.k8s.io", "v1", "csidrivers")),
          capacities(host.kind("storage.k8s.io", "v1", "csistoragecapacities")) {}

    const berth::Host &host() const { return host_; }

    /// The claim that a volume is meant for, as assumed.
    std::optional<ClaimRef> claim_of(const Volume &v) const {
        const auto *assumed = assumed_volumes.get(v.name, v.version);
        return assumed ? assumed->claim : v.claim;
    }

    /// Reads a claim that is not bound yet. It waits for its pod, or not (nullopt): then the pod must wait for it.
    std::optional<DelayedClaim> read_unbound(const berth::Object &claim) const {
        DelayedClaim out;
        out.storage_class = storage_class_of(claim);
        if (out.storage_class.empty()) return std::nullopt;
        auto storage_class = host_.get(classes, "", out.storage_class);
        if (!storage_class) return std::nullopt;
        if (!waits_for_pods(storage_class) || !claim.at("/spec/volumeName").string().empty()) return std::nullopt;
        auto meta = claim.meta();
        out.name_space = berth::view(meta.namespace_);
        out.name = berth::view(meta.name);
        out.uid = berth::view(meta.uid);
        out.version = berth::view(meta.resource_version);
        auto requests = claim.at("/spec/resources/requests");
        out.request = storage_of(requests);
        if (const auto *assumed = assumed_claims.get(out.key(), out.version)) out.node = assumed->node;
        else if (auto chosen = annotation(claim, selected_node)) out.node = std::string(*chosen);
        if (!out.node) find_candidates(claim, out);
        read_provisioner(storage_class, !requests["storage"].is_null(), out);
        return out;
    }

    /// What a node would mean. Thread: par.
    VolumesOnNode find(const VolumesOfPod &pod, std::string_view node, Labels labels) const {
        VolumesOnNode found;
        check_bound(pod, host_.get(csi_nodes, "", node), labels, found);
        if (found.fault.empty() && !pod.delayed.empty()) match(pod, node, labels, found);
        return found;
    }

    /// Assumes what the pod's volumes will be, and says what to write.
    void assume(const VolumesOnNode &found, std::string_view node, std::vector<VolumeWrite> &writes) {
        for (const auto &[volume, claim] : found.bindings) {
            auto now = claim_of(*volume);
            auto object = host_.get(volumes, "", volume->name);
            VolumeWrite w{false, claim->name_space, claim->name, volume->name, volume->version, {}, true, false};
            if (const auto *assumed = assumed_volumes.get(volume->name, volume->version)) {
                w.body = assumed->body;  // by another pod with the same claim
            } else if (auto body = bound_to(object, host_.get(claims, claim->name_space, claim->name), *claim, now)) {
                w.body = std::move(*body);
                assumed_volumes.assume(volume->name, volume->version,
                                       {{claim->name_space, claim->name, claim->uid}, w.body});
            } else {
                w.body = berth::json(object.at(""));
                w.changes = false;
            }
            writes.push_back(std::move(w));
        }
        for (const auto *claim : found.provisions) {
            auto object = host_.get(claims, claim->name_space, claim->name);
            VolumeWrite w{true, claim->name_space, claim->name, {}, claim->version, {}, true, false};
            w.body = provisioned_on(object, node);
            w.changes = annotation(object, selected_node) != node;
            assumed_claims.assume(w.key(), w.version, {std::string(node), w.body});
            writes.push_back(std::move(w));
        }
    }

    /// Takes back what was assumed for `w`.
    void restore(const VolumeWrite &w) {
        if (w.of_claim) assumed_claims.restore(w.key(), w.version);
        else assumed_volumes.restore(w.key(), w.version);
    }

private:
    void find_candidates(const berth::Object &object, DelayedClaim &claim) const {
        std::optional<VolumeRules> rules;
        try {
            rules.emplace(claim, object.at("/spec"));
        } catch (const std::runtime_error &e) {
            claim.fault = "error creating internal label selector for claim: " + claim.key() + ": " + e.what();
            return;
        }
        table.each_of(claim.storage_class, [&](const VolumePtr &v) {
            auto ref = claim_of(*v);
            if (!rules->possible(*v, ref)) return;
            if (ref && !claim.prebound) claim.prebound = v;
            else if (!ref && rules->suitable(*v)) claim.fits.push_back(v);
        });
        std::stable_sort(claim.fits.begin(), claim.fits.end(),
                         [](const auto &a, const auto &b) { return a->capacity < b->capacity; });
    }

    void read_provisioner(const berth::Object &storage_class, bool has_size, DelayedClaim &claim) const {
        auto provisioner = storage_class.at("/provisioner").string();
        claim.provisionable = !provisioner.empty() && provisioner != "kubernetes.io/no-provisioner";
        claim.topologies = AllowedTopologies::read(storage_class.at("/allowedTopologies"));
        auto driver = has_size ? host_.get(drivers, "", provisioner) : berth::Object{};
        claim.capacity_matters = driver && driver.at("/spec/storageCapacity").is_true();
        if (!claim.capacity_matters) return;
        const auto size = claim.request.value();
        host_.each(capacities, "", [&](const berth::Object &pool) {
            if (pool.at("/storageClassName").string() != claim.storage_class) return;
            auto limit = volume_limit(pool);
            auto nodes = pool.at("/nodeTopology");
            if (!limit || limit->value() < size || nodes.is_null()) return;
            auto selector = LabelSelector::of_field(nodes);
            auto capacity = berth::Quantity::read(pool.at("/capacity"));
            if (selector) claim.pools.push_back({std::move(*selector), capacity ? capacity->value() : 0});
        });
    }

    static void check_bound(const VolumesOfPod &pod, const berth::Object &csi_node, Labels labels,
                            VolumesOnNode &found) {
        for (const auto &volume : pod.bound) {
            if (!volume) {
                found.exist = false;
                return;
            }
            auto reached = reach(*volume, csi_node, labels);
            found.fault = reached.fault;
            found.reachable = reached.reached;
            if (!found.reachable) return;
        }
    }

    static VolumePtr match_one(const DelayedClaim &claim, Labels labels,
                               const std::unordered_set<const Volume *> &taken) {
        auto free = [&](const VolumePtr &v) { return !taken.contains(v.get()); };
        if (claim.prebound && free(claim.prebound))
            return claim.prebound->affinity.matches(labels) ? claim.prebound : nullptr;
        for (const auto &v : claim.fits)
            if (free(v) && v->affinity.matches(labels)) return v;
        return nullptr;
    }

    static void match(const VolumesOfPod &pod, std::string_view node, Labels labels, VolumesOnNode &found) {
        std::vector<const DelayedClaim *> to_match, to_provision;
        for (const auto &claim : pod.delayed) {
            if (!claim.node) {
                to_match.push_back(&claim);
            } else if (*claim.node == node) {
                to_provision.push_back(&claim);
            } else {
                found.matched = false;
                return;
            }
        }
        std::stable_sort(to_match.begin(), to_match.end(),
                         [](const auto *a, const auto *b) { return a->request < b->request; });
        std::unordered_set<const Volume *> taken;
        for (const auto *claim : to_match) {
            if (found.fault = claim->fault; !found.fault.empty()) return;
            if (auto v = match_one(*claim, labels, taken)) {
                taken.insert(v.get());
                found.bindings.emplace_back(std::move(v), claim);
            } else {
                to_provision.push_back(claim);
            }
        }
        for (const auto *claim : to_provision) {
            found.matched = claim->provisionable && claim->topologies.match(labels);
            found.enough = !claim->capacity_matters || claim->pool_on(labels);
            if (!found.matched) found.enough = true;
            if (!found.matched || !found.enough) return;
        }
        found.provisions = std::move(to_provision);
    }

public:
    /// The largest volume that a CSIStorageCapacity has room for.
    static std::optional<berth::Quantity> volume_limit(const berth::Object &pool) {
        auto most = pool.at("/maximumVolumeSize");
        if (most.is_null()) most = pool.at("/capacity");
        return most.is_null() ? std::nullopt : berth::Quantity::read(most);
    }
};

}  // namespace kubernetes
