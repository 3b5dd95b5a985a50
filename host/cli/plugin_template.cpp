// SPDX-License-Identifier: Apache-2.0
#include "cli/plugin_template.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

namespace berth::cli {
namespace {

[[noreturn]] void wrong(const TemplateFile &file, std::string_view what) {
    std::cerr << "berth: internal error: sdk/template/" << file.path << ": " << what << '\n';
    std::abort();
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    return text;
}

}  // namespace

std::vector<std::string> template_languages() {
    std::vector<std::string> out;
    for (const auto &file : template_files()) out.emplace_back(file.path.substr(0, file.path.find('/')));
    std::ranges::sort(out);
    const auto twice = std::ranges::unique(out);
    out.erase(twice.begin(), twice.end());
    std::erase(out, "common");
    return out;
}

std::string TemplateUse::fill(std::string text) const {
    for (const auto &[placeholder, value] : placeholders)
        for (auto at = text.find(placeholder); at != text.npos; at = text.find(placeholder, at + value.size()))
            text.replace(at, placeholder.size(), value);
    return text;
}

std::string TemplateUse::render(const TemplateFile &file) const {
    std::string out;
    std::vector<bool> open;  // of each condition around the line: does it hold?
    std::istringstream lines{std::string(file.text)};
    for (std::string line; std::getline(lines, line);) {
        auto word = trimmed(line);
        if (word.starts_with("%if ")) {
            std::istringstream words{std::string(word.substr(4))};
            bool any = false;
            for (std::string one; words >> one;) any = any || (one.front() == '!' ? !holds(one.substr(1)) : holds(one));
            open.push_back(any);
        } else if (word == "%else" || word == "%end") {
            if (open.empty()) wrong(file, "%else or %end without %if");
            if (word == "%else") open.back() = !open.back();
            else open.pop_back();
        } else if (std::ranges::find(open, false) == open.end()) {
            out += fill(line) + '\n';
        }
    }
    if (!open.empty()) wrong(file, "%if without %end");
    return out;
}

}  // namespace berth::cli
