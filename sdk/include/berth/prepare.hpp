// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a plugin works out of an object once, and not for every call.
///
/// ```cpp
/// Terms prepare(berth::Object pod) const { return parse(pod.at("/spec/affinity")); }
/// // in any method on the loop:
/// const auto &terms = host.prepared<Terms>(pod.raw()->obj);
/// ```

#include <berth/object.hpp>

namespace berth {
namespace detail {

/// Keeps the text of an error.
struct ErrorText {
    berth_status status{};
    std::string text;

    ErrorText() {
        status.struct_size = sizeof status;
        status.ctx = this;
        status.set_error = [](berth_status *s, berth_str t) { static_cast<ErrorText *>(s->ctx)->text = view(t); };
        status.set_reasons = [](berth_status *, const berth_str *, std::uint64_t) {};
    }
    ErrorText(const ErrorText &) = delete;
    ErrorText &operator=(const ErrorText &) = delete;
};

}  // namespace detail

template <class T>
const T &Host::prepared(const berth_object *object) const {
    detail::ErrorText error;
    void *data = nullptr;
    if (need(prepared_, BERTH_PREPARED_V1).get(h_, object, &data, &error.status) != BERTH_SUCCESS || !data)
        throw std::runtime_error(error.text.empty() ? "nothing could be prepared of the object" : error.text);
    return *static_cast<const T *>(data);
}

}  // namespace berth
