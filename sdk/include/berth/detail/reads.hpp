// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a host checks of a read before it sends it. Not for plugin authors.

#include <berth/draft/reader.h>
#include <berth/detail/characters.hpp>
#include <berth/detail/versions.hpp>
#include <berth/label_syntax.hpp>
#include <berth/value.hpp>

#include <algorithm>
#include <string>
#include <string_view>

namespace berth::detail {

/// As a right is written: "get v1/configmaps"; "" for an unknown verb.
inline std::string read_text(std::uint32_t verb, std::string_view group, std::string_view version,
                             std::string_view resource) {
    if (verb != BERTH_READ_GET && verb != BERTH_READ_LIST) return {};
    std::string out = verb == BERTH_READ_GET ? "get " : "list ";
    if (!group.empty()) out.append(group).append("/");
    return out.append(version).append("/").append(resource);
}

/// The names of groups, versions and resources; none leads a path elsewhere: behind "watch" and "proxy" an API server
/// has other kinds, and other rights.
inline bool is_read_kind(std::string_view group, std::string_view version, std::string_view resource) {
    const auto label = [](std::string_view s) {
        return s.size() <= label_length && dns_subdomain(s) && s.find('.') == s.npos;
    };
    const bool group_is =
        group.empty() || (group.size() <= subdomain_length && dns_subdomain(group) && !begins_like_version(group));
    const bool prefix = resource == "watch" || resource == "proxy";
    return group_is && begins_like_version(version) && label(version) && label(resource) && !prefix;
}

inline bool has_control_character(std::string_view s) {
    return std::any_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// A name as a segment of a path (upstream: IsValidPathSegmentName, and what would end the path).
inline bool is_path_segment(std::string_view name) {
    return !name.empty() && name.size() <= subdomain_length && name != "." && name != ".." &&
           name.find_first_of("/%?") == name.npos && !has_control_character(name);
}

/// What is wrong with a selector or the like that `what` names, or "".
inline std::string fault_of_option(const char *what, std::string_view text) {
    constexpr std::size_t longest_option = 4096;
    if (text.size() > longest_option) return std::string(what) + " has more than 4,096 bytes";
    if (has_control_character(text)) return std::string(what) + " has a control character";
    return {};
}

/// What is wrong with a read, as "the name …", or "".
inline std::string fault_of(const berth_read &read) {
    const auto name = text_or_none(read.name), name_space = text_or_none(read.namespace_);
    if (read.verb != BERTH_READ_GET && read.verb != BERTH_READ_LIST)
        return "the verb " + std::to_string(read.verb) + " is not a BERTH_READ_…";
    if (!is_read_kind(text_or_none(read.group), text_or_none(read.version), text_or_none(read.resource)))
        return "the group, version and resource are not those of a kind, as in \"apps\", \"v1\", \"deployments\"";
    if (!name_space.empty() && !is_path_segment(name_space)) return "the namespace is not valid in a path";
    const bool list = read.verb == BERTH_READ_LIST;
    if (!list && !is_path_segment(name)) return "the name is empty or not valid in a path";
    if (list && !name.empty()) return "a list has no name; select the field metadata.name";
    for (auto [what, text] : {std::pair{"the label selector", text_or_none(read.label_selector)},
                              {"the field selector", text_or_none(read.field_selector)},
                              {"the text of continue", text_or_none(read.continue_)}}) {
        if (!list && !text.empty()) return std::string(what) + " is for lists";
        if (auto fault = fault_of_option(what, text); !fault.empty()) return fault;
    }
    if (!list && read.limit != 0) return "the limit is for lists";
    return {};
}

/// The limit that the host sends.
inline std::uint64_t limit_of(const berth_read &read) {
    return read.limit == 0 ? BERTH_READ_MOST_ITEMS : std::min<std::uint64_t>(read.limit, BERTH_READ_MOST_ITEMS);
}

}  // namespace berth::detail
