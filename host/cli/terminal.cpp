// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include "report/terminal_text.h"

#include <iostream>
#include <ostream>
#include <streambuf>
#include <string>

namespace berth::cli {
namespace {

/// Writes to another buffer what a terminal may see.
class Guard final : public std::streambuf {
    std::streambuf *to_;
    report::TerminalText text_;
    std::string shown_;

    bool pass_on() {
        const auto size = static_cast<std::streamsize>(shown_.size());
        const bool good = to_->sputn(shown_.data(), size) == size;
        shown_.clear();
        return good;
    }

protected:
    int_type overflow(int_type c) override {
        if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
        const char one = traits_type::to_char_type(c);
        return xsputn(&one, 1) == 1 ? c : traits_type::eof();
    }
    std::streamsize xsputn(const char *from, std::streamsize size) override {
        text_.add({from, static_cast<std::size_t>(size)}, shown_);
        return pass_on() ? size : 0;
    }
    int sync() override { return to_->pubsync(); }

public:
    explicit Guard(std::streambuf *to) : to_(to) {}
};

}  // namespace

void guard_terminal() {
    // They live as long as the streams, which is longer than anything else.
    static auto *output = new Guard(std::cout.rdbuf()), *errors = new Guard(std::cerr.rdbuf());
    std::cout.rdbuf(output);
    std::cerr.rdbuf(errors);
}

}  // namespace berth::cli
