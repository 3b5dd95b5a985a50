// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The state behind an instance's berth_host: its identity, rights and services.

#include "config/configuration.h"
#include "model/pod.h"
#include "plugin/call_environment.h"
#include "plugin/callbacks.h"
#include "plugin/kubernetes.h"
#include "plugin/prepared.h"
#include "plugin/selections.h"
#include "plugin/services.h"
#include "plugin/tasks.h"

#include <berth/berth.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::plugin {

/// Names of CycleState data, shared by all instances that are built together. Key 0 is never given out.
class StateKeys {
    std::mutex mutex_;
    std::map<std::string, std::uint32_t, std::less<>> keys_;

public:
    std::uint32_t intern(std::string_view name);
    bool knows(std::uint32_t key);
};

class InstanceMetrics;
class Strict;

/// Lives as long as its instance. Timers and requests have a weak pointer to it: their callbacks are called when the
/// instance ends, and later results are dropped.
struct HostContext : std::enable_shared_from_this<HostContext> {
    const std::string plugin;   ///< as in the configuration
    const std::string profile;  ///< the schedulerName
    Services services;
    const std::uint64_t random_key;  ///< of berth.host.random/1, for this seed and plugin
    Kubernetes kubernetes;
    std::shared_ptr<KubernetesUse> kubernetes_use = std::make_shared<KubernetesUse>();  ///< default_args included
    std::shared_ptr<StateKeys> keys;
    std::vector<std::string> watches;       ///< what `declare` said, as a note says it: "v1/services"
    std::vector<std::string> writes;        ///< "create v1/pods/binding"
    std::vector<std::string> reads;         ///< "get v1/configmaps"
    std::vector<model::Kind> kinds;         ///< the same as `watches`
    std::vector<model::Kind> whole_kinds;   ///< those of `kinds` that it watches as a whole
    Selections selections;                  ///< of the others, what it watches
    std::vector<model::Kind> read_kinds;    ///< those of `reads`
    std::set<std::string> requested_kinds;  ///< whose ids it asked for while it was made, as in `watches`

    std::unique_ptr<Strict> strict;  ///< the checking layer, if there is one
    std::shared_ptr<Tasks> tasks;    ///< threads hold it longer
    std::unique_ptr<InstanceMetrics> metrics;
    PreparedObjects prepared;
    Callbacks timers, responses, pending_reads, cancellations;
    std::vector<std::shared_ptr<void>> abandoned;  ///< what the plugin holds of calls that it did not end
    bool over = false;                             ///< end_waits() was called
    bool made = false;                             ///< the instance is; what it asks for from then on is not for ever
    std::size_t reads_sent = 0;                    ///< without an answer of the API, cancelled ones too; on the loop
    std::vector<std::shared_ptr<void>> columns;    ///< that it declared before

    explicit HostContext(std::string plugin_name = {}, std::string profile_name = {}, const Services &given = {});
    ~HostContext();
    static HostContext *of(const berth_host *host) { return static_cast<HostContext *>(host->ctx); }

    /// Ends tasks, timers, requests, reads and what waits for a cancellation, each with its callback. The instance
    /// begins no more. On the loop.
    void end_waits();
    /// From now on the instance sees objects of `kinds`.
    void declared();
    /// berth.host.columns/1: for as long as the instance lives if it is being made, else in passing.
    std::uint32_t column(std::uint32_t kind, std::string_view key);
    /// What the instance sees of a kind.
    struct Seen {
        std::uint32_t kind;                         ///< an id of services.objects
        const std::vector<detail::Selection> *any;  ///< nullptr: all

        bool has(const model::AnyObject &object) const { return !any || is_selected(*any, object); }
    };
    const Seen *seen(std::uint32_t kind) const;  ///< nullptr: nothing
    /// On the loop, and not within a task.
    bool on_loop() const;
    /// So, and not while the instance is made or ends.
    bool is_at_work() const { return on_loop() && made && !over; }
    /// Whether the instance may change anything in the world: not in a dry run, and a shadow's never.
    bool may_act() const;
    void retain(const berth_object *object);
    void release(const berth_object *object);
    bool retains(const berth_object *object);
    std::uint64_t retained();  ///< retains that were not released
    /// The code of `act`, which changes something in the world and says whether it found that.
    template <class Act>
    std::int32_t change(Act &&act) const {
        if (!may_act()) return BERTH_STATUS_UNSUPPORTED;
        return act() ? BERTH_STATUS_SUCCESS : BERTH_STATUS_NOT_FOUND;
    }
    /// Whether this host can read a struct that the plugin handed to a service, of at least that size: SUCCESS, or what
    /// the service returns, and the log says why.
    template <class T>
    std::int32_t can_read(std::string_view type, const T &handed, std::uint32_t least) const {
        return can_read(type, handed.struct_size, least, handed.flags);
    }
    /// Runs a callback of the plugin; what it throws breaks the ABI.
    void call_back(std::string_view what, const std::function<void()> &fn) const;
    /// The plugin did what it must not, as the sentence says: an error line of the log, and counted.
    void broke_abi(std::string_view sentence) const;

private:
    std::int32_t can_read(std::string_view type, std::uint32_t size, std::uint32_t least, std::uint32_t flags) const;

    struct Kept {
        std::shared_ptr<const model::Object> object;
        std::uint64_t times = 0;
    };
    std::vector<Seen> seen_kinds_;
    std::mutex mutex_;
    std::map<const berth_object *, Kept> kept_;
};

/// A host whose services are these; its `ctx` is for them alone.
berth_host host_of(const void *(*get_service)(const berth_host *host, berth_str id));
/// Fills in the host table that the instance behind `context` sees.
berth_host make_host(HostContext &context);

/// Of a BERTH_LOG_…; one that is none is Info.
env::Severity severity_of(std::uint32_t severity);
/// A verbosity as the log takes it.
int level_of(std::uint32_t verbosity);

/// The table of a service that `context` can offer, or NULL.
const void *service(const HostContext &context, std::string_view id);

/// Whether every host has it, so that no library needs to say that it requires it.
bool is_everywhere(std::string_view service_id);

/// "create v1/pods/binding", "patch apps/v1/deployments"; "" for an unknown verb.
std::string write_text(std::uint32_t verb, std::string_view group, std::string_view version, std::string_view resource);
std::string watch_text(std::string_view group, std::string_view version, std::string_view resource);

}  // namespace berth::plugin
