/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Everything a plugin written in C needs. The conventions that hold in all of these headers:
 *
 * 1. Names. A plugin implements tables `berth_plugin_x`, of id "berth.x/1", which berth_plugin.get_interface returns; a
 *    host offers tables `berth_host_x`, of id "berth.host.x/1", which berth_host.get_service returns. Constants begin
 *    with the kind of what they are: BERTH_STATUS_, BERTH_COLUMN_, BERTH_EVENT_, BERTH_FLAG_ (bits of a field of
 *    flags), BERTH_VALUE_, BERTH_HINT_, BERTH_VERB_, BERTH_LOG_, BERTH_NORMALIZE_, BERTH_IMAGE_, BERTH_CHANGE_.
 *    berth_plugin_changes and berth_plugin_state_type are functions that a plugin hands over, and have no id.
 * 2. Ids. The meaning of an id never changes. What is new and not an addition to a table is a new id, "berth.x/2". Ids
 *    that begin with "berth." are Berth's; an id of anybody else begins with a domain that is theirs, as in
 *    "com.example.x/1".
 * 3. Growth. A struct that begins with `struct_size` may grow, at its end, with a minor version. Its maker sets
 *    `struct_size` to its own sizeof. Its reader asks BERTH_HAS, or BERTH_GET with what stands in for the field, for
 *    everything that came after minor 0. If the caller makes it and the callee fills it in, the callee writes no
 *    further than `struct_size`, and lowers that to what it has filled in. A maker sets no bit of a field of flags that
 *    its headers do not name, and a reader ignores one that it does not know, but for those of
 *    BERTH_FLAG_MUST_UNDERSTAND: with one of them a host refuses a library, and a service returns UNSUPPORTED for what
 *    it is handed. For a struct that is shorter than in minor 0 a service returns INVALID. A host sets none of these
 *    bits itself. A "frozen value type" has no `struct_size` and never grows: arrays of them are read by index, by
 *    either side, for ever. What one lacks comes as an array beside it, of the same length and order. `reserved` is 0.
 *    No function of a host's table that `struct_size` covers is NULL.
 * 4. Constants. A set of bits that means "any of a kind" covers the bits of that kind which have no name yet. Of kinds,
 *    a later minor may have more. A reader takes one that it does not know as follows: a status code as ERROR, a hint
 *    as BERTH_HINT_ERROR, a severity as INFO, a kind of value as NULL. An image of an unknown use it leaves out, a
 *    column of an unknown type it does not read, and a verb, a kind of column and a mode of normalizing it refuses.
 * 5. Receivers. Functions stand in tables alone, and data leads to none: a plugin's tables and a host's are all the
 *    code there is. The first parameter of a function is what it belongs to: `host` for a service, `self` for a plugin.
 *    A callback is given the `ctx` that it was handed over with. What a host gives to a call is data that the host
 *    alone writes, or opaque; its `handle` is the host's, who finds by it what a service is asked about. So a plugin
 *    hands on the structs that it was given, and no copies. A pointer is not NULL, unless it is said otherwise; that of
 *    an array may be if its length is 0.
 * 6. Answers. What a user may have to read goes into a berth_status, the last parameter but for `done`. Any other
 * function that can fail returns a BERTH_STATUS_ code: SUCCESS (0), or one below 0 if it has not done what it was
 * asked. A code above 0 is the answer of a plugin that was asked, or tells a callback that what it waited for has
 * failed, and stands only where that is said. A question returns what it asks for, or NULL, 0 or BERTH_NO_SLOT if there
 * is none. Yes is 1, no 0. What a plugin's function may write to holds 0 or NULL before the call, unless it is said
 * otherwise; what a service may write to holds 0 or NULL after it if there is nothing to write, whatever it returns. A
 * service that would change something outside of the plugin returns UNSUPPORTED, and has not done it, if the instance
 * may not: it is a shadow's, or in a dry run.
 * 7. Callbacks. A host calls a function that it was asked to call later exactly once, on the loop, whatever happens: it
 *    is where `ctx` is freed. Its code is CANCELLED if what it waits for does not come, at the latest before
 *    berth_plugin.destroy. If create does not succeed, that is after it has returned: end what is cancelled by a
 *    function before. If the function that took it did not return success, it is not called. A subscription, which
 *    is called for each change, lasts until berth_plugin.destroy. A service calls back into the plugin before it
 *    returns only where that is said.
 * 8. Ownership. Everything lives until the call returns, unless it is said otherwise; what is kept is copied. The side
 *    that allocates frees.
 * 9. Units. Time is in nanoseconds, durations and since the epoch, as int64_t `…_ns`; memory in bytes; cpu in
 *    thousandths. Text is UTF-8 with its length; what berth.sign/1 writes is bytes, in the same struct.
 * 10. Threads. The tag behind a function says where it is called, or may be:
 *     [loop] the one thread that owns cache, queue and cycle; must not block.
 *     [par] several threads at once, with disjoint slots; `self` is read-only meanwhile.
 *     [bind] started on the loop, returns at once; what takes time ends in a berth_done.
 *     [task] in the background, with data of its own or that it locks: of the services it may use those tagged [any] or
 *         [task], and of the cluster's objects those that the plugin retained.
 *     [create] while a profile is being built or torn down, before its first or after its last call.
 *     [any] any thread.
 *     Calls of [loop], [bind] and [create] are on the loop's thread, and a service tagged [loop] may be called in each
 * of them. One tagged [par] may be called in any call that is given what it is asked about, one tagged [bind], [create]
 *     or [task] in such calls alone.
 * 11. Exceptions and longjmp never cross a call, in either direction.
 * 12. Drafts. What is new begins as a draft: its id is "berth.x/draft1", its header is in berth/draft/ and is not
 *    included here. A draft may change, with a new number, or end with any release, and a host may do without it. So a
 *    plugin names a draft's service as optional, and works when a draft's interface is never called. A draft that two
 *    releases have had unchanged becomes "berth.x/1", with the same table; a host that had the draft offers it under
 *    both ids for one minor more.
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
/** The same as an initializer, which C asks for where a constant is needed: `static const berth_str ids[] = {…};`. */
#define BERTH_STR_INIT(literal) {literal, sizeof(literal) - 1}

#endif /* BERTH_BERTH_H */
