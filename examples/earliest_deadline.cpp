// SPDX-License-Identifier: Apache-2.0

/// EarliestDeadline: the pod whose annotation `deadline` (as in "2026-05-01T12:00:00Z") is the earliest is scheduled
/// first, those without one after all others, and among equals the one that has waited longest.

#include <berth/plugin.hpp>

namespace {

class EarliestDeadline {
    /// Times of this form are in order when their texts are.
    static std::string_view deadline(berth::Pod pod) {
        auto text = pod.at("/metadata/annotations/deadline").string();
        return text.empty() ? "never" : text;  // behind every digit
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
