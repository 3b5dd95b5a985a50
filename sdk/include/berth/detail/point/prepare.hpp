// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Prepare: what a plugin works out of an object once. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/object.hpp>
#include <berth/prepare.hpp>
#include <berth/view.hpp>

#include <concepts>
#include <type_traits>

namespace berth::detail {

BERTH_DETAIL_NAMES(prepare)
BERTH_DETAIL_NAMES(Prepare)

template <class T>
concept HasPrepare = requires(T t, Object o) {
    { t.prepare(o) } -> std::move_constructible;
};

struct PreparePoint {
    using Table = berth_plugin_prepare;
    static constexpr std::string_view id = BERTH_PLUGIN_PREPARE_V1;
    template <class T>
    static constexpr bool has = HasPrepare<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_prepare<T> || HasPrepare<T>, "prepare must be a public T prepare(Object), of any type T");
        static_assert(!names_Prepare<T>, "write prepare");
    }

    template <class T>
    static void prepare(void *self, const berth_object *object, void **out, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            using Made = std::remove_cvref_t<decltype(h.plugin.prepare(Object{object, &h.host}))>;
            *out = new PreparedData<Made>{&type_tag<Made>, h.plugin.prepare(Object{object, &h.host})};
            return ok;
        });
    }
    template <class T>
    static void drop(void *self, void *data) noexcept {
        using Made = std::remove_cvref_t<decltype(holder<T>(self).plugin.prepare(Object{}))>;
        delete static_cast<PreparedData<Made> *>(data);
        (void)self;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &prepare<T>, &drop<T>};
};

}  // namespace berth::detail
