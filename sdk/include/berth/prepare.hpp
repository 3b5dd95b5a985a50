// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Values that a plugin prepares from an object once, for all calls.
///
/// ```cpp
/// Terms prepare(berth::Object pod) const { return parse(pod.at("/spec/affinity")); }
/// // in any method on the loop:
/// const auto &terms = host.prepared<Terms>(pod.raw()->obj);
/// ```

#include <berth/object.hpp>

namespace berth::detail {

template <class T>
inline constexpr char type_tag = 0;  ///< its address tells the types of a library apart

template <class T>
struct PreparedData {
    const char *type;
    T value;
};

}  // namespace berth::detail

namespace berth {

template <class T>
const T &Host::prepared(const berth_object *object) const {
    const berth_str *texts = nullptr;
    std::uint64_t n = 0;
    void *data = nullptr;
    const auto ask = function<&berth_host_prepared::get>(prepared_, BERTH_HOST_PREPARED_V1);
    if (ask(h_, object, &data, &texts, &n) != BERTH_STATUS_SUCCESS || !data)
        throw std::runtime_error(n == 0 ? "nothing could be prepared of the object" : std::string(view(texts[0])));
    // Its first member, whatever was prepared.
    if (*static_cast<const char *const *>(data) != &detail::type_tag<std::remove_cv_t<T>>)
        throw std::logic_error("prepare makes values of another type than prepared<T> was given");
    return static_cast<const detail::PreparedData<std::remove_cv_t<T>> *>(data)->value;
}

}  // namespace berth
