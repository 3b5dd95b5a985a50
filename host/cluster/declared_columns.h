// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The declared columns that one table carries.

#include "cluster/schema.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace berth::cluster {

/// A column is filled when it is declared to the table, or, in a table that is written anew for every event, when it is
/// first requested. Only filled ones are patched.
class DeclaredColumns {
public:
    struct Column {
        Declaration *is;
        ColumnData data;
        bool filled = false;

        Column(Declaration *of, KeptArrays &kept) : is(of), data(of->type, of->codes, kept) {}
    };

private:
    KeptArrays &kept_;
    std::vector<std::unique_ptr<Column>> by_place_;  // of the declaration
    std::vector<Column *> filled_, summed_;          // those that are filled; of them those that sum pods

public:
    explicit DeclaredColumns(KeptArrays &kept) : kept_(kept) {}
    template <class F>
    void each_filled(F f) {
        for (auto *column : filled_) f(*column);
    }
    template <class F>
    void each_sum(F f) {
        for (auto *column : summed_) f(*column);
    }
    void grow(std::uint32_t rows) {
        each_filled([&](Column &column) { column.data.grow(rows); });
    }
    std::size_t bytes() const {
        std::size_t out = 0;
        for (const auto &column : by_place_)
            if (column) out += column->data.bytes();
        return out;
    }
    /// All are to be filled anew.
    void forget() {
        for (auto *column : filled_) {
            column->filled = false;
            column->data.reset(0);
        }
        filled_.clear();
        summed_.clear();
    }
    /// The declaration ends. The current attempt has not requested it, so no view of this attempt shows the column.
    void forget(const Declaration &declaration) {
        if (declaration.place() >= by_place_.size()) return;
        auto &column = by_place_[declaration.place()];
        std::erase(filled_, column.get());
        std::erase(summed_, column.get());
        column.reset();
    }
    /// The table's column of that declaration, filled by `fill(column)` if it is not yet.
    template <class F>
    Column &filled(Declaration &declaration, std::uint32_t rows, F fill) {
        if (declaration.place() >= by_place_.size()) by_place_.resize(declaration.place() + 1);
        auto &column = by_place_[declaration.place()];
        if (!column) column = std::make_unique<Column>(&declaration, kept_);
        if (!column->filled) {
            column->data.reset(rows);
            fill(*column);
            column->filled = true;
            filled_.push_back(column.get());
            if (declaration.sums_pods()) summed_.push_back(column.get());
        }
        return *column;
    }
};

/// Hands a column to a caller whose struct may be shorter than ours.
inline void hand_out(const Schema &schema, const DeclaredColumns::Column &column, berth_column *out) {
    berth_column mine{};
    column.data.describe(mine);
    schema.dictionary(*column.is, mine);
    mine.flags = column.is->absent ? BERTH_FLAG_COLUMN_ABSENT : 0;
    auto size = std::min<std::size_t>(out->struct_size, sizeof mine);
    mine.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(out, &mine, size);
}

}  // namespace berth::cluster
