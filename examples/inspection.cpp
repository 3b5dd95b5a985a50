// SPDX-License-Identifier: Apache-2.0

/// Inspection: a pod with the label inspection=true is bound args.seconds after its node was chosen. PreBind answers
/// later and holds no thread meanwhile, so that any number of pods may wait while others are bound.

#include <berth/plugin.hpp>

namespace {

class Inspection {
    static constexpr std::int64_t second_ns = 1'000'000'000;

    const berth::Host &host_;
    std::int64_t seconds_;

public:
    static constexpr const char *description = "Holds back the binding of pods that are inspected first";

    static void default_args(berth::ArgsReader &args) { args.integer("seconds", 30, 0, 3600); }

    Inspection(berth::Args args, const berth::Host &host)
        : host_(host), seconds_(args.integer<std::int64_t>("seconds", 30)) {}

    berth::Verdict pre_bind(berth::Call, berth::State, berth::Pod pod, std::string_view, berth::Done done) const {
        for (const auto &l : pod.labels())
            if (berth::view(l.key) == "inspection" && berth::view(l.value) == "true") {
                host_.after(seconds_ * second_ns, [done] { done(berth::ok); });
                return berth::in_progress();
            }
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Inspection, "Inspection", "1.0.0")
