// SPDX-License-Identifier: Apache-2.0
#include "model/value.h"

#include "model/json_pointer.h"
#include "model/members.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <new>
#include <tuple>

namespace berth::model {

/// Its bytes come after it.
struct alignas(std::max_align_t) Arena::Block {
    Block *next;
    std::size_t size;

    std::byte *bytes() { return reinterpret_cast<std::byte *>(this + 1); }
};

Arena::~Arena() {
    while (first_) ::operator delete(std::exchange(first_, first_->next));
}

Arena &Arena::operator=(Arena &&other) noexcept {
    std::swap(first_, other.first_);
    std::swap(in_use_, other.in_use_);
    std::swap(at_, other.at_);
    std::swap(left_, other.left_);
    std::swap(next_, other.next_);
    return *this;
}

void *Arena::allocate(std::size_t bytes, std::size_t align) {
    // A plugin that miscounts may ask for nearly 2^64, to which nothing can be added.
    if (bytes > PTRDIFF_MAX) throw std::bad_alloc();
    auto padding = [&] {
        auto misfit = reinterpret_cast<std::uintptr_t>(at_) % align;
        return misfit ? align - misfit : 0;
    };
    auto fits = [&] { return at_ && padding() <= left_ && bytes <= left_ - padding(); };
    while (!fits()) {
        auto *&next = in_use_ ? in_use_->next : first_;
        if (!next) {
            constexpr std::size_t most = 1u << 20;
            const std::size_t size = std::max(next_, bytes + (align > alignof(Block) ? align : 0));
            next = new (::operator new(sizeof(Block) + size)) Block{nullptr, size};
            next_ = std::min(next_ * 2, most);
        }
        in_use_ = next;
        at_ = in_use_->bytes();
        left_ = in_use_->size;
    }
    auto pad = padding();
    void *p = at_ + pad;
    at_ += pad + bytes;
    left_ -= pad + bytes;
    return p;
}

std::size_t Arena::size() const {
    std::size_t bytes = 0;
    for (const auto *block = first_; block; block = block->next) bytes += block->size;
    return bytes;
}

void Arena::reset() {
    in_use_ = nullptr;
    at_ = nullptr;
    left_ = 0;
}

std::string_view Arena::copy(std::string_view s) {
    if (s.empty()) return {};
    char *p = static_cast<char *>(allocate(s.size(), 1));
    std::memcpy(p, s.data(), s.size());
    return {p, s.size()};
}

berth_value make_null() { return {BERTH_VALUE_NULL, 0, {0}, {nullptr}}; }
berth_value make_bool(bool b) { return {BERTH_VALUE_BOOL, 0, {b ? 1 : 0}, {nullptr}}; }
berth_value make_int(std::int64_t n) { return {BERTH_VALUE_INT, 0, {n}, {nullptr}}; }
berth_value make_double(double d) { return {BERTH_VALUE_DOUBLE, 0, {std::bit_cast<std::int64_t>(d)}, {nullptr}}; }

berth_value make_string(Arena &arena, std::string_view s) {
    auto kept = arena.copy(s);
    return {BERTH_VALUE_STRING, 0, {static_cast<std::int64_t>(kept.size())}, {kept.data()}};
}

berth_value make_array(Arena &arena, const std::vector<berth_value> &items) {
    auto *p = arena.array<berth_value>(items.size());
    std::copy(items.begin(), items.end(), p);
    return {BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(items.size())}, {p}};
}

berth_value make_object(Arena &arena, const std::vector<berth_kv> &members) {
    auto *p = arena.array<berth_kv>(members.size());
    std::copy(members.begin(), members.end(), p);
    return {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(members.size())}, {p}};
}

berth_value copy(Arena &arena, Value v) {
    berth_value root = make_null();
    // A list of what is still to be copied, not recursion: Go reads 10,000 levels, for which no stack is sure to
    // suffice.
    std::vector<std::pair<Value, berth_value *>> open{{v, &root}};
    while (!open.empty()) {
        const auto [from, to] = open.back();
        open.pop_back();
        if (from.is_string()) {
            *to = make_string(arena, from.string());
        } else if (from.is_array()) {
            auto *items = arena.array<berth_value>(from.size());
            for (std::size_t i = 0; i < from.size(); ++i) open.emplace_back(from.at(i), items + i);
            *to = {BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(from.size())}, {items}};
        } else if (from.is_object()) {
            auto *members = arena.array<berth_kv>(from.size());
            for (std::size_t i = 0; i < from.size(); ++i) {
                members[i].key = to_str(arena.copy(from.key(i)));
                open.emplace_back(from.member(i), &members[i].value);
            }
            *to = {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(from.size())}, {members}};
        } else {
            *to = from.raw() ? *from.raw() : make_null();
        }
    }
    return root;
}

Value at_pointer(Value root, std::string_view pointer) {
    std::string kept;
    while (!pointer.empty()) {
        if (pointer.front() != '/') return {};
        pointer.remove_prefix(1);
        auto name = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(name.size());
        if (name.find('~') != name.npos) name = kept = unescaped(name);
        if (root.is_array()) {
            std::size_t i = 0;
            auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), i);
            if (error != std::errc{} || stop != name.data() + name.size()) return {};
            root = root.at(i);
        } else {
            root = root[name];
        }
        if (!root) return {};
    }
    return root;
}

namespace {

bool members_begin_equal(Value a, const Members &b, std::vector<std::pair<Value, Value>> &open) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        auto other = b[a.key(i)];
        if (!other) return false;
        open.emplace_back(a.member(i), other);
    }
    return true;
}

/// Whether two values are equal but for what they hold, which is appended to `open`.
bool begins_equal(Value a, Value b, std::vector<std::pair<Value, Value>> &open) {
    if (a.kind() != b.kind() || a.size() != b.size()) return false;
    switch (a.kind()) {
        case BERTH_VALUE_STRING: return a.string() == b.string();
        case BERTH_VALUE_ARRAY:
            for (std::size_t i = 0; i < a.size(); ++i) open.emplace_back(a.at(i), b.at(i));
            return true;
        case BERTH_VALUE_OBJECT: return members_begin_equal(a, b, open);
        case BERTH_VALUE_NULL: return true;
        default: return a.raw()->n.integer == b.raw()->n.integer;
    }
}

}  // namespace

bool equal(Value a, Value b) {
    std::vector<std::pair<Value, Value>> open;
    while (begins_equal(a, b, open)) {
        if (open.empty()) return true;
        std::tie(a, b) = open.back();
        open.pop_back();
    }
    return false;
}

}  // namespace berth::model
