// SPDX-License-Identifier: Apache-2.0
// CEL's conversions between types: int, uint, double, string, bytes, bool, type.
#include "functions.h"
#include "numbers.h"
#include "utf8.h"

#include <cmath>
#include <limits>

namespace kubernetes::cel {

namespace {

Value not_convertible(const char *into) {
    return Value::error(std::string{"type conversion error from 'string' to '"} + into + "'");
}

Value same(Work & /*work*/, Arguments arguments) { return arguments[0]; }

Value to_bool(Work & /*work*/, Arguments arguments) {
    bool result = false;
    return read_bool(arguments[0].text(), result) ? Value::of_bool(result) : not_convertible("bool");
}

Value to_bytes(Work &work, Arguments arguments) {
    work.charge_bytes(arguments[0].text().size());
    return Value::of_bytes(arguments[0].text());
}

/// Before a number is read. A double of some hundred digits takes longer than its digits say.
void charge_reading(Work &work, const Value &text) { work.charge(1 + text.text().size() / 4); }

Value to_double(Work &work, Arguments arguments) {
    const auto &value = arguments[0];
    if (value.is(Kind::Int)) return Value::of_double(static_cast<double>(value.integer()));
    if (value.is(Kind::Uint)) return Value::of_double(static_cast<double>(value.natural()));
    charge_reading(work, value);
    double result = 0;
    return read_double(value.text(), result) ? Value::of_double(result) : not_convertible("double");
}

Value to_int(Work &work, Arguments arguments) {
    const auto &value = arguments[0];
    if (value.is(Kind::Double)) {
        if (!(value.real() > -0x1p63 && value.real() < 0x1p63)) return Value::error("integer overflow");
        return Value::of_int(static_cast<std::int64_t>(value.real()));
    }
    if (value.is(Kind::Uint)) {
        if (value.natural() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return Value::error("integer overflow");
        return Value::of_int(static_cast<std::int64_t>(value.natural()));
    }
    charge_reading(work, value);
    std::int64_t result = 0;
    return read_int(value.text(), result) ? Value::of_int(result) : not_convertible("int");
}

Value to_uint(Work &work, Arguments arguments) {
    const auto &value = arguments[0];
    if (value.is(Kind::Double)) {
        if (!(value.real() >= 0 && value.real() < 0x1p64)) return Value::error("unsigned integer overflow");
        return Value::of_uint(static_cast<std::uint64_t>(value.real()));
    }
    if (value.is(Kind::Int)) {
        if (value.integer() < 0) return Value::error("unsigned integer overflow");
        return Value::of_uint(static_cast<std::uint64_t>(value.integer()));
    }
    charge_reading(work, value);
    std::uint64_t result = 0;
    return read_uint(value.text(), result) ? Value::of_uint(result) : not_convertible("uint");
}

Value to_string(Work &work, Arguments arguments) {
    const auto &value = arguments[0];
    if (value.is(Kind::Bytes)) {
        work.charge_bytes(value.text().size());
        if (!utf8::valid(value.text())) return Value::error("invalid UTF-8 in bytes, cannot convert to string");
        return Value::of_string(value.text());
    }
    return Value::of_string(printed(work, value));
}

Value to_type(Work & /*work*/, Arguments arguments) { return Value::of_type(arguments[0].type_name()); }

Function &add_conversion(FunctionTable &table, const char *name) {
    auto &function = table.add(name);
    function.conversion = true;
    return function;
}

}  // namespace

void add_conversions(FunctionTable &table) {
    const auto *const truth = types::bool_type();
    const auto *const integer = types::int_type();
    const auto *const natural = types::uint_type();
    const auto *const real = types::double_type();
    const auto *const string = types::string_type();
    const auto *const bytes = types::bytes_type();

    add_conversion(table, "type").global({param_a()}, type_of(param_a())).run = to_type;
    add_conversion(table, "dyn").global({param_a()}, types::dyn_type()).run = same;
    add_conversion(table, "bool").global({truth}, truth, same).global({string}, truth, to_bool);
    add_conversion(table, "bytes").global({bytes}, bytes, same).global({string}, bytes, to_bytes, Cost::Size);
    add_conversion(table, "double")
        .global({real}, real, same)
        .global({integer}, real, to_double)
        .global({string}, real, to_double)
        .global({natural}, real, to_double);
    add_conversion(table, "int")
        .global({integer}, integer, same)
        .global({real}, integer, to_int)
        .global({types::duration_type()}, integer)
        .global({string}, integer, to_int)
        .global({types::timestamp_type()}, integer)
        .global({natural}, integer, to_int);
    add_conversion(table, "string")
        .global({string}, string, same)
        .global({truth}, string, to_string)
        .global({bytes}, string, to_string, Cost::Size)
        .global({real}, string, to_string)
        .global({types::duration_type()}, string)
        .global({integer}, string, to_string)
        .global({types::timestamp_type()}, string)
        .global({natural}, string, to_string);
    add_conversion(table, "uint")
        .global({natural}, natural, same)
        .global({real}, natural, to_uint)
        .global({integer}, natural, to_uint)
        .global({string}, natural, to_uint);
}

}  // namespace kubernetes::cel
