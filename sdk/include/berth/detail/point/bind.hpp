// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Bind: binds the pod to its node. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

#include <string_view>

namespace berth::detail {

BERTH_DETAIL_NAMES(bind)
BERTH_DETAIL_NAMES(Bind)

template <class T>
concept BindByName = requires(T t, Pod p, std::string_view n) {
    { t.bind(p, n) } -> gives<Verdict>;
};
template <class T>
concept BindInCall = requires(T t, Call c, State s, Pod p, std::string_view n, Done d) {
    { t.bind(c, s, p, n, d) } -> gives<Verdict>;
};

struct BindPoint {
    using Table = berth_plugin_bind;
    static constexpr std::string_view id = BERTH_PLUGIN_BIND_V1;
    template <class T>
    static constexpr bool has = BindByName<T> || BindInCall<T>;

    template <class T>
    static constexpr void check() {
        static_assert(
            !names_bind<T> || has<T>,
            "bind must be a public Verdict bind(Pod, std::string_view) or (Call, State, Pod, std::string_view, Done)");
        static_assert(!names_Bind<T>, "write bind, not Bind");
    }

    template <class T>
    static void bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, berth_str node_name,
                     berth_status *status, const berth_done *done) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (BindByName<T>) return h.plugin.bind(Pod{pod, &h.host}, view(node_name));
            else
                return h.plugin.bind(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name),
                                     Done{done, &h.host});
        });
        (void)call, (void)state, (void)done;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &bind<T>};
};

}  // namespace berth::detail
