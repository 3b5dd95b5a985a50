// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The type checker of CEL expressions.

#include "ast.h"
#include "source.h"
#include "types.h"

namespace kubernetes::cel {

/// Gives each part of `expr` its type and each call its overload, and says in `issues` what does not fit. `attribute`
/// is the type of a device's attributes. `store` owns the types. Throws TypeStore::TooLarge and Work::Exhausted.
void check(Expr &expr, const Type *attribute, TypeStore &store, Work &work, Issues &issues);

}  // namespace kubernetes::cel
