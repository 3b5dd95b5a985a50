// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PostBind: the pod is bound. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

#include <string_view>

namespace berth::detail {

BERTH_DETAIL_NAMES(post_bind)
BERTH_DETAIL_NAMES(PostBind)
BERTH_DETAIL_NAMES(postBind)

template <class T>
concept PostBindByName = requires(T t, Pod p, std::string_view n) { t.post_bind(p, n); };
template <class T>
concept PostBindInCall = requires(T t, Call c, State s, Pod p, std::string_view n) { t.post_bind(c, s, p, n); };

struct PostBindPoint {
    using Table = berth_plugin_post_bind;
    static constexpr std::string_view id = BERTH_PLUGIN_POST_BIND_V1;
    template <class T>
    static constexpr bool has = PostBindByName<T> || PostBindInCall<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_post_bind<T> || has<T>,
                      "post_bind must be a public void post_bind([Call, State,] Pod, std::string_view)");
        static_assert(!names_PostBind<T> && !names_postBind<T>, "write post_bind");
    }

    template <class T>
    static void post_bind(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                          berth_str node_name) noexcept {
        auto &h = holder<T>(self);
        // The pod is bound; there is nothing to fail.
        h.host.contain("post_bind", [&] {
            if constexpr (PostBindByName<T>) h.plugin.post_bind(Pod{pod, &h.host}, view(node_name));
            else h.plugin.post_bind(Call{call, &h.host}, State{state, &h.host}, Pod{pod, &h.host}, view(node_name));
        });
        (void)call, (void)state;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &post_bind<T>};
};

}  // namespace berth::detail
