// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The values of CEL: numbers, texts, lists, maps, optionals.

#include "quantity.h"
#include "semver.h"
#include "work.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubernetes::cel {

/// Kinds from String on are held in an Object.
enum class Kind : std::uint8_t {
    Null,
    Bool,
    Int,
    Uint,
    Double,
    Type,
    String,
    Bytes,
    List,
    Map,
    Optional,
    Quantity,
    Semver,
    Error
};

/// Counts its holders; values are shared between threads (constants, devices).
class Object {
    mutable std::atomic<std::uint32_t> holders_{1};

public:
    Object() = default;
    Object(const Object &) = delete;
    Object &operator=(const Object &) = delete;
    virtual ~Object() = default;

    void hold() const { holders_.fetch_add(1, std::memory_order_relaxed); }
    static void release(const Object *object) {
        if (object->holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object;
    }
    bool shared() const { return holders_.load(std::memory_order_acquire) != 1; }
};

struct List;
struct Map;
struct Optional;

/// A value of CEL. Immutable, so no value contains itself.
class Value {
    union {
        bool truth;
        std::int64_t integer;
        std::uint64_t natural;
        double real;
        const char *type_name;
        const Object *object;
    } as_;
    Kind kind_ = Kind::Null;

    bool holds() const { return kind_ >= Kind::String; }
    template <typename T>
    const T &get() const {
        return *static_cast<const T *>(as_.object);
    }
    static Value of_object(Kind kind, const Object *object) {
        Value value;
        value.kind_ = kind;
        value.as_.object = object;
        return value;
    }

    struct Text : Object {
        std::string text;
        explicit Text(std::string of) : text(std::move(of)) {}
    };
    struct QuantityObject : Object {
        cel::Quantity quantity;
        bool computed;  ///< by add or sub: upstream's `==` does not take it on its right side
        QuantityObject(cel::Quantity of, bool sum) : quantity(of), computed(sum) {}
    };
    struct SemverObject : Object {
        cel::Semver version;
        explicit SemverObject(cel::Semver of) : version(std::move(of)) {}
    };

public:
    Value() : as_{.natural = 0} {}
    Value(const Value &other) : as_(other.as_), kind_(other.kind_) {
        if (holds()) as_.object->hold();
    }
    Value(Value &&other) noexcept : as_(other.as_), kind_(std::exchange(other.kind_, Kind::Null)) {}
    Value &operator=(Value other) noexcept {
        std::swap(as_, other.as_);
        std::swap(kind_, other.kind_);
        return *this;
    }
    ~Value() {
        if (holds()) Object::release(as_.object);
    }

    static Value of_bool(bool truth) {
        Value value;
        value.kind_ = Kind::Bool;
        value.as_.truth = truth;
        return value;
    }
    static Value of_int(std::int64_t integer) {
        Value value;
        value.kind_ = Kind::Int;
        value.as_.integer = integer;
        return value;
    }
    static Value of_uint(std::uint64_t natural) {
        Value value;
        value.kind_ = Kind::Uint;
        value.as_.natural = natural;
        return value;
    }
    static Value of_double(double real) {
        Value value;
        value.kind_ = Kind::Double;
        value.as_.real = real;
        return value;
    }
    /// `name` is never freed.
    static Value of_type(const char *name) {
        Value value;
        value.kind_ = Kind::Type;
        value.as_.type_name = name;
        return value;
    }
    static Value of_string(std::string text) { return of_object(Kind::String, new Text(std::move(text))); }
    static Value of_bytes(std::string text) { return of_object(Kind::Bytes, new Text(std::move(text))); }
    static Value error(std::string text) { return of_object(Kind::Error, new Text(std::move(text))); }
    static Value no_such_overload();
    static Value of_quantity(const cel::Quantity &quantity, bool computed = false) {
        return of_object(Kind::Quantity, new QuantityObject(quantity, computed));
    }
    static Value of_semver(cel::Semver version) {
        return of_object(Kind::Semver, new SemverObject(std::move(version)));
    }
    /// An error if lists are nested more than 500 deep. `concatenated`: upstream holds it as a sum of lists.
    static Value of_list(std::vector<Value> items, bool concatenated = false);
    /// `entries` have different keys. `default_empty`: upstream finds an empty map where there is no such key.
    static Value of_map(std::vector<std::pair<Value, Value>> entries, bool native = false, bool default_empty = false);
    static Value some(Value value);
    static Value none();

    Kind kind() const { return kind_; }
    bool is(Kind kind) const { return kind_ == kind; }
    bool is_error() const { return kind_ == Kind::Error; }
    bool is_true() const { return kind_ == Kind::Bool && as_.truth; }
    bool is_false() const { return kind_ == Kind::Bool && !as_.truth; }

    bool truth() const { return as_.truth; }
    std::int64_t integer() const { return as_.integer; }
    std::uint64_t natural() const { return as_.natural; }
    double real() const { return as_.real; }
    const std::string &text() const { return get<Text>().text; }  ///< of String, Bytes, Error
    const cel::Quantity &quantity() const { return get<QuantityObject>().quantity; }
    bool computed_quantity() const { return get<QuantityObject>().computed; }
    const cel::Semver &semver() const { return get<SemverObject>().version; }
    const List &list() const;
    const Map &map() const;
    const Optional &optional() const;
    const char *named_type() const { return as_.type_name; }

    friend Value appended(Work &work, Value list, const Value &more);

    const char *type_name() const;  ///< such as "int", of the type of the value
};

struct List : Object {
    std::vector<Value> items;
    bool concatenated = false;
    std::uint32_t depth = 1;
};

struct Map : Object {
    std::vector<std::pair<Value, Value>> entries;
    bool default_empty = false;
    bool native = false;  ///< a device's: in Go it has strings for keys
    std::uint32_t depth = 1;

    /// The numbers 1, 1u and 1.0 find one another, but an int or a uint does not find a double.
    const Value *find(Work &work, const Value &key) const;
};

struct Optional : Object {
    bool has_value = false;
    Value value;
    std::uint32_t depth = 1;
};

inline const List &Value::list() const { return get<List>(); }
inline const Map &Value::map() const { return get<Map>(); }
inline const Optional &Value::optional() const { return get<Optional>(); }

/// What optionals around it hold; an optional only if that is none.
const Value &within(const Value &value);

/// Both are lists. In place, if nothing else holds `list`.
Value appended(Work &work, Value list, const Value &more);

/// As keys of a map, where 1 and 1u differ.
bool same_key(Work &work, const Value &a, const Value &b);

/// `a == b`: a bool or an error.
Value equal(Work &work, const Value &a, const Value &b);
/// The same between elements, where null is a value like others.
Value equal_elements(Work &work, const Value &a, const Value &b);

/// Of a sum or a comparison of two quantities: they have up to 37 digits.
inline constexpr std::uint64_t quantity_work = 5;

/// -1, 0, 1.
int compare(Work &work, const cel::Quantity &a, const cel::Quantity &b);
int compare(Work &work, const cel::Semver &a, const cel::Semver &b);

/// -1, 0, 1, or an error: of numbers of any kind, of bools, strings, bytes.
Value compare(Work &work, const Value &a, const Value &b);
bool comparable(const Value &value);

/// Characters, bytes, elements or entries; 1 of everything else.
std::uint64_t size_of(Work &work, const Value &value);
bool has_size(const Value &value);

/// As Go prints it in an error.
std::string printed(Work &work, const Value &value);

bool to_int_exactly(double real, std::int64_t &integer);
bool to_uint_exactly(double real, std::uint64_t &natural);

}  // namespace kubernetes::cel
