// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The encoding of a recording: numbers in groups of seven bits, and texts with their length.

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace berth::record {

inline void put_number(std::string &out, std::uint64_t n) {
    for (; n >= 0x80; n >>= 7) out.push_back(static_cast<char>(n | 0x80));
    out.push_back(static_cast<char>(n));
}
/// Small ones of either sign are short.
inline void put_signed(std::string &out, std::int64_t n) {
    put_number(out, (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63));
}
inline void put_text(std::string &out, std::string_view text) {
    put_number(out, text.size());
    out.append(text);
}

/// Reads what these wrote. What is cut off or no such thing reads as nothing, and good() is false from then on.
class Bytes {
    std::string_view left_;
    const char *begin_;
    bool good_ = true;
    std::size_t failed_at_ = 0;
    const char *why_ = "";

public:
    explicit Bytes(std::string_view bytes) : left_(bytes), begin_(bytes.data()) {}

    bool good() const { return good_; }
    bool at_end() const { return left_.empty(); }
    std::string_view left() const { return left_; }
    /// How many bytes were read; once good() is false, up to where it went wrong.
    std::size_t at() const { return good_ ? static_cast<std::size_t>(left_.data() - begin_) : failed_at_; }
    /// What went wrong, for people; empty: what stands there is no such thing. Lives for ever.
    const char *why() const { return why_; }
    void fail(const char *why = "") {
        if (!good_) return;
        failed_at_ = at();
        why_ = why;
        good_ = false;
        left_ = {};
    }
    std::uint8_t byte() {
        if (left_.empty()) return fail(), std::uint8_t{0};
        const auto out = static_cast<std::uint8_t>(left_.front());
        left_.remove_prefix(1);
        return out;
    }
    std::uint64_t number() {
        std::uint64_t out = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::uint64_t part = byte();
            out |= (part & 0x7f) << shift;
            if (!(part & 0x80)) return out;
        }
        return fail(), std::uint64_t{0};
    }
    std::int64_t signed_number() {
        const auto n = number();
        return static_cast<std::int64_t>((n >> 1) ^ (~(n & 1) + 1));
    }
    std::string_view text() {
        const auto size = number();
        if (size > left_.size()) return fail(), std::string_view{};
        const auto out = left_.substr(0, size);
        left_.remove_prefix(size);
        return out;
    }
};

/// A 64-bit hash of a text, the same in every process. It finds what went wrong by accident, not what somebody made to
/// deceive.
inline std::uint64_t digest(std::string_view text, std::uint64_t start = 0) {
    auto h = start ^ (text.size() * 0x9e3779b97f4a7c15u);
    auto take = [&h](std::uint64_t word) {
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    };
    std::uint64_t word = 0;
    for (; text.size() >= sizeof word; text.remove_prefix(sizeof word)) {
        std::memcpy(&word, text.data(), sizeof word);
        take(word);
    }
    word = 0;
    if (!text.empty()) std::memcpy(&word, text.data(), text.size());
    take(word);
    return h;
}

}  // namespace berth::record
