// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parser of CEL expressions.

#include "ast.h"
#include "source.h"

namespace kubernetes::cel {

/// The expression with its macros expanded; nullptr, and why in `issues`, if it is none. Throws Work::Exhausted.
ExprPtr parse(const Source &source, Issues &issues);

}  // namespace kubernetes::cel
