// SPDX-License-Identifier: Apache-2.0
#include "model/keyed_hash.h"

#include <bit>
#include <cstring>
#include <random>

namespace berth::model {

namespace {

struct Sip {
    std::uint64_t a, b, c, d;

    void round() {
        a += b;
        b = std::rotl(b, 13) ^ a;
        a = std::rotl(a, 32);
        c += d;
        d = std::rotl(d, 16) ^ c;
        a += d;
        d = std::rotl(d, 21) ^ a;
        c += b;
        b = std::rotl(b, 17) ^ c;
        c = std::rotl(c, 32);
    }
    void take(std::uint64_t word) {
        d ^= word;
        round();
        a ^= word;
    }
};

HashKey drawn() {
    std::random_device random;
    auto word = [&] { return std::uint64_t{random()} << 32 | random(); };
    return {word(), word()};
}

}  // namespace

std::uint64_t sip_hash(const HashKey &key, std::string_view text) {
    static_assert(std::endian::native == std::endian::little);
    Sip sip{key.low ^ 0x736f6d6570736575, key.high ^ 0x646f72616e646f6d, key.low ^ 0x6c7967656e657261,
            key.high ^ 0x7465646279746573};
    const auto *at = text.data();
    for (auto words = text.size() / 8; words > 0; --words, at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, at, 8);
        sip.take(word);
    }
    auto last = std::uint64_t{text.size()} << 56;
    for (std::size_t i = 0; i < text.size() % 8; ++i)
        last |= std::uint64_t{static_cast<unsigned char>(at[i])} << (8 * i);
    sip.take(last);
    sip.c ^= 0xff;
    for (int i = 0; i < 3; ++i) sip.round();
    return sip.a ^ sip.b ^ sip.c ^ sip.d;
}

std::uint64_t keyed_hash(std::string_view text) {
    static const HashKey key = drawn();
    return sip_hash(key, text);
}

}  // namespace berth::model
