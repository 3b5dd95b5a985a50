// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Remedy: which change would make a node fit that Filter rejects. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/detail/point/filter.hpp>
#include <berth/remedy.hpp>
#include <berth/view.hpp>

#include <utility>

namespace berth::detail {

BERTH_DETAIL_NAMES(remedy)
BERTH_DETAIL_NAMES(remedies)

template <class T>
concept RemedyOfNode = requires(const T t, Pod p, Node n) {
    { t.remedy(p, n) } -> gives<Remedy>;
};
template <class T>
concept RemedyInCall = requires(const T t, Call c, State s, Pod p, Node n) {
    { t.remedy(c, s, p, n) } -> gives<Remedy>;
};
template <class T>
concept RemedyOfBatch =
    requires(const T t, Call c, State s, Pod p, Nodes n, Slots l, Remedies r) { t.remedy(c, s, p, n, l, r); };

struct RemedyPoint {
    using Table = berth_plugin_remedy;
    static constexpr std::string_view id = BERTH_PLUGIN_REMEDY_DRAFT1;
    template <class T>
    static constexpr bool has = RemedyOfNode<T> || RemedyInCall<T> || RemedyOfBatch<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_remedy<T> || (has<T> && FilterPoint::has<T>),
                      "remedy must be a public Remedy remedy([Call, State,] Pod, Node) const or "
                      "void remedy(Call, State, Pod, Nodes, Slots, Remedies) const, beside filter");
        static_assert(!names_remedies<T>, "write remedy");
    }

    template <class T>
    static std::int32_t remedy(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                               const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n,
                               berth_remedy_sink *out) noexcept {
        auto &h = holder<T>(self);
        const auto &plugin = std::as_const(h.plugin);
        try {
            const Pod p{pod, &h.host};
            const Remedies to{out, &h.host};
            if constexpr (RemedyOfBatch<T>) {
                plugin.remedy(Call{call, &h.host}, State{state, &h.host}, p, Nodes{nodes, &h.host}, Slots{slots, n},
                              to);
            } else {
                for (std::uint64_t i = 0; i < n; ++i) {
                    const Node node{nodes, slots[i], &h.host};
                    if constexpr (RemedyOfNode<T>) to.add(i, plugin.remedy(p, node));
                    else to.add(i, plugin.remedy(Call{call, &h.host}, State{state, &h.host}, p, node));
                }
            }
        } catch (...) {  // then the reasons are shown
            return BERTH_STATUS_ERROR;
        }
        (void)call, (void)state;
        return BERTH_STATUS_SUCCESS;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &remedy<T>};
};

}  // namespace berth::detail
