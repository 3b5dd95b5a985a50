// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The simulated ResourceClaim controller and garbage collector of kube-controller-manager. They act at once, in no
/// time. (kubernetes v1.36.3, pkg/controller/resourceclaim.)
///
/// - A pod that names a ResourceClaimTemplate gets a claim, and the claim's name in its status. It waits for a template
///   that is not there.
/// - A pod that has ended, is gone, or was deleted before it had a node uses no claim any more. A claim that loses its
///   last user, or is deleted and has none, loses its devices.
/// - A claim that was made for a pod that has ended goes as well, once no pod uses it. One whose only owner is a pod
///   that is gone is deleted at once: its finalizer keeps it until no pod uses it.
///
/// Otherwise than upstream, a claim that loses its last user loses its devices without that finalizer, too: files
/// written by hand lack it, and what a scheduler allocates has it.
///
/// Not simulated: reserving claims for pods that have a node without the scheduler; what the garbage collector does
/// about claims of several owners, or of others than pods.

#include "sim/store.h"

#include <set>

namespace berth::sim {

class ClaimController {
    Store &store_;
    /// The claims that each pod uses or owns; both as "namespace/name".
    std::map<std::string, std::set<std::string>> claims_of_;
    /// The pods that name each template in their spec, and each claim in their status, likewise.
    std::map<std::string, std::set<std::string>> pods_of_template_, pods_of_claim_;
    /// The uids of the input's finished pods, which the store lacks, by "namespace/name".
    std::map<std::string, std::string> finished_;
    /// The uids of pods that use or own claims of the input, and that the input lacks.
    std::set<std::string, std::less<>> strangers_;

public:
    /// The store outlives it.
    explicit ClaimController(Store &store) : store_(store) {}

    /// Adds ResourceClaimTemplates to the kinds that are read and served, if ResourceClaims are among them.
    static void add_templates(std::vector<model::Kind> &kinds);

    /// Looks at the input's pods and claims, and from then on at each change. A pod that the input lacks may be one
    /// that its maker left out: its claims stay. Nothing where no plugin watches claims.
    void start(const Input &input);

private:
    void changed(const model::Kind &kind, const model::TreePtr &before, const model::TreePtr &after);
    void file_claim(model::Value before, model::Value after);
    void file_pod(model::Value before, model::Value after);
    /// What has become of a pod that a claim names.
    enum class Fate { MayRun, Ended, Gone };
    Fate fate(const std::string &pod_key, std::string_view uid) const;
    void sync_claims_of(const std::string &pod_key);
    void sync_claim(const std::string &key);
    /// Makes the claims that the pod lacks, unless a template is missing.
    void make_claims(const std::string &pod_key);
    /// The claims that were made for a pod, by the entries of its spec.resourceClaims.
    std::map<std::string, std::string> made_for(const model::Pod &pod) const;
    /// The name of a new claim; "" if it cannot be made.
    std::string make_claim(const model::Pod &pod, std::string_view entry, model::Value claim_template);
};

}  // namespace berth::sim
