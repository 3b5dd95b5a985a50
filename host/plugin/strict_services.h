// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Helpers of the strict checks of services.

#include "plugin/host_context.h"
#include "plugin/strict.h"

#include <berth/draft/extenders.h>
#include <berth/draft/pods_in_pre_bind.h>
#include <berth/draft/trial_state.h>

namespace berth::plugin {

inline Strict &strict_of(const berth_host *host) { return *HostContext::of(host)->strict; }

/// The host's own table.
template <class T>
const T &own(const berth_host *host, std::string_view id) {
    return *static_cast<const T *>(service(*HostContext::of(host), id));
}

/// Thread tags loop and bind, for a service: names a call on another thread, and one from a call that may itself run on
/// several. Whether it is the loop's thread.
bool check_loop(Strict &strict, const char *what);

/// Whether the plugin may look at the object: it belongs to a current call or is retained.
bool check_object(const berth_host *host, const berth_object *object, const char *what);

/// Stands for a callback of the plugin that takes a code; `expected` is from ExpectedCallbacks::expect.
void pass_on(void *expected, std::int32_t code);
/// The same of a callback that takes the API server's answer.
void pass_on_answer(void *expected, const berth_answer *answer);

// Of berth.host.waiting_pods/1.
std::int32_t checked_pods_preempt(const berth_host *host, berth_str uid, berth_str reason);
void checked_pods_visit(const berth_host *host, std::int32_t (*visit)(void *, const berth_pod *, berth_str), void *ctx);

// Of services without a file of their own.
extern const berth_host_object checked_object;
extern const berth_host_state checked_state;
extern const berth_host_columns checked_columns;
extern const berth_host_random checked_random;
extern const berth_host_clock checked_clock;
extern const berth_host_client checked_client;
extern const berth_host_waiting_pods checked_waiting_pods;

// Of <berth/service/preemption.h>.
extern const berth_host_runner checked_runner;
extern const berth_host_nominator checked_nominator;
extern const berth_host_activator checked_activator;
extern const berth_host_pods_in_pre_bind checked_pods_in_pre_bind;
extern const berth_host_extenders checked_extenders;
extern const berth_host_trial_state checked_dry_run_state;

}  // namespace berth::plugin
