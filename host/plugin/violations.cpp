// SPDX-License-Identifier: Apache-2.0
#include "plugin/violations.h"

#include <mutex>

namespace berth::plugin {
namespace {

/// Of the process.
struct Found {
    std::mutex mutex;
    Violations violations;
};
Found &found() {
    static auto *the = new Found;  // Instances may end at the very end.
    return *the;
}

}  // namespace

Violations violations() {
    const std::scoped_lock lock(found().mutex);
    return found().violations;
}

void count_violation(std::string_view sentence) {
    constexpr std::size_t longest = 4096;
    const std::scoped_lock lock(found().mutex);
    auto &all = found().violations;
    if (all.count++ == 0) all.first = sentence.substr(0, longest);
}

}  // namespace berth::plugin
