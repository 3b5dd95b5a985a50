// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Where the values of a document stand; private to decode.

#include "decode/document.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// The way from a document's root to a value: the index of the member or item at each level.
using Steps = std::vector<std::size_t>;

/// Either the marks that the YAML reader took on its way, or the JSON text itself, which is searched when somebody
/// asks.
class Origin {
    std::vector<Mark> marks_;  ///< in the order of the text: each value, and before a member's value its key
    std::string text_;         ///< with padding after its `size_` bytes
    std::size_t size_ = 0;
    Mark start_;
    std::size_t added_ = 0;  ///< leading members of the root that the text does not have
    bool json_ = false;

public:
    explicit Origin(std::vector<Mark> marks) : marks_(std::move(marks)) {}
    Origin(std::string text, std::size_t size, Mark start, std::size_t added)
        : text_(std::move(text)), size_(size), start_(start), added_(added), json_(true) {}

    Mark mark(model::Value root, model::Value v, bool key) const;
    /// As decode::marks().
    std::vector<Mark> marks() const;
};

/// The way from `root` to `v`, if it is one of its values.
std::optional<Steps> steps_to(model::Value root, model::Value v);

/// The index among the marks below `root` of the value at `steps`; its key's is one less.
std::size_t mark_index(model::Value root, const Steps &steps);

/// The line and column of `offset` in a text that begins at `start`.
Mark mark_at(std::string_view text, std::size_t offset, Mark start);

/// How many keys and values `v` has, itself included: the number of its marks.
std::size_t mark_count(model::Value v);

/// The index pair (first, again) of a repeated key, that of the earliest repetition; nothing when all keys differ.
std::optional<std::pair<std::size_t, std::size_t>> repeated_key(const berth_kv *members, std::size_t n);

/// Puts those of `apiVersion` and `kind` that an object lacks in front of its members; says how many it lacked.
std::size_t complete_object(model::Tree &tree, std::string_view api_version, std::string_view kind);

/// Levels of nesting that are read.
inline constexpr std::size_t most_levels = 200;

}  // namespace berth::decode
