// SPDX-License-Identifier: Apache-2.0
// The service berth.host.recorder/1 (Events): its functions, and their variants for the strict checks.
#include "plugin/fault.h"
#include "plugin/service_tables.h"
#include "plugin/strict_services.h"

#include <array>

namespace berth::plugin {
namespace {

/// What is wrong with an event, as "it …", or "".
std::string fault_of(const berth_object *regarding, std::string_view type, std::string_view reason,
                     std::string_view action) {
    constexpr std::size_t longest = 128;  // of reasons and actions, as the API has it
    if (!regarding) return "wrote an event about no object";
    if (type != "Normal" && type != "Warning")
        return "wrote an event of type " + in_quotes(type) + ", which is neither \"Normal\" nor \"Warning\"";
    for (auto [what, text] : {std::pair{"reason", reason}, {"action", action}})
        if (text.empty() || text.size() > longest)
            return "wrote an event with the " + std::string(what) + " " + in_quotes(text) + ", expected 1 to 128 bytes";
    return {};
}

std::int32_t event(const berth_host *host, const berth_object *regarding, berth_str type, berth_str reason,
                   berth_str action, berth_str note) {
    const auto *context = HostContext::of(host);
    if (!context->may_act()) return BERTH_STATUS_UNSUPPORTED;
    if (auto fault = fault_of(regarding, text_of(type), text_of(reason), text_of(action)); !fault.empty()) {
        context->broke_abi("plugin " + in_quotes(context->plugin) + " " + fault + "; it was not written");
        return BERTH_STATUS_INVALID;
    }
    context->services.recorder->event(*model::object_of(regarding), {text_of(type) == "Warning", text_of(reason),
                                                                     text_of(action), text_of(note), context->profile});
    return BERTH_STATUS_SUCCESS;
}

std::int32_t checked_event(const berth_host *host, const berth_object *regarding, berth_str type, berth_str reason,
                           berth_str action, berth_str note) {
    constexpr const char *what = "event of " BERTH_HOST_RECORDER_V1;
    Strict &strict = strict_of(host);
    if (!check_loop(strict, what) || (regarding && !check_object(host, regarding, what))) return BERTH_STATUS_INVALID;
    const std::array texts{type, reason, action, note};
    strict.check_texts(texts.data(), texts.size());
    if (auto fault = fault_of(regarding, text_of(type), text_of(reason), text_of(action)); !fault.empty()) {
        strict.violated(fault);
        return BERTH_STATUS_INVALID;
    }
    return event(host, regarding, type, reason, action, note);
}

constexpr berth_host_recorder own_table{sizeof(berth_host_recorder), 0, event};
constexpr berth_host_recorder checked_table{sizeof(berth_host_recorder), 0, checked_event};

}  // namespace

constinit const ServiceTables recorder_tables{BERTH_HOST_RECORDER_V1, &own_table, &checked_table,
                                              [](const Services &s) { return s.recorder != nullptr; }};

}  // namespace berth::plugin
