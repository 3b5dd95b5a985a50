// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The collections of the API server to list and watch: nodes, pods, objects of another kind.

#include "env/api.h"

#include <functional>
#include <memory>
#include <string>

namespace berth::kube {

using ObjectPtr = std::shared_ptr<const model::Object>;

/// Which objects to watch, and the observer of their changes.
struct Collection {
    std::string resource;        ///< "pods", for the log
    std::string path;            ///< "/api/v1/pods"
    std::string field_selector;  ///< as a person writes it; empty: all
    std::string label_selector;  ///< the same of labels
    std::string api_version, kind;
    /// The object in the form that is kept; nullptr and the faults if it cannot be read. Any thread.
    std::function<ObjectPtr(const model::TreePtr &, std::string &faults)> read;
    std::function<void(ObjectPtr)> added, deleted;      ///< loop; a deleted one as it was last
    std::function<void(ObjectPtr, ObjectPtr)> updated;  ///< loop; before, after
    /// Called on the loop, with the reason, when the first list got 403 or 404 for five seconds; the reflector then
    /// stops. Null: it retries.
    std::function<void(int status, std::string why)> refused;
};

Collection nodes_for(env::Observer &observer);
/// Pods that have not finished: one that finishes leaves the collection.
Collection pods_for(env::Observer &observer, model::Accounting accounting = model::Accounting::PerContainer);
/// Objects of any other kind.
Collection objects_for(env::Observer &observer, const model::Kind &kind);

}  // namespace berth::kube
