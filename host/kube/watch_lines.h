// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Cuts a watch into its events, of which there is one on each line.

#include <string>
#include <string_view>

namespace berth::kube {

class WatchLines {
    std::string rest_;  ///< the beginning of a line whose end has not come yet

public:
    /// Calls `line` for every line that `bytes` completes; blank ones are left out.
    template <class Line>
    void take(std::string_view bytes, Line line) {
        for (;;) {
            auto end = bytes.find('\n');
            if (end == bytes.npos) break;
            std::string_view one = bytes.substr(0, end);
            if (!rest_.empty()) one = rest_.append(one);
            if (one.find_first_not_of(" \r\t") != one.npos) line(one);
            rest_.clear();
            bytes.remove_prefix(end + 1);
        }
        rest_.append(bytes);
    }
};

}  // namespace berth::kube
