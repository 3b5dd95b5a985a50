// SPDX-License-Identifier: Apache-2.0
#include "decode/json_stream.h"

#include "decode/json_text.h"
#include "decode/source_map.h"
#include "model/members.h"

#include <algorithm>
#include <array>

namespace berth::decode {
namespace {

constexpr std::size_t none = std::string::npos;

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The bytes that matter outside strings when the end of a value is looked for.
constexpr auto brackets = [] {
    std::array<signed char, 256> table{};
    table['{'] = table['['] = 1;
    table['}'] = table[']'] = -1;
    table['"'] = 2;
    return table;
}();

/// Whether an API server wrote the object: people do not write these fields by hand.
bool is_dumped(const Document &document) {
    const auto metadata = document.value()["metadata"];
    return !metadata["uid"].string().empty() && !metadata["resourceVersion"].string().empty();
}

}  // namespace

bool JsonStream::fill() {
    if (ended_) return false;
    constexpr std::size_t step = std::size_t{256} << 10;
    std::size_t have = buffer_.size();
    // Grow with the object, so that a large one is not moved for each piece of it.
    buffer_.resize(have + std::max(step, have));
    std::size_t got = source_->read(buffer_.data() + have, buffer_.size() - have);
    buffer_.resize(have + got);
    ended_ = got == 0;
    return !ended_;
}

/// The byte at `offset` of the buffer, or 0 at the end of the text.
char JsonStream::byte(std::size_t offset) {
    while (offset >= buffer_.size())
        if (!fill()) return '\0';
    return buffer_[offset];
}

void JsonStream::advance(std::size_t n) {
    position_ = position_at(std::string_view{buffer_}.substr(at_, n), n, position_);
    at_ += n;
    if (at_ < buffer_.size() / 2 || at_ < 4096) return;
    buffer_.erase(0, at_);
    at_ = 0;
}

std::size_t JsonStream::blanks_from(std::size_t offset) {
    while (blank(byte(offset))) ++offset;
    return offset;
}

void JsonStream::skip_blanks() { advance(blanks_from(at_) - at_); }

/// The offset after the string that begins at `offset`; `none` when the text ends before.
std::size_t JsonStream::string_end(std::size_t offset) {
    for (std::size_t i = offset + 1;; ++i) {
        if (i >= buffer_.size() && byte(i) == '\0' && i >= buffer_.size()) return none;
        if (buffer_[i] == '"') return i + 1;
        if (buffer_[i] == '\\') ++i;
    }
}

/// The offset after the value that begins at `offset`, or, with a `depth`, after the end of that many open brackets.
/// What is between the brackets is looked at later. `none` when the text ends before.
std::size_t JsonStream::value_end(std::size_t offset, std::size_t depth) {
    std::size_t i = offset;
    if (depth == 0) {
        char c = byte(i);
        if (c == '"') return string_end(i);
        if (c != '{' && c != '[') {
            while (byte(i) != '\0' && std::string_view{",]} \t\r\n"}.find(buffer_[i]) == none) ++i;
            return i;
        }
    }
    while (true) {
        for (; i < buffer_.size(); ++i) {
            auto kind = brackets[static_cast<unsigned char>(buffer_[i])];
            if (kind == 0) continue;
            if (kind == 2) {
                i = string_end(i);
                if (i == none) return none;
                --i;
            } else if (kind == 1) {
                ++depth;
            } else if (--depth == 0) {
                return i + 1;
            }
        }
        if (!fill()) return none;
    }
}

/// The same for the value at the next byte; all that is left when the text ends before, so that the parser says how.
std::size_t JsonStream::value_end_or_all(std::size_t depth) {
    auto end = value_end(at_, depth);
    return end == none ? buffer_.size() : end;
}

/// In the object at the next byte, the offset of the bracket that opens its `items`. If it has none, or is no right
/// JSON, `none`; then `end` is where it ends if that is known.
std::size_t JsonStream::find_items(std::size_t &end) {
    end = none;
    std::size_t i = blanks_from(at_ + 1);
    while (byte(i) == '"') {
        auto key_end = string_end(i);
        if (key_end == none) return none;
        bool is_items = std::string_view{buffer_}.substr(i, key_end - i) == "\"items\"";
        i = blanks_from(key_end);
        if (byte(i) != ':') return none;
        i = blanks_from(i + 1);
        if (is_items && byte(i) == '[') return i;
        i = value_end(i, 0);
        if (i == none) return none;
        i = blanks_from(i);
        if (byte(i) == '}') end = i + 1;
        if (byte(i) != ',') return none;
        i = blanks_from(i + 1);
    }
    return none;
}

bool JsonStream::refuse(JsonRefusal refusal) {
    result_.ok = false;
    result_.syntax = refusal.syntax;
    result_.message = std::move(refusal.message);
    return false;
}

bool JsonStream::fail(std::string_view expected) {
    byte(at_ + 3);  // so that a character is whole
    return refuse(
        {where(*file_, position_) + ": expected " + std::string{expected} + ", found " + shown(buffer_, at_), true});
}

bool JsonStream::parse(std::string_view text, Position start, const ItemType &type, Document &out) {
    const JsonParser::Lacking lacking{type.api_version, type.kind};
    auto refusal = parser_.parse(text, *file_, start, lacking, out);
    if (!refusal) return true;
    // Faults of hand-written objects are reported. Objects of an API server are read as a live cluster's.
    Document dumped;
    if (!parser_.parse(text, *file_, start, lacking, dumped, JsonRules::AsGo) && is_dumped(dumped)) {
        out = std::move(dumped);
        return true;
    }
    return refuse(*std::move(refusal));
}

bool JsonStream::hand_over(Document document) {
    ++result_.objects;
    auto taken = (*receive_)(std::move(document));
    return taken ? true : refuse({taken.error().text, false});
}

bool JsonStream::object() {
    std::size_t end = none;
    if (auto open = find_items(end); open != none) return list(open);
    if (end == none) end = value_end_or_all(0);
    Document document;
    if (!parse(std::string_view{buffer_}.substr(at_, end - at_), position_, {}, document)) return false;
    advance(end - at_);
    auto empty = is_empty_list(document);
    if (!empty) return refuse({empty.error().text, false});
    return *empty || hand_over(std::move(document));
}

/// The list at the next byte, whose items begin with the bracket at `open`. The members before the items are read with
/// a number in the items' place, those after it with a bracket in the comma's: so every place in them is right.
bool JsonStream::list(std::size_t open) {
    Document beginning;
    if (!parse(buffer_.substr(at_, open - at_) + "0}", position_, {}, beginning)) return false;
    advance(open - at_);
    auto root = beginning.value();
    return items(item_type(root["apiVersion"].string(), root["kind"].string())) && rest_of_list(beginning);
}

bool JsonStream::items(const ItemType &type) {
    advance(1);
    skip_blanks();
    if (byte(at_) == ']') return advance(1), true;
    while (true) {
        auto end = value_end_or_all(0);
        if (end == at_) return fail("an item");
        Document item;
        if (!parse(std::string_view{buffer_}.substr(at_, end - at_), position_, type, item)) return false;
        advance(end - at_);
        if (!hand_over(std::move(item))) return false;
        skip_blanks();
        char c = byte(at_);
        if (c != ',' && c != ']') return fail("',' or ']' after an item");
        advance(1);
        if (c == ']') return true;
        skip_blanks();
    }
}

bool JsonStream::rest_of_list(const Document &beginning) {
    skip_blanks();
    if (byte(at_) == '}') return advance(1), true;
    if (byte(at_) != ',') return fail("',' or '}' after a member");
    auto end = value_end_or_all(1);
    std::string text = buffer_.substr(at_, end - at_);
    text.front() = '{';
    Document rest;
    if (!parse(text, position_, {}, rest)) return false;
    auto members = rest.value();
    const model::Members before_items(beginning.value());
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto before = before_items[members.key(i)];
        if (!before) continue;
        return refuse({where(*file_, rest.key_position(members.member(i))) + ": the key \"" +
                           std::string{members.key(i)} + "\" is repeated; it stands first at " +
                           where(*file_, beginning.key_position(before)),
                       false});
    }
    if (members.size() == 0) return advance(1), skip_blanks(), fail("a key in double quotes");
    advance(end - at_);
    return true;
}

ReadResult JsonStream::read() {
    while (result_.ok) {
        skip_blanks();
        char c = byte(at_);
        if (at_ >= buffer_.size()) break;
        byte(at_ + 3);
        if (c == '{') {
            object();
        } else if (c == '[') {
            items({});
        } else if (position_.column == 1 && std::string_view{buffer_}.substr(at_).starts_with("---")) {
            advance(3);
        } else {
            fail("another JSON object");
        }
    }
    if ((result_.ok || result_.syntax) && source_->failed()) refuse({*file_ + ": cannot be read to its end", false});
    return std::move(result_);
}

}  // namespace berth::decode
