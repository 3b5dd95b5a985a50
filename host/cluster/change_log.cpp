// SPDX-License-Identifier: Apache-2.0
#include "cluster/change_log.h"

#include "model/tree_bytes.h"

#include <algorithm>
#include <utility>

namespace berth::cluster {

namespace {

/// What an entry may be the last one to keep alive.
std::size_t bytes_of(const ChangeLog::Entry &entry) {
    if (!entry.was) return 0;
    return entry.was->arena.size() + (entry.was->tree ? model::bytes_of(*entry.was->tree) : 0);
}

}  // namespace

void ChangeLog::drop_oldest() {
    begins_ = entries_.front().id;
    bytes_ -= bytes_of(entries_.front());
    entries_.pop_front();
}

void ChangeLog::add(Entry entry) {
    if (!on_) return;
    if (entries_.size() == capacity) drop_oldest();
    bytes_ += bytes_of(entry);
    entries_.push_back(std::move(entry));
    while (bytes_ > most_bytes) drop_oldest();
}

bool ChangeLog::reaches(std::uint64_t since, std::uint64_t now) {
    if (!on_) {
        on_ = true;
        begins_ = now;
    }
    return since != 0 && since >= begins_ && since <= now;
}

const ChangeLog::Net &ChangeLog::net(std::uint64_t since) {
    net_.rows.clear();
    net_.slots.clear();
    auto first = std::partition_point(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.id <= since; });
    for (; first != entries_.end(); ++first) {
        net_.slots.push_back(first->slot);
        if (first->row != no_row) net_.rows.push_back(&*first);
    }
    std::sort(net_.slots.begin(), net_.slots.end());
    net_.slots.erase(std::unique(net_.slots.begin(), net_.slots.end()), net_.slots.end());
    // The first entry of a row says what it showed at `since`.
    std::stable_sort(net_.rows.begin(), net_.rows.end(),
                     [](const Entry *a, const Entry *b) { return a->row < b->row; });
    net_.rows.erase(std::unique(net_.rows.begin(), net_.rows.end(),
                                [](const Entry *a, const Entry *b) { return a->row == b->row; }),
                    net_.rows.end());
    return net_;
}

}  // namespace berth::cluster
