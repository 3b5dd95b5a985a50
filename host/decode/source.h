// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Buffered input bytes of a reader, checked for UTF-8; private to decode.

#include "decode/document.h"
#include "decode/stream.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <istream>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

namespace berth::decode {

/// A stream whose beginning (the first 4 MiB) may be looked at and read again. A byte order mark is not part of it.
class Source {
    std::istream *in_ = nullptr;
    std::string kept_;       ///< the beginning, when it was read from a stream
    std::string_view head_;  ///< the beginning
    std::size_t at_ = 0;     ///< how much of the beginning was given out
    bool small_ = true;
    std::uint64_t given_ = 0, reported_ = 0, total_ = 0;
    const Progress *progress_ = nullptr;

public:
    static constexpr std::size_t head_size = std::size_t{4} << 20;

    explicit Source(std::string_view bytes);
    Source(std::istream &in, const Progress &progress, std::uint64_t total);

    /// The first byte that is no blank; 0 when there is none in the beginning.
    char first_visible() const;
    bool small() const { return small_; }  ///< the beginning is all there is
    void rewind() { at_ = 0; }             ///< only while no more than the beginning was read

    /// Puts up to `n` bytes at `to`; 0 at the end.
    std::size_t read(char *to, std::size_t n);
    bool failed() const { return in_ && in_->bad(); }
};

/// Why yaml-cpp may not be given the bytes.
struct UnfitText {
    Position position;
    std::string text;
};

/// A Source as yaml-cpp reads it, without what yaml-cpp does not survive: bytes that are not UTF-8 (it guesses other
/// encodings), control characters (it takes 0x04 for the end of the file and drops the rest in silence), and text in
/// which no value ends for megabytes (it would keep a token for each character). Throws UnfitText.
class YamlBuffer : public std::streambuf {
    Source *source_;
    std::vector<char> buffer_;
    std::size_t carried_ = 0;    ///< bytes of a cut character, kept at the buffer's beginning for the next round
    int line_ = 1, column_ = 1;  ///< of the next byte to be checked
    std::size_t since_event_ = 0, brackets_ = 0;
    std::deque<int> markers_;  ///< lines that begin with `---` or `...`
    std::string line_start_;   ///< up to three bytes that the current line begins with
    bool blank_line_ = true;   ///< the current line has no text yet
    bool ended_ = false;

public:
    explicit YamlBuffer(Source &source);

    /// To be called at every event: a value has ended.
    void event() { since_event_ = brackets_ = 0; }
    /// Whether a line in [from, to] begins with `---` or `...`. Forgets those before `from`.
    bool marker_between(int from, int to);

protected:
    int_type underflow() override;

private:
    void check(std::string_view text);
    std::size_t append_end(char *to);
    void check_utf8(std::string_view text);
    [[noreturn]] void unfit(std::string_view text, std::size_t offset, std::string why) const;
};

}  // namespace berth::decode
