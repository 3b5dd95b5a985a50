// SPDX-License-Identifier: Apache-2.0
#include "functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace kubernetes::cel {

namespace {

/// Declarations live as long as the program.
TypeStore &declared() {
    static TypeStore store;
    return store;
}

std::uint64_t tenth(std::uint64_t size) {
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(size) * 0.1));
}

std::uint64_t traversal(Work &work, const Value &value) {
    work.charge(1);
    std::uint64_t cost = 0;
    switch (value.kind()) {
        case Kind::String:
        case Kind::Bytes: return static_cast<std::uint64_t>(static_cast<double>(value.text().size()) * 0.1);
        case Kind::List:
            for (const auto &item : value.list().items) cost += traversal(work, item);
            return cost;
        case Kind::Map:
            for (const auto &[key, each] : value.map().entries) cost += traversal(work, key) + traversal(work, each);
            return cost;
        default: return 1;
    }
}

std::uint64_t self_compared(Work &work, const Value &list) {
    const auto size = size_of(work, list);
    double factor = 2;
    if (list.is(Kind::List) && size > 0) {
        const auto &first = list.list().items.front();
        if (first.is(Kind::String) || first.is(Kind::Bytes)) factor += 0.1;
    }
    return static_cast<std::uint64_t>(static_cast<double>(size * size) * factor) + 11;
}

const std::unordered_map<std::string_view, const Function *> &functions() {
    static const FunctionTable table = [] {
        FunctionTable made;
        add_operators(made);
        add_conversions(made);
        add_strings(made);
        add_lists(made);
        add_optionals(made);
        add_quantities(made);
        return made;
    }();
    static const auto by_name = [] {
        std::unordered_map<std::string_view, const Function *> names;
        for (const auto &function : table.all()) names[function.name] = &function;
        return names;
    }();
    return by_name;
}

}  // namespace

std::uint64_t cost_of_call(Work &work, Cost cost, Arguments arguments, const Value &result) {
    const auto size = [&](std::size_t i) { return size_of(work, arguments[i]); };
    switch (cost) {
        case Cost::One: return 1;
        case Cost::Traversal: return traversal(work, arguments[0]);
        case Cost::Size: return tenth(size(0));
        case Cost::TwiceSize: return static_cast<std::uint64_t>(std::ceil(static_cast<double>(size(0)) * 2 * 0.1));
        case Cost::ResultSize:
            return static_cast<std::uint64_t>(std::ceil(static_cast<double>(size_of(work, result)) * 2 * 0.1));
        case Cost::SecondSize: return size(1);
        case Cost::SmallerSize:

            // Here upstream looks into optionals.
            return tenth(std::min(size_of(work, within(arguments[0])), size_of(work, within(arguments[1]))));
        case Cost::SumOfSizes: return tenth(size(0) + size(1));
        case Cost::Product: return tenth(size(0)) * tenth(size(1));
        case Cost::Regex:
            return static_cast<std::uint64_t>(std::ceil((1.0 + static_cast<double>(size(0))) * 0.1)) *
                   static_cast<std::uint64_t>(std::ceil(static_cast<double>(size(1)) * 0.25));
        case Cost::ListOutput: return size_of(work, result) + 11;
        case Cost::Flattened: {
            const double depth = arguments.size() == 2 ? static_cast<double>(arguments[1].integer()) : 1;
            const double flattened = static_cast<double>(size(0)) * depth;
            // What does not fit, Go's conversion makes 2^63.
            return (flattened >= 0 && flattened < 0x1p63 ? static_cast<std::uint64_t>(flattened)
                                                         : std::uint64_t{1} << 63) +
                   11;
        }
        case Cost::SelfCompared: return self_compared(work, arguments[0]);
        case Cost::KeysCompared: return self_compared(work, arguments[1]);
        case Cost::SetsOnce: return size(0) * size(1) + 1;
        case Cost::SetsTwice: return size(0) * size(1) * 2 + 1;
    }
    return 1;
}

Function &Function::global(std::vector<const Type *> arguments, const Type *result, Implementation with, Cost charged) {
    overloads.push_back({false, std::move(arguments), result, with, charged});
    return *this;
}

Function &Function::member(std::vector<const Type *> arguments, const Type *result, Implementation with, Cost charged) {
    overloads.push_back({true, std::move(arguments), result, with, charged});
    return *this;
}

const Function *find_function(std::string_view name) {
    const auto &all = functions();
    const auto found = all.find(name);
    return found == all.end() ? nullptr : found->second;
}

bool unsupported_function(std::string_view name) {
    static constexpr auto names = std::to_array<std::string_view>({
        "duration",
        "timestamp",
        "getFullYear",
        "getMonth",
        "getDayOfYear",
        "getDayOfMonth",
        "getDate",
        "getDayOfWeek",
        "getHours",
        "getMinutes",
        "getSeconds",
        "getMilliseconds",
        "format",
        "includes",
        "url",
        "isURL",
        "getScheme",
        "getHost",
        "getHostname",
        "getPort",
        "getEscapedPath",
        "getQuery",
        "ip",
        "isIP",
        "ip.isCanonical",
        "family",
        "isUnspecified",
        "isLoopback",
        "isLinkLocalMulticast",
        "isLinkLocalUnicast",
        "isGlobalUnicast",
        "cidr",
        "isCIDR",
        "containsIP",
        "containsCIDR",
        "masked",
        "prefixLength",
        "validate",
        "path",
        "group",
        "serviceAccount",
        "resource",
        "subresource",
        "namespace",
        "name",
        "check",
        "allowed",
        "reason",
        "error",
        "errored",
        "fieldSelector",
        "labelSelector",
        "cel.@mapInsert",
    });
    return std::ranges::find(names, name) != names.end() || name.starts_with("format.");
}

bool assignable(const Type &type, const Value &value) {
    if (type.is_dyn() || type.kind == Type::Kind::Param) return true;
    if (type.name != value.type_name()) return false;
    if (value.is(Kind::List))
        return value.list().items.empty() || assignable(*type.parameters[0], value.list().items.front());
    if (!value.is(Kind::Map) || value.map().entries.empty()) return true;
    const auto &[key, first] = value.map().entries.front();
    return assignable(*type.parameters[0], key) && assignable(*type.parameters[1], first);
}

std::string go_type(const Value &value) {
    switch (value.kind()) {
        case Kind::Null: return "types.Null";
        case Kind::Bool: return "types.Bool";
        case Kind::Int: return "types.Int";
        case Kind::Uint: return "types.Uint";
        case Kind::Double: return "types.Double";
        case Kind::String: return "types.String";
        case Kind::Bytes: return "types.Bytes";
        case Kind::Type: return "*types.Type";
        case Kind::List: return value.list().concatenated ? "*types.concatList" : "*types.baseList";
        case Kind::Map: return value.map().default_empty ? "cel.mapper" : "*types.baseMap";
        case Kind::Optional: return "*types.Optional";
        case Kind::Quantity: return value.computed_quantity() ? "*cel.Quantity" : "cel.Quantity";
        case Kind::Semver: return "cel.Semver";
        case Kind::Error: return "*types.Err";
    }
    return "";
}

const Type *param_a() {
    static const Type type{Type::Kind::Param, "A", {}, 0, 1};
    return &type;
}
const Type *param_b() {
    static const Type type{Type::Kind::Param, "B", {}, 1, 1};
    return &type;
}
const Type *list_of(const Type *element) { return declared().make(Type::Kind::List, {element}); }
const Type *map_of(const Type *key, const Type *value) { return declared().make(Type::Kind::Map, {key, value}); }
const Type *optional_of(const Type *value) { return declared().make(Type::Kind::Optional, {value}); }
const Type *type_of(const Type *type) { return declared().make(Type::Kind::Type, {type}); }

}  // namespace kubernetes::cel
