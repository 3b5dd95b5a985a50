// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The creation of one plugin instance for one profile, and its end.

#include "plugin/arguments.h"
#include "plugin/host_context.h"
#include "plugin/library.h"
#include "plugin/profile.h"

namespace berth::plugin {

/// What an instance is made for. Everything outlives the call.
struct InstanceRequest : PluginUse {
    const Services &services;
    std::shared_ptr<StateKeys> keys;
};

/// Whether it is the text of a kind whose objects are in the snapshot, and which no plugin watches.
inline bool in_snapshot(std::string_view kind) { return kind == "v1/pods" || kind == "v1/nodes"; }

/// Defaults and validates the arguments, creates the instance, and asks what it declares and which events it waits for.
/// The error is a complete text, one line per fault.
model::Result<std::unique_ptr<Instance>> make_instance(const InstanceRequest &request);

/// Ends what its instances wait for: background work, timers, answers to requests. Calls the callback of each, which
/// may complete a pending call; so the caller of such calls must still exist. The instances begin nothing more.
void end_waits(const Profile &profile);
/// Asks the background work to stop; whether end_waits would not have to wait.
bool wind_down_tasks(const Profile &profile);

}  // namespace berth::plugin
