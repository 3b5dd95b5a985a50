// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Filter plugins on one batch of nodes. The first plugin that rejects a node ends its evaluation.

#include "cycle/search.h"
#include "model/status.h"
#include "plugin/called_point.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace berth::cycle {

/// What the plugins say of one node together.
struct Verdict {
    static constexpr std::uint32_t no_position = UINT32_MAX;
    std::int32_t code = BERTH_STATUS_SUCCESS;
    std::uint32_t reasons = BERTH_NO_REASONS;
    const plugin::Instance *plugin = nullptr;  ///< the one that rejects the node
    std::uint32_t position = no_position;      ///< of `plugin` among the filters
    bool with_nominated = false;               ///< with the nominated pods on it that come first

    bool success() const { return code == BERTH_STATUS_SUCCESS; }
    bool rejected() const { return model::is_rejection(code); }
};

/// Calls a plugin's Filter. Loop only.
class FilterCall {
    std::string thrown_;

public:
    static constexpr plugin::CalledPoint point = plugin::CalledPoint::Filter;
    static constexpr std::int32_t code_thrown = INT32_MIN;  ///< of every node if the plugin throws

    void operator()(const Search &search, const plugin::Instance &instance, std::span<const std::uint32_t> slots,
                    std::int32_t *codes, std::uint32_t *reasons);
    /// By the last plugin that threw.
    const std::string &thrown() const { return thrown_; }
};

/// Reusable; keeps its memory. Loop only.
class FilterBatch {
    std::vector<std::uint32_t> slots_;
    std::vector<Verdict> verdicts_;  ///< by index in slots_; empty: every node is accepted
    // Of one call: the slots that no earlier plugin has rejected, their indices, and the plugin's results.
    std::vector<std::uint32_t> left_, left_indices_, reasons_;
    std::vector<std::int32_t> codes_;

public:
    /// Begins a batch without slots.
    void begin() {
        slots_.clear();
        verdicts_.clear();
    }
    void add(std::uint32_t slot) { slots_.push_back(slot); }
    void add(std::span<const std::uint32_t> slots) { slots_.insert(slots_.end(), slots.begin(), slots.end()); }
    std::span<const std::uint32_t> slots() const { return slots_; }
    bool all_accepted() const { return verdicts_.empty(); }
    Verdict operator[](std::size_t i) const { return verdicts_.empty() ? Verdict{} : verdicts_[i]; }
    /// Of the nodes; empty: every node is accepted.
    std::span<const Verdict> verdicts() const { return verdicts_; }
    void set(std::size_t i, const Verdict &verdict) {
        verdicts_.resize(slots_.size());
        verdicts_[i] = verdict;
    }

    /// Runs the filters at the positions that `chosen` accepts, in order. Whether one of them rejected a node.
    template <class Chosen>
    bool run(const Search &search, std::span<const plugin::Instance *const> filters, FilterCall &call, Chosen chosen) {
        bool rejected = false;
        for (std::uint32_t position = 0; position < filters.size(); ++position) {
            if (!chosen(position)) continue;
            const auto left = still_accepted(position);
            if (left.empty()) break;
            codes_.assign(left.size(), BERTH_STATUS_NOT_EVALUATED);
            reasons_.assign(left.size(), BERTH_NO_REASONS);
            call(search, *filters[position], left, codes_.data(), reasons_.data());
            rejected |= take(left.size(), *filters[position], position);
        }
        return rejected;
    }

private:
    std::span<const std::uint32_t> still_accepted(std::uint32_t position);
    bool take(std::size_t n, const plugin::Instance &instance, std::uint32_t position);
};

}  // namespace berth::cycle
