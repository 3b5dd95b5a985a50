// SPDX-License-Identifier: Apache-2.0
// CEL's operators: arithmetic, comparison, concatenation.
#include "functions.h"

#include <limits>
#include <tuple>

namespace kubernetes::cel {

namespace {

Value integer_overflow() { return Value::error("integer overflow"); }
Value unsigned_overflow() { return Value::error("unsigned integer overflow"); }

Value checked(bool overflow, std::int64_t result) { return overflow ? integer_overflow() : Value::of_int(result); }
Value checked(bool overflow, std::uint64_t result) { return overflow ? unsigned_overflow() : Value::of_uint(result); }

Value joined(Work &work, const Value &a, const Value &b) {
    work.charge_bytes(a.text().size() + b.text().size());
    auto text = a.text() + b.text();
    return a.is(Kind::String) ? Value::of_string(std::move(text)) : Value::of_bytes(std::move(text));
}

Value concatenated(Work &work, const Value &a, const Value &b) {
    if (a.list().items.empty()) return b;
    if (b.list().items.empty()) return a;
    work.charge(a.list().items.size() + b.list().items.size());
    auto items = a.list().items;
    items.insert(items.end(), b.list().items.begin(), b.list().items.end());
    return Value::of_list(std::move(items), true);
}

Value add(Work &work, Arguments arguments) {
    const auto &[a, b] = std::tie(arguments[0], arguments[1]);
    if (a.kind() != b.kind()) return Value::no_such_overload();
    switch (a.kind()) {
        case Kind::Int: {
            std::int64_t sum = 0;
            const bool overflow = __builtin_add_overflow(a.integer(), b.integer(), &sum);
            return checked(overflow, sum);
        }
        case Kind::Uint: {
            std::uint64_t sum = 0;
            const bool overflow = __builtin_add_overflow(a.natural(), b.natural(), &sum);
            return checked(overflow, sum);
        }
        case Kind::Double: return Value::of_double(a.real() + b.real());
        case Kind::String:
        case Kind::Bytes: return joined(work, a, b);
        default: return concatenated(work, a, b);
    }
}

Value subtract(Work & /*work*/, Arguments arguments) {
    const auto &[a, b] = std::tie(arguments[0], arguments[1]);
    if (a.kind() != b.kind()) return Value::no_such_overload();
    if (a.is(Kind::Double)) return Value::of_double(a.real() - b.real());
    if (a.is(Kind::Int)) {
        std::int64_t result = 0;
        const bool overflow = __builtin_sub_overflow(a.integer(), b.integer(), &result);
        return checked(overflow, result);
    }
    std::uint64_t result = 0;
    const bool overflow = __builtin_sub_overflow(a.natural(), b.natural(), &result);
    return checked(overflow, result);
}

Value multiply(Work & /*work*/, Arguments arguments) {
    const auto &[a, b] = std::tie(arguments[0], arguments[1]);
    if (a.kind() != b.kind()) return Value::no_such_overload();
    if (a.is(Kind::Double)) return Value::of_double(a.real() * b.real());
    if (a.is(Kind::Int)) {
        std::int64_t result = 0;
        const bool overflow = __builtin_mul_overflow(a.integer(), b.integer(), &result);
        return checked(overflow, result);
    }
    std::uint64_t result = 0;
    const bool overflow = __builtin_mul_overflow(a.natural(), b.natural(), &result);
    return checked(overflow, result);
}

bool least_by_minus_one(const Value &a, const Value &b) {
    return a.integer() == std::numeric_limits<std::int64_t>::min() && b.integer() == -1;
}

/// Division or, with `remainder`, modulo.
Value divide(const Value &a, const Value &b, bool remainder) {
    if (a.kind() != b.kind()) return Value::no_such_overload();
    if (a.is(Kind::Double)) return Value::of_double(a.real() / b.real());
    const bool by_zero = a.is(Kind::Int) ? b.integer() == 0 : b.natural() == 0;
    if (by_zero) return Value::error(remainder ? "modulus by zero" : "division by zero");
    if (a.is(Kind::Uint)) return Value::of_uint(remainder ? a.natural() % b.natural() : a.natural() / b.natural());
    if (least_by_minus_one(a, b)) return integer_overflow();
    return Value::of_int(remainder ? a.integer() % b.integer() : a.integer() / b.integer());
}

Value quotient(Work & /*work*/, Arguments arguments) { return divide(arguments[0], arguments[1], false); }
Value modulo(Work & /*work*/, Arguments arguments) { return divide(arguments[0], arguments[1], true); }

Value negate(Work & /*work*/, Arguments arguments) {
    const auto &value = arguments[0];
    if (value.is(Kind::Double)) return Value::of_double(-value.real());
    if (!value.is(Kind::Int)) return Value::no_such_overload();
    std::int64_t result = 0;
    const bool overflow = __builtin_sub_overflow(std::int64_t{0}, value.integer(), &result);
    return checked(overflow, result);
}

Value logical_not(Work & /*work*/, Arguments arguments) {
    return arguments[0].is(Kind::Bool) ? Value::of_bool(!arguments[0].truth()) : Value::no_such_overload();
}

Value not_strictly_false(Work & /*work*/, Arguments arguments) {
    return arguments[0].is(Kind::Bool) ? arguments[0] : Value::of_bool(true);
}

template <bool Less, bool Equal, bool Greater>
Value relation(Work &work, Arguments arguments) {
    auto order = compare(work, arguments[0], arguments[1]);
    if (order.is_error()) return order;
    return Value::of_bool(order.integer() < 0 ? Less : order.integer() == 0 ? Equal : Greater);
}

Value in(Work &work, Arguments arguments) {
    const auto &[element, container] = std::tie(arguments[0], arguments[1]);
    if (container.is(Kind::Map)) return Value::of_bool(container.map().find(work, element) != nullptr);
    if (!container.is(Kind::List)) return Value::no_such_overload();
    for (const auto &item : container.list().items)
        if (equal_elements(work, element, item).is_true()) return Value::of_bool(true);
    return Value::of_bool(false);
}

Value size(Work &work, Arguments arguments) {
    return Value::of_int(static_cast<std::int64_t>(size_of(work, arguments[0])));
}

bool is_number(const Value &value) { return value.is(Kind::Int) || value.is(Kind::Uint) || value.is(Kind::Double); }
bool is_addable(const Value &value) {
    return is_number(value) || value.is(Kind::String) || value.is(Kind::Bytes) || value.is(Kind::List);
}
bool is_divisible(const Value &value) { return value.is(Kind::Int) || value.is(Kind::Uint); }
bool is_negatable(const Value &value) { return value.is(Kind::Int) || value.is(Kind::Double) || value.is(Kind::Bool); }

/// The order of overloads is upstream's: the first that fits gives variables of types their values.
void add_relation(FunctionTable &table, const char *name, Implementation run) {
    const auto *const integer = types::int_type();
    const auto *const natural = types::uint_type();
    const auto *const real = types::double_type();
    const auto *const truth = types::bool_type();
    auto &function = table.add(name);
    function.run = run;
    function.takes = comparable;
    function.global({truth, truth}, truth);
    function.global({integer, integer}, truth).global({integer, real}, truth).global({integer, natural}, truth);
    function.global({natural, natural}, truth).global({natural, real}, truth).global({natural, integer}, truth);
    function.global({real, real}, truth).global({real, integer}, truth).global({real, natural}, truth);
    for (const auto *type : {types::string_type(), types::bytes_type()})
        function.global({type, type}, truth, nullptr, Cost::SmallerSize);
    for (const auto *type : {types::timestamp_type(), types::duration_type()}) function.global({type, type}, truth);
}

}  // namespace

void add_operators(FunctionTable &table) {
    const auto *const truth = types::bool_type();
    const auto *const integer = types::int_type();
    const auto *const real = types::double_type();
    const auto *const a = param_a();
    const auto *const b = param_b();

    table.add("_?_:_").global({truth, a, a}, a);
    table.add("_&&_").global({truth, truth}, truth);
    table.add("_||_").global({truth, truth}, truth);
    for (const char *name : {"_==_", "_!=_"}) table.add(name).global({a, a}, truth, nullptr, Cost::SmallerSize);
    table.add("!_").global({truth}, truth).run = logical_not;
    auto &strict = table.add("@not_strictly_false");
    strict.global({truth}, truth).run = not_strictly_false;
    strict.non_strict = true;

    const auto *const natural = types::uint_type();
    const auto *const string = types::string_type();
    const auto *const bytes = types::bytes_type();
    const auto *const duration = types::duration_type();
    const auto *const timestamp = types::timestamp_type();
    auto &sum = table.add("_+_");
    sum.global({bytes, bytes}, bytes, nullptr, Cost::SumOfSizes)
        .global({real, real}, real)
        .global({duration, duration}, duration)
        .global({duration, timestamp}, timestamp)
        .global({timestamp, duration}, timestamp)
        .global({integer, integer}, integer)
        .global({list_of(a), list_of(a)}, list_of(a))
        .global({string, string}, string, nullptr, Cost::SumOfSizes)
        .global({natural, natural}, natural)
        .run = add;
    sum.takes = is_addable;
    auto &difference = table.add("_-_");
    difference.global({real, real}, real)
        .global({duration, duration}, duration)
        .global({integer, integer}, integer)
        .global({timestamp, duration}, timestamp)
        .global({timestamp, timestamp}, duration)
        .global({natural, natural}, natural)
        .run = subtract;
    difference.takes = is_number;
    auto &product = table.add("_*_");
    product.global({real, real}, real).global({integer, integer}, integer).global({natural, natural}, natural).run =
        multiply;
    product.takes = is_number;
    auto &division = table.add("_/_");
    division.global({real, real}, real).global({integer, integer}, integer).global({natural, natural}, natural).run =
        quotient;
    division.takes = is_number;
    auto &remainder = table.add("_%_");
    remainder.global({integer, integer}, integer).global({natural, natural}, natural).run = modulo;
    remainder.takes = is_divisible;
    auto &negation = table.add("-_");
    negation.global({real}, real).global({integer}, integer).run = negate;
    negation.takes = is_negatable;

    add_relation(table, "_<_", relation<true, false, false>);
    add_relation(table, "_<=_", relation<true, true, false>);
    add_relation(table, "_>_", relation<false, false, true>);
    add_relation(table, "_>=_", relation<false, true, true>);

    table.add("_[_]")
        .global({list_of(a), integer}, a)
        .global({map_of(a, b), a}, b)
        .global({optional_of(list_of(b)), integer}, optional_of(b))
        .global({optional_of(map_of(a, b)), a}, optional_of(b));
    table.add("_[?_]")
        .global({list_of(b), integer}, optional_of(b))
        .global({optional_of(list_of(b)), integer}, optional_of(b))
        .global({map_of(a, b), a}, optional_of(b))
        .global({optional_of(map_of(a, b)), a}, optional_of(b));
    table.add("@in").global({a, list_of(a)}, truth, nullptr, Cost::SecondSize).global({a, map_of(a, b)}, truth).run =
        in;

    auto &sizes = table.add("size");
    for (const auto *type : {types::bytes_type(), list_of(a), map_of(a, b), types::string_type()})
        sizes.global({type}, integer).member({type}, integer);
    sizes.run = size;
    sizes.takes = has_size;
}

}  // namespace kubernetes::cel
