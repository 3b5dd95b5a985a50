// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The division of a watch's bytes into events: lines of JSON, or protobuf with lengths. A server says which in its
/// answer's head, but each also shows it itself.

#include "kube/answer_limits.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::kube {

class WatchMessages {
    std::string rest_;          ///< the beginning of an event whose end has not come yet
    std::size_t searched_ = 0;  ///< of `rest_`, for the end of its line
    std::size_t most_;
    bool broken_ = false;

public:
    /// `most`: bytes of an event.
    explicit WatchMessages(std::size_t most = most_of_event) : most_(most) {}

    /// Calls `event` for every one that `bytes` completes; blank lines are left out. Returns false once when one is too
    /// large, and takes nothing more.
    template <class Event>
    bool take(std::string_view bytes, Event event) {
        if (broken_) return true;
        if (!rest_.empty()) bytes = rest_.append(bytes);
        std::size_t done = 0;
        for (std::string_view left = bytes; auto end = end_of_first(left); left = bytes.substr(done)) {
            if (is_frame(left)) event(left.substr(head, *end - head));
            else if (auto line = left.substr(0, *end - 1); line.find_first_not_of(" \r\t") != line.npos) event(line);
            done += *end;
            searched_ = 0;
        }
        if (rest_.empty()) rest_.assign(bytes.substr(done));
        else rest_.erase(0, done);
        broken_ = rest_.size() > most_;
        if (broken_) rest_ = {};
        return !broken_;
    }

private:
    static constexpr std::size_t head = 4;  ///< bytes of a length, the highest first

    /// A frame of 16 MiB or more would not, but no server sends one.
    static bool is_frame(std::string_view bytes) { return bytes.front() == '\0'; }

    /// How long the first one is, with its head or its line's end; nothing when that has not come.
    std::optional<std::size_t> end_of_first(std::string_view bytes) {
        if (bytes.empty()) return std::nullopt;
        if (is_frame(bytes)) {
            if (bytes.size() < head) return std::nullopt;
            std::size_t length = head;
            for (std::size_t i = 0, value = 0; i < head; ++i) {
                value = value << 8 | static_cast<unsigned char>(bytes[i]);
                if (i + 1 == head) length += value;
            }
            return bytes.size() < length ? std::nullopt : std::optional(length);
        }
        auto end = bytes.find('\n', searched_);
        if (end == bytes.npos) {
            searched_ = bytes.size();
            return std::nullopt;
        }
        return end + 1;
    }
};

}  // namespace berth::kube
