// SPDX-License-Identifier: Apache-2.0

/// FilterPod: only pods with these names, labels or expressions. See README.md.

#include <berth/plugin.hpp>
#include <berth/selector.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

class FilterPod {
    std::vector<std::string> names_;
    berth::LabelSelector selector_;
    std::string message_;

    bool matches(berth::Pod pod) const {
        bool named = names_.empty() || std::find(names_.begin(), names_.end(), pod.name()) != names_.end();
        return named && selector_.matches(pod.labels());
    }

public:
    static constexpr const char *description = "Allows only pods with given names or labels";

    static void default_args(berth::ArgsReader &args) {
        args.strings("names");
        berth::LabelSelector::read(args, "selector");
        args.string("message", "the pod didn't match FilterPod's names or selector");
    }

    explicit FilterPod(berth::Args args)
        : names_(args.strings("names")),
          selector_(berth::LabelSelector::read(args, "selector")),
          message_(args.string("message", "")) {}

    /// Evicting other pods would not help, hence unresolvable.
    berth::Verdict pre_filter(berth::Pod pod) const {
        return matches(pod) ? berth::Verdict(berth::ok) : berth::unresolvable(message_);
    }

    /// The pod itself has to change: its labels are the only thing that can.
    void events(berth::Events on) const { on.add_hinted("Pod", BERTH_EVENT_UPDATE_POD_LABEL); }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto changed = event.new_pod();
        return changed && changed->uid() == pod.uid() && matches(*changed) ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace

BERTH_PLUGIN(FilterPod, "FilterPod", "0.1.0")
