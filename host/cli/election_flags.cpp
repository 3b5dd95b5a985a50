// SPDX-License-Identifier: Apache-2.0
#include "cli/election_flags.h"

#include "cli/switch.h"
#include "config/validate.h"

#include <berth/time.hpp>

#include <CLI/CLI.hpp>

#include <array>

namespace berth::cli {
namespace {

using Election = config::LeaderElection;

struct Flag {
    const char *name, *field, *help;
    std::chrono::nanoseconds Election::*duration;  ///< or
    std::string Election::*text;
};

const std::array<Flag, 6> flags{{
    {"--leader-elect-lease-duration", "leaseDuration", "How long others wait for a renewal before they take the lease",
     &Election::lease_duration, nullptr},
    {"--leader-elect-renew-deadline", "renewDeadline", "How long the leader tries to renew before it gives up",
     &Election::renew_deadline, nullptr},
    {"--leader-elect-retry-period", "retryPeriod", "The time between tries", &Election::retry_period, nullptr},
    {"--leader-elect-resource-lock", "resourceLock", "Kind of the lock: leases", nullptr, &Election::resource_lock},
    {"--leader-elect-resource-name", "resourceName", "The name of the lease", nullptr, &Election::resource_name},
    {"--leader-elect-resource-namespace", "resourceNamespace", "The namespace of the lease", nullptr,
     &Election::resource_namespace},
}};

std::string duration_fault(const std::string &text) {
    return parse_duration(text) ? "" : "expected a duration such as 15s or 1m30s, got \"" + text + "\"";
}

}  // namespace

void ElectionFlags::add(CLI::App &app) {
    add_switch(app, "--leader-elect", elect_,
               "Schedule only while this instance holds the lease (default: leaderElection.leaderElect)");
    for (const auto &flag : flags) {
        auto *option = app.add_option_function<std::string>(
            flag.name, [this, &flag](const std::string &text) { texts_[flag.name] = text; }, flag.help);
        option->type_name(flag.duration ? "DURATION" : "TEXT");
        if (flag.duration) option->check(CLI::Validator(duration_fault, ""));
    }
}

model::Result<void> ElectionFlags::apply(Election &election) const {
    if (!elect_.empty()) election.leader_elect = is_on(elect_);
    for (const auto &flag : flags) {
        auto given = texts_.find(flag.name);
        if (given == texts_.end()) continue;
        if (flag.duration) election.*flag.duration = parse_duration(given->second).value_or(election.*flag.duration);
        else election.*flag.text = given->second;
    }
    std::string faults;
    for (const auto &fault : config::election_faults(election)) {
        faults += faults.empty() ? "" : "\n";
        faults += "leaderElection.";
        faults.append(fault.field).append(": ").append(fault.text);
        for (const auto &flag : flags)
            if (std::string_view(flag.field) == fault.field && texts_.contains(flag.name))
                faults.append(", after ").append(flag.name);
    }
    if (!faults.empty()) return model::Error{faults};
    return {};
}

}  // namespace berth::cli
