// SPDX-License-Identifier: Apache-2.0
#include "regex.h"

#include "utf8.h"

#include <algorithm>

namespace kubernetes::cel {

namespace {

constexpr std::size_t longest_pattern = 4096;
constexpr std::int64_t most_memory = 1 << 20;
constexpr std::int64_t little_memory = 1 << 17;

const char *go_text(re2::RE2::ErrorCode code) {
    switch (code) {
        case re2::RE2::ErrorBadEscape: return "invalid escape sequence";
        case re2::RE2::ErrorBadCharClass: return "invalid character class";
        case re2::RE2::ErrorBadCharRange: return "invalid character class range";
        case re2::RE2::ErrorMissingBracket: return "missing closing ]";
        case re2::RE2::ErrorMissingParen: return "missing closing )";
        case re2::RE2::ErrorUnexpectedParen: return "unexpected )";
        case re2::RE2::ErrorTrailingBackslash: return "trailing backslash at end of expression";
        case re2::RE2::ErrorRepeatArgument: return "missing argument to repetition operator";
        case re2::RE2::ErrorRepeatSize: return "invalid repeat count";
        case re2::RE2::ErrorRepeatOp: return "invalid nested repetition operator";
        case re2::RE2::ErrorBadPerlOp: return "invalid or unsupported Perl syntax";
        case re2::RE2::ErrorBadUTF8: return "invalid UTF-8";
        case re2::RE2::ErrorBadNamedCapture: return "invalid named capture";
        default: return "expression too large";
    }
}

/// Of reading it: a class of Unicode such as \pL has hundreds of ranges.
std::uint64_t reading_work(const std::string &pattern) {
    constexpr std::uint64_t least = 500, character = 20, unicode_class = 4000;
    std::uint64_t classes = 0;
    for (std::size_t i = 1; i < pattern.size(); ++i)
        if (pattern[i - 1] == '\\' && (pattern[i] == 'p' || pattern[i] == 'P')) ++classes;
    return least + character * pattern.size() + unicode_class * classes;
}

/// The pattern \pL{30} has a program of 36,000 instructions, so that its length says little of the work.
void charge_program(Work &work, const re2::RE2 &compiled, std::int64_t memory) {
    constexpr std::uint64_t instruction = 10;
    const auto too_large = static_cast<std::uint64_t>(memory) * 2 / 5;
    if (compiled.ok()) work.charge(instruction * static_cast<std::uint64_t>(compiled.ProgramSize()));
    else if (compiled.error_code() == re2::RE2::ErrorPatternTooLarge) work.charge(too_large);
}

}  // namespace

std::string Regex::compile(Work &work, const std::string &pattern, Regex &into) {
    return compile(work, pattern, into, most_memory);
}

std::string Regex::compile_to_keep(Work &work, const std::string &pattern, Regex &into) {
    auto error = compile(work, pattern, into, little_memory);
    const bool large = into.compiled_ && into.compiled_->error_code() == re2::RE2::ErrorPatternTooLarge;
    return large ? compile(work, pattern, into, most_memory) : error;
}

std::string Regex::compile(Work &work, const std::string &pattern, Regex &into, std::int64_t memory) {
    if (pattern.size() > longest_pattern) return "not supported: a regular expression of more than 4096 bytes";
    const auto reading = reading_work(pattern);
    work.charge(reading);
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(memory);
    into.compiled_ = std::make_unique<re2::RE2>(pattern, options);
    charge_program(work, *into.compiled_, memory);
    into.bytes_ = static_cast<std::size_t>(memory) + 2 * reading;  // the program and its states, and what was read
    into.size_ = pattern.size();
    if (into.compiled_->ok()) {
        into.size_ = std::max(into.size_, static_cast<std::size_t>(into.compiled_->ProgramSize()));
        return {};
    }
    // Go shows the whole expression where a parenthesis is missing.
    const auto code = into.compiled_->error_code();
    const bool whole = code == re2::RE2::ErrorMissingParen || code == re2::RE2::ErrorUnexpectedParen;
    const bool nothing = code == re2::RE2::ErrorTrailingBackslash;
    return std::string{"error parsing regexp: "} + go_text(code) + ": `" +
           (whole     ? pattern
            : nothing ? std::string{}
                      : into.compiled_->error_arg()) +
           '`';
}

/// The work grows with the text and, where the automaton does not fit into its memory, with the program, too.
void Regex::charge_search(Work &work, std::size_t bytes) const { work.charge(1 + bytes * (1 + size_) / 16); }

bool Regex::matches(Work &work, const std::string &text) const {
    charge_search(work, text.size());
    return re2::RE2::PartialMatch(text, *compiled_);
}

std::string Regex::find(Work &work, const std::string &text) const {
    charge_search(work, text.size());
    re2::StringPiece found;
    if (!compiled_->Match(text, 0, text.size(), re2::RE2::UNANCHORED, &found, 1)) return {};
    return std::string{found};
}

std::vector<Value> Regex::find_all(Work &work, const std::string &text, std::int64_t most) const {
    std::vector<Value> all;
    std::size_t at = 0;
    const char *previous_end = nullptr;
    while (at <= text.size() && (most < 0 || static_cast<std::int64_t>(all.size()) < most)) {
        charge_search(work, text.size() - at);
        re2::StringPiece found;
        if (!compiled_->Match(text, at, text.size(), re2::RE2::UNANCHORED, &found, 1)) break;
        const auto end = static_cast<std::size_t>(found.data() + found.size() - text.data());
        // As in Go, an empty match right behind another one does not count.
        if (!found.empty() || found.data() != previous_end) {
            work.charge_bytes(found.size());
            all.push_back(Value::of_string(std::string{found}));
        }
        previous_end = found.data() + found.size();
        if (end > at || !found.empty()) at = end;
        if (found.empty()) at += at < text.size() ? utf8::first(std::string_view{text}.substr(at)).bytes : 1;
    }
    return all;
}

}  // namespace kubernetes::cel
