// SPDX-License-Identifier: Apache-2.0
// CEL's functions of lists, such as isSorted, sum, min, max, slice, flatten and sort.
#include "functions.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace kubernetes::cel {

Value list_index_of(Work &work, Arguments arguments) {
    const auto &items = arguments[0].list().items;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (equal_elements(work, items[i], arguments[1]).is_true()) return Value::of_int(static_cast<std::int64_t>(i));
    return Value::of_int(-1);
}

Value list_last_index_of(Work &work, Arguments arguments) {
    const auto &items = arguments[0].list().items;
    for (auto i = items.size(); i-- > 0;)
        if (equal_elements(work, items[i], arguments[1]).is_true()) return Value::of_int(static_cast<std::int64_t>(i));
    return Value::of_int(-1);
}

namespace {

const Value *incomparable(const Value &list) {
    const auto &items = list.list().items;
    const auto found = std::ranges::find_if_not(items, comparable);
    return found == items.end() ? nullptr : &*found;
}

Value is_sorted(Work &work, Arguments arguments) {
    const auto &items = arguments[0].list().items;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!comparable(items[i])) return items[i].is_error() ? items[i] : Value::no_such_overload();
        if (i == 0) continue;
        const auto order = compare(work, items[i - 1], items[i]);
        if (order.is(Kind::Int) && order.integer() > 0) return Value::of_bool(false);
    }
    return Value::of_bool(true);
}

template <int Worse>
Value extreme(Work &work, Arguments arguments) {
    const auto &items = arguments[0].list().items;
    if (items.empty()) return Value::error(std::string{Worse > 0 ? "min" : "max"} + " called on empty list");
    if (incomparable(arguments[0])) return Value::no_such_overload();
    const Value *best = &items.front();
    for (const auto &item : items) {
        const auto order = compare(work, *best, item);
        if (order.is(Kind::Int) && order.integer() == Worse) best = &item;
    }
    return *best;
}

Value summed(Work &work, const Value &zero, const Value &list) {
    const auto *add = find_function("_+_");
    Value sum = zero;
    for (const auto &item : list.list().items) {
        work.charge(1);
        if (!add->takes(item)) return Value::no_such_overload();
        const std::array<Value, 2> both{sum, item};
        sum = add->run(work, both);
        if (sum.is_error()) return sum;
    }
    return sum;
}
Value sum_of_ints(Work &work, Arguments arguments) { return summed(work, Value::of_int(0), arguments[0]); }
Value sum_of_uints(Work &work, Arguments arguments) { return summed(work, Value::of_uint(0), arguments[0]); }
Value sum_of_doubles(Work &work, Arguments arguments) { return summed(work, Value::of_double(0), arguments[0]); }

Value slice(Work &work, Arguments arguments) {
    const auto &items = arguments[0].list().items;
    const auto begin = arguments[1].integer();
    const auto end = arguments[2].integer();
    const auto range = "cannot slice(" + std::to_string(begin) + ", " + std::to_string(end) + "), ";
    if (begin < 0 || end < 0) return Value::error(range + "negative indexes not supported");
    if (begin > end) return Value::error(range + "start index must be less than or equal to end index");
    if (static_cast<std::int64_t>(items.size()) < end)
        return Value::error(range + "list is length " + std::to_string(items.size()));
    work.charge(static_cast<std::uint64_t>(end - begin));
    return Value::of_list({items.begin() + begin, items.begin() + end});
}

void flatten(Work &work, const Value &list, std::int64_t depth, std::vector<Value> &into) {
    for (const auto &item : list.list().items) {
        work.charge(1);
        if (item.is(Kind::List) && depth > 0) flatten(work, item, depth - 1, into);
        else into.push_back(item);
    }
}

Value flattened(Work &work, Arguments arguments) {
    const auto depth = arguments.size() > 1 ? &arguments[1] : nullptr;
    const std::string type = arguments[0].is(Kind::List) ? "list(dyn)" : arguments[0].type_name();
    if (!arguments[0].is(Kind::List) || (depth && !depth->is(Kind::Int)))
        return Value::error("no such overload: " + type + ".flatten(" + (depth ? depth->type_name() : "") + ")");
    if (depth && depth->integer() < 0) return Value::error("level must be non-negative");
    std::vector<Value> items;
    flatten(work, arguments[0], depth ? depth->integer() : 1, items);
    return Value::of_list(std::move(items));
}

Value sorted_by(Work &work, const Value &list, const Value &keys) {
    const auto &items = list.list().items;
    const auto &by = keys.list().items;
    if (items.size() != by.size())
        return Value::error(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got " +
            std::to_string(items.size()) + " and " + std::to_string(by.size()) + " elements respectively");
    if (items.empty()) return list;
    if (!comparable(by.front())) return Value::error("list elements must be comparable");
    if (by.size() > 1)
        for (const auto &key : by)
            if (key.kind() != by.front().kind()) return Value::error("list elements must have the same type");
    std::vector<std::size_t> order(items.size());
    std::iota(order.begin(), order.end(), 0);
    work.charge(items.size());
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        const auto result = compare(work, by[a], by[b]);
        return result.is(Kind::Int) && result.integer() < 0;
    });
    std::vector<Value> sorted;
    sorted.reserve(items.size());
    for (const auto i : order) sorted.push_back(items[i]);
    return Value::of_list(std::move(sorted));
}
Value sort(Work &work, Arguments arguments) { return sorted_by(work, arguments[0], arguments[0]); }
Value sort_by_keys(Work &work, Arguments arguments) {
    if (!arguments[1].is(Kind::List)) return Value::no_such_overload();
    return sorted_by(work, arguments[0], arguments[1]);
}

Value range(Work &work, Arguments arguments) {
    std::vector<Value> items;
    if (arguments[0].integer() > 0) {
        const auto count = static_cast<std::uint64_t>(arguments[0].integer());
        work.charge(count);
        items.reserve(count);
    }
    for (std::int64_t i = 0; i < arguments[0].integer(); ++i) items.push_back(Value::of_int(i));
    return Value::of_list(std::move(items));
}

Value reverse(Work &work, Arguments arguments) {
    const auto &items = arguments[0].list().items;
    work.charge(items.size());
    return Value::of_list({items.rbegin(), items.rend()});
}

Value distinct(Work &work, Arguments arguments) {
    std::vector<Value> found;
    for (const auto &item : arguments[0].list().items) {
        work.charge(1);
        const auto same = [&](const Value &other) { return equal_elements(work, item, other).is_true(); };
        if (std::ranges::none_of(found, same)) found.push_back(item);
    }
    return Value::of_list(std::move(found));
}

bool contains(Work &work, const Value &list, const Value &element) {
    return std::ranges::any_of(list.list().items,
                               [&](const Value &item) { return equal_elements(work, element, item).is_true(); });
}
bool contains_all(Work &work, const Value &list, const Value &others) {
    return std::ranges::all_of(others.list().items, [&](const Value &item) { return contains(work, list, item); });
}
Value sets_contains(Work &work, Arguments arguments) {
    return Value::of_bool(contains_all(work, arguments[0], arguments[1]));
}
Value sets_equivalent(Work &work, Arguments arguments) {
    return Value::of_bool(contains_all(work, arguments[0], arguments[1]) &&
                          contains_all(work, arguments[1], arguments[0]));
}
Value sets_intersects(Work &work, Arguments arguments) {
    return Value::of_bool(std::ranges::any_of(arguments[0].list().items,
                                              [&](const Value &item) { return contains(work, arguments[1], item); }));
}

bool is_list(const Value &value) { return value.is(Kind::List); }

}  // namespace

void add_lists(FunctionTable &table) {
    const auto *const integer = types::int_type();
    const auto *const natural = types::uint_type();
    const auto *const real = types::double_type();
    const auto *const truth = types::bool_type();
    const auto *const any_list = list_of(param_a());
    const auto comparables = {integer,
                              natural,
                              real,
                              truth,
                              types::duration_type(),
                              types::timestamp_type(),
                              types::string_type(),
                              types::bytes_type()};

    auto &sorted = table.add("isSorted");
    auto &least = table.add("min");
    auto &most = table.add("max");
    auto &sorting = table.add("sort");
    auto &sorting_by = table.add("@sortByAssociatedKeys");
    for (const auto *type : comparables) {
        sorted.member({list_of(type)}, truth, is_sorted);
        least.member({list_of(type)}, type, extreme<1>);
        most.member({list_of(type)}, type, extreme<-1>);
        sorting.member({list_of(type)}, list_of(type), nullptr, Cost::SelfCompared).by_overload();
        sorting_by.member({any_list, list_of(type)}, any_list, nullptr, Cost::KeysCompared).by_overload();
    }
    sorting.run = sort;
    sorting.takes = is_list;
    sorting_by.run = sort_by_keys;
    sorting_by.takes = is_list;
    auto &sum = table.add("sum");
    sum.member({list_of(integer)}, integer, sum_of_ints)
        .member({list_of(natural)}, natural, sum_of_uints)
        .member({list_of(real)}, real, sum_of_doubles)
        .member({list_of(types::duration_type())}, types::duration_type());
    for (auto *function : {&sorted, &least, &most, &sum}) function->cost = Cost::Traversal;

    table.add("slice").member({any_list, integer, integer}, any_list, slice, Cost::ListOutput).by_overload();
    table.add("flatten")
        .member({list_of(any_list)}, any_list, flattened, Cost::Flattened)
        .by_overload()
        .member({list_of(types::dyn_type()), integer}, list_of(types::dyn_type()), flattened, Cost::Flattened)
        .by_overload()
        .guarded = false;
    table.add("lists.range").global({integer}, list_of(integer), range, Cost::ListOutput).by_overload();
    table.add("reverse").member({any_list}, any_list, reverse, Cost::ListOutput).by_overload();
    table.add("distinct").member({any_list}, any_list, distinct, Cost::SelfCompared).by_overload();

    table.add("sets.contains").global({any_list, any_list}, truth, sets_contains, Cost::SetsOnce).by_overload();
    table.add("sets.equivalent").global({any_list, any_list}, truth, sets_equivalent, Cost::SetsTwice).by_overload();
    table.add("sets.intersects").global({any_list, any_list}, truth, sets_intersects, Cost::SetsOnce).by_overload();
}

}  // namespace kubernetes::cel
