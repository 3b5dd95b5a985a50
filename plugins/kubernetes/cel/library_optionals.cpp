// SPDX-License-Identifier: Apache-2.0
// CEL's functions of optionals: optional.of, ofNonZeroValue, value, hasValue.
#include "functions.h"

namespace kubernetes::cel {

namespace {

Value of(Work & /*work*/, Arguments arguments) { return Value::some(arguments[0]); }

bool is_zero(const Value &value) {
    switch (value.kind()) {
        case Kind::Null: return true;
        case Kind::Bool: return !value.truth();
        case Kind::Int: return value.integer() == 0;
        case Kind::Uint: return value.natural() == 0;
        case Kind::Double: return value.real() == 0;
        case Kind::String:
        case Kind::Bytes: return value.text().empty();
        case Kind::List: return value.list().items.empty();
        // The map of a device's domains is none of cel-go's.
        case Kind::Map: return value.map().entries.empty() && !value.map().default_empty;
        default: return false;
    }
}

Value of_non_zero(Work & /*work*/, Arguments arguments) {
    return is_zero(arguments[0]) ? Value::none() : Value::some(arguments[0]);
}

Value none(Work & /*work*/, Arguments /*arguments*/) { return Value::none(); }

Value value_of(Work & /*work*/, Arguments arguments) {
    const auto &optional = arguments[0].optional();
    return optional.has_value ? optional.value : Value::error("optional.none() dereference");
}

Value has_value(Work & /*work*/, Arguments arguments) { return Value::of_bool(arguments[0].optional().has_value); }

Value first_of(Work & /*work*/, Arguments arguments) {
    const auto &items = arguments[0].list().items;
    return items.empty() ? Value::none() : Value::some(items.front());
}

Value last_of(Work & /*work*/, Arguments arguments) {
    const auto &items = arguments[0].list().items;
    return items.empty() ? Value::none() : Value::some(items.back());
}

Value unwrap(Work &work, Arguments arguments) {
    std::vector<Value> values;
    for (const auto &item : arguments[0].list().items) {
        work.charge(1);
        if (!item.is(Kind::Optional)) return Value::error("value " + printed(work, item) + " is not optional");
        if (item.optional().has_value) values.push_back(item.optional().value);
    }
    return Value::of_list(std::move(values));
}

}  // namespace

void add_optionals(FunctionTable &table) {
    const auto *const a = param_a();
    const auto *const optional = optional_of(a);
    const auto *const truth = types::bool_type();

    table.add("optional.of").global({a}, optional, of);
    table.add("optional.ofNonZeroValue").global({a}, optional, of_non_zero);
    table.add("optional.none").global({}, optional, none);
    table.add("value").member({optional}, a, value_of);
    table.add("hasValue").member({optional}, truth, has_value);
    // These two are no calls when it comes to running them.
    table.add("or").member({optional, optional}, optional);
    table.add("orValue").member({optional, a}, a);
    table.add("first").member({list_of(a)}, optional, first_of);
    table.add("last").member({list_of(a)}, optional, last_of);
    table.add("optional.unwrap").global({list_of(optional)}, list_of(a), unwrap);
    table.add("unwrapOpt").member({list_of(optional)}, list_of(a), unwrap);
}

}  // namespace kubernetes::cel
