// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parser of one JSON value into a tree, by simdjson; private to decode.

#include "decode/document.h"

#include <cstdint>
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

/// What is taken for JSON.
enum class JsonRules : std::uint8_t {
    Strict,  ///< what people write: a repeated key, an inexact number or more than 200 levels are faults
    AsGo,    ///< what Kubernetes' decoder takes (decode/go_json.h)
};

/// Parses one value after the other, keeping its memory. One thread at a time.
class JsonParser {
    struct State;
    std::unique_ptr<State> state_;

public:
    JsonParser();
    JsonParser(JsonParser &&) noexcept;
    ~JsonParser();

    /// What an object takes over from the list that contains it.
    struct Lacking {
        std::string_view api_version, kind;
    };

    /// A member of an object, or an item of a member that is a list.
    struct Part {
        std::string key;
        bool item = false;
        std::shared_ptr<model::Tree> tree;
        std::string fault;  ///< why it cannot be read; then of an object there is its `metadata`, if that can be
    };

    using Path = std::span<const std::string_view>;

    /// Reads `text`, exactly one object, as Go does, into trees that live and die apart: one for each member or, where
    /// a member is a list, one for each of its items. The value at `leave_out` in a tree, a path of keys, is not
    /// kept. A part that cannot be read is reported with its fault; only a text whose brackets or quotes do not match
    /// is refused.
    std::optional<JsonRefusal> take_apart(std::string_view text, const std::string &file, Path leave_out,
                                          std::vector<Part> &out);

    /// Reads `text`, exactly one value, as Go does, into an empty tree; or says why not.
    std::optional<std::string> read(std::string_view text, Path leave_out, model::Tree &out);

    /// Reads `text`, exactly one value, which begins at `start` of `file`, into `out`; or says why not. Read as Go
    /// does, all of it has the position `start`.
    std::optional<JsonRefusal> parse(std::string_view text, const std::string &file, Position start, Lacking lacking,
                                     Document &out, JsonRules rules = JsonRules::Strict);

private:
    bool take_apart_slowly(std::string_view text, Path leave_out, std::vector<Part> &out);
};

}  // namespace berth::decode
