// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The activation of unschedulable pods by plugins (berth.host.activator/1).

#include "scheduler/core.h"

namespace berth::scheduler {

class PodActivator final : public plugin::Activator {
    Core &core_;

public:
    explicit PodActivator(Core &core) : core_(core) {}

    bool activate(std::string_view uid) override {
        const auto pod = core_.pending.with_uid(uid);
        if (!pod || !core_.responsible(*pod)) return false;
        auto activate = [this, pod] { core_.queue->activate(pod); };
        if (!core_.defer(activate)) activate();
        return true;
    }
};

}  // namespace berth::scheduler
