// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The functions of the strict checks at each extension point. `self` is a Strict.

#include "plugin/strict.h"

namespace berth::plugin {

void checked_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int32_t *code,
                    std::uint32_t *reasons);
void checked_score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                   const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int64_t *out,
                   berth_status *status);

void checked_add_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                     const berth_pod *other, const berth_nodes *nodes, std::uint32_t slot, berth_status *status);
void checked_remove_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                        const berth_pod *other, const berth_nodes *nodes, std::uint32_t slot, berth_status *status);
void checked_post_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                         const berth_nodes *nodes, const berth_outcome *outcome, berth_nomination *nomination,
                         berth_status *status, const berth_done *done);

void checked_prepare(void *self, const berth_object *object, void **out, berth_status *status);
void checked_drop(void *self, void *data);

// After the choice of a node.
void checked_reserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                     const berth_nodes *nodes, std::uint32_t slot, berth_str node_name, berth_status *status);
void checked_unreserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       berth_str node_name);
void checked_permit(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, std::uint32_t slot, berth_str node_name, std::int64_t *timeout_ns,
                    berth_status *status);
void checked_placement_feasible(void *self, const berth_call *call, const berth_pod_group *group,
                                std::uint64_t remaining, std::uint64_t scheduled, berth_status *status);
void checked_preflight(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       berth_str node_name, std::uint32_t *parallel, berth_status *status);
void checked_pre_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                      berth_status *status, const berth_done *done);
void checked_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                  berth_status *status, const berth_done *done);
void checked_post_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       berth_str node_name);

}  // namespace berth::plugin
