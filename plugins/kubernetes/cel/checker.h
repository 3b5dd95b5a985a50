// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ast.h"
#include "source.h"
#include "types.h"

namespace kubernetes::cel {

/// Gives each part of `expr` its type and each call its overload, and says in `issues` what does not fit. `store` owns
/// the types. Throws TypeStore::TooLarge and Work::Exhausted.
void check(Expr &expr, TypeStore &store, Work &work, Issues &issues);

}  // namespace kubernetes::cel
