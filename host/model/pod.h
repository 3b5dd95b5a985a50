// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod, and the base class of pods and nodes: decoded once, when it arrives, into the ABI's value types. So neither
/// the snapshot nor a plugin call converts anything.

#include "model/accounting.h"
#include "model/held.h"
#include "model/result.h"
#include "model/value.h"

#include <berth/view/object.h>
#include <berth/view/pod.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace berth::model {

/// What pods and nodes share: the object as it came. A `const berth_object *` in the ABI is a `const Object *` here. It
/// knows its shared owner, so that a plugin with such a pointer can keep it alive.
struct Object : std::enable_shared_from_this<Object> {
    TreePtr tree;
    Held held;  ///< of all that is its own: not what its tree shares with others
    virtual ~Object() = default;
    /// As berth.host.object/1 hands it out; the views live as long as this.
    virtual berth_object_meta meta() const = 0;
};
/// metadata.resourceVersion, or "".
std::string_view resource_version(const Object &object);
inline const berth_object *handle(const Object *o) { return reinterpret_cast<const berth_object *>(o); }
inline const Object *object_of(const berth_object *o) { return reinterpret_cast<const Object *>(o); }

/// A pod. Immutable; shared by cache, queue and cycle. All views point into what it owns: its tree, its arena or, for
/// an assumed copy, the pod it was copied from.
struct Pod : Object {
    /// As a plugin sees it; attempts and queue times are zero here and filled in before it is passed to a plugin.
    berth_pod view{};
    /// `effective()` with the defaults of those that request nothing, as in `view.requests_nonzero`.
    const berth_resources *effective_nonzero = nullptr;
    Accounting accounting = Accounting::PerContainer;  ///< of both

    /// What the pod adds to its node's sums: pod-level, overhead and status resources included (spec 2.3).
    const berth_resources &effective() const { return *view.current_requests; }
    std::string_view uid() const { return model::view(view.uid); }
    std::string_view name_space() const { return model::view(view.namespace_); }
    std::string_view name() const { return model::view(view.name); }
    std::string_view scheduler_name() const { return model::view(view.scheduler_name); }
    std::string_view node_name() const { return model::view(view.node_name); }
    std::string_view nominated_node() const { return model::view(view.nominated_node); }
    std::string key() const;  ///< "namespace/name"
    bool terminating() const { return view.pod_flags & BERTH_FLAG_POD_TERMINATING; }
    /// spec.schedulingGroup.podGroupName, or "": the PodGroup of its namespace that it is a member of.
    std::string_view group() const { return group_name; }
    std::string_view phase() const { return status_phase; }
    bool finished() const { return status_phase == "Succeeded" || status_phase == "Failed"; }
    std::int64_t start_time_ns = 0;  ///< status.startTime; 0: none

    std::span<const berth_label> labels() const { return {view.labels, view.labels_len}; }
    berth_object_meta meta() const override;

    std::string_view status_phase, group_name;
    Arena arena;                          ///< holds what the views point to
    std::shared_ptr<const Pod> original;  ///< what an assumed copy was made of, so that it outlives the copy
};
using PodPtr = std::shared_ptr<const Pod>;

/// Reports one fault of an object: `at` is the value at fault (or absent), `path` its field path, `text` what is wrong.
using FaultSink = std::function<void(Value at, std::string path, std::string text)>;

/// A pod's spec without nodeName, as pods made from one template have it alike, read once for all of them. Its tree is
/// one of those that theirs share.
struct PodSpec : Tree {
    berth_pod view{};  ///< what the spec says, and the resources as far as no status says otherwise
    const berth_resources *effective_nonzero = nullptr;
    std::string_view group_name;  ///< as Pod's
    Arena more;                   ///< holds what `view` points to beside the tree
    Held held;
};
/// nullptr if it has a fault.
std::shared_ptr<const PodSpec> read_pod_spec(Value spec);

/// Decodes a v1 Pod. Absent fields are defaulted as the API server would: namespace, schedulerName, requests from
/// limits, host ports of a pod on the host's network. A pod without a uid gets one made of its name (model/field.h).
/// What admission would add (priority of a class, tolerations) is not added. Returns nullptr after reporting every
/// fault; unknown fields are none.
PodPtr read_pod(TreePtr tree, const FaultSink &fault);
/// The same of a tree that shares `spec`, which is not read again, or null: its spec is its own. What its status says
/// of resources counts as `accounting` says, else as of 1.36.
PodPtr read_pod_of(const PodSpec *spec, TreePtr tree, const FaultSink &fault,
                   Accounting accounting = Accounting::PerContainer);

/// The same pod, placed: spec.nodeName is `node` and BERTH_FLAG_POD_ASSUMED is set. The object tree is shared.
PodPtr assumed_copy(const PodPtr &pod, std::string_view node);

}  // namespace berth::model
