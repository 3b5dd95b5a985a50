// SPDX-License-Identifier: Apache-2.0
#include "offline/progress.h"

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace berth::offline {

// The first half second stays quiet: short work needs no progress.
Progress::Progress()
    : on_(::isatty(STDERR_FILENO) == 1), next_(std::chrono::steady_clock::now() + std::chrono::milliseconds(500)) {}

bool Progress::due() {
    if (!on_) return false;
    auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(100);
    return true;
}

void Progress::show(const std::string &text) {
    if (!on_) return;
    auto width = std::max(width_, text.size());
    std::fprintf(stderr, "\r%-*s", static_cast<int>(width), text.c_str());
    width_ = text.size();
}

void Progress::clear() {
    if (!on_ || width_ == 0) return;
    std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
    width_ = 0;
}

}  // namespace berth::offline
