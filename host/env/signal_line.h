// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A line of text that a signal handler composes and writes, async-signal-safe.

#include <unistd.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace berth::env {

/// Allocates nothing; what exceeds its room is cut. Async-signal-safe.
class SignalLine {
    static constexpr std::size_t room = 4096 + 1024;  ///< a path, and as much around it as there ever is
    std::array<char, room> text_;
    std::size_t size_ = 0;

    template <class Number>
    SignalLine &add_number(Number number, int base) {
        std::array<char, 24> digits{};
        auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, base).ptr;
        return add(std::string_view{digits.data(), static_cast<std::size_t>(end - digits.data())});
    }

public:
    // The text is left as it is: nothing beyond the size is ever read.
    SignalLine() {}  // NOLINT(cppcoreguidelines-pro-type-member-init,modernize-use-equals-default): as said

    SignalLine &add(std::string_view more) {
        const auto n = std::min(more.size(), text_.size() - size_);
        std::memcpy(text_.data() + size_, more.data(), n);
        size_ += n;
        return *this;
    }
    SignalLine &add(std::int64_t number) { return add_number(number, 10); }
    SignalLine &add_hex(std::uint64_t number) { return add("0x").add_number(number, 16); }

    void write_to(int fd) const {
        // A failure cannot be reported any more.
        [[maybe_unused]] auto ignored = ::write(fd, text_.data(), size_);
    }
};

}  // namespace berth::env
