// SPDX-License-Identifier: Apache-2.0
#include "cluster/column_data.h"

#include <algorithm>

namespace berth::cluster {

void ColumnData::grow(std::uint32_t rows) {
    if (rows <= rows_) return;
    rows_ = rows;
    auto resize = [this](auto &array, std::size_t size) {
        const bool moves = kept_.make_room(array, size);
        array.resize(size);
        return moves;
    };
    resize(validity_, (rows + 63) / 64);
    switch (type_) {
        case BERTH_COLUMN_TYPE_CODE:
            resize(codes_, rows);
            has_code_.resize(validity_.size());
            break;
        case BERTH_COLUMN_TYPE_INT64: resize(ints_, rows); break;
        case BERTH_COLUMN_TYPE_CODES: {
            auto *former = ranges_.data();
            if (resize(ranges_, rows)) former_ranges().push_back(former);
            break;
        }
        default: resize(values_, rows); break;
    }
}

std::vector<berth_range *> &ColumnData::former_ranges() {
    if (releases_ != kept_.releases()) former_ranges_.clear();
    releases_ = kept_.releases();
    return former_ranges_;
}

/// While arrays are kept, a pool that moves leaves its ranges behind: the new ones may point beyond it.
void ColumnData::extend_pool(std::size_t places) {
    if (places > codes_.capacity() && kept_.keeping()) {
        former_ranges().push_back(ranges_.data());
        kept_.replace(ranges_, ranges_.size());
        // At least as large as the ranges, so that these are not kept often.
        kept_.make_room(codes_, std::max<std::size_t>(places, rows_));
    }
    codes_.resize(places);
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
        case BERTH_COLUMN_TYPE_CODES: {
            const auto range = ranges_[row];
            put_list(row, {});
            // So that pods which come and go within a cycle take no more places than their lists need.
            if (kept_.keeping() && range.begin < range.end && range.end == codes_.size()) {
                abandoned_ -= range.end - range.begin;
                codes_.resize(range.begin);
            }
            break;
        }
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
    if (std::ranges::equal(codes, list(row))) return;
    hold(codes);
    release(list(row));
    const auto old = ranges_[row];
    auto begin = old.begin;
    auto n = static_cast<std::uint32_t>(codes.size());
    if (n == 0) {
        abandoned_ += old.end - old.begin;
        begin = 0;
    } else if (n <= old.end - old.begin && !kept_.keeping()) {
        abandoned_ += old.end - old.begin - n;
    } else {
        abandoned_ += old.end - old.begin;
        begin = static_cast<std::uint32_t>(codes_.size());
        extend_pool(codes_.size() + n);
    }
    std::copy(codes.begin(), codes.end(), codes_.begin() + begin);
    ranges_[row] = {begin, begin + n};
    if (abandoned_ > 1024 && abandoned_ * 2 > codes_.size() && !kept_.keeping()) compact();
}

ColumnData::Mark ColumnData::mark(std::uint32_t row) {
    return {row, ranges_[row], codes_.size(), abandoned_, former_ranges().size()};
}

void ColumnData::restore(const Mark &mark) {
    hold({codes_.data() + mark.range.begin, codes_.data() + mark.range.end});
    release(list(mark.row));
    ranges_[mark.row] = mark.range;
    const auto &former = former_ranges();
    for (auto i = mark.former; i < former.size(); ++i) former[i][mark.row] = mark.range;
    codes_.resize(mark.places);
    abandoned_ = mark.abandoned;
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
