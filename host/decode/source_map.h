// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The line and column of each value of a document; private to decode.

#include "decode/document.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth::decode {

/// Either the positions that the YAML reader took on its way, or the JSON text itself, which is walked once when
/// somebody asks. The first question about a value below the root makes an index of all of them, so that many questions
/// take no longer than the document is long. Any thread.
class SourceMap {
    /// The index of every value among the positions.
    struct Index {
        struct Place {
            std::uint32_t position;
            bool member;  ///< the position before is its key's
        };
        std::vector<Position> from_text;  ///< the positions, if the document is JSON
        std::unordered_map<const berth_value *, Place> indices;
    };

    std::vector<Position> positions_;  ///< in the order of the text: each value, and before a member's value its key
    std::string text_;                 ///< with padding after its `size_` bytes
    std::size_t size_ = 0;
    Position start_;
    std::size_t added_ = 0;  ///< leading members of the root that the text does not have
    bool json_ = false;
    mutable std::once_flag indexed_;
    mutable Index index_;

    const Index &index(model::Value root) const;
    const std::vector<Position> &positions_of(const Index &index) const { return json_ ? index.from_text : positions_; }

public:
    explicit SourceMap(std::vector<Position> positions) : positions_(std::move(positions)) {}
    SourceMap(std::string text, std::size_t size, Position start, std::size_t added)
        : text_(std::move(text)), size_(size), start_(start), added_(added), json_(true) {}

    Position position(model::Value root, model::Value v, bool key) const;
    /// As decode::positions().
    std::vector<Position> positions() const;
    /// The positions from that of `v`, one of `root`'s values, on; empty for a stranger.
    std::span<const Position> positions_from(model::Value root, model::Value v) const;
};

/// The line and column of `offset` in a text that begins at `start`.
Position position_at(std::string_view text, std::size_t offset, Position start);

/// How many keys and values `v` has, itself included: the number of its positions.
std::size_t position_count(model::Value v);

/// The index pair (first, again) of a repeated key, that of the earliest repetition; nothing when all keys differ.
std::optional<std::pair<std::size_t, std::size_t>> repeated_key(const berth_kv *members, std::size_t n);

/// Puts those of `apiVersion` and `kind` that an object lacks in front of its members; says how many it lacked.
std::size_t complete_object(model::Tree &tree, std::string_view api_version, std::string_view kind);

/// Levels of nesting that are read.
inline constexpr std::size_t most_levels = 200;

}  // namespace berth::decode
