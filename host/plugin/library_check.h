// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The check of a loaded library's tables and functions against the ABI. The first fault becomes one message.

#include "plugin/library.h"

#include <array>
#include <string>
#include <vector>

namespace berth::plugin {

/// What libraries exported before the candidate of ABI 1.0, and what is said of one that still does.
inline constexpr std::array old_entries{"berth_entry_v1", "berth_entry_abi1", "berth_library_abi1"};
std::string old_entry_text(const std::string &symbol);

/// Checks everything that `table` leads to and fills `library.plugins` and `library.warnings`. Calls the plugins'
/// get_interface. `library.file` is the name for messages; `note` is the library's, or nullptr.
model::Result<void> check_library(const berth_library *table, const Note *note, Library &library);

/// Whether this host can read a struct of a plugin's: it is no shorter than `least`, its size in minor 0, and sets no
/// flag that a host must understand.
model::Result<void> check_struct(const std::string &who, std::string_view type, std::uint32_t size, std::uint32_t least,
                                 std::uint32_t flags);

/// The message for a library that needs a later ABI minor than this host has; success if it does not.
model::Result<void> check_minor(const std::string &file, std::uint32_t required_minor);

/// A sentence for each draft that the library's code uses and this host does not have.
std::vector<std::string> missing_drafts(const std::string &file, const std::vector<std::string> &used);

}  // namespace berth::plugin
