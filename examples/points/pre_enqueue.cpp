// SPDX-License-Identifier: Apache-2.0

/// Papers: a pod stays out of the queue until it has the label papers=true.

#include <berth/plugin.hpp>

namespace {

class Papers {
    static bool has(berth::Pod pod) { return pod.at("/metadata/labels/papers").string() == "true"; }

public:
    berth::Verdict pre_enqueue(berth::Pod pod) const {
        return has(pod) ? berth::Verdict(berth::ok) : berth::unresolvable("it has no papers");
    }

    // A change of the pod's own labels repeats the call. Without this, the pod would stay gated.
    void events(berth::Events on) const { on.add_hinted("Pod", BERTH_EVENT_UPDATE_POD_LABEL); }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto changed = event.new_pod();
        return changed && changed->uid() == pod.uid() && has(*changed) ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace

BERTH_PLUGIN(Papers, "Papers", "1.0.0")
