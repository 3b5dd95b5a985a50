// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The events that wake the pods that a plugin rejected, and its hints about them. Not for plugin authors.

#include <berth/declare.hpp>
#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/view.hpp>

namespace berth::detail {

BERTH_DETAIL_NAMES(events)
BERTH_DETAIL_NAMES(hint)
BERTH_DETAIL_NAMES(Events)
BERTH_DETAIL_NAMES(Hint)

template <class T>
concept HasEvents = requires(T t, Events e) { t.events(e); };
template <class T>
concept HasHint = requires(T t, Event e, Pod p) {
    { t.hint(e, p) } -> gives<Hint>;
};

struct EventsPoint {
    using Table = berth_plugin_events;
    static constexpr std::string_view id = BERTH_PLUGIN_EVENTS_V1;
    template <class T>
    static constexpr bool has = HasEvents<T>;

    template <class T>
    static constexpr void check() {
        static_assert(!names_events<T> || HasEvents<T>, "events must be a public void events(Events)");
        static_assert(!names_hint<T> || (HasEvents<T> && HasHint<T>),
                      "hint must be a public Hint hint(Event, Pod), beside events");
        static_assert(!names_Events<T> && !names_Hint<T>, "write events, hint");
    }

    template <class T>
    static void events(void *self, berth_event_sink *sink, berth_status *status) noexcept {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict { return h.plugin.events(Events{h.host.raw(), sink}), ok; });
    }
    template <class T>
    static void hint(void *self, const berth_call *, const berth_event *event, const berth_pod *const *pods,
                     std::uint64_t n, std::uint8_t *out) noexcept {
        auto &h = holder<T>(self);
        for (std::uint64_t i = 0; i < n; ++i) {
            out[i] = BERTH_HINT_ERROR;  // one that cannot tell wakes the pod
            h.host.contain("hint", [&] {
                out[i] = static_cast<std::uint8_t>(h.plugin.hint(Event{event, &h.host}, Pod{pods[i], &h.host}));
            });
        }
    }

    template <class T>
    static constexpr Table table = [] {
        Table made{sizeof(Table), 0, &events<T>, nullptr};
        if constexpr (HasHint<T>) made.hint = &hint<T>;
        return made;
    }();
};

}  // namespace berth::detail
