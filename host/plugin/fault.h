// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The wording of messages about plugin libraries. What comes from a library is shown, never trusted: it may hold
/// anything.

#include "model/result.h"

#include <berth/text.h>
#include <berth/detail/characters.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin {

/// In double quotes; control characters as \xNN, cut after 200 bytes.
std::string in_quotes(std::string_view text);

/// `"a", "b" and "c"`, or "nothing"; of more than `most`, `"a", "b" and 7 more`.
std::string listed(const std::vector<std::string> &names, std::size_t most = SIZE_MAX);

/// A mangled name of C++ as it stands in a source; any other as it is.
std::string demangled(const std::string &name);

/// A text that a plugin gave; empty if it claims bytes without pointing to any.
inline std::string_view text_of(const berth_str &s) { return detail::text_or_none(s); }

/// The error `file: text`.
model::Error fault(std::string_view file, std::string_view text);

}  // namespace berth::plugin
