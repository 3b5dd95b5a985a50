// SPDX-License-Identifier: Apache-2.0
#include "decode/source.h"

#include "decode/json_text.h"
#include "decode/source_map.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace berth::decode {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// No value of a Kubernetes object is nearly as long: the API server takes objects up to 1.5 MiB.
constexpr std::size_t longest_value = std::size_t{4} << 20;
constexpr std::size_t most_brackets = std::size_t{1} << 20;

/// The length of `text` without the beginning of a character that its end cuts off.
std::size_t whole_characters(std::string_view text) {
    for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
        auto c = static_cast<unsigned char>(text[text.size() - back]);
        if (c < 0x80) break;
        if (c >= 0xC0) return (c >= 0xF0 ? 4u : c >= 0xE0 ? 3u : 2u) > back ? text.size() - back : text.size();
    }
    return text.size();
}

}  // namespace

Source::Source(std::string_view bytes) : head_(bytes) {
    if (head_.starts_with(byte_order_mark)) head_.remove_prefix(byte_order_mark.size());
}

Source::Source(std::istream &in, const Progress &progress, std::uint64_t total)
    : in_(&in), total_(total), progress_(progress ? &progress : nullptr) {
    while (kept_.size() < head_size && in) {
        std::size_t have = kept_.size();
        kept_.resize(std::min(head_size, have + (std::size_t{256} << 10)));
        in.read(kept_.data() + have, static_cast<std::streamsize>(kept_.size() - have));
        kept_.resize(have + static_cast<std::size_t>(in.gcount()));
    }
    small_ = !in;
    head_ = kept_;
    if (head_.starts_with(byte_order_mark)) head_.remove_prefix(byte_order_mark.size());
}

char Source::first_visible() const {
    auto at = head_.find_first_not_of(" \t\r\n");
    return at == std::string_view::npos ? '\0' : head_[at];
}

std::size_t Source::read(char *to, std::size_t n) {
    std::size_t got = 0;
    if (at_ < head_.size()) {
        got = std::min(n, head_.size() - at_);
        std::memcpy(to, head_.data() + at_, got);
        at_ += got;
    } else if (in_ && *in_ && !small_) {
        if (!kept_.empty()) std::string{}.swap(kept_), head_ = {}, at_ = 0;
        in_->read(to, static_cast<std::streamsize>(n));
        got = static_cast<std::size_t>(in_->gcount());
    }
    given_ += got;
    if (progress_ && (given_ - reported_ >= (1u << 20) || (got == 0 && given_ != reported_))) {
        reported_ = given_;
        (*progress_)(given_, total_);
    }
    return got;
}

YamlBuffer::YamlBuffer(Source &source) : source_(&source), buffer_(std::size_t{64} << 10) {}

bool YamlBuffer::marker_between(int from, int to) {
    while (!markers_.empty() && markers_.front() < from) markers_.pop_front();
    return !markers_.empty() && markers_.front() <= to;
}

YamlBuffer::int_type YamlBuffer::underflow() {
    // The rest of a cut character follows the part that was given out.
    std::size_t given = static_cast<std::size_t>(egptr() - eback());
    std::memmove(buffer_.data(), buffer_.data() + given, carried_);
    std::size_t have = std::exchange(carried_, 0);
    // yaml-cpp's constructor takes 2 KiB, four bytes of which it puts back; it must not come to what is unfit (see
    // read_yaml), so that much, or all that there is, is checked before.
    constexpr std::size_t least = std::size_t{4} << 10, most = std::size_t{16} << 10;
    std::size_t got = 1;
    while (got > 0 && have < least) have += got = source_->read(buffer_.data() + have, most);
    std::size_t whole = got > 0 ? whole_characters({buffer_.data(), have}) : have;
    carried_ = have - whole;
    check({buffer_.data(), whole});
    if (got == 0) whole += append_end(buffer_.data() + whole);
    if (whole == 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + whole);
    return traits_type::to_int_type(*gptr());
}

/// Ends the text with a document's end, because yaml-cpp takes a quoted string that a line's end cuts off for whole.
/// Where the last line has text it notices itself, and a line end more would change a block scalar.
std::size_t YamlBuffer::append_end(char *to) {
    constexpr std::string_view end = "\n...\n";
    if (ended_ || !blank_line_) return 0;
    ended_ = true;
    auto text = column_ == 1 ? end.substr(1) : end;
    std::memcpy(to, text.data(), text.size());
    check(text);
    return text.size();
}

void YamlBuffer::unfit(std::string_view text, std::size_t offset, std::string why) const {
    throw UnfitText{position_at(text, offset, {line_, column_}), std::move(why)};
}

void YamlBuffer::check_utf8(std::string_view text) {
    if (simdjson::validate_utf8(text.data(), text.size())) return;
    auto bad = find_bad_utf8(text).value_or(0);
    bool utf16 =
        line_ == 1 && column_ == 1 && bad == 0 && (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"));
    bool gzip = line_ == 1 && column_ == 1 && text.starts_with("\x1F\x8B");
    unfit(text, gzip ? 0 : bad,
          utf16  ? "the text is UTF-16; save it as UTF-8"
          : gzip ? "the file is compressed with gzip; unpack it first"
                 : "the text is not UTF-8 from here");
}

void YamlBuffer::check(std::string_view text) {
    check_utf8(text);
    int line = line_, column = column_;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto c = static_cast<unsigned char>(text[i]);
        if (c == '\n') {
            ++line;
            column = 1;
            blank_line_ = true;
            line_start_.clear();
            continue;
        }
        if ((c < 0x20 && c != '\t' && c != '\r') || c == 0x7F)
            unfit(text, i, shown(text, i) + " is not allowed in YAML");
        if (column <= 3) {
            line_start_ += static_cast<char>(c);
            if (column == 3 && (line_start_ == "---" || line_start_ == "...")) markers_.push_back(line);
        }
        ++column;
        blank_line_ = blank_line_ && c <= ' ';
        brackets_ += c == '[' || c == '{' || c == ',';
    }
    since_event_ += text.size();
    if (since_event_ > longest_value)
        unfit(text, text.size(), "no value ends in the last 4 MiB; a single value may not be that long");
    if (brackets_ > most_brackets)
        unfit(text, text.size(),
              "more than 1048576 brackets and commas in one flow collection; write it as JSON or in block style");
    line_ = line;
    column_ = column;
}

}  // namespace berth::decode
