// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A bounded queue with a fair share for each owner, as in fair queuing of packets (RFC 970). One owner with many items
/// cannot keep out another with few.

#include <algorithm>
#include <cstddef>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth::kube {

/// One thread. Every operation looks at all items, of which there are a few hundred at most.
template <class Item>
class FairQueue {
    struct Entry {
        std::string owner;
        Item item;
    };
    std::size_t most_, remembered_;
    std::vector<Entry> entries_;  ///< the oldest first
    std::unordered_map<std::string, std::size_t> counts_;
    std::deque<std::string> served_;  ///< the owners of the items that next() gave last
    std::unordered_map<std::string, std::size_t> served_counts_;

    static void subtract(std::unordered_map<std::string, std::size_t> &counts, const std::string &owner) {
        auto at = counts.find(owner);
        if (--at->second == 0) counts.erase(at);
    }
    std::size_t served(const std::string &owner) const {
        auto at = served_counts_.find(owner);
        return at == served_counts_.end() ? 0 : at->second;
    }
    Item take(typename std::vector<Entry>::iterator at) {
        Item item = std::move(at->item);
        subtract(counts_, at->owner);
        entries_.erase(at);
        return item;
    }
    void remember(const std::string &owner) {
        ++served_counts_[owner];
        served_.push_back(owner);
        if (served_.size() <= remembered_) return;
        subtract(served_counts_, served_.front());
        served_.pop_front();
    }

public:
    /// `remembered`: how many of the owners that were served last count when the next one is chosen.
    explicit FairQueue(std::size_t most, std::size_t remembered = 1024) : most_(most), remembered_(remembered) {}

    std::size_t size() const { return entries_.size(); }
    bool empty() const { return entries_.empty(); }

    /// Adds an item. If there are then too many, the oldest item of the owner that has the most is removed and
    /// returned.
    std::optional<Item> add(const std::string &owner, Item item) {
        entries_.push_back({owner, std::move(item)});
        ++counts_[owner];
        if (entries_.size() <= most_) return std::nullopt;
        return oldest();
    }

    /// Removes and returns the oldest item of the owner that has the most; nothing if the queue is empty.
    std::optional<Item> oldest() {
        if (entries_.empty()) return std::nullopt;
        std::size_t most = 0;
        for (const auto &[owner, count] : counts_) most = std::max(most, count);
        // Of owners with equally many it is the one with the oldest item.
        return take(std::ranges::find_if(
            entries_, [&](const Entry &entry) { return counts_.find(entry.owner)->second == most; }));
    }

    enum class Order {
        OldestFirst,  ///< all clients wait equally long; for when nearly all can be served
        NewestFirst,  ///< for an overload: the client of the newest request is the most likely to wait still
    };

    /// Removes and returns the oldest or newest item of the owner that was served least of late; nothing if the queue
    /// is empty.
    std::optional<Item> next(Order order) {
        if (entries_.empty()) return std::nullopt;
        std::size_t least = served_.size();
        for (const auto &[owner, count] : counts_) least = std::min(least, served(owner));
        const auto wanted = [&](const Entry &entry) { return served(entry.owner) == least; };
        auto best = std::ranges::find_if(entries_, wanted);
        if (order == Order::NewestFirst)
            best = std::prev(std::find_if(entries_.rbegin(), entries_.rend(), wanted).base());
        remember(best->owner);
        return take(best);
    }

    /// Removes those for which `unwanted` is true; it is called once for each, the oldest first.
    template <class Unwanted>
    void remove_if(Unwanted unwanted) {
        std::erase_if(entries_, [&](const Entry &entry) {
            if (!unwanted(entry.item)) return false;
            subtract(counts_, entry.owner);
            return true;
        });
    }

    /// Returns whether the item was there.
    bool remove(const Item &item) {
        auto at = std::ranges::find(entries_, item, &Entry::item);
        if (at == entries_.end()) return false;
        take(at);
        return true;
    }
};

}  // namespace berth::kube
