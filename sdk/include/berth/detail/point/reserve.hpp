// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reserve and Unreserve: what the pod takes on its node, and back. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

#include <string_view>

namespace berth::detail {

BERTH_DETAIL_NAMES(reserve)
BERTH_DETAIL_NAMES(unreserve)
BERTH_DETAIL_NAMES(Reserve)
BERTH_DETAIL_NAMES(Unreserve)

template <class T>
concept ReserveByName = requires(T t, Pod p, std::string_view n) {
    { t.reserve(p, n) } -> gives<Verdict>;
};
template <class T>
concept ReserveInCall = requires(T t, Call c, State s, Pod p, Node n) {
    { t.reserve(c, s, p, n) } -> gives<Verdict>;
};
template <class T>
concept UnreserveByName = requires(T t, Pod p, std::string_view n) { t.unreserve(p, n); };
template <class T>
concept UnreserveInCall = requires(T t, Call c, State s, Pod p, std::string_view n) { t.unreserve(c, s, p, n); };

struct ReservePoint {
    using Table = berth_plugin_reserve;
    static constexpr std::string_view id = BERTH_PLUGIN_RESERVE_V1;
    template <class T>
    static constexpr bool has = ReserveByName<T> || ReserveInCall<T>;
    template <class T>
    static constexpr bool has_unreserve = UnreserveByName<T> || UnreserveInCall<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_reserve<T> || has<T>,
                      "reserve must be a public Verdict reserve(Pod, std::string_view) or (Call, State, Pod, Node)");
        static_assert(has<T> == has_unreserve<T> && (!names_unreserve<T> || has_unreserve<T>),
                      "reserve and unreserve come together; unreserve is void ([Call, State,] Pod, std::string_view)");
        static_assert(!names_Reserve<T> && !names_Unreserve<T>, "write reserve, unreserve");
    }

    template <class T>
    static void reserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                        const berth_nodes *nodes, std::uint32_t slot, berth_str node_name,
                        berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (ReserveByName<T>) return h.plugin.reserve(Pod{pod, &h.host}, view(node_name));
            else
                return h.plugin.reserve(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                        Node{nodes, slot, &h.host});
        });
        (void)call, (void)state, (void)nodes, (void)slot, (void)node_name;
    }
    template <class T>
    static void unreserve(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          berth_str node_name) noexcept {
        auto &h = holder<T>(self);
        // It cannot fail; what it could not undo is the plugin's loss.
        h.host.contain("unreserve", [&] {
            if constexpr (UnreserveByName<T>) h.plugin.unreserve(Pod{pod, &h.host}, view(node_name));
            else h.plugin.unreserve(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name));
        });
        (void)call, (void)state;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &reserve<T>, &unreserve<T>};
};

}  // namespace berth::detail
