// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A keyed hash of texts (SipHash), safe against names that an attacker chooses. The standard library's hash has no
/// secret, so an author of names could choose many that share one place of a table and make every look-up as long as
/// the table.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace berth::model {

/// The 128 secret bits that a hash depends on.
struct HashKey {
    std::uint64_t low, high;
};

/// SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): without
/// the key, texts that collide cannot be found.
std::uint64_t sip_hash(const HashKey &key, std::string_view text);

/// With a key that is drawn once in the life of this process.
std::uint64_t keyed_hash(std::string_view text);

/// For the standard library's tables with texts as keys; a look-up makes no string.
struct KeyedHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return keyed_hash(text); }
};

/// A table by texts that a stranger chooses. The order of its entries differs from run to run.
template <class T>
using KeyedTable = std::unordered_map<std::string, T, KeyedHash, std::equal_to<>>;
using KeyedSet = std::unordered_set<std::string_view, KeyedHash, std::equal_to<>>;

}  // namespace berth::model
