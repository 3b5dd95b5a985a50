// SPDX-License-Identifier: Apache-2.0
#include "substitutions.h"

namespace kubernetes::cel {

namespace {

bool has_parameters(const Type &type) {
    return type.kind == Type::Kind::List || type.kind == Type::Kind::Map || type.kind == Type::Kind::Optional;
}

bool equal_or_less_specific(const Type &a, const Type &b) {
    if (a.is_dyn() || a.kind == Type::Kind::Param) return true;
    if (b.is_dyn() || b.kind == Type::Kind::Param || a.kind != b.kind) return false;
    if (a.kind == Type::Kind::Type) return true;
    if (!has_parameters(a)) return exactly(a, b);
    for (std::size_t i = 0; i < a.parameters.size(); ++i)
        if (!equal_or_less_specific(*a.parameters[i], *b.parameters[i])) return false;
    return true;
}

}  // namespace

const Type *most_general(const Type *a, const Type *b) { return equal_or_less_specific(*a, *b) ? a : b; }

const Type *Substitutions::new_variable() {
    work_.charge(1);
    of_variable_.push_back(nullptr);
    return store_.variable(of_variable_.size() - 1);
}

const Type *Substitutions::find(const Type &type) const {
    return type.kind == Type::Kind::Param && type.variable < of_variable_.size() ? of_variable_[type.variable]
                                                                                 : nullptr;
}

void Substitutions::set(const Type &variable, const Type *type) {
    undo_.push_back({variable.variable, of_variable_[variable.variable]});
    of_variable_[variable.variable] = type;
}

void Substitutions::roll_back(std::size_t to) {
    for (; undo_.size() > to; undo_.pop_back()) of_variable_[undo_.back().variable] = undo_.back().before;
}

bool Substitutions::assign(std::span<const Type *const> from, std::span<const Type *const> to) {
    undo_.clear();
    if (try_assign_all(from, to)) return true;
    roll_back(0);
    return false;
}

bool Substitutions::try_assign_all(std::span<const Type *const> from, std::span<const Type *const> to) {
    if (from.size() != to.size()) return false;
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!try_assign(from[i], to[i])) return false;
    return true;
}

bool Substitutions::try_assign(const Type *from, const Type *to) {
    work_.charge(1);
    if (to->kind == Type::Kind::Param) {
        bool has_one = false;
        if (substitute_variable(from, to, has_one)) return true;
        if (has_one) return false;
    }
    if (from->kind == Type::Kind::Param) {
        bool has_one = false;
        return substitute_variable(to, from, has_one);
    }
    if (from->is_dyn() || to->is_dyn() || from->kind == Type::Kind::Error || to->kind == Type::Kind::Error) return true;
    const auto takes_null = [](const Type &type) {
        return type.kind == Type::Kind::Null || type.kind == Type::Kind::Optional || type.kind == Type::Kind::Struct ||
               type.kind == Type::Kind::Duration || type.kind == Type::Kind::Timestamp;
    };
    if (from->kind == Type::Kind::Null) return takes_null(*to);
    if (to->kind == Type::Kind::Null) return takes_null(*from);
    if (from->kind != to->kind) return false;
    if (from->kind == Type::Kind::Type) return true;
    return from->name == to->name && try_assign_all(from->parameters, to->parameters);
}

bool Substitutions::substitute_variable(const Type *type, const Type *variable, bool &has_one) {
    has_one = true;
    if (exactly(*type, *variable)) return true;
    if (const auto *known = find(*variable)) {
        if (exactly(*type, *known)) return true;
        if (!try_assign(type, known)) return false;
        const auto *general = most_general(type, known);
        if (absent_from(*variable, *general)) set(*variable, general);
        return true;
    }
    has_one = false;
    if (variable->variable >= of_variable_.size() || !absent_from(*variable, *type)) return false;
    set(*variable, type);
    return true;
}

bool Substitutions::absent_from(const Type &variable, const Type &type) const {
    work_.charge(1);
    if (exactly(variable, type)) return false;
    if (type.kind == Type::Kind::Param) {
        const auto *known = find(type);
        return !known || absent_from(variable, *known);
    }
    if (!has_parameters(type) && type.kind != Type::Kind::Type) return true;
    for (const auto *parameter : type.parameters)
        if (!absent_from(variable, *parameter)) return false;
    return true;
}

const Type *Substitutions::resolved(const Type *type, bool to_dyn) {
    work_.charge(1);
    if (const auto *known = find(*type)) return resolved(known, to_dyn);
    if (type->kind == Type::Kind::Param) return to_dyn ? types::dyn_type() : type;
    if (type->parameters.empty()) return type;
    std::vector<const Type *> parameters;
    bool same = true;
    for (const auto *parameter : type->parameters) {
        parameters.push_back(resolved(parameter, to_dyn));
        same = same && parameters.back() == parameter;
    }
    return same ? type : store_.make(type->kind, std::move(parameters));
}

}  // namespace kubernetes::cel
