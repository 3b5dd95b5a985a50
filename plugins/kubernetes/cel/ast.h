// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The syntax tree of CEL expressions.

#include "value.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kubernetes::cel {

struct Type;
struct Function;
struct Overload;
struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
    enum class Kind : std::uint8_t { Faulty, Literal, Ident, Select, Call, List, Map, Comprehension };

    Kind kind = Kind::Faulty;
    bool test_only = false;      ///< Select: within has()
    bool member = false;         ///< Call: the first argument is before the dot
    std::uint16_t depth = 0;     ///< of operators, calls and selections, as it was written
    std::uint32_t position = 0;  ///< in the Source
    std::string name;            ///< Ident, Select: the field, Call: the function
    Value literal;
    std::vector<ExprPtr>
        parts;  ///< Select: operand; Call: arguments; List; Map: key, value, key, ...; Comprehension: Part
    std::vector<bool> optional;  ///< List, Map: of each element or entry; empty if none is
    std::string variable;        ///< Comprehension
    std::string accumulator;     ///< Comprehension

    // Found by the checker.
    const Type *type = nullptr;
    const Function *function = nullptr;
    const Overload *overload = nullptr;  ///< Call: nullptr if more than one is possible

    enum Part : std::uint8_t { Range, Initial, Condition, Step, Result };
};

}  // namespace kubernetes::cel
