// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A bounded cache by text, emptied when it is full.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace berth {

/// What was worked out lately, by a text. When there is too much of it all is forgotten: users choose the texts.
template <class T>
class Remembered {
    std::unordered_map<std::string, T> known_;
    std::size_t bytes_ = 0;

public:
    static constexpr std::size_t most = 4096, most_bytes = 4 << 20;

    /// What is remembered under that text, and whether it is new. Good until the next call or clear().
    std::pair<T &, bool> of(std::string text) {
        if (auto at = known_.find(text); at != known_.end()) return {at->second, false};
        if (known_.size() >= most || bytes_ >= most_bytes) clear();
        bytes_ += text.size();
        return {known_[std::move(text)], true};
    }
    /// So many bytes more are remembered beside the texts.
    void grow(std::size_t bytes) { bytes_ += bytes; }
    void clear() {
        known_.clear();
        bytes_ = 0;
    }
    std::size_t size() const { return known_.size(); }
};

}  // namespace berth
