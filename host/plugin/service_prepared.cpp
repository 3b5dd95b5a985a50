// SPDX-License-Identifier: Apache-2.0
// berth.prepared/1: the host's own table and the strict layer's, and prepare itself under that.
#include "plugin/service_tables.h"
#include "plugin/strict_points.h"
#include "plugin/strict_services.h"
#include "plugin/thrown.h"

namespace berth::plugin {
namespace {

std::int32_t get(const berth_host *host, const berth_object *object, void **out, berth_status *status) {
    if (!object || !out) return BERTH_INVALID;
    StatusSlot unwanted;
    berth_status *answer = status ? status : unwanted.raw();
    answer->code = BERTH_SUCCESS;
    std::int32_t code = BERTH_ERROR;
    auto thrown =
        thrown_by([&] { code = HostContext::of(host)->prepared.get(*model::object_of(object), out, answer); });
    if (thrown) answer->set_error(answer, model::to_str("prepare threw " + *thrown));
    return answer->code = code;
}

std::int32_t checked_get(const berth_host *host, const berth_object *object, void **out, berth_status *status) {
    constexpr const char *what = "get of " BERTH_PREPARED_V1;
    Strict &strict = strict_of(host);
    if (!check_loop(strict, what)) return BERTH_INVALID;
    if (object && !HostContext::of(host)->retains(object) && !strict.shown(object)) {
        strict.violated("called " + std::string(what) +
                        " for an object that is neither of a call at hand nor retained");
        return BERTH_INVALID;
    }
    return get(host, object, out, status);
}

constexpr berth_prepared own_table{sizeof(berth_prepared), 0, get};
constexpr berth_prepared checked_table{sizeof(berth_prepared), 0, checked_get};

}  // namespace

void checked_prepare(void *self, const berth_object *object, void **out, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Prepare", Tag::Loop, nullptr);
    one.frame().show(object);
    auto *lent = one.frame().memory.lend_out(out, 1, "out");
    strict.own<berth_prepare>(Interface::Prepare).prepare(strict.self(), object, lent, one.lend(status));
    *out = *lent;
    one.finish(status);
}

void checked_drop(void *self, void *data) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Prepare", Tag::Loop, nullptr);
    strict.own<berth_prepare>(Interface::Prepare).drop(strict.self(), data);
    one.finish();
}

constinit const ServiceTables prepared_tables{BERTH_PREPARED_V1, &own_table, &checked_table,
                                              [](const Services &) { return true; }};

}  // namespace berth::plugin
