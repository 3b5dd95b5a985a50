// SPDX-License-Identifier: Apache-2.0
#include "hint_tables.h"

#include <unordered_map>

namespace timeline_play {

using namespace berth;

namespace {

struct Asked {
    std::string plugin;
    const berth_plugin_events *events;
};
std::unordered_map<const void *, Asked> asked;
OnHint on_hint;

void hint(void *self, const berth_call *call, const berth_event *event, const berth_pod *const *pods, std::uint64_t n,
          std::uint8_t *out) {
    const Asked &one = asked.at(self);
    one.events->hint(self, call, event, pods, n, out);
    for (std::uint64_t i = 0; i < n; ++i)
        on_hint(*pods[i], *event, one.plugin,
                out[i] == BERTH_HINT_SKIP    ? "Skip"
                : out[i] == BERTH_HINT_ERROR ? "Error"
                                             : "Queue");
}

constexpr berth_plugin_events recording{sizeof(berth_plugin_events), 0, nullptr, hint};

}  // namespace

void watch_hints(std::vector<plugin::Profile> &profiles, OnHint told) {
    on_hint = std::move(told);
    for (auto &profile : profiles)
        for (auto &instance : profile.instances) {
            if (!instance->events || !instance->events->hint) continue;
            asked[instance->self] = {instance->name, instance->events};
            instance->events = &recording;
        }
}

void forget_hints() {
    asked.clear();
    on_hint = nullptr;
}

}  // namespace timeline_play
