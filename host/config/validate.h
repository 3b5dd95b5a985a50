// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The validation of a configuration, with kube-scheduler's messages (upstream: validation.go).

#include "config/configuration.h"
#include "config/defaults.h"
#include "decode/fields.h"

#include <string>
#include <vector>

namespace berth::config {

/// Adds to `errors` what is wrong with a configuration read from `document`. A field about which `errors` already has
/// something to say is left alone: it holds a default that the user never wrote.
void validate(const Configuration &configuration, const VersionDefaults &defaults, const decode::Document &document,
              decode::FieldErrors &errors);

/// What is wrong with the settings of leader election: the field and the text about it.
struct ElectionFault {
    const char *field;
    std::string text;
};
/// `any_lock`: in the file's version locks other than leases were right.
std::vector<ElectionFault> election_faults(const LeaderElection &election, bool any_lock = false);

/// What is accepted although it has no effect, here or in upstream, each a complete message.
std::vector<std::string> idle_settings(const Configuration &configuration);

}  // namespace berth::config
