// SPDX-License-Identifier: Apache-2.0
#include "lexer.h"

#include "utf8.h"

#include <array>

namespace kubernetes::cel {

namespace {

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_hex(char32_t c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_name_start(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char32_t c) { return is_name_start(c) || is_digit(c); }
bool is_blank(char32_t c) { return c == '\t' || c == ' ' || c == '\r' || c == '\n' || c == '\f'; }
bool is_octal(char32_t c) { return c >= '0' && c <= '7'; }

class Lexer {
    const Source &source_;
    const std::u32string &text_;
    std::size_t at_ = 0;

    char32_t peek(std::size_t i) const { return i < text_.size() ? text_[i] : 0; }
    bool has(std::size_t i, std::u32string_view what) const { return text_.compare(i, what.size(), what) == 0; }

    void skip_blanks() {
        for (;;) {
            if (is_blank(peek(at_)) && at_ < text_.size()) ++at_;
            else if (has(at_, U"//")) at_ = std::min(text_.find('\n', at_), text_.size());
            else return;
        }
    }

    std::size_t digits_end(std::size_t i) const {
        while (is_digit(peek(i))) ++i;
        return i;
    }
    /// Behind an exponent that begins at `i`, or `i`.
    std::size_t exponent_end(std::size_t i) const {
        if (peek(i) != 'e' && peek(i) != 'E') return i;
        const auto digits = peek(i + 1) == '+' || peek(i + 1) == '-' ? i + 2 : i + 1;
        return is_digit(peek(digits)) ? digits_end(digits) : i;
    }

    Token::Kind number(std::size_t &end) const {
        const auto with_suffix = [&](std::size_t digits) {
            const bool natural = peek(digits) == 'u' || peek(digits) == 'U';
            end = natural ? digits + 1 : digits;
            return natural ? Token::Kind::Uint : Token::Kind::Int;
        };
        if (has(at_, U"0x") && is_hex(peek(at_ + 2))) {
            auto i = at_ + 2;
            while (is_hex(peek(i))) ++i;
            return with_suffix(i);
        }
        const auto whole = digits_end(at_);
        const auto fraction = peek(whole) == '.' && is_digit(peek(whole + 1)) ? digits_end(whole + 1) : whole;
        end = exponent_end(fraction);
        if (end > whole) return Token::Kind::Double;
        return with_suffix(whole);
    }

    /// Behind the escape sequence at `i`, or 0.
    std::size_t escape_end(std::size_t i) const {
        const auto hex = [&](std::size_t count) {
            for (std::size_t k = 0; k < count; ++k)
                if (!is_hex(peek(i + 2 + k))) return std::size_t{0};
            return i + 2 + count;
        };
        switch (peek(i + 1)) {
            case 'x':
            case 'X': return hex(2);
            case 'u': return hex(4);
            case 'U': return hex(8);
            case '0':
            case '1':
            case '2':
            case '3': return is_octal(peek(i + 2)) && is_octal(peek(i + 3)) ? i + 4 : 0;
            default: break;
        }
        static constexpr std::u32string_view plain = U"abfnrtv\"'\\?`";
        return i + 1 < text_.size() && plain.find(text_[i + 1]) != std::u32string_view::npos ? i + 2 : 0;
    }

    /// Behind the string that begins with a quote at `i`, or 0.
    std::size_t string_end(std::size_t i, bool raw) const {
        const char32_t quote = text_[i];
        const std::u32string three(3, quote);
        const auto scan = [&](std::size_t from, std::u32string_view closing) -> std::size_t {
            for (auto at = from; at < text_.size();) {
                if (has(at, closing)) return at + closing.size();
                const auto c = text_[at];
                if (closing.size() == 1 && (c == '\n' || c == '\r')) return 0;
                if (c == '\\' && !raw) {
                    at = escape_end(at);
                    if (at == 0) return 0;
                } else {
                    ++at;
                }
            }
            return 0;
        };
        if (has(i, three))
            if (const auto end = scan(i + 3, three); end > 0) return end;
        return scan(i + 1, std::u32string_view{three}.substr(0, 1));
    }

    /// Of an optional b, an optional r and a string.
    std::size_t quoted_end(bool &bytes) const {
        auto i = at_;
        bytes = peek(i) == 'b' || peek(i) == 'B';
        if (bytes) ++i;
        const bool raw = peek(i) == 'r' || peek(i) == 'R';
        if (raw) ++i;
        return peek(i) == '"' || peek(i) == '\'' ? string_end(i, raw) : 0;
    }

    std::size_t operator_end() const {
        static constexpr std::array<std::u32string_view, 6> two{U"==", U"!=", U"<=", U">=", U"&&", U"||"};
        for (auto each : two)
            if (has(at_, each)) return at_ + 2;
        static constexpr std::u32string_view one = U"<>[]{}().,-!?:+*/%";
        return one.find(text_[at_]) != std::u32string_view::npos ? at_ + 1 : 0;
    }

    std::size_t escaped_identifier_end() const {
        auto i = at_ + 1;
        while (is_name(peek(i)) || peek(i) == '.' || peek(i) == '-' || peek(i) == '/' || peek(i) == ' ') ++i;
        return i > at_ + 1 && peek(i) == '`' ? i + 1 : 0;
    }

    Token::Kind read(std::size_t &end) const {
        const auto c = text_[at_];
        if (is_digit(c) || (c == '.' && is_digit(peek(at_ + 1)))) return number(end);
        bool bytes = false;
        end = quoted_end(bytes);
        if (end > 0) return bytes ? Token::Kind::Bytes : Token::Kind::String;
        if (is_name_start(c)) {
            for (end = at_; is_name(peek(end));) ++end;
            const auto word = std::u32string_view{text_}.substr(at_, end - at_);
            const bool keyword = word == U"in" || word == U"true" || word == U"false" || word == U"null";
            return keyword ? Token::Kind::Operator : Token::Kind::Identifier;
        }
        if (c == '`') {
            end = escaped_identifier_end();
            return end > 0 ? Token::Kind::EscapedIdentifier : Token::Kind::Unknown;
        }
        end = operator_end();
        return end > 0 ? Token::Kind::Operator : Token::Kind::Unknown;
    }

public:
    explicit Lexer(const Source &source) : source_(source), text_(source.characters()) {}

    Token next() {
        skip_blanks();
        Token token;
        token.begin = static_cast<std::uint32_t>(at_);
        token.end = token.begin;
        if (at_ >= text_.size()) return token;
        std::size_t end = 0;
        token.kind = read(end);
        token.end = static_cast<std::uint32_t>(end == 0 ? at_ + 1 : end);
        token.text = source_.text(token.begin, token.end);
        at_ = token.end;
        return token;
    }
};

unsigned hex_value(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    return static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

/// Of a sequence whose form the lexer has checked; takes it off `text`.
std::string unescape_one(std::string_view &text, bool bytes, std::string &into) {
    const char c = text[1];
    text.remove_prefix(2);
    const auto plain = [&](char value) {
        into += value;
        return std::string{};
    };
    const auto coded = [&](std::size_t digits, unsigned base) -> std::string {
        char32_t code = 0;
        for (std::size_t i = 0; i < digits; ++i) code = code * base + hex_value(text[i]);
        text.remove_prefix(digits);
        if (bytes) {
            into += static_cast<char>(static_cast<unsigned char>(code));
            return {};
        }
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return "invalid unicode code point";
        utf8::append(into, code);
        return {};
    };
    switch (c) {
        case 'a': return plain('\a');
        case 'b': return plain('\b');
        case 'f': return plain('\f');
        case 'n': return plain('\n');
        case 'r': return plain('\r');
        case 't': return plain('\t');
        case 'v': return plain('\v');
        case 'x':
        case 'X': return coded(2, 16);
        case 'u': return bytes ? "unable to unescape string" : coded(4, 16);
        case 'U': return bytes ? "unable to unescape string" : coded(8, 16);
        case '0':
        case '1':
        case '2':
        case '3': text = std::string_view{text.data() - 1, text.size() + 1}; return coded(3, 8);
        default: return plain(c);
    }
}

}  // namespace

std::vector<Token> tokens_of(const Source &source) {
    Lexer lexer{source};
    std::vector<Token> tokens;
    for (;;) {
        tokens.push_back(lexer.next());
        const auto kind = tokens.back().kind;
        if (kind == Token::Kind::End) return tokens;
        if (kind == Token::Kind::Unknown) {
            tokens.push_back({});
            return tokens;
        }
    }
}

std::string unescape(std::string_view literal, bool bytes, std::string &into) {
    std::string text;
    if (bytes) literal.remove_prefix(1);
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (literal[i] != '\r') text += literal[i];
        else if (i + 1 == literal.size() || literal[i + 1] != '\n') text += '\n';
    }
    std::string_view rest = text;
    const bool raw = rest.starts_with('r') || rest.starts_with('R');
    if (raw) rest.remove_prefix(1);
    const std::size_t quote = rest.size() >= 6 && (rest.starts_with("'''") || rest.starts_with("\"\"\"")) ? 3 : 1;
    rest = rest.substr(quote, rest.size() - 2 * quote);
    while (!rest.empty()) {
        if (raw || rest.front() != '\\') {
            into += rest.front();
            rest.remove_prefix(1);
        } else if (auto error = unescape_one(rest, bytes, into); !error.empty()) {
            return error;
        }
    }
    return {};
}

}  // namespace kubernetes::cel
