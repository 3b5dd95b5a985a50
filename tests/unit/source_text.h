// SPDX-License-Identifier: Apache-2.0
#pragma once

/// C++ sources as tests of the tree read them.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

inline std::string read_text(const std::filesystem::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The sources below a folder, in the order of their paths.
inline std::vector<std::filesystem::path> sources_in(const std::filesystem::path &folder) {
    std::vector<std::filesystem::path> out;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder)) {
        const auto ending = entry.path().extension();
        if (ending == ".h" || ending == ".hpp" || ending == ".cpp") out.push_back(entry.path());
    }
    std::ranges::sort(out);
    return out;
}

/// A source, in parts.
struct SourceText {
    struct Literal {
        std::string text;  ///< as written, between the quotes
        int line = 1;      ///< on which it begins
        bool operator==(const Literal &) const = default;
    };
    std::vector<Literal> literals;  ///< plain and raw strings; those that follow each other directly are one
    std::string code;               ///< the source with blanks instead of comments and literals, in the same lines

    explicit SourceText(std::string_view text) : text_(text) {
        while (at_ < text_.size()) take();
    }

private:
    std::string_view text_;
    std::size_t at_ = 0;
    int line_ = 1;
    bool joins_ = false;  ///< only blanks and comments since the last literal

    void blank_to(std::size_t end) {
        for (end = std::min(end, text_.size()); at_ < end; ++at_) {
            line_ += text_[at_] == '\n';
            code += text_[at_] == '\n' ? '\n' : ' ';
        }
    }
    void add(std::string_view literal) {
        if (joins_) literals.back().text += literal;
        else literals.push_back({std::string(literal), line_});
        joins_ = true;
    }
    void take() {
        const auto rest = text_.substr(at_);
        if (rest.starts_with("//")) return blank_to(text_.find('\n', at_));
        if (rest.starts_with("/*")) {
            const auto end = text_.find("*/", at_ + 2);
            return blank_to(end == text_.npos ? end : end + 2);
        }
        if (rest.starts_with("R\"")) return take_raw();
        // A quote between digits only separates them.
        const bool separates = at_ > 0 && std::isxdigit(static_cast<unsigned char>(text_[at_ - 1]));
        if (text_[at_] == '"' || (text_[at_] == '\'' && !separates)) return take_quoted();
        joins_ = joins_ && std::isspace(static_cast<unsigned char>(text_[at_]));
        line_ += text_[at_] == '\n';
        code += text_[at_++];
    }
    void take_raw() {
        const auto open = text_.find('(', at_);
        if (open == text_.npos) return blank_to(open);
        const auto close = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
        const auto end = std::min(text_.find(close, open), text_.size());
        add(text_.substr(open + 1, end - open - 1));
        blank_to(end + close.size());
    }
    void take_quoted() {
        auto end = at_ + 1;
        while (end < text_.size() && text_[end] != text_[at_]) end += text_[end] == '\\' ? 2 : 1;
        if (text_[at_] == '"') add(text_.substr(at_ + 1, end - at_ - 1));
        else joins_ = false;
        blank_to(end + 1);
    }
};

}  // namespace berth
