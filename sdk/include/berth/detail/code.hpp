// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the host calls of a plugin class, and through it everything else. Not for plugin authors.

#include <berth/detail/thunks.hpp>

namespace berth::detail {

/// The functions of a plugin's description. They are no inline functions, so that a source can leave them to another
/// one: all code of a plugin class is reached through them.
template <class T>
struct Code {
    static void default_args(const berth_host *host, const berth_create_info *info, const berth_value *in,
                             berth_text_sink *out, berth_error_sink *errors) noexcept;
    static void create(const berth_host *host, const berth_create_info *info, void **self,
                       berth_status *status) noexcept;
    static void declare(void *self, berth_declare_sink *sink, berth_status *status) noexcept;
    static void destroy(void *self) noexcept;
    /// The table of one interface, or NULL.
    static const void *get_interface(berth_str id) noexcept;
};

template <class T>
void Code<T>::default_args(const berth_host *host, const berth_create_info *info, const berth_value *in,
                           berth_text_sink *out, berth_error_sink *errors) noexcept {
    if constexpr (HasDefaultArgs<T>) {
        const ErrorSink faults{host, errors};
        try {
            ArgsReader reader{Value{in}, faults, info};
            T::default_args(reader);
            auto text = reader.finish();
            TextSink{host, out}.write(to_str(text));
        } catch (const std::exception &e) {
            faults.add({}, e.what());
        } catch (...) {
            faults.add({}, "unknown exception");
        }
    }
}

template <class T>
void Code<T>::create(const berth_host *host, const berth_create_info *info, void **self,
                     berth_status *status) noexcept {
    const Host asked(host);
    answer(asked, status, [&]() -> Verdict {
        *self = new Holder<T>(host, Value{info->args_value});
        return ok;
    });
}

template <class T>
void Code<T>::declare(void *self, berth_declare_sink *sink, berth_status *status) noexcept {
    if constexpr (HasDeclare<T>) {
        auto &h = holder<T>(self);
        answer(h.host, status, [&]() -> Verdict { return h.plugin.declare(Declare{h.host.raw(), sink}), ok; });
    }
}

template <class T>
void Code<T>::destroy(void *self) noexcept {
    delete static_cast<Holder<T> *>(self);
}

template <class T>
const void *Code<T>::get_interface(berth_str id) noexcept {
    using F = Thunks<T>;
    const std::string_view want = view(id);
    if constexpr (at_pre_enqueue<T>) {
        static constexpr berth_plugin_pre_enqueue t{sizeof t, 0, &F::pre_enqueue};
        if (want == BERTH_PLUGIN_PRE_ENQUEUE_V1) return &t;
    }
    if constexpr (Less<T>) {
        static constexpr berth_plugin_queue_sort t = [] {
            berth_plugin_queue_sort made{sizeof made, 0, &F::less, nullptr};
            if constexpr (HasSortKey<T>) made.sort_key = &F::sort_key;
            return made;
        }();
        if (want == BERTH_PLUGIN_QUEUE_SORT_V1) return &t;
    }
    if constexpr (HasEvents<T>) {
        static constexpr berth_plugin_events t = [] {
            berth_plugin_events made{sizeof made, 0, &F::events, nullptr};
            if constexpr (HasHint<T>) made.hint = &F::hint;
            return made;
        }();
        if (want == BERTH_PLUGIN_EVENTS_V1) return &t;
    }
    if constexpr (at_pre_filter<T>) {
        static constexpr berth_plugin_pre_filter t{sizeof t, 0, &F::pre_filter};
        if (want == BERTH_PLUGIN_PRE_FILTER_V1) return &t;
    }
    if constexpr (at_pre_filter_ext<T>) {
        static constexpr berth_plugin_pre_filter_ext t{sizeof t, 0, &F::add_pod, &F::remove_pod};
        if (want == BERTH_PLUGIN_PRE_FILTER_EXT_V1) return &t;
    }
    if constexpr (at_post_filter<T>) {
        static constexpr berth_plugin_post_filter t{sizeof t, 0, &F::post_filter};
        if (want == BERTH_PLUGIN_POST_FILTER_V1) return &t;
    }
    if constexpr (at_filter<T>) {
        static constexpr berth_plugin_filter t{sizeof t, 0, &F::filter};
        if (want == BERTH_PLUGIN_FILTER_V1) return &t;
    }
    if constexpr (at_pre_score<T>) {
        static constexpr berth_plugin_pre_score t{sizeof t, 0, &F::pre_score};
        if (want == BERTH_PLUGIN_PRE_SCORE_V1) return &t;
    }
    if constexpr (at_score<T>) {
        static constexpr berth_plugin_score t{sizeof t, 0, &F::score};
        if (want == BERTH_PLUGIN_SCORE_V1) return &t;
    }
    if constexpr (NormalizeMode<T>) {
        static constexpr berth_plugin_normalize t{sizeof t, 0, static_cast<std::uint32_t>(T::normalize), 0, nullptr};
        if (want == BERTH_PLUGIN_NORMALIZE_V1) return &t;
    } else if constexpr (at_normalize<T>) {
        static constexpr berth_plugin_normalize t{sizeof t, 0, BERTH_NORMALIZE_CUSTOM, 0, &F::normalize};
        if (want == BERTH_PLUGIN_NORMALIZE_V1) return &t;
    }
    if constexpr (at_reserve<T>) {
        static constexpr berth_plugin_reserve t{sizeof t, 0, &F::reserve, &F::unreserve};
        if (want == BERTH_PLUGIN_RESERVE_V1) return &t;
    }
    if constexpr (at_permit<T>) {
        static constexpr berth_plugin_permit t{sizeof t, 0, &F::permit};
        if (want == BERTH_PLUGIN_PERMIT_V1) return &t;
    }
    if constexpr (at_pre_bind<T>) {
        static constexpr berth_plugin_pre_bind t = [] {
            berth_plugin_pre_bind made{sizeof made, 0, nullptr, &F::pre_bind};
            if constexpr (HasPreflight<T>) made.preflight = &F::preflight;
            return made;
        }();
        if (want == BERTH_PLUGIN_PRE_BIND_V1) return &t;
    }
    if constexpr (at_bind<T>) {
        static constexpr berth_plugin_bind t{sizeof t, 0, &F::bind};
        if (want == BERTH_PLUGIN_BIND_V1) return &t;
    }
    if constexpr (at_post_bind<T>) {
        static constexpr berth_plugin_post_bind t{sizeof t, 0, &F::post_bind};
        if (want == BERTH_PLUGIN_POST_BIND_V1) return &t;
    }
    if constexpr (HasPrepare<T>) {
        static constexpr berth_plugin_prepare t{sizeof t, 0, &F::prepare, &F::drop};
        if (want == BERTH_PLUGIN_PREPARE_V1) return &t;
    }
    if constexpr (HasSign<T>) {
        static constexpr berth_plugin_sign t{sizeof t, 0, &F::sign};
        if (want == BERTH_PLUGIN_SIGN_V1) return &t;
    }
    if constexpr (at_remedy<T>) {
        static constexpr berth_plugin_remedy t{sizeof t, 0, &F::remedy};
        if (want == BERTH_PLUGIN_REMEDY_DRAFT1) return &t;
    }
    return nullptr;
}

}  // namespace berth::detail
