// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Positions of values and faults in JSON text; private to decode. simdjson reports neither the position of a value nor
/// that of an error, so these walk the text once more when a message needs it.

#include "decode/source_map.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace berth::decode {

/// What is wrong with a JSON text.
struct JsonFault {
    std::size_t offset = 0;
    std::string text;                   ///< what is wrong there
    bool syntax = true;                 ///< false: it is JSON, but not one that is read (a repeated key, too deep)
    std::optional<std::size_t> before;  ///< where the key stood first, when it is repeated
};

/// The first fault of a text that must hold exactly one JSON value; nothing when it is right.
std::optional<JsonFault> find_json_fault(std::string_view text);

/// Where the token (a string, a number, a word, or one other character) that begins at `offset` of a right JSON text
/// ends.
std::size_t json_token_end(std::string_view text, std::size_t offset);

/// Where the first byte is that is not UTF-8; nothing when all is.
std::optional<std::size_t> find_bad_utf8(std::string_view text);

/// Appends the character of that code point, which is no surrogate.
void append_utf8(std::string &out, unsigned code);

/// The character at `offset` for a message: `"x"`, or `the end of the text`.
std::string shown(std::string_view text, std::size_t offset);

}  // namespace berth::decode
