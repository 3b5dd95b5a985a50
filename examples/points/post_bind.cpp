// SPDX-License-Identifier: Apache-2.0

/// Flagship: the other pods sail once the pod `flagship` is bound.

#include <berth/plugin.hpp>

#include <set>
#include <string>
#include <utility>

namespace {

class Flagship {
    const berth::Host &host_;
    bool sails_ = false;
    std::set<std::string> followers_;  // uids of those that wait for it

public:
    explicit Flagship(const berth::Host &host) : host_(host) {}

    berth::Verdict pre_filter(berth::Pod pod) {
        if (sails_ || pod.name() == "flagship") return berth::ok;
        followers_.emplace(pod.uid());
        // Some may be gone since. A pod that is forgotten is tried again after some minutes.
        constexpr std::size_t most = 1000;
        if (followers_.size() > most) followers_.erase(followers_.begin());
        return berth::pending("the flagship comes first");
    }

    // No plugin can reject a bound pod. So once the flagship is bound, the reason for which the followers were rejected
    // no longer holds.
    void post_bind(berth::Pod pod, std::string_view) {
        if (pod.name() != "flagship") return;
        sails_ = true;
        for (const auto &uid : std::exchange(followers_, {})) host_.activate(uid);
    }

    void events(berth::Events) const {}  // none: post_bind wakes them
};

}  // namespace

BERTH_PLUGIN(Flagship, "Flagship", "1.0.0")
