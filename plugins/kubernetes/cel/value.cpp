// SPDX-License-Identifier: Apache-2.0
#include "value.h"

#include "numbers.h"
#include "utf8.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kubernetes::cel {

namespace {

constexpr std::uint32_t most_nested = 500;

std::uint32_t depth_of(const Value &value) {
    switch (value.kind()) {
        case Kind::List: return value.list().depth;
        case Kind::Map: return value.map().depth;
        case Kind::Optional: return value.optional().depth;
        default: return 0;
    }
}

Value too_deep() { return Value::error("not supported: values nested more than 500 deep"); }

bool is_number(const Value &value) { return value.is(Kind::Int) || value.is(Kind::Uint) || value.is(Kind::Double); }

template <typename T>
int order(T a, T b) {
    return a < b ? -1 : a > b ? 1 : 0;
}

int compare_double(double a, const Value &b) {
    switch (b.kind()) {
        case Kind::Int:
            if (a < -0x1p63) return -1;
            return a > 0x1p63 ? 1 : order(a, static_cast<double>(b.integer()));
        case Kind::Uint:
            if (a < 0) return -1;
            return a > 0x1p64 ? 1 : order(a, static_cast<double>(b.natural()));
        default: return order(a, b.real());
    }
}

int compare_int(std::int64_t a, std::uint64_t b) { return a < 0 ? -1 : order(static_cast<std::uint64_t>(a), b); }

/// Neither is NaN.
int compare_numbers(const Value &a, const Value &b) {
    if (a.is(Kind::Double)) return compare_double(a.real(), b);
    if (b.is(Kind::Double)) return -compare_double(b.real(), a);
    if (a.is(Kind::Int))
        return b.is(Kind::Int) ? order(a.integer(), b.integer()) : compare_int(a.integer(), b.natural());
    return b.is(Kind::Int) ? -compare_int(b.integer(), a.natural()) : order(a.natural(), b.natural());
}

bool not_a_number(const Value &value) { return value.is(Kind::Double) && std::isnan(value.real()); }

bool equal_text(Work &work, const Value &a, const Value &b) {
    if (a.text().size() != b.text().size()) return false;
    work.charge_bytes(a.text().size());
    return a.text() == b.text();
}

Value equal_lists(Work &work, const List &a, const List &b) {
    if (a.items.size() != b.items.size()) return Value::of_bool(false);
    Value error;
    for (std::size_t i = 0; i < a.items.size(); ++i) {
        auto same = equal(work, a.items[i], b.items[i]);
        if (same.is_false()) return same;
        if (same.is_error() && !error.is_error()) error = std::move(same);
    }
    // Upstream's plain list passes over elements that cannot be compared; a sum of lists does not.
    return error.is_error() && a.concatenated ? error : Value::of_bool(true);
}

Value equal_maps(Work &work, const Map &a, const Map &b) {
    if (a.entries.size() != b.entries.size()) return Value::of_bool(false);
    for (const auto &[key, value] : a.entries) {
        const auto *other = b.find(work, key);
        if (!other || equal(work, value, *other).is_false()) return Value::of_bool(false);
    }
    return Value::of_bool(true);
}

Value equal_optionals(Work &work, const Optional &a, const Optional &b) {
    if (!a.has_value || !b.has_value) return Value::of_bool(a.has_value == b.has_value);
    return equal_elements(work, a.value, b.value);
}

const Value *find_same(Work &work, const Map &map, const Value &key) {
    work.charge(1 + map.entries.size());
    for (const auto &[each, value] : map.entries)
        if (same_key(work, each, key)) return &value;
    return nullptr;
}

void print(Work &work, const Value &value, std::string &into) {
    work.charge(1);
    switch (value.kind()) {
        case Kind::Null: into += '0'; break;
        case Kind::Bool: into += value.truth() ? "true" : "false"; break;
        case Kind::Int: into += std::to_string(value.integer()); break;
        case Kind::Uint: into += std::to_string(value.natural()); break;
        case Kind::Double: {
            constexpr std::uint64_t digits = 10;
            work.charge(digits);
            into += printed(value.real());
            break;
        }
        case Kind::Type: into += value.named_type(); break;
        case Kind::String:
        case Kind::Error:
            work.charge_bytes(value.text().size());
            into += value.text();
            break;
        case Kind::Bytes:
            work.charge(value.text().size());
            into += '[';
            for (std::size_t i = 0; i < value.text().size(); ++i)
                (into += i == 0 ? "" : " ") += std::to_string(static_cast<unsigned char>(value.text()[i]));
            into += ']';
            break;
        case Kind::List:
            into += '[';
            for (std::size_t i = 0; i < value.list().items.size(); ++i) {
                if (i > 0) into += ", ";
                print(work, value.list().items[i], into);
            }
            into += ']';
            break;
        case Kind::Map:
            into += '{';
            for (std::size_t i = 0; i < value.map().entries.size(); ++i) {
                if (i > 0) into += ", ";
                print(work, value.map().entries[i].first, into);
                into += ": ";
                print(work, value.map().entries[i].second, into);
            }
            into += '}';
            break;
        case Kind::Optional:
            if (!value.optional().has_value) {
                into += "optional.none()";
                break;
            }
            into += "optional(";
            print(work, value.optional().value, into);
            into += ')';
            break;
        case Kind::Quantity: {
            constexpr std::uint64_t digits = 50;
            work.charge(digits);
            into += value.quantity().printed();
            break;
        }
        case Kind::Semver:
            work.charge(value.semver().size / 4);
            into += value.semver().printed();
            break;
    }
}

}  // namespace

bool same_key(Work &work, const Value &a, const Value &b) {
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
        case Kind::Null: return true;
        case Kind::Bool: return a.truth() == b.truth();
        case Kind::Int: return a.integer() == b.integer();
        case Kind::Uint: return a.natural() == b.natural();
        case Kind::Double: return a.real() == b.real();
        case Kind::String: return equal_text(work, a, b);
        default: return false;
    }
}

Value Value::no_such_overload() {
    static const Value same = error("no such overload");
    return same;
}

Value Value::of_list(std::vector<Value> items, bool concatenated) {
    std::uint32_t depth = 0;
    for (const auto &item : items) depth = std::max(depth, depth_of(item));
    if (depth >= most_nested) return too_deep();
    auto *list = new List;
    list->items = std::move(items);
    list->concatenated = concatenated;
    list->depth = depth + 1;
    return of_object(Kind::List, list);
}

Value Value::of_map(std::vector<std::pair<Value, Value>> entries, bool native, bool default_empty) {
    std::uint32_t depth = 0;
    for (const auto &[key, value] : entries) depth = std::max(depth, depth_of(value));
    if (depth >= most_nested) return too_deep();
    auto *map = new Map;
    map->entries = std::move(entries);
    map->native = native;
    map->default_empty = default_empty;
    map->depth = depth + 1;
    return of_object(Kind::Map, map);
}

Value Value::some(Value value) {
    if (depth_of(value) >= most_nested) return too_deep();
    auto *optional = new Optional;
    optional->has_value = true;
    optional->depth = depth_of(value) + 1;
    optional->value = std::move(value);
    return of_object(Kind::Optional, optional);
}

Value Value::none() {
    static const Value same = of_object(Kind::Optional, new Optional);
    return same;
}

const Value &within(const Value &value) {
    const auto *inner = &value;
    while (inner->is(Kind::Optional) && inner->optional().has_value) inner = &inner->optional().value;
    return *inner;
}

Value appended(Work &work, Value list, const Value &more) {
    const auto &items = more.list().items;
    work.charge(items.size());
    if (list.as_.object->shared()) {
        work.charge(list.list().items.size());
        list = Value::of_list(list.list().items);
    }
    if (list.list().depth < more.list().depth && more.list().depth > most_nested) return too_deep();
    auto &into = *const_cast<List *>(&list.list());
    into.items.insert(into.items.end(), items.begin(), items.end());
    into.depth = std::max(into.depth, more.list().depth);
    return list;
}

const char *Value::type_name() const {
    switch (kind_) {
        case Kind::Null: return "null_type";
        case Kind::Bool: return "bool";
        case Kind::Int: return "int";
        case Kind::Uint: return "uint";
        case Kind::Double: return "double";
        case Kind::Type: return "type";
        case Kind::String: return "string";
        case Kind::Bytes: return "bytes";
        case Kind::List: return "list";
        case Kind::Map: return "map";
        case Kind::Optional: return "optional_type";
        case Kind::Quantity: return "kubernetes.Quantity";
        case Kind::Semver: return "kubernetes.Semver";
        case Kind::Error: return "error";
    }
    return "";
}

const Value *Map::find(Work &work, const Value &key) const {
    if (const auto *found = find_same(work, *this, key)) return found;
    std::int64_t integer = 0;
    std::uint64_t natural = 0;
    switch (key.kind()) {
        case Kind::Int:
            return key.integer() < 0
                       ? nullptr
                       : find_same(work, *this, Value::of_uint(static_cast<std::uint64_t>(key.integer())));
        case Kind::Uint:
            if (key.natural() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return nullptr;
            return find_same(work, *this, Value::of_int(static_cast<std::int64_t>(key.natural())));
        case Kind::Double:
            if (to_int_exactly(key.real(), integer))
                if (const auto *found = find_same(work, *this, Value::of_int(integer))) return found;
            return to_uint_exactly(key.real(), natural) ? find_same(work, *this, Value::of_uint(natural)) : nullptr;
        default: return nullptr;
    }
}

Value equal(Work &work, const Value &a, const Value &b) {
    if (a.is(Kind::Null) || b.is(Kind::Null)) {
        work.charge(1);
        return Value::of_bool(a.kind() == b.kind());
    }
    return equal_elements(work, a, b);
}

Value equal_elements(Work &work, const Value &a, const Value &b) {
    work.charge(1);
    switch (a.kind()) {
        case Kind::Error: return a;
        case Kind::Int:
        case Kind::Uint:
        case Kind::Double:
            return Value::of_bool(is_number(b) && !not_a_number(a) && !not_a_number(b) && compare_numbers(a, b) == 0);
        case Kind::Quantity:
            if (b.is_error()) return b;
            if (!b.is(Kind::Quantity) || b.computed_quantity()) return Value::no_such_overload();
            return Value::of_bool(compare(work, a.quantity(), b.quantity()) == 0);
        case Kind::Semver:
            if (b.is_error()) return b;
            if (!b.is(Kind::Semver)) return Value::no_such_overload();
            return Value::of_bool(compare(work, a.semver(), b.semver()) == 0);
        default: break;
    }
    if (a.kind() != b.kind()) return Value::of_bool(false);
    switch (a.kind()) {
        case Kind::Bool: return Value::of_bool(a.truth() == b.truth());
        case Kind::Type: return Value::of_bool(std::string_view{a.named_type()} == b.named_type());
        case Kind::String:
        case Kind::Bytes: return Value::of_bool(equal_text(work, a, b));
        case Kind::List: return equal_lists(work, a.list(), b.list());
        case Kind::Map: return equal_maps(work, a.map(), b.map());
        case Kind::Optional: return equal_optionals(work, a.optional(), b.optional());
        default: return Value::of_bool(true);
    }
}

int compare(Work &work, const cel::Quantity &a, const cel::Quantity &b) {
    work.charge(quantity_work);
    return a.compare(b);
}

int compare(Work &work, const cel::Semver &a, const cel::Semver &b) {
    work.charge(1 + std::min(a.size, b.size) / 4);
    return a.compare(b);
}

Value compare(Work &work, const Value &a, const Value &b) {
    work.charge(1);
    if (is_number(a)) {
        if (not_a_number(a)) return Value::error("NaN values cannot be ordered");
        if (!is_number(b)) return Value::no_such_overload();
        if (not_a_number(b)) return Value::error("NaN values cannot be ordered");
        return Value::of_int(compare_numbers(a, b));
    }
    if (a.kind() != b.kind()) return Value::no_such_overload();
    switch (a.kind()) {
        case Kind::Bool: return Value::of_int(order(a.truth(), b.truth()));
        case Kind::String:
        case Kind::Bytes:
            work.charge_bytes(std::min(a.text().size(), b.text().size()));
            return Value::of_int(order(a.text().compare(b.text()), 0));
        default: return Value::no_such_overload();
    }
}

bool comparable(const Value &value) {
    return is_number(value) || value.is(Kind::Bool) || value.is(Kind::String) || value.is(Kind::Bytes);
}

bool has_size(const Value &value) {
    return value.is(Kind::String) || value.is(Kind::Bytes) || value.is(Kind::List) || value.is(Kind::Map);
}

std::uint64_t size_of(Work &work, const Value &value) {
    switch (value.kind()) {
        case Kind::String: work.charge_bytes(value.text().size()); return utf8::length(value.text());
        case Kind::Bytes: return value.text().size();
        case Kind::List: return value.list().items.size();
        case Kind::Map: return value.map().entries.size();
        default: return 1;
    }
}

std::string printed(Work &work, const Value &value) {
    std::string result;
    print(work, value, result);
    return result;
}

bool to_int_exactly(double real, std::int64_t &integer) {
    if (!(real > -0x1p63 && real < 0x1p63)) return false;
    integer = static_cast<std::int64_t>(real);
    return static_cast<double>(integer) == real;
}

bool to_uint_exactly(double real, std::uint64_t &natural) {
    if (!(real >= 0 && real < 0x1p64)) return false;
    natural = static_cast<std::uint64_t>(real);
    return static_cast<double>(natural) == real;
}

}  // namespace kubernetes::cel
