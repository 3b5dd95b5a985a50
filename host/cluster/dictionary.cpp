// SPDX-License-Identifier: Apache-2.0
#include "cluster/dictionary.h"

#include <algorithm>
#include <functional>

namespace berth::cluster {

namespace {

std::uint32_t join(std::uint32_t a, std::uint32_t b) { return (a ^ b) * 0x9e3779b1u + (a << 6) + (a >> 2); }

}  // namespace

std::uint32_t hash_of(std::string_view s) {
    std::uint64_t hash = std::hash<std::string_view>{}(s);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}
std::uint32_t hash_of(const berth_str &s) { return hash_of(model::view(s)); }
std::uint32_t hash_of(const berth_taint &taint) {
    return join(join(hash_of(taint.key), hash_of(taint.value)), hash_of(taint.effect));
}
std::uint32_t hash_of(const berth_host_port &port) {
    return join(join(hash_of(port.protocol), hash_of(port.ip)), static_cast<std::uint32_t>(port.port));
}
std::uint32_t hash_of(const berth_image &image) { return hash_of(image.name); }
std::uint32_t hash_of(const berth_label_set &set) {
    auto hash = static_cast<std::uint32_t>(set.len);
    for (std::uint64_t i = 0; i < set.len; ++i)
        hash = join(join(hash, hash_of(set.labels[i].key)), hash_of(set.labels[i].value));
    return hash;
}

bool same(const berth_str &a, const berth_str &b) { return model::view(a) == model::view(b); }
bool same(const berth_taint &a, const berth_taint &b) {
    return same(a.key, b.key) && same(a.value, b.value) && same(a.effect, b.effect);
}
bool same(const berth_host_port &a, const berth_host_port &b) {
    return a.port == b.port && same(a.ip, b.ip) && same(a.protocol, b.protocol);
}
bool same(const berth_image &a, const berth_image &b) { return same(a.name, b.name); }
bool same(const berth_label_set &a, const berth_label_set &b) {
    return std::equal(a.labels, a.labels + a.len, b.labels, b.labels + b.len,
                      [](const auto &x, const auto &y) { return same(x.key, y.key) && same(x.value, y.value); });
}

berth_str keep(model::Arena &arena, const berth_str &s) { return model::to_str(arena.copy(model::view(s))); }
berth_taint keep(model::Arena &arena, const berth_taint &taint) {
    return {keep(arena, taint.key), keep(arena, taint.value), keep(arena, taint.effect)};
}
berth_host_port keep(model::Arena &arena, const berth_host_port &port) {
    return {keep(arena, port.protocol), keep(arena, port.ip), port.port, 0};
}
berth_image keep(model::Arena &arena, const berth_image &image) {
    return {keep(arena, image.name), image.size_bytes, image.node_count, 0};
}
berth_label_set keep(model::Arena &arena, const berth_label_set &set) {
    auto *labels = arena.array<berth_label>(set.len);
    for (std::uint64_t i = 0; i < set.len; ++i)
        labels[i] = {keep(arena, set.labels[i].key), keep(arena, set.labels[i].value)};
    return {labels, set.len};
}

}  // namespace berth::cluster
