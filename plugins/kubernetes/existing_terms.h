// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Affinity and anti-affinity terms of placed pods, with counts per domain (InterPodAffinity).

#include "pod_affinity_term.h"
#include "pod_follower.h"
#include "topology.h"

#include <berth/namespaced_labels.hpp>
#include <berth/remembered.hpp>

#include <map>
#include <set>

namespace kubernetes {

/// The terms of placed pods, each distinct one once, with how many pods in which domain have it. What they say of a pod
/// is worked out once per namespace and set of labels. A term whose key no node has says nothing: it is not kept, only
/// which rows have such terms.
class ExistingTerms {
public:
    enum class Kind : std::uint8_t { RequiredAffinity, RequiredAntiAffinity, Preferred };
    struct Entry {
        Kind kind;
        PodAffinityTerm term;
        std::shared_ptr<DomainCounts> counts;
        std::uint64_t pods = 0;  ///< on nodes without the key, too
        bool listed = false;     ///< in said_
    };

private:
    struct Matches {
        std::vector<std::uint32_t> entries;
        std::uint32_t seen = 0;  // of said_, that were looked at
    };

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> said_;  // those that some pod on a node with their key has had
    std::set<std::uint32_t> unsaid_;   // rows with terms whose key no node has
    std::map<std::string, std::uint32_t> by_text_;
    std::vector<std::vector<std::uint32_t>> of_row_;
    berth::Remembered<Matches> matches_;
    std::size_t unused_ = 0;

    static std::string text_of(Kind kind, const PodAffinityTerm &term) {
        std::string out(1, static_cast<char>('0' + static_cast<int>(kind)));
        out += std::to_string(term.weight) + '\1' + term.key + '\1';
        term.namespaces.write(out);
        kubernetes::write(term.namespace_selector, out);
        kubernetes::write(term.selector, out);
        return out;
    }

    std::uint32_t entry(Kind kind, PodAffinityTerm &&term, const std::shared_ptr<const TopologyKey> &key) {
        auto [at, fresh] = by_text_.try_emplace(text_of(kind, term), static_cast<std::uint32_t>(entries_.size()));
        if (fresh) {
            entries_.push_back({kind, std::move(term), std::make_shared<DomainCounts>(key)});
            ++unused_;
        }
        return at->second;
    }

    void counted(std::uint32_t e) {
        if (entries_[e].listed || entries_[e].counts->total() == 0) return;
        entries_[e].listed = true;
        said_.push_back(e);
    }

    /// Terms that no pod has any more are kept a while, because many come back; not for ever.
    void sweep() {
        if (unused_ < 64 || unused_ * 2 < entries_.size()) return;
        std::vector<std::uint32_t> now(entries_.size());
        std::uint32_t n = 0;
        for (std::uint32_t i = 0; i < entries_.size(); ++i) {
            now[i] = n;
            if (entries_[i].pods == 0) continue;
            if (n != i) entries_[n] = std::move(entries_[i]);
            ++n;
        }
        entries_.erase(entries_.begin() + n, entries_.end());
        said_.clear();
        for (std::uint32_t i = 0; i < n; ++i)
            if (entries_[i].listed) said_.push_back(i);
        for (auto &row : of_row_)
            for (auto &e : row) e = now[e];
        by_text_.clear();
        for (std::uint32_t i = 0; i < n; ++i) by_text_[text_of(entries_[i].kind, entries_[i].term)] = i;
        matches_.clear();
        unused_ = 0;
    }

public:
    void clear() {
        entries_.clear();
        by_text_.clear();
        of_row_.clear();
        said_.clear();
        unsaid_.clear();
        matches_.clear();
        unused_ = 0;
    }

    /// `key(name)` gives the topology key of that name, or nothing if no node has it.
    template <class Key>
    void came(std::uint32_t row, std::uint32_t slot, PodAffinityTerms terms, Key &&key) {
        if (row >= of_row_.size()) of_row_.resize(row + 1);
        auto &mine = of_row_[row];
        auto add = [&](Kind kind, std::vector<PodAffinityTerm> &list) {
            for (auto &term : list) {
                const std::shared_ptr<const TopologyKey> of = key(term.key);
                if (!of) {
                    unsaid_.insert(row);
                    continue;
                }
                auto e = entry(kind, std::move(term), of);
                mine.push_back(e);
                if (entries_[e].pods++ == 0) --unused_;
                entries_[e].counts->add(of->of(slot), 1);
                counted(e);
            }
        };
        add(Kind::RequiredAffinity, terms.affinity);
        add(Kind::RequiredAntiAffinity, terms.anti_affinity);
        add(Kind::Preferred, terms.preferred);
    }
    void left(std::uint32_t row, std::uint32_t slot) {
        unsaid_.erase(row);
        if (row >= of_row_.size() || of_row_[row].empty()) return;
        for (auto e : of_row_[row]) {
            auto &counts = *entries_[e].counts;
            counts.add(counts.key().of(slot), -1);
            if (--entries_[e].pods == 0) ++unused_;
        }
        of_row_[row].clear();
        sweep();
    }
    /// Rows with terms that were not kept.
    std::vector<std::uint32_t> unsaid() const { return {unsaid_.begin(), unsaid_.end()}; }
    /// The node on which these rows are has left one domain of the key for another.
    void moved(const TopologyKey &key, std::span<const std::uint32_t> rows, std::uint32_t from, std::uint32_t to) {
        for (auto row : rows) {
            if (row >= of_row_.size()) continue;
            for (auto e : of_row_[row]) {
                auto &counts = *entries_[e].counts;
                if (&counts.key() != &key) continue;
                counts.add(from, -1);
                counts.add(to, 1);
                counted(e);
            }
        }
    }

    bool none() const { return unused_ == entries_.size(); }
    /// The labels of a namespace have changed: what was worked out is no longer true.
    void forget_matches() { matches_.clear(); }

    /// Calls fn(entry) for each term that means the pod and that some pod on a node with its key has.
    template <class Fn>
    void each_match(berth::Pod pod, std::span<const berth_label> of_namespace, Fn &&fn) {
        if (none()) return;
        auto &known = matches_.of(berth::namespaced_labels(pod)).first;
        for (; known.seen < said_.size(); ++known.seen) {
            const auto e = said_[known.seen];
            if (!entries_[e].term.matches(pod.name_space(), pod.labels(), of_namespace)) continue;
            known.entries.push_back(e);
            matches_.grow(sizeof e);
        }
        for (auto e : known.entries)
            if (entries_[e].counts->total() > 0) fn(static_cast<const Entry &>(entries_[e]));
    }
};

}  // namespace kubernetes
