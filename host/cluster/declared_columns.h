// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The declared columns that one table carries.

#include "cluster/schema.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace berth::cluster {

/// A column is filled when it is declared to the table, or, in a table that is written anew for every event, when it is
/// first asked for. Only filled ones are patched.
class DeclaredColumns {
public:
    struct Column {
        Declaration *is;
        ColumnData data;
        bool filled = false;

        explicit Column(Declaration *of) : is(of), data(of->type, of->codes) {}
    };

private:
    std::deque<Column> columns_;

public:
    template <class F>
    void each_filled(F f) {
        for (auto &column : columns_)
            if (column.filled) f(column);
    }
    void grow(std::uint32_t rows) {
        each_filled([&](Column &column) { column.data.grow(rows); });
    }
    void forget() {
        for (auto &column : columns_) {
            column.filled = false;
            column.data.reset(0);
        }
    }
    /// The table's column of that declaration, filled by `fill(column)` if it is not yet.
    template <class F>
    Column &filled(Declaration &declaration, std::uint32_t rows, F fill) {
        auto at = std::find_if(columns_.begin(), columns_.end(), [&](const Column &c) { return c.is == &declaration; });
        if (at == columns_.end()) {
            columns_.emplace_back(&declaration);
            at = std::prev(columns_.end());
        }
        if (!at->filled) {
            at->data.reset(rows);
            fill(*at);
            at->filled = true;
        }
        return *at;
    }
};

/// Hands a column to a caller whose struct may be shorter than ours.
inline void hand_out(const Schema &schema, const DeclaredColumns::Column &column, berth_column *out) {
    berth_column mine{};
    column.data.describe(mine);
    schema.dictionary(*column.is, mine);
    auto size = std::min<std::size_t>(out->struct_size, sizeof mine);
    mine.struct_size = static_cast<std::uint32_t>(size);
    std::memcpy(out, &mine, size);
}

}  // namespace berth::cluster
