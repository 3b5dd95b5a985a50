// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A dictionary that interns values: equal values get equal codes. A dictionary owns copies of its entries.
///
/// Codes are counted: whatever stores one in a row or a list holds it. A code that nothing holds keeps its meaning for
/// a while, because many values come back; once there are more than a few such codes, a sweep between the snapshots of
/// two attempts frees them with their entries, and they are given to other values. Each meaning of a code has a
/// generation of its own, so (code, generation) names a value for ever.

#include "cluster/code_index.h"
#include "cluster/heap_bytes.h"
#include "cluster/kept_arrays.h"
#include "model/value.h"

#include <berth/view/pods.h>

#include <memory>

namespace berth::cluster {

/// What the dictionaries of one schema count together, and their former arrays. It outlives them.
struct CodeHistory {
    std::uint64_t generation = 0;  ///< the last one that was given out
    std::uint64_t version = 1;     ///< grows whenever a code loses its meaning, or gets another one than it had before
    bool due = false;              ///< a dictionary has so many codes that nothing holds that a sweep is worth it
    KeptArrays kept;
};

/// The codes of a dictionary. Loop only.
class Codes {
    CodeHistory &history_;
    std::vector<std::uint32_t> holders_;      // by code
    std::vector<std::uint64_t> generations_;  // by code; 0: free
    std::vector<std::uint32_t> free_;         // descending, so that the lowest is taken first
    std::size_t ever_ = 0;                    // codes below have had a meaning before
    std::size_t unheld_ = 0, most_unheld_ = least_unheld;

protected:
    /// A code for a new meaning; nothing holds it yet.
    std::uint32_t take();
    KeptArrays &kept() { return history_.kept; }
    /// Frees the codes that nothing holds; calls `drop(code)` for each. Afterwards there may be fewer codes.
    template <class Drop>
    void sweep(Drop drop) {
        if (unheld_ < most_unheld_) return;
        for (std::uint32_t code = 0; code < holders_.size(); ++code)
            if (holders_[code] == 0 && generations_[code] != 0) {
                drop(code);
                generations_[code] = 0;
            }
        freed();
    }

private:
    void freed();

public:
    /// Codes that nothing holds are kept up to a quarter of those that something does, within these bounds.
    static constexpr std::size_t least_unheld = 64, greatest_unheld = 1024;

    explicit Codes(CodeHistory &history) : history_(history) {}
    Codes(const Codes &) = delete;
    Codes &operator=(const Codes &) = delete;

    void hold(std::uint32_t code) {
        if (holders_[code]++ == 0) --unheld_;
    }
    void release(std::uint32_t code) {
        if (--holders_[code] == 0 && ++unheld_ >= most_unheld_) history_.due = true;
    }
    std::size_t size() const { return holders_.size(); }
    std::size_t bytes() const { return heap_bytes(holders_, generations_, free_); }
    /// By code: of its present meaning; 0 for a code without one.
    const std::uint64_t *generations() const { return generations_.data(); }
};

// What a dictionary needs of its type: a hash, equality, and a copy in `bytes_of` bytes of its own. Of an image only
// the name counts.
std::uint32_t hash_of(std::string_view s);
std::uint32_t hash_of(const berth_str &s);
std::uint32_t hash_of(const berth_taint &taint);
std::uint32_t hash_of(const berth_port &port);
std::uint32_t hash_of(const berth_image &image);
std::uint32_t hash_of(const berth_label_set &set);
bool same(const berth_str &a, const berth_str &b);
bool same(const berth_taint &a, const berth_taint &b);
bool same(const berth_port &a, const berth_port &b);
bool same(const berth_image &a, const berth_image &b);
bool same(const berth_label_set &a, const berth_label_set &b);
std::size_t bytes_of(const berth_str &s);
std::size_t bytes_of(const berth_taint &taint);
std::size_t bytes_of(const berth_port &port);
std::size_t bytes_of(const berth_image &image);
std::size_t bytes_of(const berth_label_set &set);
berth_str copy_to(std::byte *room, const berth_str &s);
berth_taint copy_to(std::byte *room, const berth_taint &taint);
berth_port copy_to(std::byte *room, const berth_port &port);
berth_image copy_to(std::byte *room, const berth_image &image);
berth_label_set copy_to(std::byte *room, const berth_label_set &set);

template <class T>
class Dictionary : public Codes {
    std::vector<T> entries_;
    std::vector<std::unique_ptr<std::byte[]>> bytes_;  // what the entries point to
    std::size_t pointed_to_ = 0;                       // how much that is
    CodeIndex index_;

    std::uint32_t look_up(std::uint32_t hash, const T &value) const {
        return index_.find(hash, [&](std::uint32_t code) { return same(entries_[code], value); });
    }

public:
    static constexpr std::uint32_t none = CodeIndex::none;
    static constexpr std::size_t block_overhead = 16;  ///< of malloc, about
    using Codes::Codes;

    /// The code of `value`, which is copied if it is new. Good until the next sweep unless something holds it.
    std::uint32_t code(const T &value) {
        auto hash = hash_of(value);
        auto found = look_up(hash, value);
        if (found != none) return found;
        auto code = take();
        kept().make_room(entries_, size());
        entries_.resize(size());
        bytes_.resize(size());
        const auto bytes = bytes_of(value);
        pointed_to_ += bytes + block_overhead;
        bytes_[code] = std::make_unique_for_overwrite<std::byte[]>(bytes);
        entries_[code] = copy_to(bytes_[code].get(), value);
        index_.insert(hash, code);
        return code;
    }
    /// The same, or none.
    std::uint32_t find(const T &value) const { return look_up(hash_of(value), value); }

    /// Between the snapshots of two attempts. Entries may move.
    void sweep() {
        Codes::sweep([&](std::uint32_t code) {
            index_.erase(hash_of(entries_[code]), code);
            pointed_to_ -= bytes_of(entries_[code]) + block_overhead;
            entries_[code] = {};
            bytes_[code].reset();
        });
        entries_.resize(size());
        bytes_.resize(size());
        if (entries_.capacity() > 2 * size()) {
            entries_.shrink_to_fit();
            bytes_.shrink_to_fit();
        }
    }

    /// That it takes of the heap.
    std::size_t bytes() const { return Codes::bytes() + heap_bytes(entries_, bytes_) + index_.bytes() + pointed_to_; }

    T &at(std::uint32_t code) { return entries_[code]; }
    const T *data() const { return entries_.data(); }
};

}  // namespace berth::cluster
