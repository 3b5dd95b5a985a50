// SPDX-License-Identifier: Apache-2.0
#pragma once

/// QueueSort: which of two pods comes first? Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/sort_key.hpp>
#include <berth/view.hpp>

namespace berth::detail {

BERTH_DETAIL_NAMES(less)
BERTH_DETAIL_NAMES(sort_key)
BERTH_DETAIL_NAMES(Less)
BERTH_DETAIL_NAMES(sortKey)

template <class T>
concept HasLess = requires(T t, Pod a, Pod b) {
    { t.less(a, b) } -> gives<bool>;
};
template <class T>
concept HasSortKey = requires(T t, Pod p, SortKey &key) { t.sort_key(p, key); };

struct QueueSortPoint {
    using Table = berth_plugin_queue_sort;
    static constexpr std::string_view id = BERTH_PLUGIN_QUEUE_SORT_V1;
    template <class T>
    static constexpr bool has = HasLess<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_less<T> || HasLess<T>, "less must be a public bool less(Pod, Pod)");
        static_assert(!names_sort_key<T> || (HasLess<T> && HasSortKey<T>),
                      "sort_key must be a public void sort_key(Pod, SortKey &), beside less");
        static_assert(!names_Less<T> && !names_sortKey<T>, "write less, sort_key");
    }

    template <class T>
    static std::int32_t less(void *self, const berth_pod *a, const berth_pod *b) noexcept {
        auto &h = holder<T>(self);
        bool before = false;
        const bool said = h.host.contain("less", [&] { before = h.plugin.less(Pod{a, &h.host}, Pod{b, &h.host}); });
        return said ? before : -1;
    }
    template <class T>
    static std::uint64_t sort_key(void *self, const berth_pod *pod, std::uint8_t *key, std::uint64_t size) noexcept {
        auto &h = holder<T>(self);
        SortKey out({key, static_cast<std::size_t>(size)});
        const bool said = h.host.contain("sort_key", [&] { h.plugin.sort_key(Pod{pod, &h.host}, out); });
        return said ? out.size() : 0;
    }

    template <class T>
    static constexpr Table table = [] {
        Table made{sizeof(Table), 0, &less<T>, nullptr};
        if constexpr (HasSortKey<T>) made.sort_key = &sort_key<T>;
        return made;
    }();
};

}  // namespace berth::detail
