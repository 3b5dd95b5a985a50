// SPDX-License-Identifier: Apache-2.0
#include "verify/random_arguments.h"

#include "model/build.h"
#include "plugin/arguments.h"

#include <algorithm>
#include <limits>

namespace berth::verify {
namespace {

void collect(model::Value value, std::vector<std::string> &out) {
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value.is_object()) {
            std::string name(value.key(i));
            if (std::ranges::count(out, name) == 0) out.push_back(std::move(name));
        }
        collect(value.is_object() ? value.member(i) : value.at(i), out);
    }
}

constexpr std::uint64_t kinds = 15;

berth_value strange(model::Arena &arena, std::uint64_t kind) {
    switch (kind) {
        case 0: return model::make_null();
        case 1: return model::make_bool(true);
        case 2: return model::make_int(-1);
        case 3: return model::make_int(0);
        case 4: return model::make_int(std::numeric_limits<std::int64_t>::max());
        case 5: return model::make_int(std::numeric_limits<std::int64_t>::min());
        case 6: return model::make_double(1e308);
        case 7: return model::make_double(0.5);
        case 8: return model::make_string(arena, "");
        case 9: return model::make_string(arena, "10");
        case 10: return model::make_string(arena, std::string(5000, 'x'));
        case 11: return model::make_array(arena, {});
        case 12: return model::make_object(arena, {});
        case 13: return model::ArrayBuilder(arena).add(1).add("a").add(model::make_null()).value();
        default: return model::make_string(arena, std::string_view("a\0\n\"\xff", 5));
    }
}

berth_value random_value(model::Arena &arena, Random &random, const std::vector<std::string> &fields, int depth) {
    if (depth <= 0 || random.below(3) != 0) return strange(arena, random.below(kinds));
    if (random.once_in(2)) {
        model::ArrayBuilder out(arena);
        for (auto n = random.below(4); n > 0; --n) out.add(random_value(arena, random, fields, depth - 1));
        return out.value();
    }
    model::ObjectBuilder out(arena);
    for (auto n = random.below(4); n > 0; --n) {
        const auto name = fields.empty() || random.once_in(4) ? "f" + std::to_string(random.below(9))
                                                              : fields[random.below(fields.size())];
        out.add(name + std::string(random.once_in(9) ? "x" : ""), random_value(arena, random, fields, depth - 1));
    }
    return out.value();
}

}  // namespace

std::vector<std::string> known_fields(Subject &subject) {
    std::vector<std::string> out;
    if (auto arguments = plugin::arguments_of(subject.use())) collect(arguments->tree->value(), out);
    return out;
}

std::vector<model::TreePtr> wrong_arguments(const std::vector<std::string> &fields) {
    std::vector<model::TreePtr> out;
    auto all = fields;
    all.emplace_back("noPluginHasThis");
    for (const auto &field : all)
        for (std::uint64_t kind = 0; kind < kinds; ++kind) {
            auto tree = std::make_shared<model::Tree>();
            model::ObjectBuilder root(tree->arena);
            root.add(field, strange(tree->arena, kind));
            tree->root = root.value();
            out.push_back(std::move(tree));
        }
    return out;
}

model::TreePtr random_arguments(Random &random, const std::vector<std::string> &fields) {
    auto tree = std::make_shared<model::Tree>();
    model::ObjectBuilder root(tree->arena);
    for (const auto &field : fields)
        if (random.once_in(2)) root.add(field, random_value(tree->arena, random, fields, 3));
    if (random.once_in(4)) root.add("noPluginHasThis", random_value(tree->arena, random, fields, 2));
    tree->root = root.value();
    return tree;
}

}  // namespace berth::verify
