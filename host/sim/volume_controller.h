// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The simulated volume controller and provisioner: claims are bound, and volumes are made. They stand for
/// kube-controller-manager's persistent volume controller and an external provisioner, while pods are scheduled. At
/// once, in no time. (kubernetes v1.36.3, pkg/controller/volume/persistentvolume.)
///
/// - A claim takes the volume that is reserved for it, or the smallest that fits. If its class waits for the first
///   consumer, only the scheduler reserves one.
/// - Without a volume, one is made if the class has a provisioner other than kubernetes.io/no-provisioner: for a class
///   that waits, for the node that the scheduler chose, with that node's labels as the volume's node affinity as far as
///   the driver's topology keys (CSINode) name them.
/// - A claim without a class gets the default one. The volume of a claim that goes is released, or goes as well if that
///   is its policy.
///
/// Not simulated: resizing, attributes classes, volumes that cannot be made.

#include "sim/store.h"

#include <berth/selector.hpp>

#include <set>

namespace berth::sim {

class VolumeController {
    Store &store_;
    /// Names of volumes by the claim that they are for, as "namespace/name"; "": for any.
    std::map<std::string, std::set<std::string>> volumes_for_;

public:
    /// The store outlives it.
    explicit VolumeController(Store &store) : store_(store) {}

    /// Does what the input left undone, and from then on what each change asks for. Nothing where no plugin watches
    /// claims and volumes.
    void start();

private:
    void changed(const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after);
    void file(model::Value before, model::Value after);
    void sync_volume(const std::string &name);
    void sync_claim(const std::string &key);
    void sync_claims();
    void reclaim(const std::string &claim_key, model::Value claim);
    void bind(const model::Tree &volume, const model::Tree &claim);
    void provision(const model::Tree &claim, model::Value storage_class);
    model::TreePtr best_volume(model::Value claim, const LabelSelector &selector, bool waits) const;
    model::TreePtr default_class() const;
    void change(const model::Kind &kind, const model::Tree &object, const model::TreePtr &patch);
};

}  // namespace berth::sim
