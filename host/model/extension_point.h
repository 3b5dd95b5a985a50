// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The extension points, with their names in messages, configurations and Go (upstream: kube-scheduler v1.37.2).

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::model {

/// In the order of upstream's `Plugins` struct. MultiPoint is not a point where a plugin is called: it stands in a
/// configuration for every point that a plugin implements.
enum class ExtensionPoint : std::uint8_t {
    PreEnqueue,
    QueueSort,
    PreFilter,
    Filter,
    PostFilter,
    PreScore,
    Score,
    Reserve,
    Permit,
    PreBind,
    Bind,
    PostBind,
    MultiPoint,
    PlacementGenerate,
    PlacementScore,
    PodGroupPostFilter,
};

struct ExtensionPointNames {
    ExtensionPoint point;
    std::string_view display;         ///< in metrics, events and messages: `PreFilter`
    std::string_view key;             ///< in a KubeSchedulerConfiguration: `preFilter`
    std::string_view interface_name;  ///< the Go interface in upstream's errors: `PreFilterPlugin`
};

inline constexpr std::size_t extension_point_count = 16;

inline constexpr std::array<ExtensionPointNames, extension_point_count> extension_points{{
    {ExtensionPoint::PreEnqueue, "PreEnqueue", "preEnqueue", "PreEnqueuePlugin"},
    {ExtensionPoint::QueueSort, "QueueSort", "queueSort", "QueueSortPlugin"},
    {ExtensionPoint::PreFilter, "PreFilter", "preFilter", "PreFilterPlugin"},
    {ExtensionPoint::Filter, "Filter", "filter", "FilterPlugin"},
    {ExtensionPoint::PostFilter, "PostFilter", "postFilter", "PostFilterPlugin"},
    {ExtensionPoint::PreScore, "PreScore", "preScore", "PreScorePlugin"},
    {ExtensionPoint::Score, "Score", "score", "ScorePlugin"},
    {ExtensionPoint::Reserve, "Reserve", "reserve", "ReservePlugin"},
    {ExtensionPoint::Permit, "Permit", "permit", "PermitPlugin"},
    {ExtensionPoint::PreBind, "PreBind", "preBind", "PreBindPlugin"},
    {ExtensionPoint::Bind, "Bind", "bind", "BindPlugin"},
    {ExtensionPoint::PostBind, "PostBind", "postBind", "PostBindPlugin"},
    {ExtensionPoint::MultiPoint, "MultiPoint", "multiPoint", "Plugin"},
    {ExtensionPoint::PlacementGenerate, "PlacementGenerate", "placementGenerate", "PlacementGeneratePlugin"},
    {ExtensionPoint::PlacementScore, "PlacementScore", "placementScore", "PlacementScorePlugin"},
    {ExtensionPoint::PodGroupPostFilter, "PodGroupPostFilter", "podGroupPostFilter", "PodGroupPostFilterPlugin"},
}};

constexpr std::size_t index(ExtensionPoint point) { return static_cast<std::size_t>(point); }
constexpr const ExtensionPointNames &names(ExtensionPoint point) { return extension_points[index(point)]; }

/// The point whose configuration key is `key`, or nothing.
constexpr std::optional<ExtensionPoint> extension_point_of_key(std::string_view key) {
    for (const auto &names : extension_points)
        if (names.key == key) return names.point;
    return std::nullopt;
}

}  // namespace berth::model
