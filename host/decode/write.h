// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The writers of values as JSON and YAML.

#include "model/value.h"

#include <string>
#include <string_view>

namespace berth::decode {

/// JSON in UTF-8 with members in their order. With `indent` 0 on one line without blanks, else one member a line. A
/// double is written with the fewest digits that read back as the same double; what is no number (infinities) as null.
/// Bytes that are not UTF-8 become U+FFFD.
std::string to_json(model::Value v, int indent = 0);
void append_json(std::string &out, model::Value v, int indent = 0);

/// A JSON string literal with its quotes.
void append_json_string(std::string &out, std::string_view s);

/// YAML in block style as kubectl writes it, ending in a newline. A string is quoted whenever a YAML 1.1 or 1.2 reader
/// could take it for something else; one of several lines becomes a literal block.
std::string to_yaml(model::Value v);

}  // namespace berth::decode
