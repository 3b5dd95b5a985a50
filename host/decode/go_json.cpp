// SPDX-License-Identifier: Apache-2.0
#include "decode/go_json.h"

#include "decode/json_text.h"
#include "decode/source_map.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <vector>

namespace berth::decode {
namespace {

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool plain(char c) { return static_cast<signed char>(c) >= 0x20 && c != '"' && c != '\\'; }

constexpr std::string_view replacement = "\xEF\xBF\xBD";

/// A number beyond the largest double becomes the largest double; one too close to zero becomes zero.
double held_at_bounds(std::string_view number) {
    double value = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{}) return value;
    const auto e = std::min(number.find_first_of("eE"), number.size());
    const auto mantissa = number.substr(0, e);
    const auto point = std::min(mantissa.find('.'), mantissa.size());
    const auto first = mantissa.find_first_of("123456789");
    if (first == mantissa.npos) return number.front() == '-' ? -0.0 : 0.0;
    // The powers of ten of its first digit that counts, and of the rest.
    const auto power = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first);
    std::int64_t exponent = 0;
    if (e < number.size()) {
        auto text = number.substr(e + 1);
        const bool down = text.front() == '-';
        if (text.front() == '+' || down) text.remove_prefix(1);
        constexpr std::int64_t beyond = std::numeric_limits<std::int64_t>::max() / 4;
        if (std::from_chars(text.data(), text.data() + text.size(), exponent).ec != std::errc{}) exponent = beyond;
        exponent = std::min(exponent, beyond);
        if (down) exponent = -exponent;
    }
    const double magnitude = power + exponent > 0 ? std::numeric_limits<double>::max() : 0.0;
    return number.front() == '-' ? -magnitude : magnitude;
}

/// Goes through a text from its beginning. Throws a GoJsonFault.
class Cursor {
protected:
    std::string_view text_;
    std::size_t at_ = 0;

    [[noreturn]] static void fail(std::size_t offset, std::string why) { throw GoJsonFault{offset, std::move(why)}; }
    [[noreturn]] void expected(std::string_view what) const {
        fail(at_, "expected " + std::string{what} + ", found " + shown(text_, at_));
    }

public:
    explicit Cursor(std::string_view text) : text_(text) {}

    std::size_t at() const { return at_; }
    bool done() const { return at_ >= text_.size(); }
    /// NUL at the end.
    char peek() const { return done() ? '\0' : text_[at_]; }
    char after_blanks() {
        while (!done() && blank(text_[at_])) ++at_;
        return peek();
    }
    void step() { ++at_; }

    /// Goes past the string that begins here, whatever its escapes are; false if it does not end.
    bool skip_string() {
        for (++at_; !done(); ++at_) {
            if (peek() == '"') return ++at_, true;
            if (peek() == '\\') ++at_;
        }
        return false;
    }

    /// Goes past the value that begins here; false if its brackets or quotes do not match.
    bool skip_value() {
        if (const char c = after_blanks(); c != '{' && c != '[') {
            if (c == '"') return skip_string();
            const auto end = std::min(text_.find_first_of(" \t\r\n,:[]{}\"", at_), text_.size());
            const bool some = end > at_;
            at_ = end;
            return some;
        }
        std::size_t level = 0;
        while (at_ < text_.size()) {
            switch (text_[at_]) {
                case '"':
                    if (!skip_string()) return false;
                    continue;
                case '{':
                case '[': ++level; break;
                case '}':
                case ']':
                    if (--level == 0) return ++at_, true;
                    break;
                default: break;
            }
            ++at_;
        }
        return false;
    }
};

class GoReader : Cursor {
    struct Open {
        bool object;
        berth_str key;
        std::size_t first;    ///< of its members or items in `parts_`
        std::size_t on_path;  ///< how many keys of the path lead here; past its end: it is not on it
    };
    std::span<const std::string_view> leave_out_;
    model::Arena &arena_;
    std::vector<Open> open_;
    std::vector<berth_kv> parts_;  ///< of the collections that are open
    std::string unescaped_;

    /// The text up to what ends it or has to be looked at.
    std::string_view plain_run() {
        const auto begin = at_;
        while (at_ < text_.size() && plain(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    /// Four digits after \u, or nothing.
    std::optional<unsigned> hex4(std::size_t from) const {
        if (from + 4 > text_.size()) return std::nullopt;
        unsigned value = 0;
        const char *begin = text_.data() + from;
        const auto [end, error] = std::from_chars(begin, begin + 4, value, 16);
        if (error != std::errc{} || end != begin + 4) return std::nullopt;
        return value;
    }

    void escape() {
        const auto start = at_++;
        static constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        if (peek() != 'u') {
            const auto i = done() ? letters.npos : letters.find(peek());
            if (i == letters.npos) fail(start, "unknown escape sequence in a string");
            unescaped_ += meanings[i];
            ++at_;
            return;
        }
        const auto code = hex4(at_ + 1);
        if (!code) fail(start, "expected four hexadecimal digits after \\u");
        at_ += 5;
        const bool surrogate = *code >= 0xD800 && *code < 0xE000;
        if (!surrogate) return append_utf8(unescaped_, *code);
        const auto low = text_.substr(std::min(at_, text_.size())).starts_with("\\u") ? hex4(at_ + 2) : std::nullopt;
        if (*code < 0xDC00 && low && *low >= 0xDC00 && *low < 0xE000) {
            at_ += 6;
            return append_utf8(unescaped_, 0x10000 + ((*code - 0xD800) << 10) + (*low - 0xDC00));
        }
        unescaped_ += replacement;  // a half by itself; what follows is read by itself
    }

    /// One character that is not ASCII, or U+FFFD for a byte that begins none.
    void other_bytes() {
        const auto rest = text_.substr(at_, 4);
        const auto bad = find_bad_utf8(rest);
        const auto c = static_cast<unsigned char>(rest.front());
        const std::size_t length = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
        if (bad && *bad == 0) {
            unescaped_ += replacement;
            ++at_;
        } else {
            unescaped_ += rest.substr(0, length);
            at_ += length;
        }
    }

    /// The string that begins here, in the arena.
    std::string_view string() {
        const auto start = at_++;
        const auto run = plain_run();
        if (peek() == '"') return ++at_, arena_.copy(run);
        unescaped_.assign(run);
        while (true) {
            if (done()) fail(start, "the string that begins here does not end");
            const auto c = static_cast<unsigned char>(peek());
            if (c == '"') break;
            if (c == '\\') escape();
            else if (c >= 0x80) other_bytes();
            else if (c < 0x20) fail(at_, "a control character in a string; expected \\u00XX");
            unescaped_ += plain_run();
        }
        ++at_;
        return arena_.copy(unescaped_);
    }

    void digits(std::string_view after) {
        if (!digit(peek())) expected("a digit " + std::string(after));
        while (digit(peek())) ++at_;
    }

    berth_value number() {
        const auto start = at_;
        if (peek() == '-') ++at_;
        if (peek() == '0') ++at_;
        else digits("of a number");
        bool whole = true;
        if (peek() == '.') {
            whole = false;
            ++at_;
            digits("after the decimal point");
        }
        if (peek() == 'e' || peek() == 'E') {
            whole = false;
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            digits("in the exponent");
        }
        const auto text = text_.substr(start, at_ - start);
        std::int64_t n = 0;
        if (whole && std::from_chars(text.data(), text.data() + text.size(), n).ec == std::errc{})
            return model::make_int(n);
        return model::make_double(held_at_bounds(text));
    }

    void word(std::string_view word) {
        if (!text_.substr(at_).starts_with(word)) expected("a value");
        at_ += word.size();
    }

    berth_value scalar() {
        const char c = peek();
        if (c == '"') {
            const auto s = string();
            return {BERTH_VALUE_STRING, 0, {static_cast<std::int64_t>(s.size())}, {s.data()}};
        }
        if (c == '-' || digit(c)) return number();
        if (c == 't') return word("true"), model::make_bool(true);
        if (c == 'f') return word("false"), model::make_bool(false);
        if (c != 'n') expected("a value");
        return word("null"), model::make_null();
    }

    void begin(bool object) {
        if (open_.size() == most_go_levels)
            fail(at_, "nested more than " + std::to_string(most_go_levels) + " levels deep");
        std::size_t on_path = leave_out_.size();
        if (open_.empty()) on_path = 0;
        else if (const auto &in = open_.back(); in.object && in.on_path + 1 < leave_out_.size())
            on_path = model::view(in.key) == leave_out_[in.on_path] ? in.on_path + 1 : leave_out_.size();
        open_.push_back({object, {}, parts_.size(), on_path});
        ++at_;
    }

    /// Past the key and its colon.
    void key() {
        if (after_blanks() != '"') expected("a key in double quotes");
        open_.back().key = model::to_str(string());
        if (after_blanks() != ':') expected("':' after the key");
        ++at_;
    }

    void add(const berth_value &value) {
        const auto &in = open_.back();
        const bool left_out =
            in.object && in.on_path + 1 == leave_out_.size() && model::view(in.key) == leave_out_[in.on_path];
        if (!left_out) parts_.push_back({in.key, value});
    }

    berth_value end() {
        const auto [object, name, first, on_path] = open_.back();
        open_.pop_back();
        ++at_;
        std::size_t n = parts_.size() - first;
        berth_value out{};
        if (object) {
            n = keep_last_of_each_key(parts_.data() + first, n);
            auto *members = arena_.array<berth_kv>(n);
            std::copy_n(parts_.data() + first, n, members);
            out = {BERTH_VALUE_OBJECT, 0, {static_cast<std::int64_t>(n)}, {members}};
        } else {
            auto *items = arena_.array<berth_value>(n);
            for (std::size_t i = 0; i < n; ++i) items[i] = parts_[first + i].value;
            out = {BERTH_VALUE_ARRAY, 0, {static_cast<std::int64_t>(n)}, {items}};
        }
        parts_.resize(first);
        return out;
    }

    /// Whether the collection that is open ends here; if not, its next part comes.
    bool ends(bool begun) {
        const bool object = open_.back().object;
        const char c = after_blanks();
        if (c == (object ? '}' : ']')) return true;
        if (begun) {
            if (c != ',') expected(object ? "',' or '}' after a member" : "',' or ']' after an item");
            ++at_;
        }
        if (object) key();
        return false;
    }

    berth_value value() {
        while (true) {
            const char c = after_blanks();
            if (c == '{' || c == '[') {
                begin(c == '{');
                if (!ends(false)) continue;
            }
            auto out = c == '{' || c == '[' ? end() : scalar();
            while (true) {
                if (open_.empty()) return out;
                add(out);
                if (!ends(true)) break;
                out = end();
            }
        }
    }

public:
    GoReader(std::string_view text, std::span<const std::string_view> leave_out, model::Arena &arena)
        : Cursor(text), leave_out_(leave_out), arena_(arena) {}

    berth_value read() {
        const auto out = value();
        after_blanks();
        if (!done()) expected("nothing after the value");
        return out;
    }
};

/// Goes through the parts of a collection that begins with `first` and ends with `last`.
bool cut(std::string_view text, char first, char last, const Piece &take) {
    Cursor at(text);
    if (at.after_blanks() != first) return false;
    at.step();
    for (bool begun = false;; begun = true) {
        char c = at.after_blanks();
        if (c == last) return at.step(), at.after_blanks(), at.done();
        if (begun) {
            if (c != ',') return false;
            at.step();
            c = at.after_blanks();
        }
        std::string_view key;
        if (first == '{') {
            const auto begin = at.at();
            if (c != '"' || !at.skip_string()) return false;
            key = text.substr(begin, at.at() - begin);
            if (at.after_blanks() != ':') return false;
            at.step();
            at.after_blanks();
        }
        const auto begin = at.at();
        if (!at.skip_value()) return false;
        take(key, text.substr(begin, at.at() - begin));
    }
}

}  // namespace

std::optional<GoJsonFault> read_go_json(std::string_view text, std::span<const std::string_view> leave_out,
                                        model::Arena &arena, berth_value &out) {
    try {
        out = GoReader(text, leave_out, arena).read();
    } catch (GoJsonFault &fault) {
        return std::move(fault);
    }
    return std::nullopt;
}

std::size_t keep_last_of_each_key(berth_kv *members, std::size_t n) {
    if (!repeated_key(members, n)) return n;
    std::set<std::string_view> seen;
    std::size_t kept = n;
    for (std::size_t i = n; i-- > 0;)
        if (seen.insert(model::view(members[i].key)).second) members[--kept] = members[i];
    std::move(members + kept, members + n, members);
    return n - kept;
}

bool cut_object(std::string_view text, const Piece &take) { return cut(text, '{', '}', take); }
bool cut_list(std::string_view text, const Piece &take) { return cut(text, '[', ']', take); }

std::string_view find_member(std::string_view object, std::string_view key) {
    std::string_view found;
    cut_object(object, [&](std::string_view literal, std::string_view text) {
        // A name that is written with escapes is none of those that are looked for: Go's encoder writes them plainly.
        if (literal.size() == key.size() + 2 && literal.substr(1, key.size()) == key) found = text;
    });
    return found;
}

}  // namespace berth::decode
