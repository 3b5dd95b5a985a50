// SPDX-License-Identifier: Apache-2.0
#include "verify/message.h"

#include <array>
#include <sstream>
#include <vector>

namespace berth::verify {
namespace {

constexpr std::string_view ended = "verified";

}  // namespace

std::string text(const Message &message) {
    const auto finding = message.found.value_or(Finding{});
    std::string out = message.found ? "failed" : "passed";
    // Texts of plugins may hold anything, but no zero in reports.
    for (const auto &field : {finding.expected, finding.happened, finding.where, message.trace, message.coverage}) {
        out += '\0';
        for (char c : field)
            if (c != '\0') out += c;
    }
    return out.append(1, '\0').append(ended);
}

std::optional<Message> parse(std::string_view text) {
    std::array<std::string, 7> fields;
    std::size_t at = 0;
    for (auto &field : fields) {
        if (at > text.size()) return std::nullopt;
        auto end = text.find('\0', at);
        if (end == text.npos) end = text.size();
        field = text.substr(at, end - at);
        at = end + 1;
    }
    if (fields[6] != ended) return std::nullopt;
    Message out;
    if (fields[0] == "failed") out.found = Finding{fields[1], fields[2], fields[3]};
    out.trace = fields[4];
    out.coverage = fields[5];
    return out;
}

Found difference(const std::string &first, const std::string &second) {
    if (first == second) return {};
    std::istringstream a(first), b(second);
    for (std::string one, other;;) {
        const bool more = static_cast<bool>(std::getline(a, one)), others = static_cast<bool>(std::getline(b, other));
        if (more && others && one == other) continue;
        return Finding{
            "the same answers in another process a second later: the seed is the same, and so is the cluster",
            "first \"" + (more ? one : "nothing") + "\", then \"" + (others ? other : "nothing") + "\""};
    }
}

}  // namespace berth::verify
