// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Declared columns of a test's cluster.

#include <berth/testing/objects.hpp>

namespace berth::testing {

/// The columns that were asked for, by id: one more than the place.
struct DeclaredColumns {
    std::vector<std::pair<std::uint32_t, std::string>> all;

    std::uint32_t declare(std::uint32_t kind, std::string_view key) {
        const bool known = (kind >= BERTH_COLUMN_NODE_LABEL && kind <= BERTH_COLUMN_NODE_FIELD) ||
                           (kind >= BERTH_COLUMN_POD_LABEL && kind <= BERTH_COLUMN_POD_FIELD);
        if (!known) return 0;
        std::pair<std::uint32_t, std::string> wanted(kind, key);
        auto found = std::ranges::find(all, wanted);
        if (found == all.end()) found = all.insert(all.end(), std::move(wanted));
        return static_cast<std::uint32_t>(found - all.begin()) + 1;
    }
};

/// A column with its data; T is the entry of the dictionary.
template <class T>
class CodedColumn {
    std::vector<T> dictionary_;
    std::vector<std::uint64_t> generations_;
    std::vector<std::uint32_t> codes_;
    std::vector<berth_range> ranges_;

public:
    void add(std::uint32_t row, const T &entry) {
        auto same = [&](const T &other) { return equal(entry, other); };
        auto found = std::ranges::find_if(dictionary_, same);
        if (found == dictionary_.end()) found = dictionary_.insert(found, entry);
        if (ranges_.size() <= row) ranges_.resize(row + 1, {end(), end()});
        codes_.push_back(static_cast<std::uint32_t>(found - dictionary_.begin()));
        ranges_[row].end = end();
    }
    /// One row after the other: what was added since the last call is that row's.
    void end_row(std::uint32_t row) {
        if (ranges_.size() <= row) ranges_.resize(row + 1, {end(), end()});
    }
    /// Every code has another meaning in each snapshot.
    void show(berth_column &out, std::uint64_t snapshot) {
        out.type = BERTH_COLUMN_TYPE_CODES;
        out.data = codes_.data(), out.offsets = ranges_.data();
        show_dictionary(out, snapshot);
    }
    /// The same where each row has one code or none.
    void show_single(berth_column &out, std::uint64_t snapshot, std::vector<std::uint32_t> &codes,
                     std::vector<std::uint64_t> &validity) {
        codes.assign(ranges_.size(), 0), validity.assign(ranges_.size() / 64 + 1, 0);
        for (std::size_t row = 0; row < ranges_.size(); ++row)
            if (ranges_[row].begin != ranges_[row].end) {
                codes[row] = codes_[ranges_[row].begin];
                validity[row / 64] |= std::uint64_t{1} << (row % 64);
            }
        out.type = BERTH_COLUMN_TYPE_CODE;
        out.data = codes.data(), out.validity = validity.data();
        show_dictionary(out, snapshot);
    }

private:
    void show_dictionary(berth_column &out, std::uint64_t snapshot) {
        generations_.assign(dictionary_.size(), snapshot);
        out.dict = dictionary_.data(), out.dict_len = dictionary_.size();
        // A plugin that was built with earlier headers has a shorter column.
        if (BERTH_HAS(&out, dict_generation)) out.dict_generation = generations_.data();
    }
    std::uint32_t end() const { return static_cast<std::uint32_t>(codes_.size()); }
    static bool equal(const berth_str &a, const berth_str &b) { return view(a) == view(b); }
    static bool equal(const berth_image &a, const berth_image &b) { return equal(a.name, b.name); }
    static bool equal(const berth_taint &a, const berth_taint &b) {
        return equal(a.key, b.key) && equal(a.value, b.value) && equal(a.effect, b.effect);
    }
    static bool equal(const berth_port &a, const berth_port &b) {
        return equal(a.protocol, b.protocol) && equal(a.ip, b.ip) && a.port == b.port;
    }
};

/// What one column of one snapshot holds. Lives as the snapshot does.
struct FilledColumn {
    CodedColumn<berth_str> texts;
    CodedColumn<berth_taint> taints;
    CodedColumn<berth_image> images;
    CodedColumn<berth_port> ports;
    std::vector<std::uint32_t> codes;
    std::vector<std::int64_t> numbers;
    std::vector<const berth_value *> values;
    std::vector<std::uint64_t> validity;

    void valid(std::size_t row) { validity[row / 64] |= std::uint64_t{1} << (row % 64); }
    void add_text(std::uint32_t row, Value value) {
        if (value.is_string()) texts.add(row, to_str(value.string()));
        texts.end_row(row);
    }
    void add_value(Value value) {
        if (value) valid(values.size());
        values.push_back(value.raw());
    }
    void add_number(const Amounts &amounts, std::string_view name, bool always) {
        auto found = amounts.find(name);
        if (always || found != amounts.end()) valid(numbers.size());
        numbers.push_back(found == amounts.end() ? 0 : found->second);
    }
    void show(std::uint32_t kind, std::uint32_t rows, std::uint64_t snapshot, berth_column &out) {
        out.rows = rows;
        out.validity = nullptr;
        switch (kind) {
            case BERTH_COLUMN_NODE_TAINTS: return taints.show(out, snapshot);
            case BERTH_COLUMN_NODE_IMAGES: return images.show(out, snapshot);
            case BERTH_COLUMN_NODE_PORTS: return ports.show(out, snapshot);
            case BERTH_COLUMN_POD_IMAGES: return texts.show(out, snapshot);
            case BERTH_COLUMN_NODE_ALLOCATABLE:
            case BERTH_COLUMN_NODE_REQUESTED:
                out.type = BERTH_COLUMN_TYPE_INT64, out.data = numbers.data(), out.validity = validity.data();
                return;
            case BERTH_COLUMN_NODE_FIELD:
            case BERTH_COLUMN_POD_FIELD:
                out.type = BERTH_COLUMN_TYPE_VALUE, out.data = values.data(), out.validity = validity.data();
                return;
            default: texts.show_single(out, snapshot, codes, validity);
        }
    }
};

}  // namespace berth::testing
