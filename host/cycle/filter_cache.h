// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Cached verdicts: Filter plugins that sign a pod (berth.sign/1) are called only about nodes that have changed since
/// an earlier pod with the same signatures.

#include "cycle/filter_batch.h"
#include "cycle/result_cache.h"
#include "cycle/signatures.h"
#include "cycle/visit_order.h"

namespace berth::cycle {

/// Runs batches in the place of FilterBatch::run, with the same verdicts. Reusable. Loop only.
class FilterCache {
public:
    using Filters = std::span<const plugin::Instance *const>;

    /// Another search begins.
    void begin() { opened_ = false; }
    /// `order_version`: of `order`, if the batch is all of it; else 0.
    void run(const Search &search, Filters filters, FilterCall &call, FilterBatch &batch, const VisitOrder &order,
             std::uint64_t order_version);

    /// Of the nodes that the last batch accepted, see Feasible; 0: none.
    std::uint64_t feasible_version() const { return feasible_version_; }
    /// With a feasible_version(): the nodes that it rejected, by index, ascending.
    std::span<const std::uint32_t> rejected() const { return results_->rejected; }
    Signatures &signatures() { return signatures_; }

private:
    /// What the plugins that sign a pod say of a slot together.
    struct Cached {
        std::int32_t code = BERTH_STATUS_SUCCESS;
        std::uint32_t reasons = 0;  ///< in reason_lists
        std::uint32_t position = Verdict::no_position;
    };
    struct Results {
        ValidSlots slots;
        std::vector<Cached> verdicts;  ///< by slot
        std::vector<std::vector<std::string>> reason_lists;
        // After a batch of all nodes, with a valid verdict for each.
        std::uint64_t order_version = 0, snapshot_id = 0;  ///< 0: there was none
        std::uint64_t feasible_version = 0;
        std::vector<std::uint32_t> rejected;  ///< by index, ascending
        void clear();
    };

    bool open(const Search &search, Filters filters);
    void run_signing(const Search &search, Filters filters, FilterCall &call, FilterBatch &batch,
                     const VisitOrder &order, std::uint64_t order_version);
    bool find_changed(const Search &search, const VisitOrder &order, std::uint64_t order_version);
    void look_up(const Search &search, Filters filters, FilterBatch &batch, std::uint32_t index);
    void store(const Search &search, Filters filters, std::uint32_t slot, const Verdict &verdict);
    void end_of_order(const Search &search, const FilterBatch &batch, std::uint64_t order_version, bool all);
    std::uint32_t reasons_here(const Search &search, std::uint32_t list);
    std::uint32_t list_of(const std::vector<std::string> &reasons);
    void compare(const Search &search, Filters filters, std::uint32_t slot, const Cached &now) const;

    Signatures signatures_;
    ResultCache<Results> cache_;
    Results *results_ = nullptr;  ///< of this search; null: no plugin signs its pod
    std::string key_;
    std::vector<char> signs_;                  ///< by position
    std::vector<std::uint32_t> reasons_here_;  ///< by list: its id in this search; BERTH_NO_REASONS: not interned yet
    bool opened_ = false;
    std::uint64_t feasible_version_ = 0, last_version_ = 0;
    std::vector<std::uint32_t> changed_;  ///< indices of a batch: nodes rejected or changed since the last one
    std::vector<std::uint32_t> miss_indices_, rejected_;
    FilterBatch misses_;
};

}  // namespace berth::cycle
