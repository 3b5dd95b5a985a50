// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a plugin class names a method, with whatever signature. Not for plugin authors.

#include <concepts>
#include <type_traits>

/// Defines the concept names_NAME. A class names a method if giving it a second base with a member of that name makes
/// the name ambiguous. This finds overloads, templates and private members too, which &T::name does not. A final class
/// takes no part as a base, so that &T::name has to do.
#define BERTH_DETAIL_NAMES(name)                                             \
    struct Also_##name {                                                     \
        int name;                                                            \
    };                                                                       \
    template <class T>                                                       \
    struct Both_##name : T, Also_##name {};                                  \
    template <class T>                                                       \
    concept names_##name = (std::is_final_v<T> && requires { &T::name; }) || \
                           (!std::is_final_v<T> && !requires { &Both_##name<T>::name; });

namespace berth::detail {

/// A form that returns R gives W if R is W or converts to it.
template <class R, class W>
concept gives = std::convertible_to<R, W>;

}  // namespace berth::detail
