// SPDX-License-Identifier: Apache-2.0
#include "cycle/extensions.h"

#include "plugin/meter.h"

namespace berth::cycle {

model::Status run_extensions(const Search &search, std::span<const plugin::Instance *const> plugins, Change change,
                             const berth_pod &other, std::uint32_t slot) {
    const bool added = change == Change::Added;
    const plugin::CalledPoint point = added ? plugin::CalledPoint::AddPod : plugin::CalledPoint::RemovePod;
    for (const plugin::Instance *instance : plugins) {
        const berth_plugin_pre_filter_ext &table = *instance->pre_filter_ext;
        plugin::StatusSlot answer;
        model::Status status = plugin::counted(*instance, point, 1, [&] {
            (added ? table.add_pod : table.remove_pod)(instance->self, search.call.call(), search.state.handle(),
                                                       &search.pod, &other, &search.nodes, slot, answer.raw());
        });
        search.call.free_scratch();
        if (status.success()) status = answer.take(*instance, point);
        if (!status.success())
            return {.code = BERTH_STATUS_ERROR,
                    .error = "running " + std::string(point.text()) + " on PreFilter plugin \"" + instance->name +
                             "\": " + failure_text(status),
                    .reasons = {},
                    .plugin = instance->name};
    }
    return {};
}

}  // namespace berth::cycle
