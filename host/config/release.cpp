// SPDX-License-Identifier: Apache-2.0
#include "config/release.h"

#include <algorithm>

namespace berth::config {

std::span<const Release> Release::all() {
    static constexpr Release known[] = {Release(36), Release(37)};
    return known;
}

std::string Release::names() {
    std::string out;
    for (const auto &release : all()) out += (out.empty() ? "" : " or ") + release.text();
    return out;
}

std::optional<Release> Release::of(std::string_view text) {
    if (text.starts_with('v')) text.remove_prefix(1);
    for (const auto &release : all()) {
        const auto name = release.text();
        if (text == name) return release;
        if (!text.starts_with(name + '.')) continue;
        const auto patch = text.substr(name.size() + 1);
        const bool number = !patch.empty() && std::ranges::all_of(patch, [](char c) { return c >= '0' && c <= '9'; });
        if (number) return release;
    }
    return std::nullopt;
}

}  // namespace berth::config
