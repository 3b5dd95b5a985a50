// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is given to the parsers: one row for each malicious shape of an input, at sizes n, 10 n and 100 n.

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::attack {

struct Shape {
    const char *parser, *name;
    std::size_t n;                            ///< of the smallest input
    std::string (*make)(std::size_t n);       ///< the input
    void (*parse)(const std::string &input);  ///< reads or refuses it; what is measured
};

using Shapes = std::vector<Shape>;
void add_yaml(Shapes &to);
void add_json(Shapes &to);
void add_objects(Shapes &to);
void add_configuration(Shapes &to);
void add_simulation(Shapes &to);
void add_requests(Shapes &to);
void add_texts(Shapes &to);
void add_expressions(Shapes &to);

/// `each(i)` for i from 0, n of them.
template <std::invocable<std::size_t> Each>
std::string repeated(std::size_t n, Each each) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += each(i);
    return out;
}
inline std::string repeated(std::size_t n, std::string_view text) {
    return repeated(n, [&](std::size_t) { return text; });
}
/// Texts of `prefix`, letters and digits that the standard library's hash table of n texts, whose hash has no secret,
/// has all in one bucket.
std::vector<std::string> of_one_bucket(std::string_view prefix, std::size_t n);

inline std::string number(std::size_t i) { return std::to_string(i); }

}  // namespace berth::attack
