// SPDX-License-Identifier: Apache-2.0
#include "decode/json_text.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace berth::decode {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// A strict JSON reader that keeps nothing but where it is. Throws a JsonFault.
class Walker {
    std::string_view text_;
    std::size_t at_ = 0;

    [[noreturn]] void fail(std::size_t offset, std::string why) const {
        throw JsonFault{offset, std::move(why), true, {}};
    }
    [[noreturn]] void expected(std::string_view what) const {
        fail(at_, "expected " + std::string{what} + ", found " + shown(text_, at_));
    }
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool done() const { return at_ >= text_.size(); }
    void skip_blanks() {
        while (!done() && blank(text_[at_])) ++at_;
    }

    unsigned hex4() {
        unsigned value = 0;
        for (int i = 0; i < 4; ++i, ++at_) {
            unsigned d = 0;
            auto [end, error] = std::from_chars(text_.data() + std::min(at_, text_.size()),
                                                text_.data() + std::min(at_ + 1, text_.size()), d, 16);
            if (error != std::errc{}) expected("four hexadecimal digits after \\u");
            value = value * 16 + d;
        }
        return value;
    }

    void escape(std::string *out) {
        std::size_t start = at_++;
        static constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        if (!done() && peek() == 'u') {
            ++at_;
            unsigned code = hex4();
            if (code >= 0xD800 && code < 0xE000) {
                if (code >= 0xDC00 || peek() != '\\' || at_ + 1 >= text_.size() || text_[at_ + 1] != 'u')
                    fail(start, "half of a surrogate pair");
                at_ += 2;
                unsigned low = hex4();
                if (low < 0xDC00 || low > 0xDFFF) fail(start, "half of a surrogate pair");
                code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
            if (out) append_utf8(*out, code);
            return;
        }
        auto i = done() ? std::string_view::npos : letters.find(peek());
        if (i == std::string_view::npos) fail(start, "unknown escape sequence in a string");
        if (out) *out += meanings[i];
        ++at_;
    }

    void number() {
        std::size_t start = at_;
        if (peek() == '-') ++at_;
        if (!digit(peek())) expected("a digit");
        if (peek() == '0') ++at_;
        else
            while (digit(peek())) ++at_;
        if (digit(peek())) fail(start, "a number does not begin with 0; write a string in quotes if it is one");
        if (peek() == '.') {
            ++at_;
            if (!digit(peek())) expected("a digit after the decimal point");
            while (digit(peek())) ++at_;
        }
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!digit(peek())) expected("a digit in the exponent");
            while (digit(peek())) ++at_;
        }
        check_range(text_.substr(start, at_ - start), start);
    }

    static void check_range(std::string_view number, std::size_t start) {
        double value = 0;
        auto error = std::from_chars(number.data(), number.data() + number.size(), value).ec;
        bool whole = number.find_first_of(".eE") == std::string_view::npos;
        bool tiny = number.find("e-") != std::string_view::npos || number.find("E-") != std::string_view::npos;
        if ((error != std::errc{} && !tiny) || (whole && (value >= 0x1p64 || value < -0x1p63)))
            throw JsonFault{start, "the number is out of range", false, {}};
    }

    void word(std::string_view w) {
        if (text_.substr(at_, w.size()) != w) expected("a value");
        at_ += w.size();
    }

public:
    explicit Walker(std::string_view text) : text_(text) {}

    void string(std::string *out) {
        std::size_t start = at_++;
        while (true) {
            if (done()) fail(start, "the string that begins here does not end");
            char c = text_[at_];
            if (c == '"') break;
            if (static_cast<unsigned char>(c) < 0x20)
                fail(at_, c == '\n' ? "a string does not go on in the next line; write \\n"
                                    : "a control character in a string; write it as \\u00XX");
            if (c == '\\') {
                escape(out);
                continue;
            }
            if (out) *out += c;
            ++at_;
        }
        ++at_;
    }

    /// Reads a value of `depth` levels above it. With `check`, looks for repeated keys.
    void value(std::size_t depth) {
        skip_blanks();
        char c = peek();
        if (c == '{' || c == '[') {
            if (depth >= most_levels)
                throw JsonFault{at_, "nested more than " + std::to_string(most_levels) + " levels deep", false, {}};
            if (c == '{') object(depth);
            else array(depth);
        } else if (c == '"') string(nullptr);
        else if (c == '-' || digit(c)) number();
        else if (c == 't') word("true");
        else if (c == 'f') word("false");
        else if (c == 'n') word("null");
        else expected("a value");
    }

    void array(std::size_t depth) {
        ++at_;
        skip_blanks();
        if (peek() == ']') return void(++at_);
        while (true) {
            value(depth + 1);
            skip_blanks();
            if (peek() == ']') return void(++at_);
            if (peek() != ',') expected("',' or ']' after an item");
            ++at_;
            skip_blanks();
            if (peek() == ']') expected("another item after ','");
        }
    }

    void object(std::size_t depth) {
        std::map<std::string, std::size_t> seen;
        ++at_;
        skip_blanks();
        if (peek() == '}') return void(++at_);
        while (true) {
            skip_blanks();
            if (peek() != '"') expected("a key in double quotes");
            std::size_t start = at_;
            std::string key;
            string(&key);
            if (auto [it, added] = seen.emplace(key, start); !added)
                throw JsonFault{start, "the key \"" + key + "\" is repeated", false, it->second};
            skip_blanks();
            if (peek() != ':') expected("':' after the key");
            ++at_;
            value(depth + 1);
            skip_blanks();
            if (peek() == '}') return void(++at_);
            if (peek() != ',') expected("',' or '}' after a member");
            ++at_;
        }
    }

    void end() {
        skip_blanks();
        if (!done()) expected("nothing after the value");
    }
};

}  // namespace

void append_utf8(std::string &out, unsigned code) {
    auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
    auto rest = [&](unsigned shift) { put(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) return put(0xC0 | code >> 6), rest(0);
    if (code < 0x10000) return put(0xE0 | code >> 12), rest(6), rest(0);
    put(0xF0 | code >> 18), rest(12), rest(6), rest(0);
}

std::size_t json_token_end(std::string_view text, std::size_t offset) {
    constexpr std::string_view delimiters = " \t\r\n,:[]{}";
    if (text[offset] != '"') {
        if (delimiters.find(text[offset]) != std::string_view::npos) return offset + 1;
        return std::min(text.find_first_of(delimiters, offset), text.size());
    }
    for (++offset; offset < text.size() && text[offset] != '"'; ++offset) offset += text[offset] == '\\';
    return std::min(offset + 1, text.size());
}

std::string shown(std::string_view text, std::size_t offset) {
    if (offset >= text.size()) return "the end of the text";
    auto c = static_cast<unsigned char>(text[offset]);
    if (c < 0x20 || c == 0x7F) {
        static constexpr std::string_view hex = "0123456789abcdef";
        return std::string{"the control character 0x"} + hex[c >> 4] + hex[c & 15];
    }
    std::size_t length = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    return '"' + std::string{text.substr(offset, length)} + '"';
}

std::optional<std::size_t> find_bad_utf8(std::string_view text) {
    auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    for (std::size_t i = 0; i < text.size();) {
        unsigned c = byte(i);
        if (c < 0x80) {
            ++i;
            continue;
        }
        std::size_t more = c >= 0xC2 && c < 0xE0 ? 1 : c >= 0xE0 && c < 0xF0 ? 2 : c >= 0xF0 && c < 0xF5 ? 3 : 0;
        bool good = more > 0;
        for (std::size_t k = 1; good && k <= more; ++k) good = (byte(i + k) & 0xC0) == 0x80;
        unsigned second = byte(i + 1);
        if (!good || (c == 0xE0 && second < 0xA0) || (c == 0xED && second > 0x9F) || (c == 0xF0 && second < 0x90) ||
            (c == 0xF4 && second > 0x8F))
            return i;
        i += more + 1;
    }
    return std::nullopt;
}

std::optional<JsonFault> find_json_fault(std::string_view text) {
    if (auto bad = find_bad_utf8(text)) return JsonFault{*bad, "the text is not UTF-8 from here", false, {}};
    try {
        Walker walker{text};
        walker.value(0);
        walker.end();
    } catch (JsonFault &fault) {
        return std::move(fault);
    }
    return std::nullopt;
}

}  // namespace berth::decode
