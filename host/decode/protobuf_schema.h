// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The protobuf schema of the kinds that a scheduler watches; private to decode. It holds the fields of each message,
/// and what they are in JSON.

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::decode::protobuf {

enum class Shape : std::uint8_t {
    String,
    Integer,  ///< of 32 or 64 bits, signed
    Boolean,
    Message,
    Quantity,     ///< a message with the text
    Time,         ///< a message with seconds; JSON has RFC 3339
    IntOrString,  ///< a message with either and which one
    Json,         ///< a message with the text of any value as JSON
    LeftOut,      ///< nothing that is kept
};

enum class Form : std::uint8_t {
    One,
    List,
    Map,     ///< of strings to what the shape says
    Inline,  ///< a message whose fields are in JSON those of the message that contains it
};

/// Whether JSON has the field when nothing of it was sent. (Of what Go does not have as a pointer, zero is sent, too.)
enum class Presence : std::uint8_t {
    IfSent,     ///< no
    IfNotZero,  ///< no, nor when it is zero
    OrNull,     ///< null
    Always,     ///< as zero: "", 0, false, a message of such fields
};

struct Field {
    std::uint16_t number;
    Shape shape;
    Form form;
    Presence presence;
    std::uint16_t message;  ///< of shape Message: which one
    std::string_view name;  ///< in JSON; static
};

struct Kind {
    std::string_view api_version, name;
    std::uint16_t message;
};

/// In the order of their numbers.
std::span<const Field> fields_of(std::uint16_t message);
/// nullptr if it is none of those here.
const Kind *find_kind(std::string_view api_version, std::string_view kind);

}  // namespace berth::decode::protobuf
