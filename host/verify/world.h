// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin instance in a random cluster, called by hand and not by a queue. Its calls can be repeated.

#include "cycle/pre_filters.h"
#include "cycle/search.h"
#include "plugin/current_call.h"
#include "verify/cluster.h"
#include "verify/requests.h"
#include "verify/stage.h"
#include "verify/test.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::verify {

/// A profile of an instance that is made now, at each point that it has. Throws what it is refused with.
plugin::Profile profile_of(const Subject &subject, const plugin::Services &services);

class World {
    cluster::Nominations nominations_;

    /// A minute passes, so that the first timers and answers come to an instance that is new.
    void get_going();

public:
    Random random;
    Stage stage;
    std::optional<RequestListener> listener;
    plugin::Profile profile;  ///< of the one instance, at each point that it has
    ClusterMaker maker;
    std::vector<model::PodPtr> placed, pending;
    std::vector<model::NodePtr> nodes;

    /// What the plugin looks for goes into `listens`, if it is given.
    World(Run &run, const Size &size, Requests *listens = nullptr);
    const plugin::Instance &instance() const { return *profile.instances.front(); }
    const berth_nodes &snapshot() { return stage.scheduler.cache().snapshot(); }
    const cluster::Nominations &nominations() const { return nominations_; }
    /// Another instance, made now, in a profile of its own.
    plugin::Profile another(const Subject &subject);
};

/// What Filter says of a node.
struct Verdict {
    std::int32_t code = BERTH_STATUS_NOT_EVALUATED;
    std::string reasons{};
    bool operator==(const Verdict &) const = default;
    std::string text() const;  ///< `Unschedulable "too full"`
};

/// One pod's attempt, step by step. Each call is reported to the thread's meter (plugin/meter.h).
class Attempt {
    World &world_;
    std::shared_ptr<void> keeps_arrays_;  ///< that the plugin has seen
    const plugin::Profile &profile_;
    model::PodPtr pod_;
    plugin::AboutPod about_;
    berth_pod view_;
    cycle::PreFilters pre_filters_;
    std::vector<std::uint32_t> slots_;
    bool goes_on_ = false;

public:
    plugin::CallContext call;
    plugin::State state;
    const berth_nodes &nodes;

    /// Its constructor calls PreFilter.
    Attempt(World &world, model::PodPtr pod, const plugin::Profile *profile = nullptr);
    cycle::Search search(plugin::State &with);
    model::Status pre_filter;
    bool filters() const;  ///< neither skipped nor rejected, and there is a Filter
    /// Those that PreFilter left, in the order of visiting; empty if it rejected the pod.
    const std::vector<std::uint32_t> &slots() const { return slots_; }
    const berth_pod &view() const { return view_; }
    const model::PodPtr &pod() const { return pod_; }
    /// Asks Filter. What was thrown is a verdict of its own.
    std::vector<Verdict> filter(plugin::State &with, std::span<const std::uint32_t> slots) {
        return filter(with, slots, call, call.call());
    }
    /// The same on any thread, with a call of its own: that of `context`, or a copy of it.
    std::vector<Verdict> filter(plugin::State &with, std::span<const std::uint32_t> slots, plugin::CallContext &context,
                                const berth_call *as) const;
    /// Asks Filter where it is asked; the slots that it lets through.
    std::vector<std::uint32_t> fitting(plugin::State &with);
    /// Asks PreScore; false if it left out Score.
    bool pre_score(plugin::State &with, std::span<const std::uint32_t> slots);
    /// Asks Score; the error is what it failed with.
    model::Result<std::vector<std::int64_t>> score(plugin::State &with, std::span<const std::uint32_t> slots) {
        return score(with, slots, call);
    }
    /// The same on any thread, with a call of its own.
    model::Result<std::vector<std::int64_t>> score(plugin::State &with, std::span<const std::uint32_t> slots,
                                                   plugin::CallContext &context) const;
    /// AddPod or RemovePod.
    model::Status change(plugin::State &with, bool added, const berth_pod &other, std::uint32_t slot);
    /// The node is the pod's, and is given back, as far as the plugin takes part.
    void reserve(std::uint32_t slot);
    void unreserve(std::uint32_t slot);
    /// Everything that it answers about the pod, a line for each thing.
    std::string results();

    std::string node(std::uint32_t slot) const { return std::string(model::view(nodes.name[slot])); }
    std::string where() const { return "pod \"" + pod_->key() + "\""; }
    std::string where(std::uint32_t slot) const { return where() + ", node \"" + node(slot) + "\""; }
};

/// Runs a test in a world, and then looks whether the plugin misbehaved meanwhile.
using WorldTest = Found (*)(World &, Run &);
Found in_world(Run &run, const Size &size, WorldTest test);

/// As texts: the first line in which two answers differ, or nothing.
Found same_results(const std::string &expected, const std::string &before, const std::string &after,
                   const std::string &where);

}  // namespace berth::verify
