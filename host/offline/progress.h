// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The progress line on standard error, only on a terminal.

#include <chrono>
#include <string>

namespace berth::offline {

class Progress {
    bool on_;
    std::size_t width_ = 0;
    std::chrono::steady_clock::time_point next_{};

public:
    Progress();
    ~Progress() { clear(); }
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;
    /// Is it time to show something? At most ten times a second.
    bool due();
    void show(const std::string &text);
    void clear();
};

}  // namespace berth::offline
