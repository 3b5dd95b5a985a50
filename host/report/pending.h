// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pending pods as text, in groups of one cause, with what would make them fit.

#include "model/decision.h"
#include "model/value.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::report {

/// A pod that has no node, with its last decision's words.
struct PendingPod {
    model::PodRef pod;
    model::AttemptResult result = model::AttemptResult::Unschedulable;
    std::string message;
};

/// The changes each of which would make the pod fit, the smallest first; none if there are none of those.
using Advise = std::function<std::vector<std::string>(const model::PodRef &)>;

/// Pods whose messages differ in nothing but counts and quoted names are one group, unless `all`; the largest group is
/// first. `advise`, if there is one, is called for the first pod of each group that is shown, of at most
/// `most_advised`.
inline constexpr std::size_t most_advised = 20;
std::string pending_text(const std::vector<PendingPod> &pods, bool all, const Advise &advise = {});

/// The pods of an answer of `kind: WaitingPods`, those of one namespace unless it is empty. Of one about which nothing
/// was decided lately the message says in which queue it is, or who rejected it.
std::vector<PendingPod> pending_of(model::Value answer, std::string_view name_space);
/// Whether no pod waits, as far as the answer says: it may have left some out.
bool nothing_waits(model::Value answer, std::string_view name_space);
/// `kind: WaitingPods` for people: how many pods wait in which queue, then those groups.
std::string waiting_text(model::Value answer, std::string_view name_space, bool all, const Advise &advise);

}  // namespace berth::report
