// SPDX-License-Identifier: Apache-2.0
// The functions that plugins may call: the tables of berth/service/services.h, over the instance's context.
#include "env/random.h"
#include "plugin/api_answer.h"
#include "plugin/call.h"
#include "plugin/draft_services.h"
#include "plugin/fault.h"
#include "plugin/field_observer.h"
#include "plugin/host_context.h"
#include "plugin/interfaces.h"
#include "plugin/least_size.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <algorithm>
#include <array>
#include <limits>

namespace berth::plugin {
namespace {

std::int32_t log_enabled(const berth_host *host, std::uint32_t severity, std::uint32_t verbosity) {
    return HostContext::of(host)->services.log->enabled(severity_of(severity), level_of(verbosity));
}

void log_write(const berth_host *host, std::uint32_t severity, std::uint32_t verbosity, berth_str text) {
    const auto *context = HostContext::of(host);
    context->services.log->write_text(severity_of(severity), level_of(verbosity), context->plugin, text_of(text));
}

const berth_value *object_get(const berth_host *, const berth_object *object, berth_str pointer) {
    if (!object) return nullptr;
    if (auto *observer = field_observer()) observer->requested_field(text_of(pointer));
    const auto &tree = model::object_of(object)->tree;
    return tree ? model::at_pointer(tree->value(), text_of(pointer)).raw() : nullptr;
}

void object_retain(const berth_host *host, const berth_object *object) { HostContext::of(host)->retain(object); }
void object_release(const berth_host *host, const berth_object *object) { HostContext::of(host)->release(object); }

std::int32_t object_meta(const berth_host *host, const berth_object *object, berth_object_meta *out) {
    if (!object) return BERTH_STATUS_INVALID;
    constexpr auto least = BERTH_END_OF(berth_object_meta, labels_len);
    if (auto code = HostContext::of(host)->can_read("berth_object_meta", *out, least); code != 0) return code;
    berth_object_meta mine = model::object_of(object)->meta();
    auto size = std::min<std::size_t>(out->struct_size, sizeof mine);
    mine.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(out, &mine, size);
    return BERTH_STATUS_SUCCESS;
}

std::uint32_t state_key(const berth_host *host, berth_str name) {
    return HostContext::of(host)->keys->intern(text_of(name));
}

std::int32_t state_put(const berth_host *host, berth_state *state, std::uint32_t key, void *data,
                       const berth_plugin_state_type *type) {
    constexpr auto least = BERTH_END_OF(berth_plugin_state_type, destroy);
    const auto *context = HostContext::of(host);
    if (!context->keys->knows(key)) return BERTH_STATUS_INVALID;
    if (type)
        if (auto code = context->can_read("berth_plugin_state_type", *type, least); code != 0) return code;
    State::of(state)->put(key, data, type);
    return BERTH_STATUS_SUCCESS;
}

void *state_get(const berth_host *, const berth_state *state, std::uint32_t key) { return State::of(state)->get(key); }

std::uint32_t columns_declare(const berth_host *host, std::uint32_t kind, berth_str key) {
    return HostContext::of(host)->column(kind, text_of(key));
}

std::uint64_t random_value(const berth_host *host, const berth_call *call, std::uint32_t slot, std::uint64_t salt) {
    const auto *context = HostContext::of(host);
    const auto *of_attempt = CallContext::of(call);
    return env::random_value(context->random_key, of_attempt ? of_attempt->attempt_salt() : 0, slot, salt);
}

std::int64_t clock_now(const berth_host *host) { return HostContext::of(host)->services.clock->now_ns(); }

std::uint64_t clock_after(const berth_host *host, std::int64_t ns, void (*fn)(void *, std::int32_t), void *ctx) {
    if (!fn) return 0;
    auto *context = HostContext::of(host);
    auto *clock = context->services.clock;
    // Not at once, so that a timer that starts itself again lets time pass, and not so late that no clock counts so
    // far.
    constexpr std::int64_t year = 365LL * 24 * 3600 * 1'000'000'000;
    ns = std::clamp<std::int64_t>(ns, 1, 100 * year);
    // Every callback is called before the context is gone.
    const auto timer = context->timers.expect([context, fn, ctx](const Callbacks::Came &came) {
        context->call_back(BERTH_HOST_CLOCK_V1, [&] { fn(ctx, came.code); });
    });
    if (timer == 0) return 0;
    auto fire = [weak = context->weak_from_this(), timer] {
        if (auto alive = weak.lock()) alive->timers.come(timer, {BERTH_STATUS_SUCCESS, 0, {}});
    };
    // Timers belong to the loop. One that was cancelled meanwhile is not begun.
    clock->post([clock, ns, timer, weak = context->weak_from_this(), fire] {
        if (auto alive = weak.lock(); alive && alive->timers.expects(timer)) clock->after(ns, fire);
    });
    return timer;
}

std::int32_t clock_cancel(const berth_host *host, std::uint64_t timer) {
    return HostContext::of(host)->timers.cancel(timer) ? BERTH_STATUS_SUCCESS : BERTH_STATUS_NOT_FOUND;
}

env::Verb verb_of(std::uint32_t verb) {
    switch (verb) {
        case BERTH_VERB_UPDATE: return env::Verb::Update;
        case BERTH_VERB_PATCH: return env::Verb::Patch;
        case BERTH_VERB_DELETE: return env::Verb::Delete;
        default: return env::Verb::Create;
    }
}

std::int32_t client_send(const berth_host *host, const berth_request *request,
                         void (*on_done)(void *, const berth_answer *), void *ctx) {
    auto *context = HostContext::of(host);
    constexpr auto least = BERTH_END_OF(berth_request, body);
    if (!request || !on_done) return BERTH_STATUS_INVALID;
    if (auto code = context->can_read("berth_request", *request, least); code != 0) return code;
    if (!context->may_act()) return BERTH_STATUS_UNSUPPORTED;
    if (!context->made) {
        context->broke_abi("plugin " + in_quotes(context->plugin) +
                           " called send of " BERTH_HOST_CLIENT_V1
                           " before its instance was made; the request was not sent");
        return BERTH_STATUS_UNSUPPORTED;
    }
    std::string resource(text_of(request->resource));
    if (auto sub = text_of(request->subresource); !sub.empty()) resource.append("/").append(sub);
    auto write = write_text(request->verb, text_of(request->group), text_of(request->version), resource);
    if (std::ranges::count(context->writes, write) == 0) {
        context->broke_abi("plugin " + in_quotes(context->plugin) + " wants to " +
                           (write.empty() ? "send verb " + std::to_string(request->verb) : write) +
                           ", which it did not declare; the request was not sent");
        return BERTH_STATUS_UNSUPPORTED;
    }
    auto text = [](const berth_str &s) { return std::string(text_of(s)); };
    env::ApiRequest out{verb_of(request->verb),     text(request->group),        text(request->version),
                        text(request->resource),    text(request->namespace_),   text(request->name),
                        text(request->subresource), text(request->content_type), text(request->body)};
    const auto to = out.binds() ? ApiAnswer::To::Binding : ApiAnswer::To::Write;
    const auto id = context->responses.expect([context, to, on_done, ctx](const Callbacks::Came &came) {
        const ApiAnswer answer(came, to);
        context->call_back(BERTH_HOST_CLIENT_V1, [&] { on_done(ctx, answer.raw()); });
    });
    if (id == 0) return BERTH_STATUS_CANCELLED;
    context->services.api->send(std::move(out), [weak = context->weak_from_this(), id](const env::ApiAnswer &answer) {
        if (auto alive = weak.lock()) alive->responses.come(id, came_of(answer));
    });
    return BERTH_STATUS_SUCCESS;
}

std::int32_t pods_allow(const berth_host *host, berth_str uid) {
    const auto &context = *HostContext::of(host);
    return context.change([&] { return context.services.waiting_pods->allow(context.plugin, text_of(uid)); });
}

std::int32_t pods_reject(const berth_host *host, berth_str uid, berth_str reason) {
    const auto &context = *HostContext::of(host);
    return context.change(
        [&] { return context.services.waiting_pods->reject(context.plugin, text_of(uid), text_of(reason)); });
}

std::int32_t pods_preempt(const berth_host *host, berth_str uid, berth_str reason) {
    const auto &context = *HostContext::of(host);
    return context.change(
        [&] { return context.services.waiting_pods->preempt(context.plugin, text_of(uid), text_of(reason)); });
}

void pods_visit(const berth_host *host, std::int32_t (*visit)(void *, const berth_pod *, berth_str), void *ctx) {
    bool more = true;
    HostContext::of(host)->services.waiting_pods->visit([&](const berth_pod &pod, std::string_view node) {
        more = more && visit(ctx, &pod, model::to_str(node)) != 0;
    });
}

constexpr berth_host_log log_table{sizeof(berth_host_log), 0, log_enabled, log_write};
constexpr berth_host_object object_table{
    sizeof(berth_host_object), 0, object_get, object_retain, object_release, object_meta};
constexpr berth_host_state state_table{sizeof(berth_host_state), 0, state_key, state_put, state_get};
constexpr berth_host_columns columns_table{sizeof(berth_host_columns), 0, columns_declare};
constexpr berth_host_random random_table{sizeof(berth_host_random), 0, random_value};
constexpr berth_host_clock clock_table{sizeof(berth_host_clock), 0, clock_now, clock_after, clock_cancel};
constexpr berth_host_client client_table{sizeof(berth_host_client), 0, client_send};
constexpr berth_host_waiting_pods waiting_pods_table{
    sizeof(berth_host_waiting_pods), 0, pods_allow, pods_reject, pods_preempt, pods_visit};

bool always(const Services &) { return true; }
constexpr ServiceTables log_tables{BERTH_HOST_LOG_V1, &log_table, nullptr,
                                   [](const Services &s) { return s.log != nullptr; }};
constexpr ServiceTables object_tables{BERTH_HOST_OBJECT_V1, &object_table, &checked_object, always};
constexpr ServiceTables state_tables{BERTH_HOST_STATE_V1, &state_table, &checked_state, always};
constexpr ServiceTables columns_tables{BERTH_HOST_COLUMNS_V1, &columns_table, &checked_columns,
                                       [](const Services &s) { return s.columns != nullptr; }};
constexpr ServiceTables random_tables{BERTH_HOST_RANDOM_V1, &random_table, &checked_random, always};
constexpr ServiceTables clock_tables{BERTH_HOST_CLOCK_V1, &clock_table, &checked_clock,
                                     [](const Services &s) { return s.clock != nullptr; }};
constexpr ServiceTables client_tables{BERTH_HOST_CLIENT_V1, &client_table, &checked_client,
                                      [](const Services &s) { return s.api != nullptr; }};
constexpr ServiceTables waiting_pods_tables{BERTH_HOST_WAITING_PODS_V1, &waiting_pods_table, &checked_waiting_pods,
                                            [](const Services &s) { return s.waiting_pods != nullptr; }};

constexpr std::array all_services{
    &log_tables,          &object_tables,     &state_tables,         &columns_tables,
    &random_tables,       &clock_tables,      &client_tables,        &waiting_pods_tables,
    &call_tables,         &nodes_tables,      &sinks_tables,         &remedies_tables,
    &victims_tables,      &cluster_tables,    &delta_tables,         &recorder_tables,
    &runner_tables,       &nominator_tables,  &activator_tables,     &pods_in_pre_bind_tables,
    &extenders_tables,    &task_tables,       &prepared_tables,      &cancellation_tables,
    &kubernetes_tables,   &log_fields_tables, &metrics_tables,       &pod_groups_tables,
    &pending_pods_tables, &reader_tables,     &dry_run_state_tables, &selective_watches_tables};

const ServiceTables *find_service(std::string_view id) {
    auto at = std::ranges::find(all_services, id, [](const ServiceTables *s) { return s->id; });
    return at == all_services.end() ? nullptr : *at;
}

const void *host_get_service(const berth_host *host, berth_str id) {
    const auto &context = *HostContext::of(host);
    const auto *found = find_service(text_of(id));
    if (!found || !found->offered(context.services)) return nullptr;
    return context.strict && found->checked ? found->checked : found->own;
}

}  // namespace

env::Severity severity_of(std::uint32_t severity) {
    if (severity == BERTH_LOG_ERROR) return env::Severity::Error;
    return severity == BERTH_LOG_WARNING ? env::Severity::Warning : env::Severity::Info;
}

int level_of(std::uint32_t verbosity) {
    constexpr std::uint32_t most = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(verbosity, most));
}

bool is_everywhere(std::string_view id) {
    return std::ranges::any_of(std::array{&call_tables, &nodes_tables, &sinks_tables},
                               [&](const ServiceTables *one) { return one->id == id; });
}

bool is_draft_service(std::string_view id) { return is_draft(id) && find_service(id); }

const void *service(const HostContext &context, std::string_view id) {
    const auto *found = find_service(id);
    return found && found->offered(context.services) ? found->own : nullptr;
}

berth_host make_host(HostContext &context) {
    berth_host host = host_of(host_get_service);
    host.ctx = &context;
    return host;
}

berth_host host_of(const void *(*get_service)(const berth_host *host, berth_str id)) {
    berth_host host{};
    host.struct_size = sizeof host;
    host.abi_minor = BERTH_ABI_MINOR;
    host.name = BERTH_STR("berth");
    host.version = BERTH_STR(BERTH_VERSION);
    host.get_service = get_service;
    return host;
}

}  // namespace berth::plugin
