// SPDX-License-Identifier: Apache-2.0
#include "plugin/interfaces.h"

#include "plugin/least_size.h"

#include <berth/berth.h>
#include <berth/draft/pod_groups.h>
#include <berth/draft/remedy.h>

#include <algorithm>
#include <ranges>

namespace berth::plugin {
namespace {

#define BERTH_FUNCTION(type, field) \
    RequiredFunction { #field, offsetof(type, field) }

constexpr std::array pre_enqueue{BERTH_FUNCTION(berth_plugin_pre_enqueue, pre_enqueue)};
constexpr std::array queue_sort{BERTH_FUNCTION(berth_plugin_queue_sort, less)};
constexpr std::array events{BERTH_FUNCTION(berth_plugin_events, events)};
constexpr std::array pre_filter{BERTH_FUNCTION(berth_plugin_pre_filter, pre_filter)};
constexpr std::array pre_filter_ext{BERTH_FUNCTION(berth_plugin_pre_filter_ext, add_pod),
                                    BERTH_FUNCTION(berth_plugin_pre_filter_ext, remove_pod)};
constexpr std::array filter{BERTH_FUNCTION(berth_plugin_filter, filter)};
constexpr std::array post_filter{BERTH_FUNCTION(berth_plugin_post_filter, post_filter)};
constexpr std::array pre_score{BERTH_FUNCTION(berth_plugin_pre_score, pre_score)};
constexpr std::array score{BERTH_FUNCTION(berth_plugin_score, score)};
constexpr std::array reserve{BERTH_FUNCTION(berth_plugin_reserve, reserve),
                             BERTH_FUNCTION(berth_plugin_reserve, unreserve)};
constexpr std::array permit{BERTH_FUNCTION(berth_plugin_permit, permit)};
constexpr std::array pre_bind{BERTH_FUNCTION(berth_plugin_pre_bind, pre_bind)};
constexpr std::array bind{BERTH_FUNCTION(berth_plugin_bind, bind)};
constexpr std::array post_bind{BERTH_FUNCTION(berth_plugin_post_bind, post_bind)};
constexpr std::array prepare{BERTH_FUNCTION(berth_plugin_prepare, prepare), BERTH_FUNCTION(berth_plugin_prepare, drop)};
constexpr std::array sign{BERTH_FUNCTION(berth_plugin_sign, sign)};
constexpr std::array remedy{BERTH_FUNCTION(berth_plugin_remedy, remedy)};
constexpr std::array placement_feasible{BERTH_FUNCTION(berth_plugin_placement_feasible, placement_feasible)};

/// In the order of Interface.
constexpr std::array<InterfaceFacts, interface_count> all{{
    {Interface::PreEnqueue, BERTH_PLUGIN_PRE_ENQUEUE_V1, BERTH_END_OF(berth_plugin_pre_enqueue, pre_enqueue),
     pre_enqueue},
    {Interface::QueueSort, BERTH_PLUGIN_QUEUE_SORT_V1, BERTH_END_OF(berth_plugin_queue_sort, sort_key), queue_sort},
    {Interface::Events, BERTH_PLUGIN_EVENTS_V1, BERTH_END_OF(berth_plugin_events, hint), events},
    {Interface::PreFilter, BERTH_PLUGIN_PRE_FILTER_V1, BERTH_END_OF(berth_plugin_pre_filter, pre_filter), pre_filter},
    {Interface::PreFilterExt, BERTH_PLUGIN_PRE_FILTER_EXT_V1, BERTH_END_OF(berth_plugin_pre_filter_ext, remove_pod),
     pre_filter_ext},
    {Interface::Filter, BERTH_PLUGIN_FILTER_V1, BERTH_END_OF(berth_plugin_filter, filter), filter},
    {Interface::PostFilter, BERTH_PLUGIN_POST_FILTER_V1, BERTH_END_OF(berth_plugin_post_filter, post_filter),
     post_filter},
    {Interface::PreScore, BERTH_PLUGIN_PRE_SCORE_V1, BERTH_END_OF(berth_plugin_pre_score, pre_score), pre_score},
    {Interface::Score, BERTH_PLUGIN_SCORE_V1, BERTH_END_OF(berth_plugin_score, score), score},
    {Interface::Normalize, BERTH_PLUGIN_NORMALIZE_V1, BERTH_END_OF(berth_plugin_normalize, normalize), {}},
    {Interface::Reserve, BERTH_PLUGIN_RESERVE_V1, BERTH_END_OF(berth_plugin_reserve, unreserve), reserve},
    {Interface::Permit, BERTH_PLUGIN_PERMIT_V1, BERTH_END_OF(berth_plugin_permit, permit), permit},
    {Interface::PreBind, BERTH_PLUGIN_PRE_BIND_V1, BERTH_END_OF(berth_plugin_pre_bind, pre_bind), pre_bind},
    {Interface::Bind, BERTH_PLUGIN_BIND_V1, BERTH_END_OF(berth_plugin_bind, bind), bind},
    {Interface::PostBind, BERTH_PLUGIN_POST_BIND_V1, BERTH_END_OF(berth_plugin_post_bind, post_bind), post_bind},
    {Interface::Prepare, BERTH_PLUGIN_PREPARE_V1, BERTH_END_OF(berth_plugin_prepare, drop), prepare},
    {Interface::Sign, BERTH_PLUGIN_SIGN_V1, BERTH_END_OF(berth_plugin_sign, sign), sign},
    {Interface::Remedy, BERTH_PLUGIN_REMEDY_DRAFT1, BERTH_END_OF(berth_plugin_remedy, remedy), remedy},
    {Interface::PlacementFeasible, BERTH_PLUGIN_PLACEMENT_FEASIBLE_DRAFT1,
     BERTH_END_OF(berth_plugin_placement_feasible, placement_feasible), placement_feasible},
}};
static_assert(std::ranges::equal(all, std::views::iota(std::size_t{0}, interface_count), {},
                                 [](const InterfaceFacts &row) { return static_cast<std::size_t>(row.interface); }));

}  // namespace

const InterfaceFacts &facts(Interface interface) { return all[static_cast<std::size_t>(interface)]; }

bool is_draft(std::string_view id) { return id.find("/draft") != std::string_view::npos; }

std::optional<Interface> interface_of_id(std::string_view id) {
    auto at = std::ranges::find(all, id, &InterfaceFacts::id);
    if (at == all.end()) return std::nullopt;
    return at->interface;
}

std::optional<Interface> interface_of_point(model::ExtensionPoint point) {
    using model::ExtensionPoint;
    switch (point) {
        case ExtensionPoint::PreEnqueue: return Interface::PreEnqueue;
        case ExtensionPoint::QueueSort: return Interface::QueueSort;
        case ExtensionPoint::PreFilter: return Interface::PreFilter;
        case ExtensionPoint::Filter: return Interface::Filter;
        case ExtensionPoint::PostFilter: return Interface::PostFilter;
        case ExtensionPoint::PreScore: return Interface::PreScore;
        case ExtensionPoint::Score: return Interface::Score;
        case ExtensionPoint::Reserve: return Interface::Reserve;
        case ExtensionPoint::Permit: return Interface::Permit;
        case ExtensionPoint::PreBind: return Interface::PreBind;
        case ExtensionPoint::Bind: return Interface::Bind;
        case ExtensionPoint::PostBind: return Interface::PostBind;
        case ExtensionPoint::MultiPoint:
        case ExtensionPoint::PlacementGenerate:
        case ExtensionPoint::PlacementScore:
        case ExtensionPoint::PodGroupPostFilter: return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace berth::plugin
