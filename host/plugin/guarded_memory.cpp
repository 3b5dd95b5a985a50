// SPDX-License-Identifier: Apache-2.0
#include "plugin/guarded_memory.h"

#include <berth/view/pod_fields.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <new>
#include <type_traits>

namespace berth::plugin {
namespace {

constexpr std::size_t alignment = 64, guard_size = 64, least_chunk = 4096;
constexpr std::byte guard_byte{0xa5}, poison_byte{0xdb};

constexpr std::size_t rounded(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

bool intact(const std::byte *from, std::size_t n) {
    return std::all_of(from, from + n, [](std::byte b) { return b == guard_byte; });
}

constexpr std::string_view poison_words = "(kept from an earlier call)";
constexpr berth_str poison_text{poison_words.data(), poison_words.size()};

/// What the arrays of a poisoned view point to: a plugin that still reads one gets this instead of foreign memory.
struct Poison {
    alignas(alignment) std::array<std::byte, 65536> numbers;
    std::array<berth_str, 4096> texts;
    std::array<const berth_object *, 4096> objects;
    berth_resources resources{};

    Poison() {
        numbers.fill(poison_byte);
        texts.fill(poison_text);
        objects.fill(reinterpret_cast<const berth_object *>(numbers.data()));
        std::memset(&resources, static_cast<int>(poison_byte), sizeof resources);
        resources.scalars = nullptr;
        resources.scalars_len = 0;
    }
};

const Poison &poison() {
    static const Poison it;
    return it;
}

template <class T>
void point_at_numbers(const T *&array) {
    array = reinterpret_cast<const T *>(poison().numbers.data());
}

bool within(const void *pointer, const void *from, std::size_t size) {
    const auto *p = static_cast<const std::byte *>(pointer), *f = static_cast<const std::byte *>(from);
    return !std::less<>{}(p, f) && std::less<>{}(p, f + size);
}

// A field or an item of a list with all that it points to. A new type of them needs a line here.
template <class T>
    requires std::is_arithmetic_v<T>
T copied(GuardedMemory &, T number) {
    return number;
}
berth_str copied(GuardedMemory &memory, berth_str text) { return memory.copy(text); }
berth_scalar copied(GuardedMemory &memory, const berth_scalar &s) { return {memory.copy(s.name), s.value}; }
berth_label copied(GuardedMemory &memory, const berth_label &l) { return {memory.copy(l.key), memory.copy(l.value)}; }
berth_toleration copied(GuardedMemory &memory, const berth_toleration &t) {
    return {memory.copy(t.key), memory.copy(t.op), memory.copy(t.value), memory.copy(t.effect)};
}
berth_pod_image copied(GuardedMemory &memory, const berth_pod_image &i) { return {memory.copy(i.name), i.use, 0}; }
berth_port copied(GuardedMemory &memory, const berth_port &p) {
    return {memory.copy(p.protocol), memory.copy(p.ip), p.port, 0};
}
template <class T>
const T *copied(GuardedMemory &memory, const T *list, std::uint64_t n) {
    T *out = memory.copy(list, n);
    for (std::uint64_t i = 0; out && i < n; ++i) out[i] = copied(memory, out[i]);
    return out;
}
const berth_resources *copied(GuardedMemory &memory, const berth_resources *from) {
    berth_resources *out = memory.copy(from, 1);
    if (out) out->scalars = copied(memory, from->scalars, from->scalars_len);
    return out;
}

template <class T>
    requires std::is_arithmetic_v<T>
void spoil(T &) {}  // has the bytes of a poisoned view already
void spoil(berth_str &text) { text = poison_text; }
void spoil(const berth_resources *&resources) { resources = &poison().resources; }

}  // namespace

void *GuardedMemory::allocate(std::size_t size) {
    size = rounded(std::max<std::size_t>(size, 1));
    if (chunks_.empty() || chunks_.back().size - chunks_.back().used < size) {
        std::size_t whole = std::max(size, least_chunk) + alignment;
        chunks_.push_back({std::unique_ptr<std::byte[]>(new std::byte[whole]), whole, 0});
        auto misfit = reinterpret_cast<std::uintptr_t>(chunks_.back().bytes.get()) % alignment;
        chunks_.back().used = (alignment - misfit) % alignment;
    }
    Chunk &chunk = chunks_.back();
    void *out = chunk.bytes.get() + chunk.used;
    chunk.used += size;
    return out;
}

void *GuardedMemory::allocate_guarded(std::size_t size, std::size_t entries, const char *name) {
    if (size > PTRDIFF_MAX) throw std::bad_alloc();
    // The second guard begins right behind the last byte, aligned or not.
    std::size_t tail = rounded(size + guard_size) - size;
    auto *at = static_cast<std::byte *>(allocate(guard_size + size + tail));
    std::fill_n(at, guard_size, guard_byte);
    std::fill_n(at + guard_size + size, tail, guard_byte);
    blocks_.push_back({at + guard_size, size, entries, name, {}});
    return at + guard_size;
}

std::optional<std::string> GuardedMemory::damage() const {
    for (const Block &block : blocks_) {
        std::string name = block.name;
        if (!intact(block.at - guard_size, guard_size)) return "wrote before the beginning of " + name;
        if (!intact(block.at + block.size, rounded(block.size + guard_size) - block.size))
            return "wrote beyond the " + std::to_string(block.entries) +
                   (name == "scratch" ? " bytes of scratch" : " entries of " + name);
        if (!block.original.empty() && std::memcmp(block.at, block.original.data(), block.size) != 0)
            return "changed " + name + ", which is only to be read";
    }
    return std::nullopt;
}

bool GuardedMemory::holds(const void *pointer) const {
    return std::any_of(chunks_.begin(), chunks_.end(),
                       [&](const Chunk &chunk) { return within(pointer, chunk.bytes.get(), chunk.size); });
}

void GuardedMemory::poison() {
    for (Chunk &chunk : chunks_) std::fill_n(chunk.bytes.get(), chunk.size, poison_byte);
}

void *LateMemory::allocate(std::size_t size) {
    if (size > PTRDIFF_MAX) throw std::bad_alloc();
    std::scoped_lock lock(mutex_);
    return memory_.allocate(size);
}

berth_pod *copy_pod(GuardedMemory &memory, const berth_pod &pod) {
    berth_pod *out = memory.copy(&pod, 1);
    detail::each_pod_field([&](const auto &field) {
        if constexpr (requires { field.size; }) out->*field.at = copied(memory, pod.*field.at, pod.*field.size);
        else out->*field.at = copied(memory, pod.*field.at);
    });
    return out;
}

berth_pod poisoned_pod() {
    berth_pod out;
    std::memset(&out, static_cast<int>(poison_byte), sizeof out);
    out.struct_size = sizeof out;
    out.flags = 0;
    out.obj = poison().objects[0];
    detail::each_pod_field([&](const auto &field) {
        if constexpr (requires { field.size; }) {
            point_at_numbers(out.*field.at);
            out.*field.size = 0;
        } else spoil(out.*field.at);
    });
    return out;
}

berth_pods poisoned_pods() {
    berth_pods out{};
    out.struct_size = sizeof out;
    point_at_numbers(out.node_slot);
    point_at_numbers(out.namespace_code);
    point_at_numbers(out.label_set_code);
    point_at_numbers(out.priority);
    point_at_numbers(out.start_time_ns);
    point_at_numbers(out.pod_flags);
    out.obj = poison().objects.data();
    out.namespaces = poison().texts.data();
    point_at_numbers(out.label_sets);
    point_at_numbers(out.namespace_generation);
    point_at_numbers(out.label_set_generation);
    return out;
}

berth_nodes poisoned_nodes() {
    berth_nodes out{};
    out.struct_size = sizeof out;
    for (auto field : {&berth_nodes::order, &berth_nodes::node_flags, &berth_nodes::pod_count, &berth_nodes::zone_code})
        point_at_numbers(out.*field);
    for (auto field : {&berth_nodes::allocatable_cpu, &berth_nodes::allocatable_memory,
                       &berth_nodes::allocatable_ephemeral, &berth_nodes::allocatable_pods, &berth_nodes::requested_cpu,
                       &berth_nodes::requested_memory, &berth_nodes::requested_ephemeral,
                       &berth_nodes::requested_cpu_nonzero, &berth_nodes::requested_memory_nonzero})
        point_at_numbers(out.*field);
    point_at_numbers(out.slot_generation);
    point_at_numbers(out.zone_generation);
    out.name = poison().texts.data();
    out.obj = poison().objects.data();
    return out;
}

bool is_poison(const void *pointer) {
    return within(pointer, poison_text.ptr, poison_text.len) || within(pointer, &poison(), sizeof(Poison)) ||
           reinterpret_cast<std::uintptr_t>(pointer) == 0xdbdbdbdbdbdbdbdbU;
}

}  // namespace berth::plugin
