// SPDX-License-Identifier: Apache-2.0
#pragma once

/// JSON with the rules of Kubernetes' decoder, sigs.k8s.io/json; private to decode. It gives what that makes of a
/// map[string]any, v0.0.0-20250730193827.
///
/// simdjson takes less, but is many times faster, so it is tried first. What both take they read alike. What Go takes
/// besides: bytes that are no UTF-8 and halves of surrogate pairs, each of which becomes U+FFFD; whole numbers of any
/// size, which are doubles where an int64 cannot hold them; up to 10,000 levels of nesting. Of a repeated key the last
/// value counts, as in Go (in the place of the last one). Names are case-sensitive.
///
/// One thing is taken that Go's decoder takes only as long as it is not decoded, which is what RawExtension is for: a
/// number that no double can hold, such as 1e999. It becomes the largest double.

#include "model/value.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace berth::decode {

/// Levels of nesting that Go reads.
inline constexpr std::size_t most_go_levels = 10'000;

/// Why a text was refused, and where.
struct GoJsonFault {
    std::size_t offset = 0;
    std::string text;
};

/// Reads `text`, exactly one value, into `out`, its bytes in `arena`; or says why not. The value at `leave_out`, a path
/// of keys, is not kept. Takes time and memory in proportion to the text, and no stack.
std::optional<GoJsonFault> read_go_json(std::string_view text, std::span<const std::string_view> leave_out,
                                        model::Arena &arena, berth_value &out);

/// Of `members`, n of them, keeps of those with one key the last, and their order; how many are left.
std::size_t keep_last_of_each_key(berth_kv *members, std::size_t n);

/// Takes the text of one object or list, whatever is in it: each member's key as a string literal, and its text. Says
/// whether brackets and quotes matched; what was given before is given.
using Piece = std::function<void(std::string_view key, std::string_view text)>;
bool cut_object(std::string_view text, const Piece &take);
bool cut_list(std::string_view text, const Piece &take);  ///< without keys

/// The text of the member `key` of an object, the last of that name; empty if there is none.
std::string_view find_member(std::string_view object, std::string_view key);

}  // namespace berth::decode
