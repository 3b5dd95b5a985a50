// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cache of Filter results for pods with equal signatures (berth.sign/1). Filter plugins that sign a pod are called
/// only about nodes that have changed since an earlier pod with the same signatures.

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
    void begin() {
        opened_ = false;
        forget_visit();
    }
    /// The next batches are of `slots`, from index `start` on. `at_once`: one batch has them all, each without its
    /// nominated pods, and nothing was judged before.
    void begin_visit(const Search &search, std::span<const std::uint32_t> slots, std::uint32_t start, bool at_once);
    void run(const Search &search, Filters filters, FilterCall &call, FilterBatch &batch);
    /// What the batches accepted is not what the search has found.
    void forget_visit() { feasible_version_ = 0; }

    /// The nodes that the batches since begin_visit() accepted, with a version if they have one.
    Feasible found(std::span<const std::uint32_t> accepted) const;
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
                     std::uint64_t order_version);
    bool find_changed(const Search &search, std::uint64_t order_version);
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
    VisitOrder order_;
    bool in_order_ = false;  ///< the batch of this visit is all nodes, in visiting order
    std::uint32_t start_ = 0;
    std::uint64_t feasible_version_ = 0;  ///< of the nodes that the last batch accepted, see Feasible; 0: none
    std::uint64_t last_version_ = 0;
    std::vector<std::uint32_t> changed_;  ///< indices of a batch: nodes rejected or changed since the last one
    std::vector<std::uint32_t> miss_indices_, rejected_;
    FilterBatch misses_;
};

}  // namespace berth::cycle
