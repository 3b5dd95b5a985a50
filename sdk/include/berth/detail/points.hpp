// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which methods a plugin class has, and whether they are nearly right. Not for plugin authors.

#include <berth/args.hpp>
#include <berth/sort_key.hpp>
#include <berth/view.hpp>

#include <concepts>
#include <type_traits>

namespace berth::detail {

// A class names a method if giving it a second base with a member of that name makes the name ambiguous. This finds
// overloads and templates too, which &T::name would not. A final class cannot be asked and names nothing.
#define BERTH_DETAIL_NAMES(name)            \
    struct Also_##name {                    \
        int name;                           \
    };                                      \
    template <class T>                      \
    struct Both_##name : T, Also_##name {}; \
    template <class T>                      \
    concept names_##name = !std::is_final_v<T> && !requires { &Both_##name<T>::name; };

BERTH_DETAIL_NAMES(pre_enqueue)
BERTH_DETAIL_NAMES(less)
BERTH_DETAIL_NAMES(sort_key)
BERTH_DETAIL_NAMES(events)
BERTH_DETAIL_NAMES(hint)
BERTH_DETAIL_NAMES(pre_filter)
BERTH_DETAIL_NAMES(add_pod)
BERTH_DETAIL_NAMES(remove_pod)
BERTH_DETAIL_NAMES(filter)
BERTH_DETAIL_NAMES(pre_score)
BERTH_DETAIL_NAMES(score)
BERTH_DETAIL_NAMES(normalize)
BERTH_DETAIL_NAMES(reserve)
BERTH_DETAIL_NAMES(unreserve)
BERTH_DETAIL_NAMES(permit)
BERTH_DETAIL_NAMES(preflight)
BERTH_DETAIL_NAMES(pre_bind)
BERTH_DETAIL_NAMES(bind)
BERTH_DETAIL_NAMES(post_bind)
BERTH_DETAIL_NAMES(Filter)
BERTH_DETAIL_NAMES(PreFilter)
BERTH_DETAIL_NAMES(Score)
BERTH_DETAIL_NAMES(PreScore)
BERTH_DETAIL_NAMES(NormalizeScore)
BERTH_DETAIL_NAMES(normalize_score)
BERTH_DETAIL_NAMES(prefilter)
BERTH_DETAIL_NAMES(prescore)
BERTH_DETAIL_NAMES(default_args)
BERTH_DETAIL_NAMES(declare)
BERTH_DETAIL_NAMES(PreEnqueue)
BERTH_DETAIL_NAMES(Less)
BERTH_DETAIL_NAMES(Events)
BERTH_DETAIL_NAMES(Hint)
BERTH_DETAIL_NAMES(Normalize)
BERTH_DETAIL_NAMES(Reserve)
BERTH_DETAIL_NAMES(Unreserve)
BERTH_DETAIL_NAMES(Permit)
BERTH_DETAIL_NAMES(PreBind)
BERTH_DETAIL_NAMES(Bind)
BERTH_DETAIL_NAMES(PostBind)
BERTH_DETAIL_NAMES(PostFilter)
BERTH_DETAIL_NAMES(post_filter)
BERTH_DETAIL_NAMES(AddPod)
BERTH_DETAIL_NAMES(RemovePod)
BERTH_DETAIL_NAMES(PreBindPreFlight)
BERTH_DETAIL_NAMES(prepare)
BERTH_DETAIL_NAMES(sign)
BERTH_DETAIL_NAMES(sign_pod)
BERTH_DETAIL_NAMES(remedy)
BERTH_DETAIL_NAMES(remedies)
BERTH_DETAIL_NAMES(Prepare)  // NOLINT(readability-identifier-naming): a misspelling to be told of
#undef BERTH_DETAIL_NAMES

template <class R, class W>
concept gives = std::convertible_to<R, W>;

// Each point's forms, from the simple to the full one.
template <class T>
concept PreEnqueue1 = requires(T t, Pod p) {
    { t.pre_enqueue(p) } -> gives<Verdict>;
};
template <class T>
concept PreEnqueue2 = requires(T t, Call c, Pod p) {
    { t.pre_enqueue(c, p) } -> gives<Verdict>;
};
template <class T>
concept Less = requires(T t, Pod a, Pod b) {
    { t.less(a, b) } -> gives<bool>;
};
template <class T>
concept HasSortKey = requires(T t, Pod p, SortKey &key) { t.sort_key(p, key); };
template <class T>
concept HasEvents = requires(T t, Events e) { t.events(e); };
template <class T>
concept HasHint = requires(T t, Event e, Pod p) {
    { t.hint(e, p) } -> gives<Hint>;
};
template <class T>
concept PreFilter1 = requires(T t, Pod p) {
    { t.pre_filter(p) } -> gives<Verdict>;
};
template <class T>
concept PreFilter2 = requires(T t, Pod p, Nodes n) {
    { t.pre_filter(p, n) } -> gives<Verdict>;
};
template <class T>
concept PreFilter3 = requires(T t, Call c, State s, Pod p, Nodes n) {
    { t.pre_filter(c, s, p, n) } -> gives<Verdict>;
};
template <class T>
concept PreFilter4 = requires(T t, Call c, State s, Pod p, Nodes n, Restrict r) {
    { t.pre_filter(c, s, p, n, r) } -> gives<Verdict>;
};
template <class T>
concept AddPod = requires(T t, Call c, State s, Pod p, Pod other, Node n) {
    { t.add_pod(c, s, p, other, n) } -> gives<Verdict>;
};
template <class T>
concept RemovePod = requires(T t, Call c, State s, Pod p, Pod other, Node n) {
    { t.remove_pod(c, s, p, other, n) } -> gives<Verdict>;
};
template <class T>
concept Filter1 = requires(T t, Pod p, Node n) {
    { t.filter(p, n) } -> gives<Verdict>;
};
template <class T>
concept Filter2 = requires(T t, Call c, State s, Pod p, Node n) {
    { t.filter(c, s, p, n) } -> gives<Verdict>;
};
template <class T>
concept Filter3 = requires(T t, Call c, State s, Pod p, Nodes n, Slots l, Verdicts v) { t.filter(c, s, p, n, l, v); };
template <class T>
concept PostFilter1 = requires(T t, Call c, State s, Pod p, Nodes n, Outcome o, Nomination m) {
    { t.post_filter(c, s, p, n, o, m) } -> gives<Verdict>;
};
template <class T>
concept PostFilter2 = requires(T t, Call c, State s, Pod p, Nodes n, Outcome o, Nomination m, Done d) {
    { t.post_filter(c, s, p, n, o, m, d) } -> gives<Verdict>;
};
template <class T>
concept PreScore1 = requires(T t, Pod p, Nodes n, Slots l) {
    { t.pre_score(p, n, l) } -> gives<Verdict>;
};
template <class T>
concept PreScore2 = requires(T t, Call c, State s, Pod p, Nodes n, Slots l) {
    { t.pre_score(c, s, p, n, l) } -> gives<Verdict>;
};
template <class T>
concept Score1 = requires(T t, Pod p, Node n) {
    { t.score(p, n) } -> std::integral;
};
template <class T>
concept Score2 = requires(T t, Call c, State s, Pod p, Node n) {
    { t.score(c, s, p, n) } -> std::integral;
};
template <class T>
concept Score3 = requires(T t, Call c, State s, Pod p, Nodes n, Slots l, Scores o) { t.score(c, s, p, n, l, o); };
template <class T>
concept NormalizeMode = requires {
    { T::normalize } -> std::convertible_to<berth::Normalize>;
};
template <class T>
concept Normalize1 = requires(T t, Scores o) { t.normalize(o); };
template <class T>
concept Normalize2 =
    requires(T t, Call c, State s, Pod p, Nodes n, Slots l, Scores o) { t.normalize(c, s, p, n, l, o); };
template <class T>
concept Reserve1 = requires(T t, Pod p, std::string_view n) {
    { t.reserve(p, n) } -> gives<Verdict>;
};
template <class T>
concept Reserve2 = requires(T t, Call c, State s, Pod p, Node n) {
    { t.reserve(c, s, p, n) } -> gives<Verdict>;
};
template <class T>
concept Unreserve1 = requires(T t, Pod p, std::string_view n) { t.unreserve(p, n); };
template <class T>
concept Unreserve2 = requires(T t, Call c, State s, Pod p, std::string_view n) { t.unreserve(c, s, p, n); };
template <class T>
concept Permit1 = requires(T t, Pod p, std::string_view n) {
    { t.permit(p, n) } -> gives<Permit>;
};
template <class T>
concept Permit2 = requires(T t, Call c, State s, Pod p, Node n) {
    { t.permit(c, s, p, n) } -> gives<Permit>;
};
template <class T>
concept HasPreflight = requires(T t, Call c, State s, Pod p, std::string_view n) {
    { t.preflight(c, s, p, n) } -> gives<Preflight>;
};
template <class T>
concept PreBind1 = requires(T t, Pod p, std::string_view n) {
    { t.pre_bind(p, n) } -> gives<Verdict>;
};
template <class T>
concept PreBind2 = requires(T t, Call c, State s, Pod p, std::string_view n, Done d) {
    { t.pre_bind(c, s, p, n, d) } -> gives<Verdict>;
};
template <class T>
concept Bind1 = requires(T t, Pod p, std::string_view n) {
    { t.bind(p, n) } -> gives<Verdict>;
};
template <class T>
concept Bind2 = requires(T t, Call c, State s, Pod p, std::string_view n, Done d) {
    { t.bind(c, s, p, n, d) } -> gives<Verdict>;
};
template <class T>
concept PostBind1 = requires(T t, Pod p, std::string_view n) { t.post_bind(p, n); };
template <class T>
concept PostBind2 = requires(T t, Call c, State s, Pod p, std::string_view n) { t.post_bind(c, s, p, n); };
template <class T>
concept HasPrepare = requires(T t, Object o) {
    { t.prepare(o) } -> std::move_constructible;
};
template <class T>
concept HasSign = requires(const T t, Pod p, Nodes n, Signature s) {
    { t.sign(p, n, s) } -> std::same_as<bool>;
};
template <class T>
concept Remedy1 = requires(const T t, Pod p, Node n) {
    { t.remedy(p, n) } -> gives<Remedy>;
};
template <class T>
concept Remedy2 = requires(const T t, Call c, State s, Pod p, Node n) {
    { t.remedy(c, s, p, n) } -> gives<Remedy>;
};
template <class T>
concept Remedy3 =
    requires(const T t, Call c, State s, Pod p, Nodes n, Slots l, Remedies r) { t.remedy(c, s, p, n, l, r); };
template <class T>
concept HasDeclare = requires(T t, Declare d) { t.declare(d); };
template <class T>
concept HasDefaultArgs = requires(ArgsReader a) { T::default_args(a); };

template <class T>
inline constexpr bool at_pre_enqueue = PreEnqueue1<T> || PreEnqueue2<T>;
template <class T>
inline constexpr bool at_pre_filter = PreFilter1<T> || PreFilter2<T> || PreFilter3<T> || PreFilter4<T>;
template <class T>
inline constexpr bool at_filter = Filter1<T> || Filter2<T> || Filter3<T>;
template <class T>
inline constexpr bool at_pre_filter_ext = AddPod<T> && RemovePod<T>;
template <class T>
inline constexpr bool at_post_filter = PostFilter1<T> || PostFilter2<T>;
template <class T>
inline constexpr bool at_remedy = Remedy1<T> || Remedy2<T> || Remedy3<T>;
template <class T>
inline constexpr bool at_pre_score = PreScore1<T> || PreScore2<T>;
template <class T>
inline constexpr bool at_score = Score1<T> || Score2<T> || Score3<T>;
template <class T>
inline constexpr bool at_normalize = NormalizeMode<T> || Normalize1<T> || Normalize2<T>;
template <class T>
inline constexpr bool at_reserve = Reserve1<T> || Reserve2<T>;
template <class T>
inline constexpr bool at_unreserve = Unreserve1<T> || Unreserve2<T>;
template <class T>
inline constexpr bool at_permit = Permit1<T> || Permit2<T>;
template <class T>
inline constexpr bool at_pre_bind = PreBind1<T> || PreBind2<T>;
template <class T>
inline constexpr bool at_bind = Bind1<T> || Bind2<T>;
template <class T>
inline constexpr bool at_post_bind = PostBind1<T> || PostBind2<T>;

/// Says at compile time that a method is nearly one of ours.
template <class T>
constexpr void check_near_misses() {
    static_assert(!names_pre_enqueue<T> || at_pre_enqueue<T>, "pre_enqueue must be Verdict pre_enqueue([Call,] Pod)");
    static_assert(!names_less<T> || Less<T>, "less must be bool less(Pod, Pod)");
    static_assert(!names_sort_key<T> || (Less<T> && HasSortKey<T>),
                  "sort_key must be void sort_key(Pod, SortKey &), beside less");
    static_assert(!names_events<T> || HasEvents<T>, "events must be void events(Events)");
    static_assert(!names_hint<T> || (HasEvents<T> && HasHint<T>), "hint must be Hint hint(Event, Pod), beside events");
    static_assert(!names_pre_filter<T> || at_pre_filter<T>,
                  "pre_filter must be Verdict pre_filter(Pod), (Pod, Nodes) or (Call, State, Pod, Nodes[, Restrict])");
    static_assert(!names_filter<T> || at_filter<T>,
                  "filter must be Verdict filter(Pod, Node), Verdict filter(Call, State, Pod, Node) or "
                  "void filter(Call, State, Pod, Nodes, Slots, Verdicts&)");
    static_assert(names_add_pod<T> == AddPod<T> && names_remove_pod<T> == RemovePod<T> && AddPod<T> == RemovePod<T>,
                  "add_pod and remove_pod come together: Verdict (Call, State, Pod, Pod other, Node)");
    static_assert(!at_pre_filter_ext<T> || at_pre_filter<T>, "add_pod and remove_pod need pre_filter beside them");
    static_assert(!names_post_filter<T> || at_post_filter<T>,
                  "post_filter must be Verdict post_filter(Call, State, Pod, Nodes, Outcome, Nomination[, Done])");
    static_assert(!names_pre_score<T> || at_pre_score<T>,
                  "pre_score must be Verdict pre_score([Call, State,] Pod, Nodes, Slots)");
    static_assert(!names_score<T> || at_score<T>,
                  "score must be int64_t score(Pod, Node), int64_t score(Call, State, Pod, Node) or "
                  "void score(Call, State, Pod, Nodes, Slots, Scores)");
    static_assert(!names_normalize<T> || at_normalize<T>,
                  "normalize must be void normalize(Scores), void normalize(Call, State, Pod, Nodes, Slots, Scores) or "
                  "static constexpr berth::Normalize normalize");
    static_assert(!at_normalize<T> || at_score<T>, "normalize needs score beside it");
    static_assert(!names_reserve<T> || at_reserve<T>,
                  "reserve must be Verdict reserve(Pod, std::string_view) or (Call, State, Pod, Node)");
    static_assert(at_reserve<T> == at_unreserve<T> && names_reserve<T> == names_unreserve<T>,
                  "reserve and unreserve come together; unreserve is void ([Call, State,] Pod, std::string_view)");
    static_assert(!names_permit<T> || at_permit<T>,
                  "permit must be Permit permit(Pod, std::string_view) or (Call, State, Pod, Node)");
    static_assert(!names_preflight<T> || (HasPreflight<T> && at_pre_bind<T>),
                  "preflight must be Preflight preflight(Call, State, Pod, std::string_view), beside pre_bind");
    static_assert(!names_pre_bind<T> || at_pre_bind<T>,
                  "pre_bind must be Verdict pre_bind(Pod, std::string_view) or (Call, State, Pod, string_view, Done)");
    static_assert(!names_bind<T> || at_bind<T>,
                  "bind must be Verdict bind(Pod, std::string_view) or (Call, State, Pod, std::string_view, Done)");
    static_assert(!names_post_bind<T> || at_post_bind<T>,
                  "post_bind must be void post_bind([Call, State,] Pod, std::string_view)");
    static_assert(!names_Filter<T>, "write filter, not Filter");
    static_assert(!names_PreFilter<T> && !names_prefilter<T>, "write pre_filter");
    static_assert(!names_Score<T>, "write score, not Score");
    static_assert(!names_PreScore<T> && !names_prescore<T>, "write pre_score");
    static_assert(!names_NormalizeScore<T> && !names_normalize_score<T> && !names_Normalize<T>, "write normalize");
    static_assert(!names_PreEnqueue<T>, "write pre_enqueue");
    static_assert(!names_Less<T> && !names_Events<T> && !names_Hint<T>, "write less, events, hint");
    static_assert(!names_Reserve<T> && !names_Unreserve<T>, "write reserve, unreserve");
    static_assert(!names_Permit<T> && !names_PreBind<T>, "write permit, pre_bind");
    static_assert(!names_Bind<T> && !names_PostBind<T>, "write bind, post_bind");
    static_assert(!names_PostFilter<T>, "write post_filter");
    static_assert(!names_AddPod<T> && !names_RemovePod<T>, "write add_pod, remove_pod");
    static_assert(!names_PreBindPreFlight<T>, "write preflight");
    static_assert(!names_prepare<T> || HasPrepare<T>, "prepare must be T prepare(Object), of any type T");
    static_assert(!names_Prepare<T>, "write prepare");
    static_assert(!names_sign<T> || (HasSign<T> && (at_filter<T> || at_score<T>)),
                  "sign must be bool sign(Pod, Nodes, Signature) const, beside filter or score");
    static_assert(!names_sign_pod<T>, "write sign");
    static_assert(!names_remedy<T> || (at_remedy<T> && at_filter<T>),
                  "remedy must be Remedy remedy([Call, State,] Pod, Node) const or "
                  "void remedy(Call, State, Pod, Nodes, Slots, Remedies) const, beside filter");
    static_assert(!names_remedies<T>, "write remedy");
    static_assert(!names_default_args<T> || HasDefaultArgs<T>,
                  "default_args must be static void default_args(berth::ArgsReader &)");
    static_assert(!names_declare<T> || HasDeclare<T>, "declare must be void declare(berth::Declare)");
}

/// Calls `fn(id)` for the id of each interface that T implements, in a fixed order.
template <class T, class Fn>
constexpr void each_interface(Fn fn) {
    if constexpr (at_pre_enqueue<T>) fn(BERTH_PLUGIN_PRE_ENQUEUE_V1);
    if constexpr (Less<T>) fn(BERTH_PLUGIN_QUEUE_SORT_V1);
    if constexpr (HasEvents<T>) fn(BERTH_PLUGIN_EVENTS_V1);
    if constexpr (at_pre_filter<T>) fn(BERTH_PLUGIN_PRE_FILTER_V1);
    if constexpr (at_pre_filter_ext<T>) fn(BERTH_PLUGIN_PRE_FILTER_EXT_V1);
    if constexpr (at_filter<T>) fn(BERTH_PLUGIN_FILTER_V1);
    if constexpr (at_post_filter<T>) fn(BERTH_PLUGIN_POST_FILTER_V1);
    if constexpr (at_pre_score<T>) fn(BERTH_PLUGIN_PRE_SCORE_V1);
    if constexpr (at_score<T>) fn(BERTH_PLUGIN_SCORE_V1);
    if constexpr (at_normalize<T>) fn(BERTH_PLUGIN_NORMALIZE_V1);
    if constexpr (at_reserve<T>) fn(BERTH_PLUGIN_RESERVE_V1);
    if constexpr (at_permit<T>) fn(BERTH_PLUGIN_PERMIT_V1);
    if constexpr (at_pre_bind<T>) fn(BERTH_PLUGIN_PRE_BIND_V1);
    if constexpr (at_bind<T>) fn(BERTH_PLUGIN_BIND_V1);
    if constexpr (at_post_bind<T>) fn(BERTH_PLUGIN_POST_BIND_V1);
    if constexpr (HasPrepare<T>) fn(BERTH_PLUGIN_PREPARE_V1);
    if constexpr (HasSign<T>) fn(BERTH_PLUGIN_SIGN_V1);
    if constexpr (at_remedy<T>) fn(BERTH_PLUGIN_REMEDY_DRAFT1);
}

}  // namespace berth::detail
