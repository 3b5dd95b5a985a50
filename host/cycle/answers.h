// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What plugins have said about slots, kept for pods that they sign alike (berth.sign/1).

#include "cycle/search.h"

#include <algorithm>
#include <optional>

namespace berth::cycle {

/// What the plugins write for the pod of one search; each is asked once. Loop only.
class Signatures {
    struct Asked {
        const plugin::Instance *instance;
        std::size_t begin, end;
        bool given;
    };
    static constexpr std::size_t most = 16 << 10;  ///< bytes; who writes more is taken not to sign the pod
    std::vector<Asked> asked_;
    std::string text_;

public:
    void clear();
    /// Adds to `key` who it is, at which place, and what it wrote. False, and nothing is added, if its answers are for
    /// this pod alone.
    bool add(const Search &search, const plugin::Instance &instance, std::uint64_t position, std::string &key);

private:
    const Asked &ask(const Search &search, const plugin::Instance &instance);
};

/// Answers by key, those of the last few keys. `T` has clear(), which forgets them.
template <class T>
class Answers {
    struct Kept {
        std::string key;
        std::uint64_t used = 0;
        T answers;
    };
    static constexpr std::size_t capacity = 8;
    std::vector<std::unique_ptr<Kept>> kept_;
    std::uint64_t now_ = 0;

public:
    /// Good until the next call.
    T &of(std::string_view key) {
        auto at = std::ranges::find(kept_, key, [](const auto &kept) -> std::string_view { return kept->key; });
        if (at == kept_.end()) {
            if (kept_.size() < capacity) kept_.push_back(std::make_unique<Kept>());
            at = std::ranges::min_element(kept_, {}, [](const auto &kept) { return kept->used; });
            (*at)->key = key;
            (*at)->answers.clear();
        }
        (*at)->used = ++now_;
        return (*at)->answers;
    }
};

/// Which slots have been answered for, and have not changed since.
class AnsweredSlots {
    struct Answered {
        std::uint64_t generation = 0, epoch = 0;  ///< of the slot; of this object
    };
    std::vector<Answered> by_slot_;
    std::uint64_t epoch_ = 1;

public:
    /// None has. Costs nothing, for where every pod is unlike the others.
    void clear() { ++epoch_; }
    void resize(std::uint32_t slots) { by_slot_.resize(std::max<std::size_t>(slots, by_slot_.size())); }
    bool current(const berth_nodes &nodes, std::uint32_t slot) const {
        return by_slot_[slot].generation == nodes.slot_generation[slot] && by_slot_[slot].epoch == epoch_;
    }
    void set(const berth_nodes &nodes, std::uint32_t slot) { by_slot_[slot] = {nodes.slot_generation[slot], epoch_}; }
};

// For those who answer in another way.
std::string in_words(const berth_pod &pod);
std::string in_words(const berth_nodes &nodes, std::uint32_t slot);

/// Whether an answer that is at hand is asked for once more, to see whether it would be the same: for one in sixteen,
/// where plugins are checked strictly.
inline bool asked_again(const Search &search, std::uint32_t slot) {
    return search.profile.checks == plugin::Checks::Strict && (slot + search.call.attempt_salt()) % 16 == 0;
}

}  // namespace berth::cycle
