// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The static types of CEL.

#include "work.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace kubernetes::cel {

/// A static type. Parameters of a declaration (A, B) and the checker's variables (_var0, ...) are both `Param`.
struct Type {
    enum class Kind : std::uint8_t {
        Bool,
        Int,
        Uint,
        Double,
        String,
        Bytes,
        Duration,
        Timestamp,
        Null,
        Dyn,
        Any,
        Error,
        List,
        Map,
        Optional,
        Type,
        Struct,
        Param
    };

    Kind kind = Kind::Dyn;
    std::string name;  ///< as at run time
    std::vector<const Type *> parameters;
    std::size_t variable = 0;  ///< Param
    std::size_t size = 1;      ///< of it and its parameters, counted as often as they stand in it

    bool is_dyn() const { return kind == Kind::Dyn || kind == Kind::Any; }
};

namespace types {

const Type *bool_type();
const Type *int_type();
const Type *uint_type();
const Type *double_type();
const Type *string_type();
const Type *bytes_type();
const Type *duration_type();   ///< there are declarations of it, but no values
const Type *timestamp_type();  ///< the same
const Type *null_type();
const Type *dyn_type();
const Type *any_type();
const Type *error_type();
const Type *quantity_type();
const Type *semver_type();
const Type *device_type();

}  // namespace types

/// Owns the types that an expression makes.
class TypeStore {
    std::deque<Type> types_;
    Work left_{500'000};  ///< types, each of some hundred bytes

public:
    struct TooLarge {};

    /// Throws TooLarge, as a type may name another twice, so that its size is a power of the expression's, or
    /// Work::Exhausted.
    const Type *make(Type::Kind kind, std::vector<const Type *> parameters);
    const Type *variable(std::size_t number);
};

/// The same type, or up to the names of parameters.
bool exactly(const Type &a, const Type &b, bool names_count = true);

std::string in_errors(const Type &type);   ///< as the checker's texts have it
std::string in_results(const Type &type);  ///< as "must evaluate to bool ..., not" has it

}  // namespace kubernetes::cel
