// SPDX-License-Identifier: Apache-2.0
#include "checker.h"

#include "functions.h"
#include "macros.h"
#include "regex.h"
#include "substitutions.h"

#include <algorithm>
#include <array>

namespace kubernetes::cel {

namespace {

/// Names of types that an expression can use; list and map are of anything.
const Type *named_type(std::string_view name) {
    // No variables of the checker: they stay what they are.
    static const Type a{Type::Kind::Param, "A", {}, SIZE_MAX, 1};
    static const Type b{Type::Kind::Param, "B", {}, SIZE_MAX, 1};
    static const auto any_list = list_of(&a);
    static const auto any_map = map_of(&a, &b);
    struct Named {
        std::string_view name;
        const Type *type;
    };
    static const auto named = std::to_array<Named>({{"bool", types::bool_type()},
                                                    {"bytes", types::bytes_type()},
                                                    {"double", types::double_type()},
                                                    {"int", types::int_type()},
                                                    {"list", any_list},
                                                    {"map", any_map},
                                                    {"null_type", types::null_type()},
                                                    {"string", types::string_type()},
                                                    {"uint", types::uint_type()}});
    const auto found = std::ranges::find(named, name, &Named::name);
    return found == named.end() ? nullptr : found->type;
}

/// What upstream knows by this qualified name and this evaluator does not.
bool unsupported_name(std::string_view name) {
    return name == "kubernetes.DRADevice" || name.starts_with("google.protobuf.") || name == "optional_type";
}

const Type *device_field(std::string_view name, const Type *attribute) {
    static const auto of_any = map_of(types::string_type(), map_of(types::string_type(), types::any_type()));
    static const auto of_dyn = map_of(types::string_type(), map_of(types::string_type(), types::dyn_type()));
    static const auto capacity = map_of(types::string_type(), map_of(types::string_type(), types::quantity_type()));
    if (name == "driver") return types::string_type();
    if (name == "allowMultipleAllocations") return types::bool_type();
    if (name == "attributes") return attribute == types::dyn_type() ? of_dyn : of_any;
    if (name == "capacity") return capacity;
    return nullptr;
}

std::string without_dot(const std::string &name) { return name.starts_with('.') ? name.substr(1) : name; }

class Checker {
    const Type *attribute_;
    TypeStore &store_;
    Work &work_;
    Issues &issues_;
    Substitutions variables_;
    struct Declared {
        std::string name;
        const Type *type;
    };
    std::vector<Declared> scope_;  ///< innermost last

    const Type *make(Type::Kind kind, std::vector<const Type *> parameters) {
        return store_.make(kind, std::move(parameters));
    }
    std::string shown(const Type &type) {
        work_.charge(type.size);
        return in_errors(type);
    }
    std::string signature(std::span<const Type *const> types, bool member) {
        std::string result;
        if (member) {
            result = shown(*types[0]) + '.';
            types = types.subspan(1);
        }
        result += '(';
        for (std::size_t i = 0; i < types.size(); ++i) (result += i == 0 ? "" : ", ") += shown(*types[i]);
        return result + ')';
    }
    void mismatch(const Expr &at, const Type &expected, const Type &found) {
        issues_.add(at.position, "expected type '" + shown(expected) + "' but found '" + shown(found) + "'");
    }
    void undeclared(Expr &expr, const std::string &name) {
        expr.type = types::error_type();
        issues_.add(expr.position, unsupported_function(name) || unsupported_name(name)
                                       ? "not supported: " + name
                                       : "undeclared reference to '" + name + "' (in container '')");
    }

    /// The type of a variable, or of the type with that name; nullptr if there is neither.
    const Type *lookup(const std::string &name) {
        const auto wanted = without_dot(name);
        for (auto each = scope_.rbegin(); each != scope_.rend(); ++each)
            if (each->name == wanted) return each->type;
        if (wanted == "type") return make(Type::Kind::Type, {make(Type::Kind::Type, {})});
        const auto *named = named_type(wanted);
        return named ? make(Type::Kind::Type, {named}) : nullptr;
    }

    static bool qualified_name(const Expr &expr, std::string &name) {
        if (expr.kind == Expr::Kind::Ident) {
            name = expr.name;
            return true;
        }
        if (expr.kind != Expr::Kind::Select || expr.test_only || !qualified_name(*expr.parts[0], name)) return false;
        name += '.' + expr.name;
        return true;
    }

    void check_ident(Expr &expr) {
        if (const auto *type = lookup(expr.name)) {
            expr.type = type;
            expr.name = without_dot(expr.name);
            return;
        }
        undeclared(expr, expr.name);
    }

    void check_select(Expr &expr) {
        std::string name;
        if (qualified_name(expr, name) && unsupported_name(without_dot(name))) {
            undeclared(expr, without_dot(name));
            return;
        }
        const auto *field = selected(expr, *expr.parts[0], expr.name, false);
        expr.type = expr.test_only ? types::bool_type() : variables_.resolved(field, false);
    }

    const Type *selected(Expr &expr, Expr &operand, const std::string &field, bool optional) {
        check_part(operand);
        const auto *type = variables_.resolved(operand.type, false);
        const bool of_optional = type->kind == Type::Kind::Optional;
        if (of_optional) type = type->parameters[0];
        const auto *result = types::dyn_type();
        switch (type->kind) {
            case Type::Kind::Map: result = type->parameters[1]; break;
            case Type::Kind::Struct:
                result = type == types::device_type() ? device_field(field, attribute_) : nullptr;
                if (result) break;
                result = types::error_type();
                // Upstream has no fields of its own types at all.
                issues_.add(expr.position, type == types::device_type()
                                               ? "undefined field '" + field + "'"
                                               : "unexpected failed resolution of '" + type->name + "'");
                break;
            case Type::Kind::Param: variables_.assign(types::dyn_type(), type); break;
            case Type::Kind::Dyn:
            case Type::Kind::Any:
            case Type::Kind::Error: break;
            default: issues_.add(expr.position, "type '" + shown(*type) + "' does not support field selection");
        }
        return of_optional || optional ? make(Type::Kind::Optional, {result}) : result;
    }

    void check_call(Expr &expr) {
        if (expr.name == "_?._") {
            check_part(*expr.parts[1]);
            const auto *field = selected(expr, *expr.parts[0], expr.parts[1]->literal.text(), true);
            expr.type = variables_.resolved(field, false);
            return;
        }
        for (std::size_t i = expr.member ? 1 : 0; i < expr.parts.size(); ++i) check_part(*expr.parts[i]);
        if (expr.member) {
            std::string prefix;
            if (qualified_name(*expr.parts[0], prefix)) {
                const auto name = without_dot(prefix) + '.' + expr.name;
                if (unsupported_function(name)) {
                    undeclared(expr, name);
                    return;
                }
                if (const auto *function = find_function(name)) {
                    expr.parts.erase(expr.parts.begin());
                    expr.member = false;
                    expr.name = name;
                    resolve(expr, *function);
                    return;
                }
            }
            check_part(*expr.parts[0]);
        }
        const auto name = expr.member ? expr.name : without_dot(expr.name);
        const auto *function = find_function(name);
        if (!function) {
            undeclared(expr, expr.name);
            return;
        }
        expr.name = name;
        resolve(expr, *function);
    }

    /// With fresh variables for the parameters A and B.
    const Type *instance(const Type *type, std::array<const Type *, 2> &fresh) {
        if (type->kind == Type::Kind::Param) {
            auto &variable = fresh[type->variable];
            if (!variable) variable = variables_.new_variable();
            return variable;
        }
        if (type->parameters.empty()) return type;
        std::vector<const Type *> parameters;
        for (const auto *parameter : type->parameters) parameters.push_back(instance(parameter, fresh));
        return make(type->kind, std::move(parameters));
    }

    bool logic(Expr &expr, std::span<const Type *const> arguments) {
        bool good = true;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            if (variables_.assign(arguments[i], types::bool_type())) continue;
            mismatch(*expr.parts[i], *types::bool_type(), *arguments[i]);
            good = false;
        }
        return good;
    }

    void resolve(Expr &expr, const Function &function) {
        std::vector<const Type *> arguments;
        for (const auto &part : expr.parts) arguments.push_back(part->type);
        expr.function = &function;
        if (function.name == "_&&_" || function.name == "_||_") {
            expr.overload = &function.overloads[0];
            expr.type = logic(expr, arguments) ? types::bool_type() : types::error_type();
            return;
        }
        const Type *result = nullptr;
        std::size_t possible = 0;
        for (const auto &overload : function.overloads) {
            if (overload.member != expr.member) continue;
            work_.charge(1);
            std::array<const Type *, 2> fresh{};
            std::vector<const Type *> expected;
            for (const auto *argument : overload.arguments) expected.push_back(instance(argument, fresh));
            const auto *returned = instance(overload.result, fresh);
            if (!variables_.assign(arguments, expected)) continue;
            expr.overload = ++possible == 1 ? &overload : nullptr;
            returned = variables_.resolved(returned, false);
            if (!result) result = returned;
            else if (!result->is_dyn() && !exactly(*returned, *result)) result = types::dyn_type();
        }
        expr.type = result ? result : types::error_type();
        if (result) return;
        for (auto &argument : arguments) argument = variables_.resolved(argument, true);
        issues_.add(expr.position, "found no matching overload for '" + function.name + "' applied to '" +
                                       signature(arguments, expr.member) + "'");
    }

    /// Of elements. That they are alike is for the validator.
    const Type *joined(const Type *previous, const Type *current) {
        if (!previous) return current;
        return variables_.assign(previous, current) ? most_general(previous, current) : types::dyn_type();
    }

    /// The type of an element or entry, which must be an optional's if it is one.
    const Type *element_type(const Expr &element, bool optional) {
        const auto *type = element.type;
        if (!optional) return type;
        if (type->kind == Type::Kind::Optional) return type->parameters[0];
        if (!type->is_dyn()) mismatch(element, *make(Type::Kind::Optional, {type}), *type);
        return type;
    }

    void check_list(Expr &expr) {
        const Type *element = nullptr;
        for (std::size_t i = 0; i < expr.parts.size(); ++i) {
            check_part(*expr.parts[i]);
            const bool optional = !expr.optional.empty() && expr.optional[i];
            element = joined(element, element_type(*expr.parts[i], optional));
        }
        expr.type = make(Type::Kind::List, {element ? element : variables_.new_variable()});
    }

    void check_map(Expr &expr) {
        const Type *key_type = nullptr;
        const Type *value_type = nullptr;
        for (std::size_t i = 0; i < expr.parts.size(); i += 2) {
            auto &key = *expr.parts[i];
            auto &value = *expr.parts[i + 1];
            check_part(key);
            key_type = joined(key_type, key.type);
            check_part(value);
            const bool optional = !expr.optional.empty() && expr.optional[i / 2];
            value_type = joined(value_type, element_type(value, optional));
        }
        if (!key_type) key_type = variables_.new_variable(), value_type = variables_.new_variable();
        expr.type = make(Type::Kind::Map, {key_type, value_type});
    }

    void check_comprehension(Expr &expr) {
        auto &range = *expr.parts[Expr::Range];
        auto &initial = *expr.parts[Expr::Initial];
        check_part(range);
        check_part(initial);
        const auto *type = variables_.resolved(range.type, false);
        scope_.push_back({expr.accumulator, initial.type});
        const auto *variable = types::dyn_type();
        switch (type->kind) {
            case Type::Kind::List:
            case Type::Kind::Map: variable = type->parameters[0]; break;
            case Type::Kind::Dyn:
            case Type::Kind::Error:
            case Type::Kind::Param: variables_.assign(types::dyn_type(), type); break;
            default:
                issues_.add(range.position, "expression of type '" + shown(*type) +
                                                "' cannot be range of a comprehension (must be list, map, or dynamic)");
                variable = types::error_type();
        }
        scope_.push_back({expr.variable, variable});
        check_part(*expr.parts[Expr::Condition]);
        expect(*expr.parts[Expr::Condition], types::bool_type());
        check_part(*expr.parts[Expr::Step]);
        expect(*expr.parts[Expr::Step], initial.type);
        scope_.pop_back();
        check_part(*expr.parts[Expr::Result]);
        scope_.pop_back();
        expr.type = variables_.resolved(expr.parts[Expr::Result]->type, false);
    }

    void expect(const Expr &expr, const Type *type) {
        if (!variables_.assign(type, expr.type)) mismatch(expr, *type, *expr.type);
    }

    static const Type *type_of_literal(const Value &value) {
        switch (value.kind()) {
            case Kind::Bool: return types::bool_type();
            case Kind::Int: return types::int_type();
            case Kind::Uint: return types::uint_type();
            case Kind::Double: return types::double_type();
            case Kind::String: return types::string_type();
            case Kind::Bytes: return types::bytes_type();
            default: return types::null_type();
        }
    }

    void check_part(Expr &expr) {
        work_.charge(1);
        switch (expr.kind) {
            case Expr::Kind::Literal: expr.type = type_of_literal(expr.literal); break;
            case Expr::Kind::Ident: check_ident(expr); break;
            case Expr::Kind::Select: check_select(expr); break;
            case Expr::Kind::Call: check_call(expr); break;
            case Expr::Kind::List: check_list(expr); break;
            case Expr::Kind::Map: check_map(expr); break;
            case Expr::Kind::Comprehension: check_comprehension(expr); break;
            case Expr::Kind::Faulty: expr.type = types::error_type(); break;
        }
    }

    void settle(Expr &expr) {
        // What stands before a name that is not supported has no type.
        if (!expr.type) return;
        expr.type = variables_.resolved(expr.type, true);
        for (auto &part : expr.parts) settle(*part);
    }

public:
    Checker(const Type *attribute, TypeStore &store, Work &work, Issues &issues)
        : attribute_(attribute), store_(store), work_(work), issues_(issues), variables_(store, work) {
        scope_.push_back({"device", types::device_type()});
    }

    void run(Expr &expr) {
        check_part(expr);
        settle(expr);
    }
};

const Type *unwrapped(const Expr &element, bool optional) {
    return optional && !element.type->parameters.empty() ? element.type->parameters[0] : element.type;
}

/// What cel-go's validators add when the types are right.
class Validator {
    Work &work_;
    Issues &issues_;

    void compare(const Expr &at, const Type *expected, const Type *found, bool &same) {
        same = exactly(*expected, *found, false);
        if (!same)
            issues_.add(at.position,
                        "expected type '" + in_errors(*expected) + "' but found '" + in_errors(*found) + "'");
    }

    void list(const Expr &expr) {
        const Type *first = nullptr;
        bool same = true;
        for (std::size_t i = 0; i < expr.parts.size() && same; ++i) {
            const auto *type = unwrapped(*expr.parts[i], !expr.optional.empty() && expr.optional[i]);
            if (!first) first = type;
            else compare(*expr.parts[i], first, type, same);
        }
    }

    void map(const Expr &expr) {
        bool same = true;
        for (std::size_t i = 2; i < expr.parts.size(); i += 2) {
            const auto *first = unwrapped(*expr.parts[1], !expr.optional.empty() && expr.optional[0]);
            const auto *type = unwrapped(*expr.parts[i + 1], !expr.optional.empty() && expr.optional[i / 2]);
            compare(*expr.parts[i], expr.parts[0]->type, expr.parts[i]->type, same);
            compare(*expr.parts[i + 1], first, type, same);
        }
    }

    void regex(const Expr &expr) {
        const std::size_t first = expr.member ? 1 : 0;
        if (expr.parts.size() <= first) return;
        const auto &pattern = *expr.parts[first];
        if (pattern.kind != Expr::Kind::Literal || !pattern.literal.is(Kind::String)) return;
        Regex compiled;
        const auto error = Regex::compile(work_, pattern.literal.text(), compiled);
        if (error.starts_with("not supported")) issues_.add(pattern.position, error);
        else if (!error.empty()) issues_.add(pattern.position, "invalid matches argument");
    }

public:
    Validator(Work &work, Issues &issues) : work_(work), issues_(issues) {}

    void run(const Expr &expr) {
        if (expr.kind == Expr::Kind::List) list(expr);
        if (expr.kind == Expr::Kind::Map) map(expr);
        if (expr.kind == Expr::Kind::Call && expr.name == "matches") regex(expr);
        for (const auto &part : expr.parts) run(*part);
    }
};

}  // namespace

void check(Expr &expr, const Type *attribute, TypeStore &store, Work &work, Issues &issues) {
    Checker{attribute, store, work, issues}.run(expr);
    if (issues.empty()) Validator{work, issues}.run(expr);
}

}  // namespace kubernetes::cel
