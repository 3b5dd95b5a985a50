// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interfaces of the services that other rooms provide to plugins, such as columns. The scheduler joins them.

#include "env/api.h"
#include "env/clock.h"
#include "env/log.h"
#include "env/workers.h"

#include <berth/draft/pending_pods.h>
#include <berth/draft/pod_groups.h>
#include <berth/service/cluster.h>
#include <berth/service/preemption.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin {

class CallEnvironment;
class PluginMetrics;

/// berth.host.columns/1; provided by the cluster's cache. On the loop.
class ColumnProvider {
public:
    virtual ~ColumnProvider() = default;
    struct ColumnLease {
        std::uint32_t id = 0;  ///< the same for the same kind and key as long as the column exists; 0: unknown kind
        std::shared_ptr<void> lease;  ///< the column exists as long as this; it may outlive the provider
    };
    /// The column is filled when this returns.
    virtual ColumnLease lease_column(std::uint32_t kind, std::string_view key) = 0;
    /// For the current attempt, or the current call. 0 also if that has requested too many.
    virtual std::uint32_t ask_column(std::uint32_t kind, std::string_view key) = 0;
};

/// berth.host.delta/1: what changed since an earlier snapshot; provided by the cluster's cache. On the loop.
class ChangeProvider {
public:
    virtual ~ChangeProvider() = default;
    /// A plugin's functions, with its `ctx`.
    struct Changes {
        const berth_plugin_changes &functions;
        void *ctx;
    };
    /// Passes the differences from the snapshot of id `since` to `changes`. False if that was too long ago, or if `now`
    /// is not the id of the current snapshot.
    virtual bool changes(std::uint64_t since, std::uint64_t now, const Changes &changes) = 0;
};

/// berth.host.waiting_pods/1: the pods that wait in Permit; provided by the bind room. On the loop.
class WaitingPods {
public:
    virtual ~WaitingPods() = default;
    virtual bool allow(std::string_view plugin, std::string_view uid) = 0;
    virtual bool reject(std::string_view plugin, std::string_view uid, std::string_view reason) = 0;
    virtual bool preempt(std::string_view plugin, std::string_view uid, std::string_view reason) = 0;
    using Visit = std::function<void(const berth_pod &pod, std::string_view node)>;
    virtual void visit(const Visit &visit) = 0;
};

// Preemption (<berth/service/preemption.h>): an interface here for each of the ABI's. On the loop.

/// berth.host.runner/1: would the pod fit a node with other pods on it? Provided by the cycle.
class DryRunner {
public:
    virtual ~DryRunner() = default;

    struct Answer {
        std::int32_t code = BERTH_STATUS_SUCCESS;
        std::span<const berth_str> texts;  ///< valid until the next answer
    };
    /// NULL outside of the PostFilter call that the arguments belong to, while another dry run is open, or without a
    /// node.
    virtual berth_trial *open_dry_run(const berth_call *call, const berth_state *state, const berth_pod *pod,
                                      const berth_nodes *nodes, std::uint32_t slot) = 0;
    // INVALID for a dry run that is not open.
    virtual Answer remove_pod(berth_trial *dry_run, std::uint32_t row) = 0;
    virtual Answer add_pod(berth_trial *dry_run, std::uint32_t row) = 0;
    virtual Answer filter(berth_trial *dry_run) = 0;
    /// berth.host.trial_state/draft1: its copy of the CycleState. NULL for a dry run that is not open, and while other
    /// plugins are asked within it.
    virtual berth_state *state(const berth_trial *dry_run) = 0;
    virtual void close_dry_run(berth_trial *dry_run) = 0;
};

/// berth.host.extenders/draft1: the extenders choose among the candidates of a preemption. Provided by the cycle.
class ExtenderPreemption {
public:
    virtual ~ExtenderPreemption() = default;

    struct Candidate {
        std::uint32_t slot = 0;
        std::vector<std::uint32_t> victims;  ///< rows
        std::int64_t violations = 0;
    };
    /// `code` is SUCCESS, ERROR, or CANCELLED when PostFilter has ended before.
    using Processed = std::function<void(std::int32_t code, const std::string &error, std::span<const Candidate> left)>;
    /// False for candidates that do not exist, and outside of the PostFilter call that `call` belongs to. If it is true
    /// `done` was called, or will be.
    virtual bool process_preemption(const berth_call *call, std::vector<Candidate> candidates, Processed done) = 0;
};

/// berth.host.nominator/1: pods with a nominated node. Provided by the cluster room.
class Nominator {
public:
    virtual ~Nominator() = default;
    virtual void visit(std::string_view node, const std::function<void(const berth_pod &)> &visit) const = 0;
    /// False: the pod had no nominated node.
    virtual bool remove(std::string_view uid) = 0;
};

/// berth.host.activator/1. Provided by the scheduler.
class Activator {
public:
    virtual ~Activator() = default;
    /// False: no profile schedules a pod of that UID.
    virtual bool activate(std::string_view uid) = 0;
};

/// berth.host.pods_in_pre_bind/draft1. Provided by the scheduler.
class PreBindPods {
public:
    virtual ~PreBindPods() = default;
    /// Ends the binding cycle of a victim. False: no pod of that UID is in PreBind.
    virtual bool cancel(std::string_view uid, std::string_view reason) = 0;
};

/// berth.host.pod_groups/draft1. Provided by the cluster room. On the loop.
class PodGroups {
public:
    virtual ~PodGroups() = default;
    /// False: there is neither such a PodGroup nor a pod that names it. The views live until the group changes.
    virtual bool describe(std::string_view name_space, std::string_view name, berth_pod_group &out) const = 0;
    /// The UIDs of its pods in those places, until it answers false.
    using Visit = std::function<bool(std::string_view uid)>;
    virtual void visit(std::string_view name_space, std::string_view name, std::uint32_t which,
                       const Visit &visit) const = 0;
};

/// berth.host.pending_pods/draft1: what waits in the queue. Provided by the scheduler. On the loop.
class PendingPods {
public:
    virtual ~PendingPods() = default;
    enum class Visited : std::uint8_t {
        Open,     ///< to the end, or until the visitor had enough
        Changed,  ///< the visitor changed the queue, and the visit ended there
        Closed    ///< there is no queue yet, it is just being changed, or PreEnqueue is called: nothing was visited
    };
    /// `places` are BERTH_PENDING_…; until `visit` answers false.
    using Visit = std::function<bool(const berth_pending_pod &)>;
    virtual Visited visit(std::uint32_t places, const Visit &visit) const = 0;
    /// nullopt where visit() is Closed.
    virtual std::optional<std::uint64_t> count(std::uint32_t places) const = 0;
    /// Another one after each change; nullopt where visit() is Closed.
    virtual std::optional<std::uint64_t> version() const = 0;
};

/// Objects of other kinds than pods and nodes, as the world last said; provided by the cluster room. They change on the
/// loop, between cycles; `get`, `visit` and `version` are for any thread of a cycle.
class Objects {
public:
    using Visit = std::function<bool(const model::AnyObject &)>;
    using Changed = std::function<void(const model::AnyObject *before, const model::AnyObject *after)>;
    virtual ~Objects() = default;
    /// The id of a kind, the same for the same kind; never 0.
    virtual std::uint32_t kind(const model::Kind &kind) = 0;
    /// nullptr if there is none, or no such kind.
    virtual const model::AnyObject *get(std::uint32_t kind, std::string_view name_space,
                                        std::string_view name) const = 0;
    /// By namespace and name, until it answers false. An empty namespace: all.
    virtual void visit(std::uint32_t kind, std::string_view name_space, const Visit &visit) const = 0;
    /// Grows with every change of the kind.
    virtual std::uint64_t version(std::uint32_t kind) const = 0;
    /// Calls `changed` for each change from now on, as long as `owner` lives. Where there are objects of the kind
    /// already, it first hears of these, as new, when the next profiles begin. False: there is no such kind.
    virtual bool subscribe(std::uint32_t kind, std::weak_ptr<const void> owner, Changed changed) = 0;
};

/// Kubernetes Events of plugins; implemented by the event writer. On the loop.
class EventRecorder {
public:
    virtual ~EventRecorder() = default;
    struct Event {
        bool warning = false;  ///< else normal
        std::string_view reason, action, note;
        std::string_view profile;  ///< of the plugin's instance
    };
    virtual void event(const model::Object &regarding, const Event &event) = 0;
};

/// Notified of each misbehaviour that failed a pod's attempt: the plugin threw, or its answer was invalid.
/// On the loop.
class Misbehaviour {
public:
    virtual ~Misbehaviour() = default;
    virtual void misbehaved(const std::string &plugin, std::string_view point, std::string_view what) = 0;
};

/// How closely plugins are watched (--plugin-checks).
enum class Checks : std::uint8_t {
    Off,    ///< what they answer is believed as far as the host survives it
    Basic,  ///< answers are checked
    Strict  ///< also how they behave, by a layer of its own
};

/// What a catalog needs to make instances. All outlive every instance.
struct Services {
    env::Clock *clock = nullptr;
    env::Api *api = nullptr;
    env::Log *log = nullptr;
    ColumnProvider *columns = nullptr;
    WaitingPods *waiting_pods = nullptr;
    Objects *objects = nullptr;
    EventRecorder *recorder = nullptr;
    std::uint64_t seed = 0;
    Checks checks = Checks::Basic;
    ChangeProvider *changes = nullptr;
    DryRunner *dry_runner = nullptr;
    ExtenderPreemption *extenders = nullptr;
    Nominator *nominator = nullptr;
    Activator *activator = nullptr;
    PreBindPods *pre_bind_pods = nullptr;
    PodGroups *pod_groups = nullptr;
    PendingPods *pending_pods = nullptr;
    env::Workers *workers = nullptr;
    Misbehaviour *misbehaviour = nullptr;
    CallEnvironment *calls = nullptr;
    PluginMetrics *metrics = nullptr;  ///< null: what plugins count goes nowhere
    /// The instances are a shadow's (host/scheduler/shadow.h): what they want to change in the world through the host
    /// is refused.
    bool shadow = false;
};

}  // namespace berth::plugin
