// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A plugin's status: code, reasons, error text and plugin (upstream: fwk.Status).

#include <berth/status.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// "No, not here" or "not now", as opposed to a failure.
constexpr bool is_rejection(std::int32_t code) {
    return code == BERTH_STATUS_UNSCHEDULABLE || code == BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE ||
           code == BERTH_STATUS_PENDING;
}

/// An answer: a code of <berth/status.h>, the text of an error, the reasons of a rejection, and its plugin.
struct Status {
    std::int32_t code = BERTH_STATUS_SUCCESS;
    std::string error;
    std::vector<std::string> reasons;
    std::string plugin;

    bool success() const { return code == BERTH_STATUS_SUCCESS; }
    bool rejected() const { return is_rejection(code); }
    /// The error's text first, then the reasons, joined by ", " (spec 2.2).
    std::string message() const;
};

/// The framework's name of a code, as in "UnschedulableAndUnresolvable"; "Code(99)" for one that has none.
std::string code_name(std::int32_t code);

}  // namespace berth::model
