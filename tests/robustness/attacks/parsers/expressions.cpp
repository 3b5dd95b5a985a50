// SPDX-License-Identifier: Apache-2.0
// Selectors of devices that compare long texts: an expression has up to 100,000 characters.
#include "shape.h"

#include <cel/selector.h>

namespace berth::attack {
namespace {

void selector(const std::string &text) {
    const auto compiled = kubernetes::cel::compile(text);
    if (compiled.program) (void)kubernetes::cel::evaluate(*compiled.program, kubernetes::cel::Input({}));
}

/// `predicate` of `text`, and of `part`, which almost stands everywhere in it.
std::string searched(std::size_t n, const std::string &predicate) {
    return "cel.bind(part, '" + std::string(n / 2, 'a') + "', cel.bind(text, part + part + part + part + part, " +
           predicate + "))";
}

}  // namespace

void add_expressions(Shapes &to) {
    const auto add = [&](const char *name, std::string (*make)(std::size_t)) {
        to.push_back({"expression", name, 900, make, selector});
    };
    add("contains", [](std::size_t n) { return searched(n, "text.contains(part + 'b')"); });
    add("replace", [](std::size_t n) { return searched(n, "text.replace(part + 'b', '') == text"); });
    add("split", [](std::size_t n) { return searched(n, "text.split(part + 'b').size() == 1"); });
    add("indexOf", [](std::size_t n) { return searched(n, "text.indexOf(part + 'b') < 0"); });
}

}  // namespace berth::attack
