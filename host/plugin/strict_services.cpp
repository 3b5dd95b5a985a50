// SPDX-License-Identifier: Apache-2.0
// The tables of the services as the strict layer offers them: which plugin may call what, when, with which handles.
#include "plugin/strict_services.h"

#include <algorithm>
#include <array>

namespace berth::plugin {

bool check_loop(Strict &strict, const char *what) {
    if (!strict.on_loop()) {
        strict.violated("called " + std::string(what) + " on a thread that is not the loop's");
        return false;
    }
    if (const CallProxy *proxy = strict.calls.innermost(); proxy && proxy->tag == Tag::Par)
        strict.violated("called " + std::string(what) + " in a call that may run on several threads");
    return true;
}

bool check_object(const berth_host *host, const berth_object *object, const char *what) {
    Strict &strict = strict_of(host);
    auto &context = *HostContext::of(host);
    // What a call was given is not a task's, even if the call has not ended yet.
    if (context.retains(object) || (!context.tasks->running_here() && strict.calls.shows(object))) return true;
    strict.violated("called " + std::string(what) +
                    " for an object that neither belongs to a current call nor is retained");
    return false;
}

void pass_on(void *expected, std::int32_t code) {
    auto *it = static_cast<ExpectedCallbacks::Callback *>(expected);
    const auto callback = it->strict->callbacks.take(it);
    callback.on_code(callback.ctx, code);
    callback.strict->calls.callback_ended();
}

void pass_on_answer(void *expected, const berth_answer *answer) {
    auto *it = static_cast<ExpectedCallbacks::Callback *>(expected);
    const auto callback = it->strict->callbacks.take(it);
    // As every proxy: valid until the call returns.
    GuardedMemory memory;
    berth_answer shown = *answer;
    shown.text = memory.copy(answer->text);
    callback.on_answer(callback.ctx, memory.copy(&shown, 1));
    memory.poison();
    callback.strict->calls.callback_ended();
}

namespace {

const berth_value *object_get(const berth_host *host, const berth_object *object, berth_str pointer) {
    if (object && !check_object(host, object, "get of " BERTH_HOST_OBJECT_V1)) return nullptr;
    return own<berth_host_object>(host, BERTH_HOST_OBJECT_V1).get(host, object, pointer);
}
void object_retain(const berth_host *host, const berth_object *object) {
    if (!object || check_object(host, object, "retain of " BERTH_HOST_OBJECT_V1))
        own<berth_host_object>(host, BERTH_HOST_OBJECT_V1).retain(host, object);
}
void object_release(const berth_host *host, const berth_object *object) {
    if (object && !HostContext::of(host)->retains(object))
        return strict_of(host).violated("released an object that it had not retained");
    own<berth_host_object>(host, BERTH_HOST_OBJECT_V1).release(host, object);
}

std::int32_t object_meta(const berth_host *host, const berth_object *object, berth_object_meta *out) {
    if (object && !check_object(host, object, "meta of " BERTH_HOST_OBJECT_V1)) return BERTH_STATUS_INVALID;
    return own<berth_host_object>(host, BERTH_HOST_OBJECT_V1).meta(host, object, out);
}

std::uint32_t state_key(const berth_host *host, berth_str name) {
    if (!strict_of(host).creating()) strict_of(host).violated("called key of " BERTH_HOST_STATE_V1 " after create");
    return own<berth_host_state>(host, BERTH_HOST_STATE_V1).key(host, name);
}

/// The host's own behind a handle, or NULL.
berth_state *check_state(const berth_host *host, const berth_state *state, std::uint32_t key, const char *what) {
    Strict &strict = strict_of(host);
    berth_state *real = nullptr;
    if (strict.dry_runs.is_handle(state)) {
        if (!check_loop(strict, what)) return nullptr;
        real = strict.dry_runs.real_of(state);
        if (!real)
            strict.violated("called " + std::string(what) + " for the state of a trial that it does not have open");
    } else if (CallProxy *proxy = strict.calls.find(state); !proxy) {
        strict.violated("called " + std::string(what) + " for a state that it was not given");
    } else if (strict.may_use(*proxy, "the berth_state") || proxy->open()) {
        real = proxy->real_state();
    }
    if (!real) return nullptr;
    if (HostContext::of(host)->keys->knows(key)) return real;
    strict.violated("called " + std::string(what) + " with key " + std::to_string(key) + ", which it never got");
    return nullptr;
}

std::int32_t state_put(const berth_host *host, berth_state *state, std::uint32_t key, void *data,
                       const berth_plugin_state_type *type) {
    check_loop(strict_of(host), "put of " BERTH_HOST_STATE_V1);
    auto *real = check_state(host, state, key, "put of " BERTH_HOST_STATE_V1);
    if (!real) return BERTH_STATUS_INVALID;
    return own<berth_host_state>(host, BERTH_HOST_STATE_V1).put(host, real, key, data, type);
}
void *state_get(const berth_host *host, const berth_state *state, std::uint32_t key) {
    auto *real = check_state(host, state, key, "get of " BERTH_HOST_STATE_V1);
    return real ? own<berth_host_state>(host, BERTH_HOST_STATE_V1).get(host, real, key) : nullptr;
}

std::uint32_t columns_declare(const berth_host *host, std::uint32_t kind, berth_str key) {
    static constexpr std::array<std::string_view, 3> points{"PreEnqueue", "PreFilter", "PreScore"};
    Strict &strict = strict_of(host);
    if (!strict.on_loop()) {
        strict.violated("called declare of " BERTH_HOST_COLUMNS_V1 " on a thread that is not the loop's");
        return 0;
    }
    const CallProxy *proxy = strict.calls.innermost();
    if (!strict.creating() && (!proxy || std::ranges::count(points, proxy->point) == 0))
        strict.violated("called declare of " BERTH_HOST_COLUMNS_V1
                        ", which is for create, PreEnqueue, PreFilter and PreScore");
    auto column = own<berth_host_columns>(host, BERTH_HOST_COLUMNS_V1).declare(host, kind, key);
    if (column != 0) strict.give_column(column);
    return column;
}

std::uint64_t random_value(const berth_host *host, const berth_call *call, std::uint32_t slot, std::uint64_t salt) {
    Strict &strict = strict_of(host);
    const berth_call *real = nullptr;
    if (call) {
        if (CallProxy *proxy = strict.calls.find(call); !proxy)
            strict.violated("called value of " BERTH_HOST_RANDOM_V1 " for a call that it was not given");
        else if (strict.may_use(*proxy, "the berth_call", true)) real = proxy->real_call();
    }
    return own<berth_host_random>(host, BERTH_HOST_RANDOM_V1).value(host, real, slot, salt);
}

std::int64_t clock_now(const berth_host *host) { return own<berth_host_clock>(host, BERTH_HOST_CLOCK_V1).now(host); }
std::uint64_t clock_after(const berth_host *host, std::int64_t ns, void (*fn)(void *, std::int32_t), void *ctx) {
    Strict &strict = strict_of(host);
    if (!fn) {
        strict.violated("called after of " BERTH_HOST_CLOCK_V1 " without a function");
        return 0;
    }
    auto *expected = strict.callbacks.expect({.strict = &strict, .ctx = ctx, .on_code = fn});
    const auto timer = own<berth_host_clock>(host, BERTH_HOST_CLOCK_V1).after(host, ns, pass_on, expected);
    if (timer == 0) strict.callbacks.take(expected);
    return timer;
}
std::int32_t clock_cancel(const berth_host *host, std::uint64_t timer) {
    if (!check_loop(strict_of(host), "cancel of " BERTH_HOST_CLOCK_V1)) return BERTH_STATUS_INVALID;
    return own<berth_host_clock>(host, BERTH_HOST_CLOCK_V1).cancel(host, timer);
}

std::int32_t client_send(const berth_host *host, const berth_request *request,
                         void (*on_done)(void *, const berth_answer *), void *ctx) {
    Strict &strict = strict_of(host);
    if (!check_loop(strict, "send of " BERTH_HOST_CLIENT_V1)) return BERTH_STATUS_INVALID;
    const auto &client = own<berth_host_client>(host, BERTH_HOST_CLIENT_V1);
    if (!request || !on_done) return client.send(host, request, on_done, ctx);
    auto *expected = strict.callbacks.expect({.strict = &strict, .ctx = ctx, .on_answer = on_done});
    std::int32_t sent = client.send(host, request, pass_on_answer, expected);
    if (sent != BERTH_STATUS_SUCCESS) strict.callbacks.take(expected);
    return sent;
}

std::int32_t pods_allow(const berth_host *host, berth_str uid) {
    if (!check_loop(strict_of(host), "allow of " BERTH_HOST_WAITING_PODS_V1)) return BERTH_STATUS_INVALID;
    strict_of(host).check_texts(&uid, 1);
    return own<berth_host_waiting_pods>(host, BERTH_HOST_WAITING_PODS_V1).allow(host, uid);
}
std::int32_t pods_reject(const berth_host *host, berth_str uid, berth_str reason) {
    if (!check_loop(strict_of(host), "reject of " BERTH_HOST_WAITING_PODS_V1)) return BERTH_STATUS_INVALID;
    strict_of(host).check_texts(&uid, 1);
    strict_of(host).check_texts(&reason, 1);
    return own<berth_host_waiting_pods>(host, BERTH_HOST_WAITING_PODS_V1).reject(host, uid, reason);
}

}  // namespace

const berth_host_object checked_object{
    sizeof(berth_host_object), 0, object_get, object_retain, object_release, object_meta};
const berth_host_state checked_state{sizeof(berth_host_state), 0, state_key, state_put, state_get};
const berth_host_columns checked_columns{sizeof(berth_host_columns), 0, columns_declare};
const berth_host_random checked_random{sizeof(berth_host_random), 0, random_value};
const berth_host_clock checked_clock{sizeof(berth_host_clock), 0, clock_now, clock_after, clock_cancel};
const berth_host_client checked_client{sizeof(berth_host_client), 0, client_send};
const berth_host_waiting_pods checked_waiting_pods{
    sizeof(berth_host_waiting_pods), 0, pods_allow, pods_reject, checked_pods_preempt, checked_pods_visit};

}  // namespace berth::plugin
