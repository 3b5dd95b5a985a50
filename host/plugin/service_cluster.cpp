// SPDX-License-Identifier: Apache-2.0
// The service berth.host.cluster/1: its functions, and their variants for the strict checks.
#include "plugin/fault.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <algorithm>
#include <array>

namespace berth::plugin {
namespace {

std::uint32_t cluster_kind(const berth_host *host, berth_str group, berth_str version, berth_str resource) {
    auto &context = *HostContext::of(host);
    auto text = watch_text(text_of(group), text_of(version), text_of(resource));
    // What is not declared has no objects. The making of an instance refuses it; later it can only be said.
    if (!context.made) context.requested_kinds.insert(std::move(text));
    else if (std::ranges::count(context.watches, text) == 0)
        context.broke_abi("plugin " + in_quotes(context.plugin) + " asked for objects of " + in_quotes(text) +
                          ", which it does not declare to watch: there are none for it");
    return context.services.objects->kind(model::kind_of(text_of(group), text_of(version), text_of(resource)));
}

const berth_object *cluster_get(const berth_host *host, std::uint32_t kind, berth_str name_space, berth_str name) {
    const auto &context = *HostContext::of(host);
    const auto *seen = context.seen(kind);
    if (!seen) return nullptr;
    const auto *object = context.services.objects->get(kind, text_of(name_space), text_of(name));
    return object && seen->has(*object) ? model::handle(object) : nullptr;
}

void cluster_list(const berth_host *host, std::uint32_t kind, berth_str name_space,
                  std::int32_t (*visit)(void *, const berth_object *), void *ctx) {
    const auto &context = *HostContext::of(host);
    const auto *seen = context.seen(kind);
    if (!visit || !seen) return;
    context.services.objects->visit(kind, text_of(name_space), [&](const model::AnyObject &o) {
        return !seen->has(o) || visit(ctx, model::handle(&o)) != 0;
    });
}

std::uint64_t cluster_version(const berth_host *host, std::uint32_t kind) {
    const auto &context = *HostContext::of(host);
    return context.seen(kind) ? context.services.objects->version(kind) : 0;
}

std::int32_t cluster_subscribe(const berth_host *host, std::uint32_t kind,
                               void (*changed)(void *, const berth_object *, const berth_object *), void *ctx) {
    auto *context = HostContext::of(host);
    if (!changed || context->made) return BERTH_STATUS_INVALID;
    auto weak = context->weak_from_this();
    const bool known = context->services.objects->subscribe(
        kind, weak, [weak, kind, changed, ctx](const model::AnyObject *before, const model::AnyObject *after) {
            auto alive = weak.lock();
            const auto *seen = alive ? alive->seen(kind) : nullptr;
            if (!seen) return;
            for (const auto **version : {&before, &after})
                if (*version && !seen->has(**version)) *version = nullptr;
            if (!before && !after) return;
            alive->call_back(BERTH_HOST_CLUSTER_V1, [&] { changed(ctx, model::handle(before), model::handle(after)); });
        });
    return known ? BERTH_STATUS_SUCCESS : BERTH_STATUS_INVALID;
}

constexpr berth_host_cluster table{
    sizeof(berth_host_cluster), 0, cluster_kind, cluster_get, cluster_list, cluster_version, cluster_subscribe};

/// Ids and subscriptions are for create.
bool creating(const berth_host *host, const char *what) {
    if (strict_of(host).creating()) return true;
    strict_of(host).violated("called " + std::string(what) + " of " BERTH_HOST_CLUSTER_V1 " after create");
    return false;
}

/// Objects exist only for declared kinds; asking for another kind is a mistake.
void check_declared(const berth_host *host, std::uint32_t kind, const char *what) {
    Strict &strict = strict_of(host);
    if (HostContext::of(host)->tasks->running_here())
        strict.violated("called " + std::string(what) + " of " BERTH_HOST_CLUSTER_V1);
    if (!strict.creating() && !HostContext::of(host)->seen(kind))
        strict.violated("called " + std::string(what) +
                        " of " BERTH_HOST_CLUSTER_V1 " for a kind that it did not declare to watch");
}

std::uint32_t strict_kind(const berth_host *host, berth_str group, berth_str version, berth_str resource) {
    return creating(host, "kind") ? cluster_kind(host, group, version, resource) : 0;
}

const berth_object *strict_get(const berth_host *host, std::uint32_t kind, berth_str name_space, berth_str name) {
    check_declared(host, kind, "get");
    const auto *object = cluster_get(host, kind, name_space, name);
    if (object) strict_of(host).calls.show(object);
    return object;
}

void strict_list(const berth_host *host, std::uint32_t kind, berth_str name_space,
                 std::int32_t (*visit)(void *, const berth_object *), void *ctx) {
    check_declared(host, kind, "list");
    if (!visit) return strict_of(host).violated("called list of " BERTH_HOST_CLUSTER_V1 " without a function");
    struct Visitor {
        Strict &strict;
        std::int32_t (*visit)(void *, const berth_object *);
        void *ctx;
    } visitor{strict_of(host), visit, ctx};
    cluster_list(
        host, kind, name_space,
        [](void *own, const berth_object *object) {
            auto &v = *static_cast<Visitor *>(own);
            v.strict.calls.show(object);
            return v.visit(v.ctx, object);
        },
        &visitor);
}

std::uint64_t strict_version(const berth_host *host, std::uint32_t kind) {
    check_declared(host, kind, "version");
    return cluster_version(host, kind);
}

std::int32_t strict_subscribe(const berth_host *host, std::uint32_t kind,
                              void (*changed)(void *, const berth_object *, const berth_object *), void *ctx) {
    if (!creating(host, "subscribe")) return BERTH_STATUS_INVALID;
    if (!changed) {
        strict_of(host).violated("called subscribe of " BERTH_HOST_CLUSTER_V1 " without a function");
        return BERTH_STATUS_INVALID;
    }
    auto *subscription = strict_of(host).callbacks.subscribe({&strict_of(host), changed, ctx});
    return cluster_subscribe(
        host, kind,
        [](void *own, const berth_object *before, const berth_object *after) {
            auto &s = *static_cast<ExpectedCallbacks::Subscription *>(own);
            Call call(*s.strict, "a change of an object", Tag::Loop, nullptr);
            for (const auto *object : {before, after})
                if (object) s.strict->calls.show(object);
            s.changed(s.ctx, before, after);
            call.end();
        },
        subscription);
}

constexpr berth_host_cluster checked_table{
    sizeof(berth_host_cluster), 0, strict_kind, strict_get, strict_list, strict_version, strict_subscribe};

}  // namespace

constinit const ServiceTables cluster_tables{BERTH_HOST_CLUSTER_V1, &table, &checked_table,
                                             [](const Services &s) { return s.objects != nullptr; }};

}  // namespace berth::plugin
