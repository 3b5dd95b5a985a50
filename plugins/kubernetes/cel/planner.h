// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The planner of a CEL program from a checked expression (upstream: cel-go's planner).

#include "ast.h"
#include "nodes.h"

#include <string>

namespace kubernetes::cel {

/// Upstream's text, where it cannot make a program of a correct expression.
struct PlanError {
    std::string text;
};

struct Plan {
    NodePtr root;
    std::size_t slots = 0;
    std::size_t bytes = 0;  ///< of memory, at most
};

/// Of a checked expression. Throws PlanError.
Plan plan(const Expr &expr, Work &work);

}  // namespace kubernetes::cel
