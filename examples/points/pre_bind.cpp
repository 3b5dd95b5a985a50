// SPDX-License-Identifier: Apache-2.0

/// Customs: clears a pod with the label cargo before it is bound, which takes three seconds. It does not clear a pod
/// with cargo=contraband.

#include <berth/plugin.hpp>

#include <string>

namespace {

class Customs {
    const berth::Host &host_;

    static std::string_view cargo(berth::Pod pod) { return pod.at("/metadata/labels/cargo").string(); }

public:
    explicit Customs(const berth::Host &host) : host_(host) {}

    // Is there anything to do? If not, Berth does not call pre_bind. `true`: pre_bind may run in
    // parallel with the pre_bind of neighbouring plugins.
    berth::Preflight preflight(berth::Call, berth::State, berth::Pod pod, std::string_view) const {
        if (cargo(pod).empty()) return berth::skip();
        return {berth::ok, true};
    }

    // The answer comes later, and no thread waits for it.
    berth::Verdict pre_bind(berth::Call call, berth::State, berth::Pod pod, std::string_view, berth::Done done) const {
        constexpr std::int64_t seconds_ns = 1'000'000'000;
        const bool contraband = cargo(pod) == "contraband";
        const auto timer = host_.after(3 * seconds_ns, [done, contraband] {
            done(contraband ? berth::unschedulable("customs found contraband") : berth::Verdict(berth::ok));
        });
        // The pod may be deleted or preempted meanwhile.
        host_.after_cancellation(call, [this, timer, done] {
            if (host_.cancel(timer)) done(berth::cancelled());
        });
        return berth::in_progress();
    }
};

}  // namespace

BERTH_PLUGIN(Customs, "Customs", "1.0.0")
