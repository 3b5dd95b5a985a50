// SPDX-License-Identifier: Apache-2.0
#include "cluster/dictionary.h"

#include "model/keyed_hash.h"

#include <algorithm>
#include <cstring>

namespace berth::cluster {

namespace {

std::uint32_t join(std::uint32_t a, std::uint32_t b) { return (a ^ b) * 0x9e3779b1u + (a << 6) + (a >> 2); }

/// Copies to `room`, which is behind the copy then.
berth_str placed(std::byte *&room, const berth_str &s) {
    if (s.len == 0) return {nullptr, 0};
    auto *text = reinterpret_cast<char *>(room);
    std::memcpy(text, s.ptr, s.len);
    room += s.len;
    return {text, s.len};
}

}  // namespace

std::uint32_t hash_of(std::string_view s) { return static_cast<std::uint32_t>(model::keyed_hash(s)); }
std::uint32_t hash_of(const berth_str &s) { return hash_of(model::view(s)); }
std::uint32_t hash_of(const berth_taint &taint) {
    return join(join(hash_of(taint.key), hash_of(taint.value)), hash_of(taint.effect));
}
std::uint32_t hash_of(const berth_port &port) {
    return join(join(hash_of(port.protocol), hash_of(port.ip)), static_cast<std::uint32_t>(port.port));
}
std::uint32_t hash_of(const berth_image &image) { return hash_of(image.name); }
std::uint32_t hash_of(const berth_label_set &set) {
    auto hash = static_cast<std::uint32_t>(set.len);
    for (std::uint64_t i = 0; i < set.len; ++i)
        hash = join(join(hash, hash_of(set.labels[i].key)), hash_of(set.labels[i].value));
    return hash;
}

std::uint32_t Codes::take() {
    std::uint32_t code = 0;
    if (!free_.empty()) {
        code = free_.back();
        free_.pop_back();
    } else {
        code = static_cast<std::uint32_t>(holders_.size());
        history_.kept.make_room(generations_, holders_.size() + 1);
        holders_.push_back(0);
        generations_.push_back(0);
    }
    if (code < ever_) ++history_.version;
    else ever_ = code + std::size_t{1};
    generations_[code] = ++history_.generation;
    if (++unheld_ >= most_unheld_) history_.due = true;
    return code;
}

/// The codes have lost their meanings: makes the list of those that are free, and gives up the last ones if most are.
void Codes::freed() {
    ++history_.version;
    unheld_ = 0;
    auto in_use = generations_.size();
    while (in_use > 0 && generations_[in_use - 1] == 0) --in_use;
    if (in_use < generations_.size() / 2) {
        holders_.resize(in_use);
        generations_.resize(in_use);
        holders_.shrink_to_fit();
        generations_.shrink_to_fit();
    }
    free_.clear();
    for (auto code = generations_.size(); code-- > 0;)
        if (generations_[code] == 0) free_.push_back(static_cast<std::uint32_t>(code));
    most_unheld_ = std::clamp((generations_.size() - free_.size()) / 4, least_unheld, greatest_unheld);
}

bool same(const berth_str &a, const berth_str &b) { return model::view(a) == model::view(b); }
bool same(const berth_taint &a, const berth_taint &b) {
    return same(a.key, b.key) && same(a.value, b.value) && same(a.effect, b.effect);
}
bool same(const berth_port &a, const berth_port &b) {
    return a.port == b.port && same(a.ip, b.ip) && same(a.protocol, b.protocol);
}
bool same(const berth_image &a, const berth_image &b) { return same(a.name, b.name); }
bool same(const berth_label_set &a, const berth_label_set &b) {
    return std::equal(a.labels, a.labels + a.len, b.labels, b.labels + b.len,
                      [](const auto &x, const auto &y) { return same(x.key, y.key) && same(x.value, y.value); });
}

std::size_t bytes_of(const berth_str &s) { return s.len; }
std::size_t bytes_of(const berth_taint &taint) { return taint.key.len + taint.value.len + taint.effect.len; }
std::size_t bytes_of(const berth_port &port) { return port.protocol.len + port.ip.len; }
std::size_t bytes_of(const berth_image &image) { return image.name.len; }
std::size_t bytes_of(const berth_label_set &set) {
    auto bytes = set.len * sizeof(berth_label);
    for (std::uint64_t i = 0; i < set.len; ++i) bytes += set.labels[i].key.len + set.labels[i].value.len;
    return bytes;
}

berth_str copy_to(std::byte *room, const berth_str &s) { return placed(room, s); }
berth_taint copy_to(std::byte *room, const berth_taint &taint) {
    return {placed(room, taint.key), placed(room, taint.value), placed(room, taint.effect)};
}
berth_port copy_to(std::byte *room, const berth_port &port) {
    return {placed(room, port.protocol), placed(room, port.ip), port.port, 0};
}
berth_image copy_to(std::byte *room, const berth_image &image) {
    return {placed(room, image.name), image.size_bytes, image.node_count, 0};
}
berth_label_set copy_to(std::byte *room, const berth_label_set &set) {
    if (set.len == 0) return {nullptr, 0};
    auto *labels = reinterpret_cast<berth_label *>(room);
    room += set.len * sizeof(berth_label);
    for (std::uint64_t i = 0; i < set.len; ++i)
        labels[i] = {placed(room, set.labels[i].key), placed(room, set.labels[i].value)};
    return {labels, set.len};
}

}  // namespace berth::cluster
