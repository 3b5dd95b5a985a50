// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The former arrays of columns and dictionaries, kept for the views that still point to them.
///
/// Plugins may read the arrays of a snapshot until the cycle ends. Within a cycle, the host interns the values of
/// nominated pods and of the pod that it assumes, so an array may have to grow. It is then copied to a larger one, and
/// the former one stays as it is until nothing uses it. Arrays at least double, so the former
/// ones take about as much memory as the present ones, at most.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace berth::cluster {

/// Loop only.
class KeptArrays {
    std::vector<std::shared_ptr<void>> kept_;
    std::size_t users_ = 0, bytes_ = 0;
    std::uint64_t releases_ = 0;

public:
    KeptArrays() = default;
    KeptArrays(const KeptArrays &) = delete;
    KeptArrays &operator=(const KeptArrays &) = delete;

    /// Arrays are kept from here on, until each user has ended.
    void begin_use() { ++users_; }
    void end_use() {
        if (--users_ > 0) return;
        kept_.clear();
        bytes_ = 0;
        ++releases_;
    }
    bool keeping() const { return users_ > 0; }
    /// How often all that was kept has been freed: what was kept before another number is gone.
    std::uint64_t releases() const { return releases_; }
    std::size_t bytes() const { return bytes_; }

    /// Moves the content to a new array of that capacity, and keeps the old one. Only while arrays are kept.
    template <class T>
    void replace(std::vector<T> &array, std::size_t capacity) {
        auto other = std::make_shared<std::vector<T>>();
        other->reserve(capacity);
        other->assign(array.begin(), array.end());
        kept_.push_back(other);
        bytes_ += array.capacity() * sizeof(T);
        array.swap(*other);
    }
    /// To be called before `array` grows to `size` elements. Returns whether a former array is kept.
    template <class T>
    bool make_room(std::vector<T> &array, std::size_t size) {
        if (!keeping() || size <= array.capacity()) return false;
        replace(array, std::max(size, array.capacity() * 2));
        return true;
    }
};

}  // namespace berth::cluster
