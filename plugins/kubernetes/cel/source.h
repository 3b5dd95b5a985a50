// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of a CEL expression, and its errors with their positions.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubernetes::cel {

/// The text of an expression, in characters; a position is an index of a character.
class Source {
    std::u32string characters_;
    std::vector<std::uint32_t> lines_{0};  ///< where each begins

public:
    explicit Source(std::string_view text);

    const std::u32string &characters() const { return characters_; }
    std::string text(std::uint32_t begin, std::uint32_t end) const;

    struct Place {
        std::uint32_t line;    ///< from 1
        std::uint32_t column;  ///< from 0
    };
    Place place(std::uint32_t position) const;
    std::u32string_view line(std::uint32_t number) const;
};

inline constexpr std::uint32_t nowhere = 0xffffffff;

/// The faults of an expression, with cel-go's layout.
class Issues {
    struct Issue {
        std::uint32_t position;
        std::string text;
    };
    const Source &source_;
    std::vector<Issue> issues_;
    std::size_t count_ = 0;

    std::string shown(const Issue &issue) const;

public:
    explicit Issues(const Source &source) : source_(source) {}

    void add(std::uint32_t position, std::string text);
    bool empty() const { return count_ == 0; }
    std::string text() const;
};

}  // namespace kubernetes::cel
