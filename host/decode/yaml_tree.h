// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The builder of one tree from the events of a YAML parser; private to decode.

#include "decode/source_map.h"
#include "model/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::decode {

/// Why the text is refused. Thrown within the YAML reader only.
struct Refusal {
    Position position;
    std::string text;
    Position before;       ///< the place that the text refers to at its end, if any
    bool foreign = false;  ///< the text may be no YAML at all
};

/// A value with an anchor, and what it needs to stay readable.
struct Anchored {
    std::shared_ptr<model::Tree> tree;
    std::shared_ptr<std::vector<Position>> positions;
    std::size_t first_position = 0, last_position = 0;  ///< of the value's positions
    berth_value value{};
    std::size_t levels = 0;  ///< collections in one another
};

/// The anchors of one document.
struct Anchors {
    std::unordered_map<std::size_t, Anchored> values;  ///< by the parser's number; only those that are complete
    std::unordered_map<std::size_t, std::string> names;
    std::size_t expanded = 0;  ///< values and keys that aliases stood for

    /// More than this many are an attack ("billion laughs"), not a file.
    static constexpr std::size_t most_expanded = 1'000'000;
};

/// Takes the events of one value and makes its tree. Throws Refusal.
class YamlTree {
    struct Part {  ///< a member, or (with an empty key) an item
        berth_str key;
        berth_value value;
        std::size_t first_position;  ///< of the key or the item
        bool merge;                  ///< the member is `<<: …`
    };
    struct Open {  ///< a collection that has begun and not ended
        bool map, keyed, merges;
        std::size_t first_part, first_position, levels, anchor;
        Part next;  ///< the member whose key was read
    };

    Anchors *anchors_;
    std::shared_ptr<model::Tree> tree_;
    std::shared_ptr<std::vector<Position>> positions_;
    std::vector<Part> parts_;
    std::vector<Open> open_;
    bool complete_ = false;

public:
    explicit YamlTree(Anchors &anchors) : anchors_(&anchors) { reset(); }

    void reset();
    bool complete() const { return complete_; }
    std::size_t depth() const { return open_.size(); }
    /// Whether the innermost open collection is a mapping that has read the key `key` and awaits its value.
    bool awaits_value_of(std::string_view key) const;
    bool expects_key() const { return !open_.empty() && open_.back().map && !open_.back().keyed; }
    /// The string at the member `name` of the outermost mapping, as far as it was read.
    std::string_view root_string(std::string_view name) const;

    void scalar(Position position, std::string_view tag, std::size_t anchor, std::string_view text);
    void null(Position position, std::size_t anchor);
    void alias(Position position, std::size_t anchor);
    void begin(Position position, std::string_view tag, std::size_t anchor, bool map);
    void end();

    /// The document, when complete. Members that the root lacks are taken from a list around it.
    Document take(const std::string &file, std::string_view api_version = {}, std::string_view kind = {});

private:
    void key(Position position, std::string_view text, bool merge);
    void value(const berth_value &v, std::size_t first_position, std::size_t levels, std::size_t anchor);
    berth_value end_map(const Open &map);
    void merge(const Open &map);
    void check_keys(const Open &map) const;
};

}  // namespace berth::decode
