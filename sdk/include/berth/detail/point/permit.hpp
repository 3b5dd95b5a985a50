// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Permit: may the pod be bound, and when? Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

#include <algorithm>
#include <string_view>

namespace berth::detail {

BERTH_DETAIL_NAMES(permit)
BERTH_DETAIL_NAMES(Permit)

template <class T>
concept PermitByName = requires(T t, Pod p, std::string_view n) {
    { t.permit(p, n) } -> gives<Permit>;
};
template <class T>
concept PermitInCall = requires(T t, Call c, State s, Pod p, Node n) {
    { t.permit(c, s, p, n) } -> gives<Permit>;
};

struct PermitPoint {
    using Table = berth_plugin_permit;
    static constexpr std::string_view id = BERTH_PLUGIN_PERMIT_V1;
    template <class T>
    static constexpr bool has = PermitByName<T> || PermitInCall<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_permit<T> || has<T>,
                      "permit must be a public Permit permit(Pod, std::string_view) or (Call, State, Pod, Node)");
        static_assert(!names_Permit<T>, "write permit, not Permit");
    }

    template <class T>
    static void permit(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_nodes *nodes, std::uint32_t slot, berth_str node_name, std::int64_t *timeout_ns,
                       berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            Permit p = [&]() -> Permit {
                if constexpr (PermitByName<T>) return h.plugin.permit(Pod{pod, &h.host}, view(node_name));
                else
                    return h.plugin.permit(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                           Node{nodes, slot, &h.host});
            }();
            // The longest that a host takes is far below.
            constexpr std::int64_t week = 7 * 24 * 3600 * INT64_C(1000);
            *timeout_ns = std::clamp<std::int64_t>(p.timeout.count(), 0, week) * 1'000'000;
            return p.verdict;
        });
        (void)call, (void)state, (void)nodes, (void)slot, (void)node_name;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &permit<T>};
};

}  // namespace berth::detail
