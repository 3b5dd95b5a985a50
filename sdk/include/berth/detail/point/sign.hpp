// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Sign: what the answers of Filter and Score depend on. Not for plugin authors.

#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/detail/point/filter.hpp>
#include <berth/detail/point/score.hpp>
#include <berth/signature.hpp>
#include <berth/view.hpp>

#include <concepts>
#include <utility>

namespace berth::detail {

BERTH_DETAIL_NAMES(sign)
BERTH_DETAIL_NAMES(sign_pod)

template <class T>
concept HasSign = requires(const T t, Pod p, Nodes n, Signature s) {
    { t.sign(p, n, s) } -> std::same_as<bool>;
};

struct SignPoint {
    using Table = berth_plugin_sign;
    static constexpr std::string_view id = BERTH_PLUGIN_SIGN_V1;
    template <class T>
    static constexpr bool has = HasSign<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_sign<T> || (HasSign<T> && (FilterPoint::has<T> || ScorePoint::has<T>)),
                      "sign must be a public bool sign(Pod, Nodes, Signature) const, beside filter or score");
        static_assert(!names_sign_pod<T>, "write sign");
    }

    template <class T>
    static std::int32_t sign(void *self, const berth_pod *pod, const berth_nodes *nodes,
                             berth_text_sink *out) noexcept {
        auto &h = holder<T>(self);
        std::int32_t code = BERTH_STATUS_ERROR;  // then its answers are its own
        h.host.contain("sign", [&] {
            const bool signed_it = std::as_const(h.plugin).sign(Pod{pod, &h.host}, Nodes{nodes, &h.host},
                                                                Signature{TextSink{h.host.raw(), out}});
            code = signed_it ? BERTH_STATUS_SUCCESS : BERTH_STATUS_UNSUPPORTED;
        });
        return code;
    }

    template <class T>
    static constexpr Table table{sizeof(Table), 0, &sign<T>};
};

}  // namespace berth::detail
