// SPDX-License-Identifier: Apache-2.0
// Amounts as people write them. Two texts, divided by a newline, are added and compared too.
#include "target.h"

#include "decode/document.h"
#include "model/read_resources.h"
#include "model/time.h"

#include <berth/quantity.hpp>

namespace berth::fuzz {
namespace {

/// The same text as an amount in a resource list, which is read with a fault instead of nothing.
void as_resource(std::string_view text) {
    model::Tree tree;
    const auto value = model::make_string(tree.arena, text);
    tree.root = model::make_object(tree.arena, {{model::to_str("cpu"), value}, {model::to_str("x.io/y"), value}});
    const auto list = model::resource_list(tree.value());
    (void)model::to_resources(tree.arena, list);
}

}  // namespace

void quantity(std::string_view bytes) {
    const auto newline = std::min(bytes.find('\n'), bytes.size());
    const auto a = Quantity::parse(bytes.substr(0, newline));
    const auto b = Quantity::parse(bytes.substr(std::min(newline + 1, bytes.size())));
    as_resource(bytes.substr(0, newline));
    (void)model::parse_time(bytes.substr(0, newline));
    if (!a) return;
    promise(a->negative() == (*a < Quantity{}), "a negative amount is less than nothing");
    promise(a->is_zero() == (*a == Quantity{}), "zero is zero");
    (void)a->value();
    (void)a->milli_value();
    if (!b) return;
    auto sum = *a, other = *b;
    sum += *b;
    other += *a;
    promise(sum == other, "a + b is b + a");
    promise(b->negative() || sum >= *a, "what is added makes more");
    promise((*a <=> *b) == (0 <=> (*b <=> *a)), "the order is one");
    (void)sum.value();
    (void)sum.milli_value();
}

}  // namespace berth::fuzz
