// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The lexer of CEL: tokens, string and bytes literals.

#include "source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kubernetes::cel {

struct Token {
    enum class Kind : std::uint8_t {
        End,
        Operator,
        Identifier,
        EscapedIdentifier,
        Int,
        Uint,
        Double,
        String,
        Bytes,
        Unknown
    };

    Kind kind = Kind::End;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::string text;  ///< also of `true`, `false`, `null` and `in`, which are operators

    bool is(std::string_view op) const { return kind == Kind::Operator && text == op; }
};

/// The tokens and, last, an End. Where no token begins, an Unknown ends the list before it.
std::vector<Token> tokens_of(const Source &source);

/// The value of a string or bytes literal; the error's text, if it is not empty.
std::string unescape(std::string_view literal, bool bytes, std::string &into);

}  // namespace kubernetes::cel
