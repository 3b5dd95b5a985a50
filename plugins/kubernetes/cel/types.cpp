// SPDX-License-Identifier: Apache-2.0
#include "types.h"

namespace kubernetes::cel {

namespace {

constexpr std::size_t largest = 1000;

const char *name_of(Type::Kind kind) {
    switch (kind) {
        case Type::Kind::List: return "list";
        case Type::Kind::Map: return "map";
        case Type::Kind::Optional: return "optional_type";
        case Type::Kind::Type: return "type";
        default: return "";
    }
}

const char *name_in_results(const Type &type) { return type.name.c_str(); }
const char *name_in_errors(const Type &type) {
    switch (type.kind) {
        case Type::Kind::Any: return "any";
        case Type::Kind::Error: return "!error!";
        case Type::Kind::Duration: return "duration";
        case Type::Kind::Timestamp: return "timestamp";
        case Type::Kind::Null: return "null";
        default: return type.name.c_str();
    }
}

void print(const Type &type, const char *(*name)(const Type &), std::string &into) {
    into += name(type);
    for (std::size_t i = 0; i < type.parameters.size(); ++i) {
        into += i == 0 ? "(" : ", ";
        print(*type.parameters[i], name, into);
    }
    if (!type.parameters.empty()) into += ')';
}

std::string printed(const Type &type, const char *(*name)(const Type &)) {
    std::string result;
    print(type, name, result);
    return result;
}

}  // namespace

namespace types {

#define BERTH_CEL_TYPE(function, kind, name)                      \
    const Type *function() {                                      \
        static const Type type{Type::Kind::kind, name, {}, 0, 1}; \
        return &type;                                             \
    }
BERTH_CEL_TYPE(bool_type, Bool, "bool")
BERTH_CEL_TYPE(int_type, Int, "int")
BERTH_CEL_TYPE(uint_type, Uint, "uint")
BERTH_CEL_TYPE(double_type, Double, "double")
BERTH_CEL_TYPE(string_type, String, "string")
BERTH_CEL_TYPE(bytes_type, Bytes, "bytes")
BERTH_CEL_TYPE(duration_type, Duration, "google.protobuf.Duration")
BERTH_CEL_TYPE(timestamp_type, Timestamp, "google.protobuf.Timestamp")
BERTH_CEL_TYPE(null_type, Null, "null_type")
BERTH_CEL_TYPE(dyn_type, Dyn, "dyn")
BERTH_CEL_TYPE(any_type, Any, "google.protobuf.Any")
BERTH_CEL_TYPE(error_type, Error, "error")
BERTH_CEL_TYPE(quantity_type, Struct, "kubernetes.Quantity")
BERTH_CEL_TYPE(semver_type, Struct, "kubernetes.Semver")
BERTH_CEL_TYPE(device_type, Struct, "kubernetes.DRADevice")
#undef BERTH_CEL_TYPE

}  // namespace types

const Type *TypeStore::make(Type::Kind kind, std::vector<const Type *> parameters) {
    std::size_t size = 1;
    for (const auto *parameter : parameters) size += parameter->size;
    if (size > largest) throw TooLarge{};
    left_.charge(1);
    return &types_.emplace_back(Type{kind, name_of(kind), std::move(parameters), 0, size});
}

const Type *TypeStore::variable(std::size_t number) {
    left_.charge(1);
    return &types_.emplace_back(Type{Type::Kind::Param, "_var" + std::to_string(number), {}, number, 1});
}

bool exactly(const Type &a, const Type &b, bool names_count) {
    if (&a == &b) return true;
    if (a.kind != b.kind || a.parameters.size() != b.parameters.size()) return false;
    if ((names_count || a.kind != Type::Kind::Param) && a.name != b.name) return false;
    for (std::size_t i = 0; i < a.parameters.size(); ++i)
        if (!exactly(*a.parameters[i], *b.parameters[i], names_count)) return false;
    return true;
}

std::string in_errors(const Type &type) { return printed(type, name_in_errors); }
std::string in_results(const Type &type) { return printed(type, name_in_results); }

}  // namespace kubernetes::cel
