// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Text without escape sequences, for a terminal. Any user who may create a pod, write a file or hand over a recording
/// chooses names and messages; an escape sequence in one could rewrite the text on the screen, or worse.

#include <string>
#include <string_view>

namespace berth::report {

/// Text that comes in parts. Control characters, those beyond ASCII and those that turn the direction of writing
/// included, become \u001b, as JSON writes them: JSON stays the same JSON. Newlines and tabs stay. What is no UTF-8
/// becomes
/// \xNN.
class TerminalText {
    std::string begun_;  ///< a character of which more bytes are to come

    void take(unsigned char byte, std::string &out);
    void end_character(std::string &out);

public:
    /// Appends what is shown of `text`, but for a character that it ends within.
    void add(std::string_view text, std::string &out);
    /// Nothing more comes: appends what is left.
    void end(std::string &out);
};

/// The same of a whole text.
std::string terminal_text(std::string_view text);

}  // namespace berth::report
