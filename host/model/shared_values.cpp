// SPDX-License-Identifier: Apache-2.0
#include "model/shared_values.h"

#include <algorithm>
#include <array>
#include <functional>

namespace berth::model {
namespace {

constexpr std::uint64_t mixed(std::uint64_t hash, std::uint64_t more) {
    hash = (hash ^ more) * 0x9e3779b97f4a7c15u;
    return hash ^ (hash >> 32);
}

/// Keys of nearly every object, which need not be copied.
berth_str usual_key(std::string_view key) {
    constexpr std::array<std::string_view, 10> usual{
        "apiVersion", "kind", "metadata", "spec", "status", "name", "resourceVersion", "uid", "labels", "namespace"};
    const auto *at = std::ranges::find(usual, key);
    return at == usual.end() ? berth_str{} : to_str(*at);
}

/// Goes through what is copied. `Out` has `table<T>(n)`, for n of them, and `text`.
template <class Out>
berth_value copied(Out &out, Value v);

template <class Out>
berth_str copied_key(Out &out, std::string_view key) {
    const auto usual = usual_key(key);
    return usual.ptr ? usual : out.text(key);
}

template <class Out>
void copy_member(Out &out, Value from, std::size_t i, berth_kv *to) {
    const berth_kv made{copied_key(out, from.key(i)), copied(out, from.member(i))};
    if (to) to[i] = made;
}

template <class Out>
berth_value copied(Out &out, Value v) {
    if (!v) return make_null();
    auto made = *v.raw();
    if (v.is_string()) {
        made.ptr = out.text(v.string()).ptr;
    } else if (v.is_array()) {
        auto *items = out.template table<berth_value>(v.size());
        for (std::size_t i = 0; i < v.size(); ++i) {
            const auto item = copied(out, v.at(i));
            if (items) items[i] = item;
        }
        made.ptr = items;
    } else if (v.is_object()) {
        auto *members = out.template table<berth_kv>(v.size());
        for (std::size_t i = 0; i < v.size(); ++i) copy_member(out, v, i, members);
        made.ptr = members;
    }
    return made;
}

/// `v` with the members that `kept` has, too, from there.
template <class Out>
berth_value copied_upon(Out &out, Value v, Value kept) {
    if (v.size() == kept.size()) return *kept.raw();
    auto *members = out.template table<berth_kv>(v.size());
    std::size_t at = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
        if (v.key(i) != kept.key(at)) {
            copy_member(out, v, i, members);
            continue;
        }
        if (members) members[i] = {to_str(kept.key(at)), *kept.member(at).raw()};
        ++at;
    }
    return {BERTH_VALUE_OBJECT, 0, static_cast<std::int64_t>(v.size()), members};
}

template <class Out>
berth_value copied_root(Out &out, Value root, std::span<const SharedMember> shared) {
    if (shared.empty() || !root.is_object()) return copied(out, root);
    auto *members = out.template table<berth_kv>(root.size());
    for (std::size_t i = 0; i < root.size(); ++i) {
        const auto at = std::ranges::find(shared, root.key(i), &SharedMember::key);
        if (at == shared.end()) {
            copy_member(out, root, i, members);
            continue;
        }
        const berth_kv made{copied_key(out, root.key(i)), copied_upon(out, root.member(i), at->tree->value())};
        if (members) members[i] = made;
    }
    return {BERTH_VALUE_OBJECT, 0, static_cast<std::int64_t>(root.size()), members};
}

/// Counts the bytes that a copy takes: tables, which have to be aligned, and characters after them.
struct Size {
    std::size_t tables = 0, characters = 0;

    template <class T>
    T *table(std::size_t n) {
        tables += n * sizeof(T);
        return nullptr;
    }
    berth_str text(std::string_view s) {
        characters += s.size();
        return {};
    }
};

struct Room {
    std::byte *tables;
    char *characters;

    template <class T>
    T *table(std::size_t n) {
        auto *out = reinterpret_cast<T *>(tables);
        tables += n * sizeof(T);
        return n ? out : nullptr;
    }
    berth_str text(std::string_view s) {
        if (s.empty()) return {};
        auto *out = characters;
        characters = std::ranges::copy(s, out).out;
        return {out, s.size()};
    }
};

}  // namespace

std::uint64_t hash(Value v) {
    std::uint64_t out = mixed(v.kind(), v.raw() ? static_cast<std::uint64_t>(v.raw()->n) : 0);
    const std::hash<std::string_view> text;
    if (v.is_string()) return mixed(out, text(v.string()));
    for (std::size_t i = 0; v.is_array() && i < v.size(); ++i) out = mixed(out, hash(v.at(i)));
    for (std::size_t i = 0; v.is_object() && i < v.size(); ++i)
        out = mixed(mixed(out, text(v.key(i))), hash(v.member(i)));
    return out;
}

bool same(Value a, Value b) {
    if (a.kind() != b.kind()) return false;
    if (a.is_null()) return true;
    if (a.raw()->n != b.raw()->n) return false;
    if (a.is_string()) return a.string() == b.string();
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a.is_array() ? !same(a.at(i), b.at(i)) : a.key(i) != b.key(i) || !same(a.member(i), b.member(i)))
            return false;
    return true;
}

void compact_copy(Tree &out, Value root, std::span<const SharedMember> shared) {
    Size size;
    copied_root(size, root, shared);
    const auto bytes = size.tables + size.characters;
    out.arena = Arena(bytes);
    auto *at = bytes ? static_cast<std::byte *>(out.arena.allocate(bytes, alignof(berth_kv))) : nullptr;
    Room room{at, reinterpret_cast<char *>(at + size.tables)};
    out.root = copied_root(room, root, shared);
    for (std::size_t i = 0; i < shared.size(); ++i) out.shared[i] = shared[i].tree;
}

TreePtr SharedValues::find(Value v, Make make) {
    const auto hash = model::hash(v);
    auto &slot = slots_[hash % slots];
    if (slot.hash != hash) {
        // Most values come but once, and those are not worth a tree of their own.
        slot = {hash, nullptr};
        return nullptr;
    }
    if (!slot.tree) slot.tree = make(v);
    return slot.tree && same(slot.tree->value(), v) ? slot.tree : nullptr;
}

}  // namespace berth::model
