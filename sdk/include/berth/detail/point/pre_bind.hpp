// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreBind: what must be done before the pod is bound, and whether there is anything. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

#include <string_view>

namespace berth::detail {

BERTH_DETAIL_NAMES(pre_bind)
BERTH_DETAIL_NAMES(preflight)
BERTH_DETAIL_NAMES(PreBind)
BERTH_DETAIL_NAMES(preBind)
BERTH_DETAIL_NAMES(PreBindPreFlight)

template <class T>
concept PreBindByName = requires(T t, Pod p, std::string_view n) {
    { t.pre_bind(p, n) } -> gives<Verdict>;
};
template <class T>
concept PreBindInCall = requires(T t, Call c, State s, Pod p, std::string_view n, Done d) {
    { t.pre_bind(c, s, p, n, d) } -> gives<Verdict>;
};
template <class T>
concept HasPreflight = requires(T t, Call c, State s, Pod p, std::string_view n) {
    { t.preflight(c, s, p, n) } -> gives<Preflight>;
};

struct PreBindPoint {
    using Table = berth_plugin_pre_bind;
    static constexpr std::string_view id = BERTH_PLUGIN_PRE_BIND_V1;
    template <class T>
    static constexpr bool has = PreBindByName<T> || PreBindInCall<T>;

    template <class T>
    static constexpr void check() {
        static_assert(
            !names_preflight<T> || (HasPreflight<T> && has<T>),
            "preflight must be a public Preflight preflight(Call, State, Pod, std::string_view), beside pre_bind");
        static_assert(!names_pre_bind<T> || has<T>,
                      "pre_bind must be a public Verdict pre_bind(Pod, std::string_view) or (Call, State, Pod, "
                      "string_view, Done)");
        static_assert(!names_PreBind<T> && !names_preBind<T>, "write pre_bind");
        static_assert(!names_PreBindPreFlight<T>, "write preflight");
    }

    template <class T>
    static void preflight(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          berth_str node_name, std::uint32_t *parallel, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            Preflight p =
                h.plugin.preflight(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name));
            *parallel = p.parallel ? 1 : 0;
            return p.verdict;
        });
    }
    template <class T>
    static void pre_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                         berth_str node_name, berth_status *status, const berth_done *done) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (PreBindByName<T>) return h.plugin.pre_bind(Pod{pod, &h.host}, view(node_name));
            else
                return h.plugin.pre_bind(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name),
                                         Done{done, &h.host});
        });
        (void)call, (void)state, (void)done;
    }

    template <class T>
    static constexpr Table table = [] {
        Table made{sizeof(Table), 0, nullptr, &pre_bind<T>};
        if constexpr (HasPreflight<T>) made.preflight = &preflight<T>;
        return made;
    }();
};

}  // namespace berth::detail
