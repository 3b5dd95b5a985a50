// SPDX-License-Identifier: Apache-2.0
#pragma once

/// AddPod and RemovePod: what PreFilter left, after one placed pod more or less. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/detail/point/pre_filter.hpp>
#include <berth/view.hpp>

#include <utility>

namespace berth::detail {

BERTH_DETAIL_NAMES(add_pod)
BERTH_DETAIL_NAMES(remove_pod)
BERTH_DETAIL_NAMES(AddPod)
BERTH_DETAIL_NAMES(RemovePod)
BERTH_DETAIL_NAMES(addPod)
BERTH_DETAIL_NAMES(removePod)

template <class T>
concept HasAddPod = requires(const T t, Call c, State s, Pod p, Pod other, Node n) {
    { t.add_pod(c, s, p, other, n) } -> gives<Verdict>;
};
template <class T>
concept HasRemovePod = requires(const T t, Call c, State s, Pod p, Pod other, Node n) {
    { t.remove_pod(c, s, p, other, n) } -> gives<Verdict>;
};

struct PreFilterExtPoint {
    using Table = berth_plugin_pre_filter_ext;
    static constexpr std::string_view id = BERTH_PLUGIN_PRE_FILTER_EXT_V1;
    template <class T>
    static constexpr bool has = HasAddPod<T> && HasRemovePod<T>;

    template <class T>
    static constexpr void check() {
        static_assert((!names_add_pod<T> || HasAddPod<T>) && (!names_remove_pod<T> || HasRemovePod<T>) &&
                          HasAddPod<T> == HasRemovePod<T>,
                      "add_pod and remove_pod come together, public and const: Verdict (Call, State, Pod, Pod other, "
                      "Node) const");
        static_assert(!has<T> || PreFilterPoint::has<T>, "add_pod and remove_pod need pre_filter beside them");
        static_assert(!names_AddPod<T> && !names_RemovePod<T> && !names_addPod<T> && !names_removePod<T>,
                      "write add_pod, remove_pod");
    }

    template <class T>
    static void add_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                        const berth_pod *other, const berth_nodes *nodes, std::uint32_t slot,
                        berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            return std::as_const(h.plugin).add_pod(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                                   Pod{other, &h.host}, Node{nodes, slot, &h.host});
        });
    }
    template <class T>
    static void remove_pod(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                           const berth_pod *other, const berth_nodes *nodes, std::uint32_t slot,
                           berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            return std::as_const(h.plugin).remove_pod(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host},
                                                      Pod{other, &h.host}, Node{nodes, slot, &h.host});
        });
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &add_pod<T>, &remove_pod<T>};
};

}  // namespace berth::detail
