// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the host calls of a plugin class, and through it everything else. Not for plugin authors.

#include <berth/detail/thunks.hpp>

namespace berth::detail {

/// The functions of a plugin's description. They are no inline functions, so that a source can leave them to another
/// one: all code of a plugin class is reached through them.
template <class T>
struct Code {
    static void default_args(const berth_create_info *info, const berth_value *in, const berth_text_sink *out,
                             const berth_error_sink *errors);
    static void create(const berth_host *host, const berth_create_info *info, berth_status *status,
                       void **self) noexcept;
    static void declare(void *self, const berth_declare_sink *sink);
    static void destroy(void *self) noexcept;
    /// The table of one interface, or NULL.
    static const void *get_interface(berth_str id) noexcept;
};

template <class T>
void Code<T>::default_args(const berth_create_info *info, const berth_value *in, const berth_text_sink *out,
                           const berth_error_sink *errors) {
    if constexpr (HasDefaultArgs<T>) {
        ArgsReader reader{Value{in}, errors, info};
        T::default_args(reader);
        auto text = reader.finish();
        out->write(out->ctx, to_str(text));
    }
}

template <class T>
void Code<T>::create(const berth_host *host, const berth_create_info *info, berth_status *status,
                     void **self) noexcept {
    answer(status, [&]() -> Verdict {
        *self = new Holder<T>(host, Value{info->args_value});
        return ok;
    });
}

template <class T>
void Code<T>::declare(void *self, const berth_declare_sink *sink) {
    if constexpr (HasDeclare<T>) holder<T>(self).plugin.declare(Declare{sink});
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
        static constexpr berth_pre_enqueue t{sizeof t, 0, &F::pre_enqueue};
        if (want == BERTH_PRE_ENQUEUE_V1) return &t;
    }
    if constexpr (Less<T>) {
        static constexpr berth_queue_sort t = [] {
            berth_queue_sort made{sizeof made, 0, &F::less, nullptr};
            if constexpr (SortKey<T>) made.sort_key = &F::sort_key;
            return made;
        }();
        if (want == BERTH_QUEUE_SORT_V1) return &t;
    }
    if constexpr (HasEvents<T>) {
        static constexpr berth_events t = [] {
            berth_events made{sizeof made, 0, &F::events, nullptr};
            if constexpr (HasHint<T>) made.hint = &F::hint;
            return made;
        }();
        if (want == BERTH_EVENTS_V1) return &t;
    }
    if constexpr (at_pre_filter<T>) {
        static constexpr berth_pre_filter t{sizeof t, 0, &F::pre_filter};
        if (want == BERTH_PRE_FILTER_V1) return &t;
    }
    if constexpr (at_pre_filter_ext<T>) {
        static constexpr berth_pre_filter_ext t{sizeof t, 0, &F::add_pod, &F::remove_pod};
        if (want == BERTH_PRE_FILTER_EXT_V1) return &t;
    }
    if constexpr (at_post_filter<T>) {
        static constexpr berth_post_filter t{sizeof t, 0, &F::post_filter};
        if (want == BERTH_POST_FILTER_V1) return &t;
    }
    if constexpr (at_filter<T>) {
        static constexpr berth_filter t{sizeof t, 0, &F::filter};
        if (want == BERTH_FILTER_V1) return &t;
    }
    if constexpr (at_pre_score<T>) {
        static constexpr berth_pre_score t{sizeof t, 0, &F::pre_score};
        if (want == BERTH_PRE_SCORE_V1) return &t;
    }
    if constexpr (at_score<T>) {
        static constexpr berth_score t{sizeof t, 0, &F::score};
        if (want == BERTH_SCORE_V1) return &t;
    }
    if constexpr (NormalizeMode<T>) {
        static constexpr berth_normalize t{sizeof t, 0, static_cast<std::uint32_t>(T::normalize), 0, nullptr};
        if (want == BERTH_NORMALIZE_V1) return &t;
    } else if constexpr (at_normalize<T>) {
        static constexpr berth_normalize t{sizeof t, 0, BERTH_NORMALIZE_CUSTOM, 0, &F::normalize};
        if (want == BERTH_NORMALIZE_V1) return &t;
    }
    if constexpr (at_reserve<T>) {
        static constexpr berth_reserve t{sizeof t, 0, &F::reserve, &F::unreserve};
        if (want == BERTH_RESERVE_V1) return &t;
    }
    if constexpr (at_permit<T>) {
        static constexpr berth_permit t{sizeof t, 0, &F::permit};
        if (want == BERTH_PERMIT_V1) return &t;
    }
    if constexpr (at_pre_bind<T>) {
        static constexpr berth_pre_bind t = [] {
            berth_pre_bind made{sizeof made, 0, nullptr, &F::pre_bind};
            if constexpr (HasPreflight<T>) made.preflight = &F::preflight;
            return made;
        }();
        if (want == BERTH_PRE_BIND_V1) return &t;
    }
    if constexpr (at_bind<T>) {
        static constexpr berth_bind t{sizeof t, 0, &F::bind};
        if (want == BERTH_BIND_V1) return &t;
    }
    if constexpr (at_post_bind<T>) {
        static constexpr berth_post_bind t{sizeof t, 0, &F::post_bind};
        if (want == BERTH_POST_BIND_V1) return &t;
    }
    if constexpr (HasPrepare<T>) {
        static constexpr berth_prepare t{sizeof t, 0, &F::prepare, &F::drop};
        if (want == BERTH_PREPARE_V1) return &t;
    }
    if constexpr (HasSign<T>) {
        static constexpr berth_sign t{sizeof t, 0, &F::sign};
        if (want == BERTH_SIGN_V1) return &t;
    }
    if constexpr (at_remedy<T>) {
        static constexpr berth_remedy t{sizeof t, 0, &F::remedy};
        if (want == BERTH_REMEDY_V1) return &t;
    }
    return nullptr;
}

}  // namespace berth::detail
