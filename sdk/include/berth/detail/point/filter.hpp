// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Filter: does a node fit the pod? Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

#include <exception>
#include <string>
#include <utility>

namespace berth::detail {

BERTH_DETAIL_NAMES(filter)
BERTH_DETAIL_NAMES(Filter)

template <class T>
concept FilterOfNode = requires(const T t, Pod p, Node n) {
    { t.filter(p, n) } -> gives<Verdict>;
};
template <class T>
concept FilterInCall = requires(const T t, Call c, State s, Pod p, Node n) {
    { t.filter(c, s, p, n) } -> gives<Verdict>;
};
template <class T>
concept FilterOfBatch =
    requires(const T t, Call c, State s, Pod p, Nodes n, Slots l, Verdicts v) { t.filter(c, s, p, n, l, v); };

struct FilterPoint {
    using Table = berth_plugin_filter;
    static constexpr std::string_view id = BERTH_PLUGIN_FILTER_V1;
    template <class T>
    static constexpr bool has = FilterOfNode<T> || FilterInCall<T> || FilterOfBatch<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_filter<T> || has<T>,
                      "filter must be public and const, for several threads call it: Verdict filter(Pod, Node) const, "
                      "Verdict filter(Call, State, Pod, Node) const or "
                      "void filter(Call, State, Pod, Nodes, Slots, Verdicts&) const");
        static_assert(!names_Filter<T>, "write filter, not Filter");
    }

    template <class T>
    static void filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                       const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, std::int32_t *code,
                       std::uint32_t *reasons) noexcept {
        auto &h = holder<T>(self);
        const auto &plugin = std::as_const(h.plugin);
        Verdicts out{Call{call, &h.host}, code, reasons};
        std::uint64_t i = 0;
        try {
            Pod p{pod, &h.host};
            if constexpr (FilterOfBatch<T>) {
                plugin.filter(Call{call, &h.host}, State{state, &h.host}, p, Nodes{nodes, &h.host}, Slots{slots, n},
                              out);
            } else {
                for (; i < n; ++i) {
                    if (i % 64 == 63 && berth_cancelled(call)) return;
                    Node node{nodes, slots[i], &h.host};
                    if constexpr (FilterOfNode<T>) out.set(i, plugin.filter(p, node));
                    else out.set(i, plugin.filter(Call{call, &h.host}, State{state, &h.host}, p, node));
                }
            }
        } catch (const std::exception &e) {
            for (; i < n; ++i) out.set(i, error(std::string(e.what())));
        } catch (...) {
            for (; i < n; ++i) out.set(i, error("unknown exception"));
        }
        (void)state;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &filter<T>};
};

}  // namespace berth::detail
