// SPDX-License-Identifier: Apache-2.0
#include "cluster/column_data.h"

#include <algorithm>

namespace berth::cluster {

void ColumnData::grow(std::uint32_t rows) {
    if (rows <= rows_) return;
    rows_ = rows;
    validity_.resize((rows + 63) / 64);
    switch (type_) {
        case BERTH_COLUMN_TYPE_CODE:
            codes_.resize(rows);
            has_code_.resize(validity_.size());
            break;
        case BERTH_COLUMN_TYPE_INT64: ints_.resize(rows); break;
        case BERTH_COLUMN_TYPE_CODES: ranges_.resize(rows); break;
        default: values_.resize(rows); break;
    }
}

void ColumnData::hold(std::span<const std::uint32_t> codes) {
    if (dictionary_)
        for (auto code : codes) dictionary_->hold(code);
}

void ColumnData::release(std::span<const std::uint32_t> codes) {
    if (dictionary_)
        for (auto code : codes) dictionary_->release(code);
}

/// Of a CODE column.
void ColumnData::release_code(std::uint32_t row) {
    auto bit = std::uint64_t{1} << (row % 64);
    auto &word = has_code_[row / 64];
    if ((word & bit) != 0) release({&codes_[row], 1});
    word &= ~bit;
}

void ColumnData::release_all() {
    for (std::uint32_t row = 0; row < rows_; ++row) {
        if (type_ == BERTH_COLUMN_TYPE_CODE) release_code(row);
        else if (type_ == BERTH_COLUMN_TYPE_CODES) release(list(row));
    }
}

void ColumnData::reset(std::uint32_t rows) {
    release_all();
    codes_.clear();
    ints_.clear();
    values_.clear();
    ranges_.clear();
    validity_.clear();
    has_code_.clear();
    abandoned_ = 0;
    rows_ = 0;
    grow(rows);
}

void ColumnData::set_valid(std::uint32_t row, bool valid) {
    auto bit = std::uint64_t{1} << (row % 64);
    auto &word = validity_[row / 64];
    word = valid ? word | bit : word & ~bit;
}

void ColumnData::clear(std::uint32_t row) {
    switch (type_) {
        case BERTH_COLUMN_TYPE_CODE:
            release_code(row);
            codes_[row] = 0;
            break;
        case BERTH_COLUMN_TYPE_INT64: ints_[row] = 0; break;
        case BERTH_COLUMN_TYPE_CODES: put_list(row, {}); break;
        default: values_[row] = nullptr; break;
    }
    set_valid(row, false);
}

void ColumnData::set_code(std::uint32_t row, std::uint32_t code) {
    hold({&code, 1});
    release_code(row);
    codes_[row] = code;
    has_code_[row / 64] |= std::uint64_t{1} << (row % 64);
    set_valid(row, true);
}

void ColumnData::set_int(std::uint32_t row, std::int64_t n) {
    ints_[row] = n;
    set_valid(row, true);
}

void ColumnData::set_value(std::uint32_t row, const berth_value *value) {
    values_[row] = value;
    set_valid(row, true);
}

void ColumnData::set_list(std::uint32_t row, std::span<const std::uint32_t> codes) {
    put_list(row, codes);
    set_valid(row, true);
}

void ColumnData::add_int(std::uint32_t row, std::int64_t n) {
    ints_[row] = static_cast<std::int64_t>(static_cast<std::uint64_t>(ints_[row]) + static_cast<std::uint64_t>(n));
}

void ColumnData::put_list(std::uint32_t row, std::span<const std::uint32_t> codes) {
    hold(codes);
    release(list(row));
    auto &range = ranges_[row];
    auto n = static_cast<std::uint32_t>(codes.size());
    if (n <= range.end - range.begin) {
        abandoned_ += range.end - range.begin - n;
    } else {
        abandoned_ += range.end - range.begin;
        range.begin = static_cast<std::uint32_t>(codes_.size());
        codes_.resize(codes_.size() + n);
    }
    range.end = range.begin + n;
    std::copy(codes.begin(), codes.end(), codes_.begin() + range.begin);
    if (abandoned_ > 1024 && abandoned_ * 2 > codes_.size()) compact();
}

void ColumnData::compact() {
    std::vector<std::uint32_t> pool;
    pool.reserve(codes_.size() - abandoned_);
    for (auto &range : ranges_) {
        auto begin = static_cast<std::uint32_t>(pool.size());
        pool.insert(pool.end(), codes_.begin() + range.begin, codes_.begin() + range.end);
        range = {begin, static_cast<std::uint32_t>(pool.size())};
    }
    codes_ = std::move(pool);
    abandoned_ = 0;
}

std::span<const std::uint32_t> ColumnData::list(std::uint32_t row) const {
    return {codes_.data() + ranges_[row].begin, codes_.data() + ranges_[row].end};
}

void ColumnData::describe(berth_column &out) const {
    out.type = type_;
    out.rows = rows_;
    out.validity = validity_.data();
    out.offsets = type_ == BERTH_COLUMN_TYPE_CODES ? ranges_.data() : nullptr;
    switch (type_) {
        case BERTH_COLUMN_TYPE_INT64: out.data = ints_.data(); break;
        case BERTH_COLUMN_TYPE_VALUE: out.data = values_.data(); break;
        default: out.data = codes_.data(); break;
    }
}

std::size_t ColumnData::bytes() const {
    return sizeof(ColumnData) + heap_bytes(codes_, ints_, values_, ranges_, validity_, has_code_);
}

}  // namespace berth::cluster
