/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Background tasks, for work that takes too long for the loop.
 */
#ifndef BERTH_SERVICE_TASK_H
#define BERTH_SERVICE_TASK_H

#include <berth/host.h>

#define BERTH_HOST_TASK_V1 "berth.host.task/1"

typedef struct berth_host_task {
    uint32_t struct_size;
    uint32_t flags;
    /** Runs `run(ctx, cancel)` in the background and, when that has returned, `done(ctx, code)` on the loop, also while
     * a PostFilter or an extender is in progress. Both once; `done` whatever happens: it is where `ctx` is freed.
     * `code` is SUCCESS; CANCELLED if `run` was not called because the instance ended first; ERROR if `run` broke
     * convention 11 of berth.h by an exception that the host caught.
     * Read `cancel` with an atomic load: it becomes 1 when the instance is about to end. The end of the instance waits
     * for tasks that have begun. All remaining `done` functions are called before `berth_plugin.destroy`.
     * Owner: `ctx` is the plugin's. In a live cluster, tasks run in parallel and end in any order. In a simulation,
     * they run on the loop one after the other, in the order of submission, each to its end and without simulated time
     * passing, so that results do not depend on threads.
     * Returns SUCCESS; CANCELLED if the instance is about to end, INVALID without functions or during `create`: then
     * neither is called. Thread: loop or bind, or a task. */
    int32_t (*submit)(const berth_host *host, void (*run)(void *ctx, const uint32_t *cancel),
                      void (*done)(void *ctx, int32_t code),
                      void *ctx); /* [loop] [bind] [task]; run [task], done [loop] */
} berth_host_task;

#endif /* BERTH_SERVICE_TASK_H */
