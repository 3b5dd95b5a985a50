// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The activation of unschedulable pods by plugins (berth.host.activator/1).

#include "scheduler/core.h"

#include <algorithm>

namespace berth::scheduler {

class PodActivator final : public plugin::Activator {
    Core &core_;

public:
    explicit PodActivator(Core &core) : core_(core) {}

    bool activate(std::string_view uid) override {
        auto at = std::ranges::find_if(core_.pending, [&](const auto &one) { return one.second->uid() == uid; });
        if (at == core_.pending.end() || !core_.responsible(*at->second)) return false;
        auto activate = [this, pod = at->second] { core_.queue->activate(pod); };
        if (!core_.defer(activate)) activate();
        return true;
    }
};

}  // namespace berth::scheduler
