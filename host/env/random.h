// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Random numbers by a generator with a seed: chance enters the core only here. The generator is counter-based: a value
/// depends on its coordinates alone and not on how many were drawn before it or on which thread.

#include <cstdint>
#include <string_view>

namespace berth::env {

/// Mixes 64 bits (the finalizer of SplitMix64, Steele, Lea and Flood 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// A stable 64-bit hash of a text (FNV-1a), to be mixed.
constexpr std::uint64_t text_hash(std::string_view s) {
    std::uint64_t h = 0xcbf29ce484222325u;
    for (char c : s) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

/// The key of the values that `who` draws.
constexpr std::uint64_t random_key(std::uint64_t seed, std::uint64_t who) { return mix(mix(seed) ^ who); }

/// 64 random bits for these coordinates.
constexpr std::uint64_t random_value(std::uint64_t key, std::uint64_t cycle, std::uint64_t slot, std::uint64_t salt) {
    return mix(mix(mix(key ^ cycle) ^ slot) ^ salt);
}
constexpr std::uint64_t random_value(std::uint64_t seed, std::uint64_t who, std::uint64_t cycle, std::uint64_t slot,
                                     std::uint64_t salt) {
    return random_value(random_key(seed, who), cycle, slot, salt);
}

}  // namespace berth::env
