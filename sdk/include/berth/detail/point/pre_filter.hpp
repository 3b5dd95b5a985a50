// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreFilter: a look at the pod before any node. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

namespace berth::detail {

BERTH_DETAIL_NAMES(pre_filter)
BERTH_DETAIL_NAMES(PreFilter)
BERTH_DETAIL_NAMES(preFilter)
BERTH_DETAIL_NAMES(prefilter)

template <class T>
concept PreFilterOfPod = requires(T t, Pod p) {
    { t.pre_filter(p) } -> gives<Verdict>;
};
template <class T>
concept PreFilterOfNodes = requires(T t, Pod p, Nodes n) {
    { t.pre_filter(p, n) } -> gives<Verdict>;
};
template <class T>
concept PreFilterInCall = requires(T t, Call c, State s, Pod p, Nodes n) {
    { t.pre_filter(c, s, p, n) } -> gives<Verdict>;
};
template <class T>
concept PreFilterRestricts = requires(T t, Call c, State s, Pod p, Nodes n, Restrict r) {
    { t.pre_filter(c, s, p, n, r) } -> gives<Verdict>;
};

struct PreFilterPoint {
    using Table = berth_plugin_pre_filter;
    static constexpr std::string_view id = BERTH_PLUGIN_PRE_FILTER_V1;
    template <class T>
    static constexpr bool has = PreFilterOfPod<T> || PreFilterOfNodes<T> || PreFilterInCall<T> || PreFilterRestricts<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_pre_filter<T> || has<T>,
                      "pre_filter must be a public Verdict pre_filter(Pod), (Pod, Nodes) or (Call, State, Pod, Nodes[, "
                      "Restrict])");
        static_assert(!names_PreFilter<T> && !names_prefilter<T> && !names_preFilter<T>, "write pre_filter");
    }

    template <class T>
    static void pre_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                           const berth_nodes *nodes, berth_restrict *restrict_, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            Pod p{pod, &h.host};
            Nodes n{nodes, &h.host};
            if constexpr (PreFilterOfPod<T>) return h.plugin.pre_filter(p);
            else if constexpr (PreFilterOfNodes<T>) return h.plugin.pre_filter(p, n);
            else if constexpr (PreFilterInCall<T>)
                return h.plugin.pre_filter(Call{call, &h.host}, State{state, &h.host}, p, n);
            else
                return h.plugin.pre_filter(Call{call, &h.host}, State{state, &h.host}, p, n,
                                           Restrict{restrict_, &h.host});
        });
        (void)call, (void)state, (void)restrict_;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &pre_filter<T>};
};

}  // namespace berth::detail
