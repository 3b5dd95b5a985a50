// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PostFilter: what to do for a pod that fits no node. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

namespace berth::detail {

BERTH_DETAIL_NAMES(post_filter)
BERTH_DETAIL_NAMES(PostFilter)
BERTH_DETAIL_NAMES(postFilter)

template <class T>
concept PostFilterAtOnce = requires(T t, Call c, State s, Pod p, Nodes n, Outcome o, Nomination m) {
    { t.post_filter(c, s, p, n, o, m) } -> gives<Verdict>;
};
template <class T>
concept PostFilterLater = requires(T t, Call c, State s, Pod p, Nodes n, Outcome o, Nomination m, Done d) {
    { t.post_filter(c, s, p, n, o, m, d) } -> gives<Verdict>;
};

struct PostFilterPoint {
    using Table = berth_plugin_post_filter;
    static constexpr std::string_view id = BERTH_PLUGIN_POST_FILTER_V1;
    template <class T>
    static constexpr bool has = PostFilterAtOnce<T> || PostFilterLater<T>;

    template <class T>
    static constexpr void check() {
        static_assert(
            !names_post_filter<T> || has<T>,
            "post_filter must be a public Verdict post_filter(Call, State, Pod, Nodes, Outcome, Nomination[, Done])");
        static_assert(!names_PostFilter<T> && !names_postFilter<T>, "write post_filter");
    }

    template <class T>
    static void post_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                            const berth_nodes *nodes, const berth_outcome *outcome, berth_nomination *nomination,
                            berth_status *status, const berth_done *done) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (PostFilterAtOnce<T>)
                return h.plugin.post_filter(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                            Nodes{nodes, &h.host}, Outcome{outcome, &h.host},
                                            Nomination{nomination, &h.host});
            else
                return h.plugin.post_filter(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                            Nodes{nodes, &h.host}, Outcome{outcome, &h.host},
                                            Nomination{nomination, &h.host}, Done{done, &h.host});
        });
        (void)done;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &post_filter<T>};
};

}  // namespace berth::detail
