// SPDX-License-Identifier: Apache-2.0
#include "model/shared_values.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

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

/// Levels of a value that are gone through by recursion. What lies deeper is put off and begun anew from the top: Go
/// reads 10,000 levels, for which no stack is sure to suffice, and nearly every object has fewer than these.
constexpr int levels_at_once = 100;

/// Goes through what is copied. `Out` has `table<T>(n)`, for n of them, and `text`; where it gives no table, nothing is
/// written.
template <class Out>
class Copier {
    Out &out_;
    std::vector<std::pair<Value, berth_value *>> put_off_;

    berth_str key(std::string_view key) {
        const auto usual = usual_key(key);
        return usual.ptr ? usual : out_.text(key);
    }

    void copy_member(Value from, std::size_t i, berth_kv *to, int level) {
        const auto name = key(from.key(i));
        if (to) to[i].key = name;
        copy(from.member(i), to ? &to[i].value : nullptr, level);
    }

    void copy(Value v, berth_value *to, int level) {
        auto made = v ? *v.raw() : make_null();
        if (v.is_string()) {
            made.ptr.string = out_.text(v.string()).ptr;
        } else if (v.is_array() || v.is_object()) {
            if (level == levels_at_once) return void(put_off_.emplace_back(v, to));
            if (v.is_array()) {
                auto *items = out_.template table<berth_value>(v.size());
                for (std::size_t i = 0; i < v.size(); ++i) copy(v.at(i), items ? items + i : nullptr, level + 1);
                made.ptr.items = items;
            } else {
                auto *members = out_.template table<berth_kv>(v.size());
                for (std::size_t i = 0; i < v.size(); ++i) copy_member(v, i, members, level + 1);
                made.ptr.members = members;
            }
        }
        if (to) *to = made;
    }

    /// `v` with the members that `kept` has, too, from there.
    berth_value copied_upon(Value v, Value kept) {
        if (v.size() == kept.size()) return *kept.raw();
        auto *members = out_.template table<berth_kv>(v.size());
        std::size_t at = 0;
        for (std::size_t i = 0; i < v.size(); ++i) {
            if (v.key(i) != kept.key(at)) {
                copy_member(v, i, members, 0);
                continue;
            }
            if (members) members[i] = {to_str(kept.key(at)), *kept.member(at).raw()};
            ++at;
        }
        return {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(v.size())}, {members}};
    }

public:
    explicit Copier(Out &out) : out_(out) {}

    berth_value copy_root(Value root, std::span<const SharedMember> shared) {
        berth_value made{};
        if (shared.empty() || !root.is_object()) {
            copy(root, &made, 0);
        } else {
            auto *members = out_.template table<berth_kv>(root.size());
            for (std::size_t i = 0; i < root.size(); ++i) {
                const auto at = std::ranges::find(shared, root.key(i), &SharedMember::key);
                if (at == shared.end()) {
                    copy_member(root, i, members, 0);
                    continue;
                }
                const berth_kv member{key(root.key(i)), copied_upon(root.member(i), at->tree->value())};
                if (members) members[i] = member;
            }
            made = {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(root.size())}, {members}};
        }
        while (!put_off_.empty()) {
            const auto [from, to] = put_off_.back();
            put_off_.pop_back();
            copy(from, to, 0);
        }
        return made;
    }
};

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

namespace {

std::uint64_t hash_of(Value v, int level, std::vector<Value> &put_off) {
    std::uint64_t out = mixed(v.kind(), v.raw() ? static_cast<std::uint64_t>(v.raw()->n.integer) : 0);
    const std::hash<std::string_view> text;
    if (v.is_string()) return mixed(out, text(v.string()));
    if (v.size() > 0 && level == levels_at_once) return put_off.push_back(v), out;
    for (std::size_t i = 0; v.is_array() && i < v.size(); ++i) out = mixed(out, hash_of(v.at(i), level + 1, put_off));
    for (std::size_t i = 0; v.is_object() && i < v.size(); ++i)
        out = mixed(mixed(out, text(v.key(i))), hash_of(v.member(i), level + 1, put_off));
    return out;
}

bool same_to(Value a, Value b, int level, std::vector<std::pair<Value, Value>> &put_off) {
    if (a.kind() != b.kind()) return false;
    if (a.is_null()) return true;
    if (a.raw()->n.integer != b.raw()->n.integer) return false;
    if (a.is_string()) return a.string() == b.string();
    if (a.size() > 0 && level == levels_at_once) return put_off.emplace_back(a, b), true;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a.is_array() ? !same_to(a.at(i), b.at(i), level + 1, put_off)
                         : a.key(i) != b.key(i) || !same_to(a.member(i), b.member(i), level + 1, put_off))
            return false;
    return true;
}

}  // namespace

std::uint64_t hash(Value v) {
    std::vector<Value> put_off;
    auto out = hash_of(v, 0, put_off);
    // In the order in which they were met, which is that of the content.
    for (std::size_t i = 0; i < put_off.size(); ++i) out = mixed(out, hash_of(put_off[i], 0, put_off));
    return out;
}

bool same(Value a, Value b) {
    std::vector<std::pair<Value, Value>> put_off;
    bool alike = same_to(a, b, 0, put_off);
    while (alike && !put_off.empty()) {
        const auto [one, other] = put_off.back();
        put_off.pop_back();
        alike = same_to(one, other, 0, put_off);
    }
    return alike;
}

void compact_copy(Tree &out, Value root, std::span<const SharedMember> shared) {
    Size size;
    Copier(size).copy_root(root, shared);
    const auto bytes = size.tables + size.characters;
    out.arena = Arena(bytes);
    auto *at = bytes ? static_cast<std::byte *>(out.arena.allocate(bytes, alignof(berth_kv))) : nullptr;
    Room room{at, reinterpret_cast<char *>(at + size.tables)};
    out.root = Copier(room).copy_root(root, shared);
    for (std::size_t i = 0; i < shared.size(); ++i) out.shared[i] = shared[i].tree;
}

TreePtr SharedValues::find(Value v, Make make) {
    const auto hash = model::hash(v);
    auto &slot = slots_[hash % slots];
    if (slot.hash != hash) {
        // Most values come but once, and those are not worth a tree of their own.
        slot = {hash, {}};
        return nullptr;
    }
    auto tree = slot.tree.lock();
    if (!tree) slot.tree = tree = make(v);
    return tree && same(tree->value(), v) ? tree : nullptr;
}

}  // namespace berth::model
