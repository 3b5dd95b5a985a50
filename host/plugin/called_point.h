// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Extension points and parts of them that plugins are called for, with their names in metrics and messages.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace berth::plugin {

/// What a plugin is called for: an extension point, or a part of one that has a name of its own in metrics and
/// messages. It stands for its name wherever that is wanted.
class CalledPoint {
public:
    /// In the order of their names, as reports list them.
    enum Name : std::uint8_t {
        AddPod,
        Bind,
        Filter,
        NormalizeScore,
        Permit,
        PermitWait,
        PlacementFeasible,
        PostBind,
        PostFilter,
        PreBind,
        PreBindPreFlight,
        PreEnqueue,
        PreFilter,
        PreScore,
        QueueSort,
        QueueingHint,
        RemovePod,
        Reserve,
        Score,
        Sign,
        Unreserve
    };
    static constexpr std::size_t count = Unreserve + 1;

private:
    static constexpr std::array<std::string_view, count> texts{
        "AddPod",    "Bind",         "Filter",    "NormalizeScore",   "Permit",     "PermitWait", "PlacementFeasible",
        "PostBind",  "PostFilter",   "PreBind",   "PreBindPreFlight", "PreEnqueue", "PreFilter",  "PreScore",
        "QueueSort", "QueueingHint", "RemovePod", "Reserve",          "Score",      "Sign",       "Unreserve"};
    static_assert(std::ranges::is_sorted(texts));

    Name name_;

public:
    constexpr CalledPoint(Name name) : name_(name) {}
    constexpr std::string_view text() const { return texts[name_]; }
    constexpr operator std::string_view() const { return text(); }
    constexpr std::size_t index() const { return name_; }
    constexpr bool operator==(const CalledPoint &) const = default;
    constexpr auto operator<=>(const CalledPoint &) const = default;
};

}  // namespace berth::plugin
