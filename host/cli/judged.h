// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The exit code of a command whose plugins broke the ABI.

#include "cli/exit_codes.h"
#include "plugin/violations.h"
#include "report/table.h"

namespace berth::cli {

/// `code`, unless that means success and a plugin broke the ABI: that is a failure. To be called when all instances
/// have ended.
inline int judged(int code) {
    const auto found = plugin::violations();
    if (found.count == 0) return code;
    std::cerr << "berth: the plugin checks found " << found.count << (found.count == 1 ? " violation" : " violations")
              << " of the plugin ABI, the first: " << report::printable(found.first) << '\n';
    return code == done ? answer_is_no : code;
}

}  // namespace berth::cli
