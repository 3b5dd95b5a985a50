// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Helpers of the readers of object lists: the type of an item, the end of reading; private to decode.

#include "decode/document.h"
#include "decode/stream.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::decode {

/// How the reading of many documents ended.
struct ReadResult {
    bool ok = true, syntax = false;  ///< syntax: the text is not of that language at all
    std::string message;
    std::uint64_t objects = 0;  ///< handed over
    bool foreign = false;       ///< no syntax error, but one that templates make, too
};

/// What an item of a list need not say itself, because its list does.
struct ItemType {
    std::string api_version, kind;
};

/// For a `PodList` of `v1`: Pod of v1. A plain `List` says nothing about its items.
inline ItemType item_type(std::string_view list_api_version, std::string_view list_kind) {
    constexpr std::string_view list = "List";
    if (!list_kind.ends_with(list) || list_kind == list) return {};
    return {std::string{list_api_version}, std::string{list_kind.substr(0, list_kind.size() - list.size())}};
}

/// For a document without a sequence of items: whether it is a list all the same, an empty one; or, when it has items
/// of another kind, why it is wrong.
inline model::Result<bool> is_empty_list(const Document &document) {
    auto root = document.value();
    if (!root["kind"].string().ends_with("List")) return false;
    auto items = root["items"];
    if (items.is_null()) return true;
    return model::Error{document.where(items) + ": items: expected a list, written out"};
}

}  // namespace berth::decode
