// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the host calls of a plugin class, and through it everything else. Not for plugin authors.

#include <berth/args.hpp>
#include <berth/declare.hpp>
#include <berth/detail/holder.hpp>
#include <berth/detail/names.hpp>
#include <berth/detail/points.hpp>

#include <exception>

namespace berth::detail {

BERTH_DETAIL_NAMES(default_args)
BERTH_DETAIL_NAMES(declare)

template <class T>
concept HasDefaultArgs = requires(ArgsReader a) { T::default_args(a); };
template <class T>
concept HasDeclare = requires(T t, Declare d) { t.declare(d); };

/// Says at compile time that a method of T is nearly one of these two.
template <class T>
constexpr void check_code_near_misses() {
    static_assert(!names_default_args<T> || HasDefaultArgs<T>,
                  "default_args must be a public static void default_args(berth::ArgsReader &)");
    static_assert(!names_declare<T> || HasDeclare<T>, "declare must be a public void declare(berth::Declare)");
}

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
    return Points::get_interface<T>(view(id));
}

}  // namespace berth::detail
