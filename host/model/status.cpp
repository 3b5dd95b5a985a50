// SPDX-License-Identifier: Apache-2.0
#include "model/status.h"

#include <array>

namespace berth::model {

std::string Status::message() const {
    std::string text = error;
    for (const auto &reason : reasons) {
        if (!text.empty()) text += ", ";
        text += reason;
    }
    return text;
}

std::string code_name(std::int32_t code) {
    static constexpr std::array<std::string_view, 7> names{
        "Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending"};
    if (code >= 0 && static_cast<std::size_t>(code) < names.size())
        return std::string(names[static_cast<std::size_t>(code)]);
    return "Code(" + std::to_string(code) + ")";
}

}  // namespace berth::model
