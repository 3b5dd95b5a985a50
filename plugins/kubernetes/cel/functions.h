// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The table of CEL functions and overloads, and the cost of their calls.

#include "types.h"
#include "value.h"

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubernetes::cel {

using Arguments = std::span<const Value>;
using Implementation = Value (*)(Work &work, Arguments arguments);

/// How upstream charges a call: k8s.io/apiserver/pkg/cel/library/cost.go and cel-go's interpreter/runtimecost.go.
enum class Cost : std::uint8_t {
    One,
    Traversal,     ///< of the first argument
    Size,          ///< a tenth of the first argument's
    TwiceSize,     ///< two tenths
    ResultSize,    ///< two tenths of the result's
    SecondSize,    ///< of the second argument
    SmallerSize,   ///< a tenth of the smaller argument's
    SumOfSizes,    ///< a tenth of both arguments'
    Product,       ///< of the tenths of both arguments' sizes
    Regex,         ///< a tenth of the text's size times a quarter of the pattern's
    ListOutput,    ///< 11 and the result's size
    Flattened,     ///< 11 and the size times the depth
    SelfCompared,  ///< 11 and twice the square of the size
    KeysCompared,  ///< the same of the second argument
    SetsOnce,      ///< 1 and the product of the sizes
    SetsTwice,
};

std::uint64_t cost_of_call(Work &work, Cost cost, Arguments arguments, const Value &result);

struct Overload {
    bool member = false;
    std::vector<const Type *> arguments;
    const Type *result = nullptr;
    Implementation run = nullptr;  ///< nullptr: the function's own, or the operator is not a call
    Cost cost = Cost::One;         ///< if the checker finds this overload alone
    bool extension = false;        ///< such a cost goes before the function's
};

struct Function {
    std::string name;
    std::vector<Overload> overloads;
    Implementation run = nullptr;                 ///< of all overloads
    bool (*takes)(const Value &first) = nullptr;  ///< if `run` takes no other first argument
    Cost cost = Cost::One;                        ///< whatever the overload
    bool guarded = true;                          ///< arguments are checked against the overload's types
    bool conversion = false;                      ///< of a constant, done when the program is made
    bool non_strict = false;                      ///< takes errors

    Function &global(std::vector<const Type *> arguments, const Type *result, Implementation with = nullptr,
                     Cost charged = Cost::One);
    Function &member(std::vector<const Type *> arguments, const Type *result, Implementation with = nullptr,
                     Cost charged = Cost::One);
    /// The last overload's cost goes before the function's.
    Function &by_overload() {
        overloads.back().extension = true;
        return *this;
    }
};

/// nullptr if there is none.
const Function *find_function(std::string_view name);
/// Upstream has it, and this evaluator does not.
bool unsupported_function(std::string_view name);

/// Whether a value can be an argument of that type: of a list, only the first element is looked at.
bool assignable(const Type &type, const Value &value);

/// Go's name of the type of a value, in errors of cel-go that show it.
std::string go_type(const Value &value);

class FunctionTable {
    std::deque<Function> functions_;

public:
    Function &add(std::string name) {
        auto &function = functions_.emplace_back();
        function.name = std::move(name);
        return function;
    }
    const std::deque<Function> &all() const { return functions_; }
};

void add_operators(FunctionTable &table);
void add_conversions(FunctionTable &table);
void add_strings(FunctionTable &table);
void add_lists(FunctionTable &table);
void add_optionals(FunctionTable &table);
void add_quantities(FunctionTable &table);

/// Of a list; the same names of strings stand beside them in add_strings.
Value list_index_of(Work &work, Arguments arguments);
Value list_last_index_of(Work &work, Arguments arguments);

/// Parameters of declarations, and types made of them.
const Type *param_a();
const Type *param_b();
const Type *list_of(const Type *element);
const Type *map_of(const Type *key, const Type *value);
const Type *optional_of(const Type *value);
const Type *type_of(const Type *type);

}  // namespace kubernetes::cel
