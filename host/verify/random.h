// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A random generator for tests, equal for a seed on every machine.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace berth::verify {

class Random {
    std::mt19937_64 bits_;

public:
    explicit Random(std::uint64_t seed) : bits_(seed) {}
    std::uint64_t below(std::uint64_t n) { return bits_() % n; }
    bool once_in(std::uint64_t n) { return below(n) == 0; }
    std::string one_of(std::initializer_list<const char *> list) { return *(list.begin() + below(list.size())); }
    template <class T>
    void shuffle(std::vector<T> &list) {
        for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
    }
};

}  // namespace berth::verify
