// SPDX-License-Identifier: Apache-2.0
// The service berth.host.prepared/1: its functions, their variants for the strict checks, and the checked prepare.
#include "plugin/service_tables.h"
#include "plugin/strict_points.h"
#include "plugin/strict_services.h"
#include "plugin/thrown.h"

namespace berth::plugin {
namespace {

void nothing(void **out, const berth_str **texts, std::uint64_t *n) {
    if (out) *out = nullptr;
    if (texts) *texts = nullptr;
    if (n) *n = 0;
}

std::int32_t get(const berth_host *host, const berth_object *object, void **out, const berth_str **texts,
                 std::uint64_t *n) {
    nothing(out, texts, n);
    if (!object || !out) return BERTH_STATUS_INVALID;
    auto &prepared = HostContext::of(host)->prepared;
    std::int32_t code = BERTH_STATUS_ERROR;
    auto thrown = thrown_by([&] { code = prepared.get(*model::object_of(object), out); });
    if (thrown) prepared.failed("prepare threw " + *thrown);
    if (texts) *texts = prepared.texts().data();
    if (n) *n = prepared.texts().size();
    return code;
}

std::int32_t checked_get(const berth_host *host, const berth_object *object, void **out, const berth_str **texts,
                         std::uint64_t *n) {
    constexpr const char *what = "get of " BERTH_HOST_PREPARED_V1;
    nothing(out, texts, n);
    if (!check_loop(strict_of(host), what) || (object && !check_object(host, object, what)))
        return BERTH_STATUS_INVALID;
    return get(host, object, out, texts, n);
}

constexpr berth_host_prepared own_table{sizeof(berth_host_prepared), 0, get};
constexpr berth_host_prepared checked_table{sizeof(berth_host_prepared), 0, checked_get};

}  // namespace

void checked_prepare(void *self, const berth_object *object, void **out, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Prepare", Tag::Loop, nullptr);
    one.proxy().show(object);
    auto *view = one.proxy().memory.guarded_out(out, 1, "out");
    const auto &own = strict.own<berth_plugin_prepare>(Interface::Prepare);
    auto *answer = one.proxied(status);
    own.prepare(strict.self(), object, view, answer);
    void *made = answer->code == BERTH_STATUS_SUCCESS ? *view : nullptr;
    one.end(status);
    if (status->code == BERTH_STATUS_SUCCESS) *out = made;
    else if (made) own.drop(strict.self(), made);  // this layer, not the plugin, found fault
}

void checked_drop(void *self, void *data) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Prepare", Tag::Loop, nullptr);
    strict.own<berth_plugin_prepare>(Interface::Prepare).drop(strict.self(), data);
    one.end();
}

constinit const ServiceTables prepared_tables{BERTH_HOST_PREPARED_V1, &own_table, &checked_table,
                                              [](const Services &) { return true; }};

}  // namespace berth::plugin
