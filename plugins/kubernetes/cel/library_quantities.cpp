// SPDX-License-Identifier: Apache-2.0
// CEL's functions of quantities and semantic versions.
#include "functions.h"

namespace kubernetes::cel {

namespace {

Value quantity(Work &work, Arguments arguments) {
    work.charge_bytes(arguments[0].text().size());
    Quantity result;
    auto error = Quantity::parse(arguments[0].text(), result);
    return error.empty() ? Value::of_quantity(result) : Value::error(std::move(error));
}

Value is_quantity(Work &work, Arguments arguments) {
    work.charge_bytes(arguments[0].text().size());
    Quantity result;
    return Value::of_bool(Quantity::parse(arguments[0].text(), result).empty());
}

Value sign(Work & /*work*/, Arguments arguments) { return Value::of_int(arguments[0].quantity().sign()); }

int order_of(Work &work, Arguments arguments) {
    if (arguments[0].is(Kind::Semver)) return compare(work, arguments[0].semver(), arguments[1].semver());
    return compare(work, arguments[0].quantity(), arguments[1].quantity());
}
Value compare_to(Work &work, Arguments arguments) { return Value::of_int(order_of(work, arguments)); }
Value is_greater(Work &work, Arguments arguments) { return Value::of_bool(order_of(work, arguments) > 0); }
Value is_less(Work &work, Arguments arguments) { return Value::of_bool(order_of(work, arguments) < 0); }

Value as_float(Work & /*work*/, Arguments arguments) {
    return Value::of_double(arguments[0].quantity().as_approximate_float());
}

Value as_integer(Work & /*work*/, Arguments arguments) {
    std::int64_t result = 0;
    if (!arguments[0].quantity().as_integer(result)) return Value::error("cannot convert value to integer");
    return Value::of_int(result);
}

Value is_integer(Work & /*work*/, Arguments arguments) {
    std::int64_t result = 0;
    return Value::of_bool(arguments[0].quantity().as_integer(result));
}

Quantity amount(const Value &value) {
    return value.is(Kind::Quantity) ? value.quantity() : Quantity::of(value.integer());
}
Value computed(bool fits, const Quantity &result) {
    return fits ? Value::of_quantity(result, true) : Value::error("not supported: a quantity of more than 37 digits");
}
Value add(Work &work, Arguments arguments) {
    work.charge(quantity_work);
    auto sum = arguments[0].quantity();
    return computed(sum.add(amount(arguments[1])), sum);
}
Value subtract(Work &work, Arguments arguments) {
    work.charge(quantity_work);
    auto difference = arguments[0].quantity();
    return computed(difference.subtract(amount(arguments[1])), difference);
}

std::string parse_semver(Work &work, Arguments arguments, Semver &into) {
    work.charge(1 + arguments[0].text().size());
    const bool normalize = arguments.size() > 1 && arguments[1].truth();
    return normalize ? Semver::parse_normalized(arguments[0].text(), into) : Semver::parse(arguments[0].text(), into);
}
Value semver(Work &work, Arguments arguments) {
    Semver result;
    auto error = parse_semver(work, arguments, result);
    return error.empty() ? Value::of_semver(std::move(result)) : Value::error(std::move(error));
}
Value is_semver(Work &work, Arguments arguments) {
    Semver result;
    return Value::of_bool(parse_semver(work, arguments, result).empty());
}

Value major(Work & /*work*/, Arguments arguments) {
    return Value::of_int(static_cast<std::int64_t>(arguments[0].semver().major));
}
Value minor(Work & /*work*/, Arguments arguments) {
    return Value::of_int(static_cast<std::int64_t>(arguments[0].semver().minor));
}
Value patch(Work & /*work*/, Arguments arguments) {
    return Value::of_int(static_cast<std::int64_t>(arguments[0].semver().patch));
}

}  // namespace

void add_quantities(FunctionTable &table) {
    const auto *const string = types::string_type();
    const auto *const integer = types::int_type();
    const auto *const truth = types::bool_type();
    const auto *const amounts = types::quantity_type();
    const auto *const versions = types::semver_type();

    table.add("quantity").global({string}, amounts, quantity).cost = Cost::Size;
    table.add("isQuantity").global({string}, truth, is_quantity).cost = Cost::Size;
    table.add("sign").global({amounts}, integer, sign);
    table.add("asApproximateFloat").member({amounts}, types::double_type(), as_float);
    table.add("asInteger").member({amounts}, integer, as_integer);
    table.add("isInteger").member({amounts}, truth, is_integer);
    table.add("add").member({amounts, amounts}, amounts, add).member({amounts, integer}, amounts, add);
    table.add("sub").member({amounts, amounts}, amounts, subtract).member({amounts, integer}, amounts, subtract);

    table.add("semver").global({string}, versions, semver).global({string, truth}, versions, semver).cost = Cost::Size;
    table.add("isSemver").global({string}, truth, is_semver).global({string, truth}, truth, is_semver).cost =
        Cost::Size;
    table.add("major").member({versions}, integer, major);
    table.add("minor").member({versions}, integer, minor);
    table.add("patch").member({versions}, integer, patch);

    auto &comparison = table.add("compareTo");
    auto &greater = table.add("isGreaterThan");
    auto &less = table.add("isLessThan");
    for (const auto *type : {amounts, versions}) {
        comparison.member({type, type}, integer, compare_to);
        greater.member({type, type}, truth, is_greater);
        less.member({type, type}, truth, is_less);
    }
}

}  // namespace kubernetes::cel
