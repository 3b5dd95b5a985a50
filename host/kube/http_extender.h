// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The client of one HTTP extender: filter, prioritize, preempt and bind (upstream: HTTPExtender).

#include "config/extender.h"
#include "env/clock.h"
#include "env/extender.h"

#include <memory>
#include <vector>

namespace berth::kube {

/// Whether an HTTPS server at its address is believed whatever certificate it shows, as its configuration says.
bool is_unverified(const config::Extender &extender);

/// What the configuration says of one.
env::ExtenderTraits traits_of(const config::Extender &extender);

/// `clock` outlives it; its loop is where answers arrive. Each has connections and a thread of its own. Destroying one
/// ends what is under way without an answer. The error says what is wrong with the address, certificates or keys.
model::Result<std::unique_ptr<env::Extender>> make_http_extender(const config::Extender &extender, env::Clock &clock);

/// The order of the calls: extenders that can be ignored come last.
std::vector<config::Extender> in_order(const std::vector<config::Extender> &extenders);

using Extenders = std::vector<std::unique_ptr<env::Extender>>;
/// All of a configuration, in that order.
model::Result<Extenders> make_http_extenders(const std::vector<config::Extender> &extenders, env::Clock &clock);

}  // namespace berth::kube
