// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PreEnqueue: may a pod enter the queue? Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

namespace berth::detail {

BERTH_DETAIL_NAMES(pre_enqueue)
BERTH_DETAIL_NAMES(PreEnqueue)
BERTH_DETAIL_NAMES(preEnqueue)

template <class T>
concept PreEnqueueOfPod = requires(T t, Pod p) {
    { t.pre_enqueue(p) } -> gives<Verdict>;
};
template <class T>
concept PreEnqueueInCall = requires(T t, Call c, Pod p) {
    { t.pre_enqueue(c, p) } -> gives<Verdict>;
};

struct PreEnqueuePoint {
    using Table = berth_plugin_pre_enqueue;
    static constexpr std::string_view id = BERTH_PLUGIN_PRE_ENQUEUE_V1;
    template <class T>
    static constexpr bool has = PreEnqueueOfPod<T> || PreEnqueueInCall<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_pre_enqueue<T> || has<T>, "pre_enqueue must be a public Verdict pre_enqueue([Call,] Pod)");
        static_assert(!names_PreEnqueue<T> && !names_preEnqueue<T>, "write pre_enqueue");
    }

    template <class T>
    static void pre_enqueue(void *self, const berth_call *call, const berth_pod *pod, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict {
            if constexpr (PreEnqueueOfPod<T>) return h.plugin.pre_enqueue(Pod{pod, &h.host});
            else return h.plugin.pre_enqueue(Call{call, &h.host}, Pod{pod, &h.host});
        });
        (void)call;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &pre_enqueue<T>};
};

}  // namespace berth::detail
