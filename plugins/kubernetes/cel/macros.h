// SPDX-License-Identifier: Apache-2.0
#pragma once

/// CEL's macros, such as has, all, exists, map and filter.

#include "ast.h"
#include "source.h"

namespace kubernetes::cel {

ExprPtr new_literal(std::uint32_t position, Value value);
ExprPtr new_ident(std::uint32_t position, std::string name);
ExprPtr new_call(std::uint32_t position, std::string function, std::vector<ExprPtr> arguments, bool member = false);

/// What comprehensions accumulate in; no expression can name it.
inline constexpr const char *hidden_accumulator = "@result";

/// Expands `call`, if it is a macro; otherwise returns it. optMap copies the expression before it, so that a chain of
/// them doubles with each: `copies` bounds that. Throws Work::Exhausted.
ExprPtr expand(ExprPtr call, Work &copies, Issues &issues);

}  // namespace kubernetes::cel
