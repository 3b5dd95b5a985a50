// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The templates of new plugins (sdk/template/), and how they are filled in. The program carries them.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::cli {

/// One file of sdk/template/.
struct TemplateFile {
    std::string_view path;  ///< below sdk/template, as in "cpp/@name_@.cpp"
    std::string_view text;
};
std::span<const TemplateFile> template_files();

/// The languages that there are templates for, sorted.
std::vector<std::string> template_languages();

/// What the placeholders of a template stand for, and which words hold in its conditions.
struct TemplateUse {
    std::vector<std::pair<std::string, std::string>> placeholders;
    std::function<bool(std::string_view word)> holds;

    std::string fill(std::string text) const;
    /// The lines whose conditions hold, filled in. A template that is wrong ends the program: it is the program's own.
    std::string render(const TemplateFile &file) const;
};

}  // namespace berth::cli
