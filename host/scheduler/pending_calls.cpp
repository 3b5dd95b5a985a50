// SPDX-License-Identifier: Apache-2.0
// The plugin calls that keep pods waiting, as sentences for the log.
#include "scheduler/scheduler.h"

#include <algorithm>
#include <map>

namespace berth {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

/// What one plugin has not ended at one point.
struct Late {
    std::string pod;  ///< that has waited longest
    std::int64_t waited_ns = -1;
    std::size_t pods = 0;
};

std::string sentence(const std::string &plugin, const std::string &point, const Late &late) {
    std::string out = "plugin \"" + plugin + "\" has not ended " + point + " for pod \"" + late.pod + "\"";
    if (late.waited_ns >= second_ns) out += " after " + std::to_string(late.waited_ns / second_ns) + " s";
    if (late.pods > 1) out += ", nor for " + std::to_string(late.pods - 1) + " other pod" + (late.pods > 2 ? "s" : "");
    return point == "PostFilter" ? out + ": no pod is scheduled until it does" : out;
}

}  // namespace

std::vector<std::string> Scheduler::pending_calls(std::int64_t least_ns, std::string_view but) const {
    std::map<std::pair<std::string, std::string>, Late> all;
    auto count = [&](const plugin::PendingCall &call, const model::Pod &pod) {
        const auto waited = call.waited_ns();
        if (waited < least_ns || call.point() == but) return;
        Late &late = all[{call.instance().name, std::string(call.point())}];
        ++late.pods;
        // The pods come in no order.
        if (waited < late.waited_ns || (waited == late.waited_ns && late.pod < pod.key())) return;
        late.waited_ns = waited;
        late.pod = pod.key();
    };
    if (const auto [call, pod] = attempts_.pending_call(); call) count(*call, *pod);
    bindings_.each([&](const scheduler::BindingCycles::Entry &entry) {
        entry.cycle->each_pending_call([&](const plugin::PendingCall &call) { count(call, entry.assumed()); });
    });
    std::vector<std::string> out;
    for (const auto &[who, late] : all) out.push_back(sentence(who.first, who.second, late));
    return out;
}

}  // namespace berth
