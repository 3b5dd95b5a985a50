// SPDX-License-Identifier: Apache-2.0

/// HarbourMaster: a pod with the label leave=no is denied, one with leave=later waits, its node reserved, until the pod
/// `signal` comes or ten seconds are over; any other is approved.

#include <berth/plugin.hpp>

#include <string>
#include <vector>

namespace {

class HarbourMaster {
    const berth::Host &host_;

public:
    explicit HarbourMaster(const berth::Host &host) : host_(host) {}

    berth::Permit permit(berth::Pod pod, std::string_view) const {
        auto leave = pod.at("/metadata/labels/leave").string();
        if (leave == "no") return berth::unschedulable("the harbour master said no");
        if (leave == "later") return berth::Permit::wait(std::chrono::seconds(10));
        if (pod.name() == "signal") {
            std::vector<std::string> waiting;
            host_.each_waiting(
                [&](const berth_pod *other, std::string_view) { waiting.emplace_back(berth::view(other->uid)); });
            for (const auto &uid : waiting) host_.allow_waiting(uid);
        }
        return berth::ok;
    }

    void events(berth::Events on) const { on.add("Pod", BERTH_EVENT_UPDATE_POD_LABEL); }
};

}  // namespace

BERTH_PLUGIN(HarbourMaster, "HarbourMaster", "1.0.0")
