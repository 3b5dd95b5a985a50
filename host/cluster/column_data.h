// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rows of one declared column in one table, in the form of berth_column (<berth/view/column.h>).

#include "cluster/dictionary.h"
#include "cluster/heap_bytes.h"

#include <berth/view/column.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace berth::cluster {

/// Rows are patched one at a time. Lists share one pool: a list that has grown moves to the pool's end, and the pool is
/// compacted once more than half of it is abandoned, so a patch costs the length of its list, amortised. Each row holds
/// the codes that it has, valid or not. While arrays are kept (cluster/kept_arrays.h), no list is written over, so the
/// ranges of a former moment still find their lists; the pool is not compacted then. Loop only.
class ColumnData {
    std::uint32_t type_, rows_ = 0;
    Codes *dictionary_;
    KeptArrays &kept_;
    std::vector<std::uint32_t> codes_;         // of CODE, one per row; of CODES, the pool
    std::vector<std::int64_t> ints_;           // of INT64
    std::vector<const berth_value *> values_;  // of VALUE
    std::vector<berth_range> ranges_;          // of CODES
    std::vector<std::uint64_t> validity_;
    std::vector<std::uint64_t> has_code_;       // of CODE, bits as in validity_: the row holds its code
    std::size_t abandoned_ = 0;                 // places of the pool that no list holds
    std::vector<berth_range *> former_ranges_;  // kept arrays, if releases_ is the present number
    std::uint64_t releases_ = 0;

    void compact();
    std::vector<berth_range *> &former_ranges();
    void extend_pool(std::size_t places);
    void hold(std::span<const std::uint32_t> codes);
    void release(std::span<const std::uint32_t> codes);
    void release_code(std::uint32_t row);
    void release_all();

public:
    /// `type` is one of BERTH_COLUMN_…. `dictionary` and `kept` outlive it; no dictionary for a column without codes.
    ColumnData(std::uint32_t type, Codes *dictionary, KeptArrays &kept)
        : type_(type), dictionary_(dictionary), kept_(kept) {}
    ~ColumnData() { release_all(); }
    ColumnData(const ColumnData &) = delete;
    ColumnData &operator=(const ColumnData &) = delete;

    /// Appends invalid, empty rows up to `rows`; never shrinks.
    void grow(std::uint32_t rows);
    /// Forgets everything: `rows` invalid, empty rows. Keeps its memory.
    void reset(std::uint32_t rows);

    void set_valid(std::uint32_t row, bool valid);
    /// Zero, an empty list or no value; invalid.
    void clear(std::uint32_t row);
    // These make the row valid.
    void set_code(std::uint32_t row, std::uint32_t code);
    void set_int(std::uint32_t row, std::int64_t n);
    void set_value(std::uint32_t row, const berth_value *value);
    void set_list(std::uint32_t row,
                  std::span<const std::uint32_t> codes);  ///< `codes` must not be a list of this column
    // These leave the validity as it is.
    void add_int(std::uint32_t row, std::int64_t n);  ///< wraps around, so that subtracting undoes it exactly
    void put_list(std::uint32_t row, std::span<const std::uint32_t> codes);

    std::span<const std::uint32_t> list(std::uint32_t row) const;

    /// A row's list, so that it can be put back.
    struct Mark {
        std::uint32_t row;
        berth_range range;
        std::size_t places, abandoned, former;
    };
    // Arrays are kept from mark() to restore(), and in between only this row's list changes. Afterwards all arrays that
    // came in between have the row's list again as it was.
    Mark mark(std::uint32_t row);
    void restore(const Mark &mark);

    std::size_t bytes() const;

    /// Fills in everything but the dictionary.
    void describe(berth_column &out) const;
};

}  // namespace berth::cluster
