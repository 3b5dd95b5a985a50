// SPDX-License-Identifier: Apache-2.0
#include "decode/did_you_mean.h"

#include <algorithm>
#include <numeric>

namespace berth::decode {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// How many letters must be added, removed or replaced to make `a` of `b`, whatever their case.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            std::size_t replaced = diagonal + (lower(a[i]) != lower(b[j]));
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, replaced});
        }
    }
    return row.back();
}

}  // namespace

const std::string *closest_name(std::string_view name, const std::vector<std::string> &known) {
    constexpr std::size_t longest = 64;
    const std::string *best = nullptr;
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const auto &k : known) {
        if (name.size() > longest) break;
        if (auto d = distance(name, k); d < least) {
            least = d;
            best = &k;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string> &known) {
    constexpr std::size_t few = 8;
    if (const auto *best = closest_name(name, known)) return "; did you mean \"" + *best + "\"?";
    if (known.empty()) return "; no fields are expected here";
    if (known.size() > few) return "";
    std::string list;
    for (const auto &k : known) (list += list.empty() ? "; expected one of " : ", ") += k;
    return known.size() == 1 ? "; expected " + known.front() : list;
}

}  // namespace berth::decode
