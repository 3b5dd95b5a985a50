// SPDX-License-Identifier: Apache-2.0
#include "cycle/filter_batch.h"

#include "plugin/meter.h"

namespace berth::cycle {

void FilterCall::operator()(const Search &search, const plugin::Instance &instance,
                            std::span<const std::uint32_t> slots, std::int32_t *codes, std::uint32_t *reasons) {
    model::Status thrown = plugin::counted(instance, point, slots.size(), [&] {
        instance.filter->filter(instance.self, search.call.call(), search.state.handle(), &search.pod, &search.nodes,
                                slots.data(), slots.size(), codes, reasons);
    });
    search.call.free_scratch();
    if (thrown.success()) return;
    std::fill_n(codes, slots.size(), code_thrown);
    thrown_ = failure_text(thrown);
}

/// The slots that no plugin before that position has rejected; unless these are all, their indices are in
/// left_indices_.
std::span<const std::uint32_t> FilterBatch::still_accepted(std::uint32_t position) {
    if (verdicts_.empty()) return slots_;
    left_.clear();
    left_indices_.clear();
    for (std::uint32_t i = 0; i < slots_.size(); ++i) {
        if (verdicts_[i].with_nominated || verdicts_[i].position <= position) continue;
        left_.push_back(slots_[i]);
        left_indices_.push_back(i);
    }
    return left_;
}

/// Takes the results of a call with `n` slots; whether one is no success.
bool FilterBatch::take(std::size_t n, const plugin::Instance &instance, std::uint32_t position) {
    if (std::ranges::all_of(codes_, [](auto code) { return code == BERTH_STATUS_SUCCESS; })) return false;
    const bool all = verdicts_.empty();
    verdicts_.resize(slots_.size());
    for (std::size_t i = 0; i < n; ++i)
        if (codes_[i] != BERTH_STATUS_SUCCESS)
            verdicts_[all ? i : left_indices_[i]] = {codes_[i], reasons_[i], &instance, position};
    return true;
}

}  // namespace berth::cycle
