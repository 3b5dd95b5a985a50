// SPDX-License-Identifier: Apache-2.0
#include "macros.h"

#include <array>
#include <utility>

namespace kubernetes::cel {

namespace {

template <typename... Each>
std::vector<ExprPtr> list_of(Each... each) {
    std::vector<ExprPtr> result;
    (result.push_back(std::move(each)), ...);
    return result;
}

ExprPtr new_list(std::uint32_t position, std::vector<ExprPtr> elements) {
    auto list = std::make_unique<Expr>();
    list->kind = Expr::Kind::List;
    list->position = position;
    list->parts = std::move(elements);
    return list;
}

ExprPtr copy(const Expr &of, Work &copies) {
    copies.charge_bytes(of.name.size() + of.variable.size() + of.accumulator.size());
    auto result = std::make_unique<Expr>();
    result->kind = of.kind;
    result->test_only = of.test_only;
    result->member = of.member;
    result->depth = of.depth;
    result->position = of.position;
    result->name = of.name;
    result->literal = of.literal;
    for (const auto &part : of.parts) result->parts.push_back(copy(*part, copies));
    result->optional = of.optional;
    result->variable = of.variable;
    result->accumulator = of.accumulator;
    return result;
}

/// The expansion of one call. All that it adds has the position of the call.
class Expansion {
    Expr &call_;
    Work &copies_;
    Issues &issues_;
    std::uint32_t position_;

    /// In the place of a macro that has a fault.
    static ExprPtr broken(const Expr &at) {
        auto result = std::make_unique<Expr>();
        result->position = at.position;
        return result;
    }
    ExprPtr faulty(const Expr &at, std::string text) {
        issues_.add(at.position, std::move(text));
        return broken(at);
    }

    ExprPtr literal(Value value) const { return new_literal(position_, std::move(value)); }
    ExprPtr accumulated() const { return new_ident(position_, hidden_accumulator); }
    ExprPtr call(std::string function, std::vector<ExprPtr> arguments, bool member = false) const {
        return new_call(position_, std::move(function), std::move(arguments), member);
    }

    ExprPtr comprehension(ExprPtr range, std::string variable, std::string accumulator, ExprPtr initial,
                          ExprPtr condition, ExprPtr step, ExprPtr result) const {
        auto fold = std::make_unique<Expr>();
        fold->kind = Expr::Kind::Comprehension;
        fold->position = position_;
        fold->variable = std::move(variable);
        fold->accumulator = std::move(accumulator);
        fold->parts =
            list_of(std::move(range), std::move(initial), std::move(condition), std::move(step), std::move(result));
        return fold;
    }

    /// A name for a value: a comprehension over nothing whose result uses the accumulator.
    ExprPtr binding(std::string name, ExprPtr value, ExprPtr result) const {
        auto step = new_ident(position_, name);
        return comprehension(new_list(position_, {}), "#unused", std::move(name), std::move(value),
                             literal(Value::of_bool(false)), std::move(step), std::move(result));
    }

    ExprPtr has() {
        auto &select = call_.parts[0];
        if (select->kind != Expr::Kind::Select) return faulty(*select, "invalid argument to has() macro");
        auto test = std::move(select);
        test->test_only = true;
        test->position = position_;
        return test;
    }

    bool name_of(const Expr &argument, const char *fault, std::string &name) {
        if (argument.kind != Expr::Kind::Ident) {
            issues_.add(argument.position, fault);
            return false;
        }
        name = argument.name;
        if (name != "__result__") return true;
        issues_.add(argument.position, "iteration variable overwrites accumulator variable");
        return false;
    }

    ExprPtr quantifier() {
        std::string variable;
        if (!name_of(*call_.parts[1], "argument must be a simple name", variable)) return broken(*call_.parts[1]);
        const bool all = call_.name == "all";
        auto range = std::move(call_.parts[0]);
        auto predicate = std::move(call_.parts[2]);
        if (all || call_.name == "exists") {
            auto condition = all ? accumulated() : call("!_", list_of(accumulated()));
            return comprehension(std::move(range), variable, hidden_accumulator, literal(Value::of_bool(all)),
                                 call("@not_strictly_false", list_of(std::move(condition))),
                                 call(all ? "_&&_" : "_||_", list_of(accumulated(), std::move(predicate))),
                                 accumulated());
        }
        auto one_more = call("_+_", list_of(accumulated(), literal(Value::of_int(1))));
        return comprehension(std::move(range), variable, hidden_accumulator, literal(Value::of_int(0)),
                             literal(Value::of_bool(true)),
                             call("_?_:_", list_of(std::move(predicate), std::move(one_more), accumulated())),
                             call("_==_", list_of(accumulated(), literal(Value::of_int(1)))));
    }

    ExprPtr collected(ExprPtr range, std::string variable, ExprPtr filter, ExprPtr element) {
        auto step = call("_+_", list_of(accumulated(), new_list(position_, list_of(std::move(element)))));
        if (filter) step = call("_?_:_", list_of(std::move(filter), std::move(step), accumulated()));
        return comprehension(std::move(range), std::move(variable), hidden_accumulator, new_list(position_, {}),
                             literal(Value::of_bool(true)), std::move(step), accumulated());
    }

    ExprPtr map() {
        std::string variable;
        if (!name_of(*call_.parts[1], "argument is not an identifier", variable)) return broken(*call_.parts[1]);
        auto filter = call_.parts.size() == 4 ? std::move(call_.parts[2]) : nullptr;
        return collected(std::move(call_.parts[0]), variable, std::move(filter), std::move(call_.parts.back()));
    }

    ExprPtr filter() {
        std::string variable;
        if (!name_of(*call_.parts[1], "argument is not an identifier", variable)) return broken(*call_.parts[1]);
        return collected(std::move(call_.parts[0]), variable, std::move(call_.parts[2]), std::move(call_.parts[1]));
    }

    ExprPtr sort_by() {
        const auto kind = call_.parts[0]->kind;
        if (kind == Expr::Kind::Literal || kind == Expr::Kind::Map || kind == Expr::Kind::Faulty)
            return faulty(*call_.parts[0],
                          "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
        static constexpr const char *input = "@__sortBy_input__";
        std::string variable;
        if (!name_of(*call_.parts[1], "argument is not an identifier", variable)) return broken(*call_.parts[1]);
        auto keys = collected(new_ident(position_, input), variable, nullptr, std::move(call_.parts[2]));
        auto sorted = call("@sortByAssociatedKeys", list_of(new_ident(position_, input), std::move(keys)), true);
        return binding(input, std::move(call_.parts[0]), std::move(sorted));
    }

    ExprPtr bind() {
        if (call_.parts[1]->kind != Expr::Kind::Ident)
            return faulty(*call_.parts[1], "cel.bind() variable names must be simple identifiers");
        return binding(call_.parts[1]->name, std::move(call_.parts[2]), std::move(call_.parts[3]));
    }

    ExprPtr optional_map(bool flat) {
        if (call_.parts[1]->kind != Expr::Kind::Ident)
            return faulty(*call_.parts[1],
                          std::string{flat ? "optFlatMap" : "optMap"} + "() variable name must be a simple identifier");
        auto value = call("value", list_of(copy(*call_.parts[0], copies_)), true);
        auto bound = binding(call_.parts[1]->name, std::move(value), std::move(call_.parts[2]));
        if (!flat) bound = call("optional.of", list_of(std::move(bound)));
        return call("_?_:_", list_of(call("hasValue", list_of(std::move(call_.parts[0])), true), std::move(bound),
                                     call("optional.none", {})));
    }

    ExprPtr two_variables() { return faulty(call_, "not supported: comprehensions with two variables"); }

public:
    Expansion(Expr &call, Work &copies, Issues &issues)
        : call_(call), copies_(copies), issues_(issues), position_(call.position) {}

    /// nullptr if it is no macro.
    ExprPtr run() {
        const auto &name = call_.name;
        const auto arguments = call_.parts.size() - (call_.member ? 1 : 0);
        if (!call_.member) return name == "has" && arguments == 1 ? has() : nullptr;
        const bool quantifies = name == "all" || name == "exists" || name == "exists_one";
        if (arguments == 3 && (quantifies || name == "existsOne")) return two_variables();
        if (quantifies) return arguments == 2 ? quantifier() : nullptr;
        if (name == "transformList" || name == "transformMap" || name == "transformMapEntry")
            return arguments == 3 || arguments == 4 ? two_variables() : nullptr;
        if (name == "map") return arguments == 2 || arguments == 3 ? map() : nullptr;
        if (name == "bind" && arguments == 3)
            return call_.parts[0]->kind == Expr::Kind::Ident && call_.parts[0]->name == "cel" ? bind() : nullptr;
        if (arguments != 2) return nullptr;
        if (name == "filter") return filter();
        if (name == "sortBy") return sort_by();
        if (name == "optMap" || name == "optFlatMap") return optional_map(name == "optFlatMap");
        return nullptr;
    }
};

}  // namespace

ExprPtr new_literal(std::uint32_t position, Value value) {
    auto result = std::make_unique<Expr>();
    result->kind = Expr::Kind::Literal;
    result->position = position;
    result->literal = std::move(value);
    return result;
}

ExprPtr new_ident(std::uint32_t position, std::string name) {
    auto result = std::make_unique<Expr>();
    result->kind = Expr::Kind::Ident;
    result->position = position;
    result->name = std::move(name);
    return result;
}

ExprPtr new_call(std::uint32_t position, std::string function, std::vector<ExprPtr> arguments, bool member) {
    auto result = std::make_unique<Expr>();
    result->kind = Expr::Kind::Call;
    result->position = position;
    result->name = std::move(function);
    result->parts = std::move(arguments);
    result->member = member;
    return result;
}

ExprPtr expand(ExprPtr call, Work &copies, Issues &issues) {
    const auto depth = call->depth;
    auto expanded = Expansion{*call, copies, issues}.run();
    if (!expanded) return call;
    expanded->depth = depth;
    return expanded;
}

}  // namespace kubernetes::cel
