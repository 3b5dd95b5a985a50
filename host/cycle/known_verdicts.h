// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Verdicts of Filter plugins that hold for the pod at hand because it is signed like an earlier one (berth.sign/1).

#include "cycle/answers.h"
#include "cycle/feasible.h"

namespace berth::cycle {

/// Reusable; keeps its memory and the verdicts. Loop only.
class KnownVerdicts {
public:
    static constexpr std::uint32_t nobody = UINT32_MAX;
    /// What the plugins that sign the pod say of a slot together: the first rejection among them.
    struct Told {
        std::int32_t code = BERTH_SUCCESS;
        std::uint32_t reasons = BERTH_NO_REASONS;  ///< an id of the search
        std::uint32_t position = nobody;           ///< among the filters: who rejects it
    };

    /// Another search begins.
    void begin() { signed_ = false; }
    /// Has the filters of this search sign its pod, once. Whether any did.
    bool sign(const Search &search, std::span<const plugin::Instance *const> filters);
    bool signs(std::size_t position) const { return signs_[position] != 0; }

    /// Whether there is a verdict on the slot. One that is asked for again for a check counts as unknown.
    bool holds(const Search &search, std::uint32_t slot) const {
        return known_->slots.current(search.nodes, slot) && !asked_again(search, slot);
    }
    bool rejects(std::uint32_t slot) const { return known_->told[slot].position != nobody; }
    Told told(const Search &search, std::uint32_t slot) {
        Told told = known_->told[slot];
        if (told.reasons != BERTH_NO_REASONS) told.reasons = id_here(search, told.reasons);
        return told;
    }
    /// Keeps a success or a rejection. If another verdict holds, the plugins to blame are named.
    void keep(const Search &search, std::uint32_t slot, Told told, std::span<const plugin::Instance *const> filters);

    /// In a visit of all nodes: finds the places of the nodes that were rejected or have changed since the last such
    /// visit, ascending; of all others it is known that they take the pod. False: any node may be worth a look.
    bool worth_a_look(const Search &search, std::uint64_t visit, const WholeVisit &nodes,
                      std::vector<std::uint32_t> &places) const;
    /// Every node of the visit has been looked at, or those at `places`, which worth_a_look() has found.
    void stand(const Search &search, std::uint64_t visit, std::span<const std::uint32_t> slots,
               const std::vector<std::uint32_t> *places);
    /// After stand(): see Feasible. Another visit that lets the same nodes through has the same id; 0: a verdict is
    /// missing.
    std::uint64_t standing_id() const { return known_ ? known_->standing : 0; }
    std::span<const std::uint32_t> rejected() const { return known_->rejected; }

    Signatures &signatures() { return signatures_; }

private:
    struct Known {
        AnsweredSlots slots;
        std::vector<Told> told;  ///< by slot; the reasons are places in `lists`
        std::vector<std::vector<std::string>> lists;
        // After a visit of all nodes that left no verdict missing.
        std::uint64_t visit = 0, as_of = 0;   ///< its list's id, or 0; its snapshot
        std::uint64_t standing = 0;           ///< the id of those that it let through
        std::vector<std::uint32_t> rejected;  ///< the others, by place, ascending
        void clear();
    };
    std::uint32_t id_here(const Search &search, std::uint32_t list);
    std::uint32_t list_of(const std::vector<std::string> &reasons);
    void compare(const Search &search, std::uint32_t slot, const Told &before, const Told &now,
                 std::span<const plugin::Instance *const> filters) const;

    Signatures signatures_;
    Answers<Known> answers_;
    Known *known_ = nullptr;  ///< null: nobody signs this pod
    std::string key_;
    std::vector<char> signs_;              ///< by place among the filters
    std::vector<std::uint32_t> ids_here_;  ///< of known_'s lists, in this search; BERTH_NO_REASONS: not asked yet
    bool signed_ = false;
    std::uint64_t last_standing_ = 0;
    std::vector<std::uint32_t> rejecting_;
};

}  // namespace berth::cycle
