// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One JSON value to a tree; private to decode.

#include "decode/document.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// Why a JSON text was refused.
struct JsonRefusal {
    std::string message;  ///< complete, with the place
    bool syntax = false;  ///< it is no JSON at all, so it may be YAML
};

/// Parses one value after the other, keeping its memory. One per thread.
class JsonParser {
    struct State;
    std::unique_ptr<State> state_;

public:
    JsonParser();
    JsonParser(JsonParser &&) noexcept;
    ~JsonParser();

    /// What an object takes over from the list it stands in.
    struct Lacking {
        std::string_view api_version, kind;
    };

    /// A member of an object, or an item of a member that is a list.
    struct Part {
        std::string key;
        bool item = false;
        std::shared_ptr<model::Tree> tree;
    };

    using Path = std::span<const std::string_view>;

    /// Reads `text`, exactly one object, into trees that live and die apart: one for each member or, where a member is
    /// a list, one for each of its items. What stands at `leave_out` in a tree, a path of keys, is not kept.
    std::optional<JsonRefusal> take_apart(std::string_view text, const std::string &file, Path leave_out,
                                          std::vector<Part> &out);

    /// Reads `text`, exactly one value, which begins at `start` of `file`, into `out`; or says why not.
    std::optional<JsonRefusal> parse(std::string_view text, const std::string &file, Mark start, Lacking lacking,
                                     Document &out);
};

}  // namespace berth::decode
