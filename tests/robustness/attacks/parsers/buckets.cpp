// SPDX-License-Identifier: Apache-2.0
// Texts that are found slowly in a hash table whose hash everybody knows.
#include "shape.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace berth::attack {
namespace {

/// How many buckets there are when n texts were put in one after the other.
std::size_t buckets_of(std::size_t n) {
    std::unordered_set<std::size_t> table;
    for (std::size_t i = 0; i < n; ++i) table.insert(i);
    return table.bucket_count();
}

}  // namespace

std::vector<std::string> of_one_bucket(std::string_view prefix, std::size_t n) {
    constexpr std::string_view digits = "abcdefghijklmnopqrstuvwxyz0123456789";
    const auto buckets = buckets_of(n);
    std::vector<std::string> out;
    constexpr std::size_t size = 7;
    std::string text = std::string(prefix) + std::string(size, '0');
    for (std::uint64_t i = 0; out.size() < n; ++i) {
        auto rest = i;
        for (auto at = text.end() - size; at != text.end(); ++at, rest /= digits.size())
            *at = digits[rest % digits.size()];
        if (std::hash<std::string_view>{}(text) % buckets == 0) out.push_back(text);
    }
    return out;
}

}  // namespace berth::attack
