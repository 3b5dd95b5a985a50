// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The message from a test's process to the process that started it.

#include "verify/test.h"

#include <optional>
#include <string>
#include <string_view>

namespace berth::verify {

struct Message {
    Found found{};
    std::string trace{};
    std::string coverage{};  ///< Coverage::text()
};

std::string text(const Message &message);
/// Nothing if the text does not end as one.
std::optional<Message> parse(std::string_view text);

/// Where two traces, of one test and one seed, go apart.
Found difference(const std::string &first, const std::string &second);

/// What standard error says, before a crash on purpose, of a test that takes too long; the limit follows.
inline constexpr std::string_view still_running = "berth: still running after ";

}  // namespace berth::verify
