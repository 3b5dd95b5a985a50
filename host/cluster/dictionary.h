// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Interning: equal values get equal codes, counted from 0 in the order in which they were first seen. A dictionary
/// owns copies of its entries and only grows, so a code never changes its meaning. Loop only.

#include "cluster/code_index.h"
#include "model/value.h"

#include <berth/view/pods.h>

namespace berth::cluster {

// What a dictionary needs of its type: a hash, equality, and a copy whose bytes live in an arena. Of an image only the
// name counts.
std::uint32_t hash_of(std::string_view s);
std::uint32_t hash_of(const berth_str &s);
std::uint32_t hash_of(const berth_taint &taint);
std::uint32_t hash_of(const berth_host_port &port);
std::uint32_t hash_of(const berth_image &image);
std::uint32_t hash_of(const berth_label_set &set);
bool same(const berth_str &a, const berth_str &b);
bool same(const berth_taint &a, const berth_taint &b);
bool same(const berth_host_port &a, const berth_host_port &b);
bool same(const berth_image &a, const berth_image &b);
bool same(const berth_label_set &a, const berth_label_set &b);
berth_str keep(model::Arena &arena, const berth_str &s);
berth_taint keep(model::Arena &arena, const berth_taint &taint);
berth_host_port keep(model::Arena &arena, const berth_host_port &port);
berth_image keep(model::Arena &arena, const berth_image &image);
berth_label_set keep(model::Arena &arena, const berth_label_set &set);

template <class T>
class Dictionary {
    std::vector<T> entries_;
    CodeIndex index_;
    model::Arena arena_;

public:
    /// The code of `value`, which is copied if it is new.
    std::uint32_t code(const T &value) {
        auto hash = hash_of(value);
        auto found = index_.find(hash, [&](std::uint32_t code) { return same(entries_[code], value); });
        if (found != CodeIndex::none) return found;
        auto code = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back(keep(arena_, value));
        index_.insert(hash, code);
        return code;
    }

    T &at(std::uint32_t code) { return entries_[code]; }
    const T *data() const { return entries_.data(); }
    std::size_t size() const { return entries_.size(); }
};

}  // namespace berth::cluster
