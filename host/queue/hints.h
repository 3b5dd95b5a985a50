// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Queueing hints: the plugins' event registrations, and what their hints do to pods (upstream: isPodWorthRequeuing).

#include "config/rules.h"
#include "env/log.h"
#include "plugin/call.h"
#include "queue/event.h"
#include "queue/queued_pod.h"

#include <span>

namespace berth::queue {

/// What becomes of a pod after an event.
enum class Strategy : std::uint8_t { Skip, AfterBackoff, Immediately };

/// How events show nodes to plugins; implemented by the owner of the snapshot. Loop only.
class NodeTables {
public:
    virtual ~NodeTables() = default;
    /// A table of one row for a node of the event: the old one (0) or the new one (1).
    virtual const berth_nodes *table(int which, const model::Node &node) = 0;
    /// The node's slot, or BERTH_NO_SLOT.
    virtual std::uint32_t slot(std::string_view node_name) = 0;
};

/// Plugins as bits: many pods are skipped at once when an event concerns none of the plugins that rejected them.
/// Different plugins may share a bit.
using PluginMask = std::uint64_t;
PluginMask mask_of(const plugin::Instance &instance);
PluginMask mask_of(const QueuedPod &pod);  ///< of its rejectors; all, if there are none

class Hints {
    struct Interest {
        const plugin::Profile *profile;
        const plugin::Instance *instance;
        std::string_view resource;  ///< the instance's
        std::uint64_t actions;
        bool has_hint;
        PluginMask mask;
        std::string_view long_name{};  ///< by which the plugin knows the resource; empty: the event's
    };
    std::vector<Interest> interests_;
    NodeTables &tables_;
    env::Log *log_;
    plugin::CallContext call_;
    std::vector<std::size_t> batch_;
    std::vector<const berth_pod *> views_;
    std::vector<std::uint8_t> hints_;

public:
    /// `profiles` and `tables` outlive it; `log` may be null.
    Hints(std::span<const plugin::Profile> profiles, NodeTables &tables, env::Log *log, const config::Rules &rules);
    /// Other profiles take the place of those.
    void use(std::span<const plugin::Profile> profiles, const config::Rules &rules);

    /// The plugins that registered for such an event; 0: none did. Wildcards concern every plugin.
    PluginMask concerned(const Event &event) const;
    /// Did this plugin?
    bool concerns(const plugin::Instance &instance, const Event &event) const;

    /// One event, many pods: what becomes of each. Only plugins that rejected a pod get the event for it.
    void ask(const Event &event, std::span<QueuedPod *const> pods, std::vector<Strategy> &out);

private:
    void ask_one(const Interest &interest, const berth_event &event, std::span<QueuedPod *const> pods,
                 std::vector<Strategy> &out);
};

}  // namespace berth::queue
