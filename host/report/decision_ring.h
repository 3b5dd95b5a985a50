// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The last decisions of a running scheduler, for queries.

#include "model/decision.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>
#include <vector>

namespace berth::report {

/// Holds the summaries of so many decisions, each of a bounded size: when one more comes, the oldest goes. Loop only;
/// what it hands out is for any thread.
class DecisionRing {
    std::size_t most_;
    std::deque<std::shared_ptr<const model::Decision>> ring_;
    std::size_t bytes_ = 0;

public:
    using Entries = std::vector<std::shared_ptr<const model::Decision>>;
    static constexpr std::size_t usual = 1000, longest_text = 4096, most_rejections = 32, most_victims = 10;

    explicit DecisionRing(std::size_t most = usual) : most_(most) {}
    /// Keeps all but the tables. Texts are cut; of the rejections the most frequent are kept, and of the victims the
    /// first.
    void add(const model::Decision &decision);
    /// The newest first, at most so many.
    Entries newest(std::size_t most) const;
    std::size_t bytes() const { return bytes_; }  ///< that it takes of the heap, about
    Entries newest(std::size_t most, std::string_view name_space, std::string_view name) const;
};

}  // namespace berth::report
