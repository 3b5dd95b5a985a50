// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A lenient reader of Kubernetes objects, which ignores unknown members. An absent field is empty, and a field of the
/// wrong type is a fault with its path.

#include "model/pod.h"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace berth::model {

/// Where an object's faults go. What several readers of one field find is reported once.
struct Faults {
    const FaultSink *sink;
    std::set<std::string> seen;
};

/// A value of an object and its place. It points to the field it was reached from, so that a path costs nothing until a
/// fault needs it: a field must not outlive that one, and cannot be taken from a temporary.
class Field {
    Value value_;
    const Field *from_ = nullptr;
    std::string_view name_;
    std::size_t index_ = 0;
    Faults *faults_;

    Field(const Field &from, Value value, std::string_view name, std::size_t index)
        : value_(value), from_(&from), name_(name), index_(index), faults_(from.faults_) {}

public:
    Field(Value root, Faults &faults) : value_(root), faults_(&faults) {}

    Value value() const { return value_; }
    bool present() const { return !value_.is_null(); }
    std::string_view key() const { return name_; }

    /// A member of an object; absent, and a fault once, if this is something else.
    Field operator[](std::string_view name) const & { return {*this, value_[name], name, 0}; }
    Field operator[](std::string_view name) && = delete;
    /// How many items or members there are; a fault if this is neither absent nor a list (an object).
    std::size_t items() const;
    std::size_t members() const;
    Field item(std::size_t i) const & { return {*this, value_.at(i), {}, i}; }
    Field item(std::size_t i) && = delete;
    Field member(std::size_t i) const & { return {*this, value_.member(i), value_.key(i), 0}; }
    Field member(std::size_t i) && = delete;
    /// `value`, found somewhere below this; its path is that of a member `name`.
    Field below(Value value, std::string_view name) const & { return {*this, value, name, 0}; }
    Field below(Value value, std::string_view name) && = delete;
    /// This, an object or absent; anything else is a fault.
    const Field &object() const;

    std::string_view string() const;  ///< "" if absent
    bool boolean() const;             ///< false if absent
    std::optional<std::int64_t> integer(std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                        std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
    std::optional<std::int64_t> time() const;  ///< RFC 3339, in nanoseconds since the epoch
    /// A string that is "" or one of those.
    std::string_view choice(std::initializer_list<std::string_view> allowed) const;

    std::string path() const;  ///< `spec.containers[0].image`
    void fault(std::string text) const;
    /// Faults with "expected <what>, got <the value>".
    void expected(std::string_view what) const;
};

/// A string map such as labels, sorted by key, in `arena`.
std::span<const berth_label> read_labels(Arena &arena, const Field &map);

/// What metadata says of every object.
struct Identity {
    std::string_view name, name_space, uid;
};
/// What a uid that was made takes of an arena.
inline constexpr std::size_t uid_size = 36;
enum class NameRule : std::uint8_t {
    Subdomain,   ///< as most kinds have it
    PathSegment  ///< whatever can stand in a path: the least that every kind asks for
};
/// Reads metadata.name, .namespace and .uid. A name is required. Without a namespace, a `namespaced` object is in
/// "default". Without a uid, as in a file written by hand, an object gets one that depends on kind, namespace and name
/// only: their 128-bit FNV-1a hash as a UUID of version 8, in `arena`.
Identity read_identity(Arena &arena, const Field &metadata, std::string_view kind, bool namespaced,
                       NameRule rule = NameRule::Subdomain);

}  // namespace berth::model
