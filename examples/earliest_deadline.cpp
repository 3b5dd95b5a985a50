// SPDX-License-Identifier: Apache-2.0

/// EarliestDeadline: the pod whose annotation `deadline` (as in "2026-05-01T12:00:00Z") is the earliest is scheduled
/// first. Pods without a deadline come last. Of pods with equal deadlines, the one that has waited longest comes first.

#include <berth/plugin.hpp>

namespace {

class EarliestDeadline {
    /// Times in this form have the same order as their texts.
    static std::string_view deadline(berth::Pod pod) {
        auto text = pod.at("/metadata/annotations/deadline").string();
        return text.empty() ? "never" : text;  // greater than every digit
    }

public:
    static constexpr const char *description = "Schedules the pod with the earliest deadline first";

    bool less(berth::Pod a, berth::Pod b) const {
        auto first = deadline(a), second = deadline(b);
        if (first != second) return first < second;
        return a.queued_time_ns() < b.queued_time_ns();
    }
};

}  // namespace

BERTH_PLUGIN(EarliestDeadline, "EarliestDeadline", "1.0.0")
