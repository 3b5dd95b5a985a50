// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Topology keys, domains of nodes, and pod counts per domain.

#include "text_hash.h"

#include <berth/plugin.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kubernetes {

/// A label key that divides the nodes into domains, one for each value: which domain each slot is in. Domains are codes
/// of the label's column. One that no node is in may come back as another value: nothing is counted in it then.
struct TopologyKey {
    static constexpr std::uint32_t none = 0xffffffffu;

    std::string name;
    std::uint32_t column = 0;           ///< when it was last read; its codes are the domains
    std::vector<std::uint32_t> domain;  ///< by slot; none where the node has no such label, or there is no node
    std::vector<std::uint32_t> nodes;   ///< by domain: how many nodes are in it
    std::uint32_t nodes_with = 0;       ///< nodes that have the label
    std::uint32_t domains = 0;          ///< that have a node
    std::uint32_t empty_value = none;   ///< the domain of the value "", if a node is in it

    /// Greater than every domain.
    std::size_t width() const { return nodes.size(); }
    std::uint32_t of(std::uint32_t slot) const { return slot < domain.size() ? domain[slot] : none; }

    /// `is_empty`: `now` is the domain of the value "".
    void put(std::uint32_t slot, std::uint32_t now, bool is_empty) {
        auto &here = domain[slot];
        if (here != none) {
            --nodes_with;
            if (--nodes[here] == 0) --domains;
            if (nodes[here] == 0 && here == empty_value) empty_value = none;
        }
        here = now;
        if (now == none) return;
        if (now >= nodes.size()) nodes.resize(now + 1);
        ++nodes_with;
        if (nodes[now]++ == 0) ++domains;
        if (is_empty) empty_value = now;
        else if (now == empty_value) empty_value = none;  // the code has got another meaning
    }
};

/// Pods per domain of a key: a short list while there are few domains with pods, a column when there are many.
class DomainCounts {
    using Entry = std::pair<std::uint32_t, std::int64_t>;
    static constexpr std::size_t few = 64;

    std::shared_ptr<const TopologyKey> key_;
    std::vector<Entry> list_;  // by domain
    std::vector<std::int64_t> column_;
    std::int64_t total_ = 0;

public:
    explicit DomainCounts(std::shared_ptr<const TopologyKey> key) : key_(std::move(key)) {}
    const TopologyKey &key() const { return *key_; }
    const std::shared_ptr<const TopologyKey> &shared_key() const { return key_; }
    std::int64_t total() const { return total_; }  ///< pods on nodes that have the label

    std::int64_t of(std::uint32_t domain) const {
        if (!column_.empty()) return domain < column_.size() ? column_[domain] : 0;
        auto at = std::lower_bound(list_.begin(), list_.end(), Entry{domain, INT64_MIN});
        return at != list_.end() && at->first == domain ? at->second : 0;
    }
    /// Adds to a column of all domains of the key.
    void add_to(std::vector<std::int64_t> &column, std::int64_t weight) const {
        const auto n = std::min(column.size(), column_.size());
        for (std::size_t domain = 0; domain < n; ++domain) column[domain] += weight * column_[domain];
        for (auto [domain, pods] : list_)
            if (domain < column.size()) column[domain] += weight * pods;
    }
    /// Calls fn(domain, pods) for each domain with pods.
    template <class Fn>
    void each(Fn &&fn) const {
        for (std::size_t domain = 0; domain < column_.size(); ++domain)
            if (column_[domain] != 0) fn(static_cast<std::uint32_t>(domain), column_[domain]);
        for (auto [domain, pods] : list_) fn(domain, pods);
    }
    /// Nothing for a slot that is in no domain.
    void add(std::uint32_t domain, std::int64_t n) {
        if (domain == TopologyKey::none) return;
        total_ += n;
        if (!column_.empty()) {
            if (domain >= column_.size()) column_.resize(domain + 1);
            column_[domain] += n;
            return;
        }
        auto at = std::lower_bound(list_.begin(), list_.end(), Entry{domain, INT64_MIN});
        if (at == list_.end() || at->first != domain) at = list_.insert(at, {domain, 0});
        at->second += n;
        if (at->second == 0) list_.erase(at);
        if (list_.size() > few) widen();
    }

private:
    void widen() {
        column_.resize(list_.back().first + 1);
        for (auto [domain, n] : list_) column_[domain] = n;
        list_.clear();
    }
};

/// Pods per slot, and per domain of the requested keys. What is counted may go on to be read through a shared pointer
/// after the counter is gone.
class PodCounter {
    std::vector<std::int32_t> by_slot_;
    std::vector<std::shared_ptr<DomainCounts>> sums_;
    std::int64_t pods_ = 0;

public:
    std::int64_t pods() const { return pods_; }
    std::int64_t of(std::uint32_t slot) const { return slot < by_slot_.size() ? by_slot_[slot] : 0; }

    void add(std::uint32_t slot, std::int32_t n) {
        if (slot >= by_slot_.size()) by_slot_.resize(slot + 1);
        by_slot_[slot] += n;
        pods_ += n;
        for (auto &sum : sums_) sum->add(sum->key().of(slot), n);
    }
    /// The slot has left one domain of the key for another.
    void moved(const TopologyKey &key, std::uint32_t slot, std::uint32_t from, std::uint32_t to) {
        auto n = of(slot);
        if (n == 0) return;
        for (auto &sum : sums_) {
            if (&sum->key() != &key) continue;
            sum->add(from, -n);
            sum->add(to, n);
        }
    }
    /// The sums over the domains of a key, kept from now on.
    const std::shared_ptr<DomainCounts> &by(const std::shared_ptr<const TopologyKey> &key) {
        for (auto &sum : sums_)
            if (&sum->key() == key.get()) return sum;
        auto &sum = sums_.emplace_back(std::make_shared<DomainCounts>(key));
        for (std::uint32_t slot = 0; slot < by_slot_.size(); ++slot)
            if (by_slot_[slot] != 0) sum->add(key->of(slot), by_slot_[slot]);
        return sum;
    }
};

/// The requested topology keys that nodes have. Whatever goes on reading one shares it; the others are forgotten when
/// there are many.
class Topology {
    std::unordered_map<std::string, std::shared_ptr<TopologyKey>, TextHash, std::equal_to<>> keys_;
    std::uint64_t snapshot_ = 0;

    static berth::Column column(const berth::Host &host, berth::Nodes nodes, TopologyKey &key) {
        key.column = host.column(BERTH_COLUMN_NODE_LABEL, key.name);
        return nodes.column(key.column);
    }
    static void put(TopologyKey &key, const berth::Column &column, std::uint32_t slot, std::uint32_t domain) {
        key.put(slot, domain, domain != TopologyKey::none && column.dict<berth_str>()[domain].len == 0);
    }
    static void fill(TopologyKey &key, berth::Nodes nodes, const berth::Column &column) {
        key.domain.assign(nodes.slots(), TopologyKey::none);
        key.nodes.clear();
        key.nodes_with = key.domains = 0;
        key.empty_value = TopologyKey::none;
        for (auto slot : nodes.order()) put(key, column, slot, column.code(slot).value_or(TopologyKey::none));
    }

public:
    /// Keys kept though nothing reads them.
    static constexpr std::size_t capacity = 64;

    /// Stands for every key that no node has.
    static const std::shared_ptr<const TopologyKey> &nowhere() {
        static const std::shared_ptr<const TopologyKey> none = std::make_shared<TopologyKey>();
        return none;
    }

    /// On the loop, in PreFilter or PreScore, when the changes of the snapshot have been followed.
    std::shared_ptr<const TopologyKey> key(const berth::Host &host, berth::Nodes nodes, std::string_view name) {
        if (auto known = keys_.find(name); known != keys_.end()) return known->second;
        auto id = host.column(BERTH_COLUMN_NODE_LABEL, name);
        auto column = nodes.column(id);
        if (column.absent()) return nowhere();
        if (keys_.size() >= capacity) std::erase_if(keys_, [](const auto &one) { return one.second.use_count() == 1; });
        auto key = std::make_shared<TopologyKey>();
        key->name = name;
        key->column = id;
        fill(*key, nodes, column);
        keys_.emplace(name, key);
        return key;
    }
    /// nullptr: nothing reads it.
    std::shared_ptr<const TopologyKey> find(std::string_view name) const {
        auto known = keys_.find(name);
        return known == keys_.end() ? nullptr : known->second;
    }

    /// Before the changes of a snapshot are followed. Whether domains have kept their codes; if not, begin anew.
    bool same_domains(const berth::Host &host, berth::Nodes nodes) {
        if (std::exchange(snapshot_, nodes.raw()->snapshot_id) == nodes.raw()->snapshot_id) return true;
        return std::all_of(keys_.begin(), keys_.end(), [&](const auto &one) {
            const auto &key = *one.second;
            auto id = host.column(BERTH_COLUMN_NODE_LABEL, key.name);
            // Where no node has had it, there are no codes that could be others now; where none has it any more,
            // neither.
            return id == key.column || key.nodes_with == 0 || nodes.column(id).absent();
        });
    }
    /// Reads all slots again.
    void refill(const berth::Host &host, berth::Nodes nodes) {
        for (auto &[name, key] : keys_) fill(*key, nodes, column(host, nodes, *key));
    }
    /// Reads the nodes of some slots again; calls moved(key, slot, from, to) for each that has changed its domain.
    template <class Moved>
    void read(const berth::Host &host, berth::Nodes nodes, std::span<const std::uint32_t> slots, Moved &&moved) {
        for (auto &[name, key] : keys_) {
            const berth::Column labels = column(host, nodes, *key);
            if (key->domain.size() < nodes.slots()) key->domain.resize(nodes.slots(), TopologyKey::none);
            for (auto slot : slots) {
                auto from = key->domain[slot], to = labels.code(slot).value_or(TopologyKey::none);
                put(*key, labels, slot, to);
                if (from != to) moved(*key, slot, from, to);
            }
        }
    }
};

}  // namespace kubernetes
