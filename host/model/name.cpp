// SPDX-License-Identifier: Apache-2.0
#include "model/name.h"

#include <algorithm>

namespace berth::model {
namespace {

bool lower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool letter(char c) { return lower(c) || (c >= 'A' && c <= 'Z'); }

}  // namespace

bool dns_label(std::string_view name) {
    return name.size() <= 63 && dns_subdomain(name) && name.find('.') == std::string_view::npos;
}

bool dns_subdomain(std::string_view name) {
    if (name.empty() || name.size() > 253 || !lower(name.front()) || !lower(name.back())) return false;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (lower(name[i]) || name[i] == '-') continue;
        if (name[i] != '.' || !lower(name[i - 1]) || !lower(name[i + 1])) return false;
    }
    return true;
}

bool path_segment(std::string_view name) {
    return !name.empty() && name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
}

bool label_name(std::string_view name) {
    return !name.empty() && name.size() <= 63 && letter(name.front()) && letter(name.back()) &&
           std::all_of(name.begin(), name.end(), [](char c) { return letter(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace berth::model
