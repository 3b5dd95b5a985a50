/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Everything a plugin written in C needs. The conventions that hold in all of these headers:
 *
 * 1. Names. A plugin implements tables `berth_plugin_x`, of id "berth.x/1", which berth_plugin.get_interface returns; a
 *    host offers tables `berth_host_x`, of id "berth.host.x/1", which berth_host.get_service returns. The prefix of a
 *    constant names its group: BERTH_STATUS_, BERTH_COLUMN_, BERTH_EVENT_, BERTH_FLAG_ (bits of a field `flags`),
 *    BERTH_VALUE_, BERTH_HINT_, BERTH_VERB_, BERTH_LOG_, BERTH_NORMALIZE_, BERTH_IMAGE_, BERTH_CHANGE_, BERTH_METRIC_,
 *    BERTH_READ_, BERTH_WATCH_, BERTH_PENDING_, BERTH_GROUP_, BERTH_RESOURCE_ (names for add_event).
 *    berth_plugin_changes and berth_plugin_state_type are tables that a plugin hands to a service; they have no id.
 * 2. Ids. The meaning of an id never changes, and a host goes on calling and offering every id, drafts excepted, that a
 *    host of the same major and a lower minor called or offered. A table that only grows at its end keeps its id. Any
 *    other new feature has a new id, such as "berth.x/2". Of a plugin's ids that differ in this number alone, a host
 *    uses the highest that it knows, and not the others; every draft is lower than every "/N". Ids that begin with
 *    "berth." are Berth's. All other ids begin with a domain of their author, as in "com.example.x/1".
 * 3. Growth. A struct that begins with `struct_size` may grow at its end, with a minor version. Its maker sets
 *    `struct_size` to the sizeof that it knows. Its reader asks BERTH_HAS, or BERTH_GET with a substitute, for each
 *    field that came after the minor, or the draft, that introduced the struct. If the caller makes a struct for the
 *    callee to fill in, the callee writes at most `struct_size` bytes, and lowers `struct_size` to what it has filled
 *    in. The maker sets only those bits of `flags` that its headers name. The reader ignores a set bit that it does not
 *    know, unless the bit belongs to BERTH_FLAG_MUST_UNDERSTAND: then a host refuses the library, and a service returns
 *    UNSUPPORTED. A host never sets bits of BERTH_FLAG_MUST_UNDERSTAND. A service returns INVALID for a struct that is
 *    shorter than in the minor, or the draft, that introduced it. What is called a "frozen value type" has no
 *    `struct_size` and never grows, because both sides index arrays of it; a later field of it comes in a second array
 *    of the same length and order. A field `reserved` is 0, and its reader ignores it. In a host's table no function
 *    within `struct_size` is NULL.
 * 4. Constants. A mask that means "any" includes the bits that have no name yet. Later minors may add constants. A
 *    reader treats an unknown status code as ERROR, an unknown hint as BERTH_HINT_ERROR, an unknown severity as INFO
 *    and a value of an unknown kind as NULL; it skips an image of an unknown use and a column of an unknown type; it
 *    takes a pending pod in an unknown place for one that waits; it refuses an unknown verb, kind of column, kind of
 *    metric and mode of normalizing.
 * 5. Receivers. Functions stand only in tables of a plugin or a host; no other struct has a pointer to a function. The
 *    first parameter says whose function it is: `host` for a service, `self` for a plugin, and for a callback the `ctx`
 *    that was handed over with it. Only the host makes the structs that it passes to a call; some are opaque. If such a
 *    struct has a field `handle`, that field belongs to the host: when a service receives the struct, the host finds
 *    its own data by it. So pass the struct that you were given, never a copy. Pointers are not NULL unless that is
 *    stated; a pointer to an array may be NULL if the length is 0.
 * 6. Answers. Text that a user may have to read goes into a berth_status, which is the last parameter, or the last
 *    before `done`. A function that can fail and has no berth_status returns a code: SUCCESS (0), or one below 0 if it
 *    has not done what it was asked. Codes above 0 are answers of plugins. But a callback receives ERROR, which is
 *    above 0, if the work that it waited for failed. A function returns a code above 0 only where its description says
 *    so. A function that looks something up returns it, or NULL, 0 or BERTH_NO_SLOT. Yes is 1, no is 0. Unless stated
 *    otherwise, output parameters hold 0 or NULL before a plugin's function is called, and after a service has returned
 *    without a result. A service that would change something outside the plugin does nothing and returns UNSUPPORTED if
 *    the instance belongs to a shadow (a configuration that evaluates pods without binding them), or in a dry run of
 *    `berth explain`.
 * 7. Callbacks. A function handed over to be called later is called exactly once, on the loop, whatever happens; free
 *    `ctx` there. It may also come while a PostFilter or an extender is in progress. (Two differ: a task's `run`, and a
 *    subscription, which is called for each change until berth_plugin.destroy.) If what the function waits for does not
 *    come, the host calls it with the code CANCELLED, before berth_plugin.destroy at the latest. If create fails, the
 *    host calls pending callbacks with CANCELLED after create has returned. So if create frees memory that a timer's
 *    function uses, it must first cancel the timer.
 *    Requests and tasks cannot begin within create. If the service that takes a function fails, the host does not call
 *    the function. The service has failed if it returns a code other than SUCCESS or, in place of a timer, 0. No
 *    service calls back before it returns unless that is stated.
 * 8. Ownership. What a call is given lives until the call returns, unless stated otherwise; copy what you keep. The
 *    side that allocates frees.
 * 9. Units. Time is int64_t nanoseconds (`…_ns`), a duration or since the epoch; memory is bytes; cpu is thousandths of
 *    a core. Text is a berth_str: UTF-8 with a length. Only for berth.sign/1 may a berth_str contain arbitrary bytes.
 *    In any other text of a plugin, a host may replace bytes that are not UTF-8 by U+FFFD.
 * 10. Threads. The tag behind a function of a plugin says where it is called; behind one of a host, where it may be
 *     called. Functions of a plugin tagged [loop], [bind] and [create] all run on the loop's thread, and may call
 *     services tagged [loop]. A service tagged [par] may be called in any call that received the structs which the
 *     service takes, and if it takes none, in any call but a [task]; a service tagged [bind], [create] or [task] only
 *     in calls with that tag.
 *     The loop's thread need not be the same thread of the operating system in every call, but the calls of one
 *     instance on it never overlap, and each sees what the earlier ones wrote. Calls of other instances, also of the
 *     same library, may run at the same time: guard what they share.
 *     [loop] on the loop's thread, which owns cache, queue and cycle; must not block.
 *     [par] several threads at once, with disjoint slots; `self`, and the plugin's data in the state, are read-only
 *         meanwhile. In add_pod and remove_pod the state is a copy of their own, and with it all data whose type has
 *         `clone`.
 *     [bind] starts on the loop and returns at once; longer work ends by a berth_done.
 *     [task] in the background, on data of its own or under its own lock. It may call only services tagged [any] or
 *         [task], and may read only those objects of the cluster that the plugin has retained.
 *     [create] while a profile is built or torn down, before its first call or after its last.
 *     [any] any thread.
 * 11. Exceptions and longjmp never cross a call, in either direction. A host may catch an exception of a plugin that
 *     breaks this rule, but no plugin may rely on that.
 * 12. Drafts. New interfaces and services begin as drafts, with an id "berth.x/draft1" and a header in berth/draft/
 *     that this one does not include. Any release may change a draft, under a new number, or drop it, and a host need
 *     not offer it: list a draft's service as optional, and do not rely on a draft's interface being called. A draft
 *     may become "berth.x/1" with the same table, at the earliest after two releases of Berth without a change; a host
 *     that had the draft then offers both ids for at least one more minor of the ABI.
 */
#ifndef BERTH_BERTH_H
#define BERTH_BERTH_H

#include <berth/entry.h>
#include <berth/point/bind.h>
#include <berth/point/filter.h>
#include <berth/point/post_filter.h>
#include <berth/point/prepare.h>
#include <berth/point/queue.h>
#include <berth/point/score.h>
#include <berth/point/sign.h>
#include <berth/service/answer.h>
#include <berth/service/call.h>
#include <berth/service/cluster.h>
#include <berth/service/nodes.h>
#include <berth/service/preemption.h>
#include <berth/service/prepared.h>
#include <berth/service/services.h>
#include <berth/service/sinks.h>
#include <berth/service/task.h>

/** A berth_str of a string literal. */
#ifdef __cplusplus
#define BERTH_STR(literal) (berth_str{literal, sizeof(literal) - 1})
#else
#define BERTH_STR(literal) ((berth_str){literal, sizeof(literal) - 1})
#endif
/** The same, in the form of an initializer; C needs this form where it requires a constant:
 * `static const berth_str ids[] = {…};`. */
#define BERTH_STR_INIT(literal) {literal, sizeof(literal) - 1}

#endif /* BERTH_BERTH_H */
