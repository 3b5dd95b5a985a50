// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The depth-first search for one pod's devices on one node.

#include "allocator.h"
#include "capacity.h"
#include "constraint.h"

#include <map>

namespace kubernetes::devices {

/// The search for the devices of one pod's claims on one node: depth first, and the first solution is taken.
class Search {
public:
    Search(const Allocator &allocator, const NodeView &node, const Allocator::Claims &claims,
           const Allocator::Stop &stop);

    /// Throws Fatal, and Stopped when `stop` says so.
    bool run();
    struct Stopped {};

    /// Instead of run(): what the node has too little of, as Allocator::lacks(). Throws likewise.
    std::string lacks();

    bool invalid_pools() const;
    std::vector<ClaimDevices> take_result() { return std::move(result_); }
    std::int64_t steps() const { return steps_; }

private:
    enum class Step { Found, Failed, TooMany };

    /// A device of a pool that can be used.
    struct Candidate {
        const Slice *slice;
        const Device *device;
        const Use *use;  ///< by claims that have devices; nullptr: none
        std::size_t pool;
    };
    /// What this attempt has taken of a device.
    struct Taken {
        std::vector<std::size_t> claims;  ///< that have it whole
        Use shares;
    };
    struct RequestState {
        const Request *request;
        const Class *device_class;
        std::int64_t devices = 0;
        std::vector<std::size_t> all;       ///< the candidates of mode All
        std::vector<std::int8_t> selected;  ///< by candidate: 0 not known, 1 yes, -1 no
    };
    struct DemandState {
        std::vector<RequestState> alternatives;
        bool prioritized;
        std::size_t taken = 0;
    };
    struct ClaimState {
        std::vector<DemandState> demands;
        std::vector<Constraint> constraints;
    };
    /// Counters that this attempt has taken of pools that share them.
    struct CounterUse {
        const Allocator::CounterStock *stock = nullptr;
        std::vector<berth::Quantity> taken;
    };
    /// Where the search is.
    struct Place {
        std::size_t claim = 0, demand = 0, alternative = 0;
        std::int64_t device = 0;
    };

    /// All claims, and how deep the search is.
    void validate();
    void validate(const Claim &claim, std::size_t index);
    RequestState validate(const Claim &claim, const Request &request);
    void collect_all(const Claim &claim, RequestState &state);
    [[noreturn]] static void fail(const Claim &claim, const Request &request, const std::string &what);

    /// What one request lacks when it is looked at by itself.
    struct Lack {
        bool lacks = true;
        std::string change;                 ///< that mends it; empty: there is not one
        std::vector<std::size_t> matching;  ///< candidates that the class and the request select
    };
    /// `alone`: the pod has no other request.
    Lack lack(std::size_t claim, RequestState &state, bool alone);
    bool overdrawn(const Candidate &candidate) const;
    bool counters_suffice(const Candidate &candidate);
    /// The only counter of which claims leave too little for the device, if the pool has enough of it; or empty.
    std::string missing_counter(const Candidate &candidate) const;
    /// The only capacity of which the device has too little left; or empty.
    std::string missing_capacity(const Request &request, std::size_t candidate) const;

    Step allocate(Place at, bool in_alternative, std::size_t start);
    Step try_alternatives(Place at);
    Step take_all(Place at, RequestState &state, bool in_alternative);
    Step try_candidates(Place at, RequestState &state, bool in_alternative, std::size_t start);

    bool in_use(const Request &request, std::size_t claim, std::size_t candidate) const;
    bool selectable(const Claim &claim, RequestState &state, std::size_t candidate);
    bool select(const SelectorTexts &selectors, const std::string &whose, const Candidate &candidate) const;
    bool capacity_suffices(const Request &request, std::size_t candidate) const;
    void check_capacity(const Claim &claim, const Request &request, const Device &device,
                        const std::string &name) const;
    /// As errors name it.
    static std::string full_name(const Candidate &candidate);
    bool tainted(const Candidate &candidate, const Request &request) const;

    /// Takes the device for the request, or leaves all as it was. `must`: the request has no other choice.
    bool take(const Place &at, const Request &request, std::size_t candidate, bool must);
    void give_back(const Place &at, const Request &request, std::size_t candidate);
    /// Whether claims share the device, so that a share of it takes no counters any more.
    bool in_shares(const Candidate &candidate) const;
    bool take_counters(const Candidate &candidate);
    void give_counters(const Candidate &candidate);

    const Allocator &allocator_;
    const Rules &rules_;
    NodeView node_;
    const Allocator::Claims &wanted_;
    const Allocator::Stop &stop_;
    std::vector<Pool> pools_;
    std::vector<Candidate> candidates_;
    std::vector<Taken> taken_;        ///< by candidate
    std::vector<ClaimState> claims_;  ///< as in `wanted_`
    std::map<Allocator::PoolKey, CounterUse> counters_;
    std::vector<ClaimDevices> result_;
    std::vector<std::vector<bool>> reserved_;  ///< by claim, for each chosen device: it took counters
    std::size_t remembered_ = 0;               ///< bytes in all RequestState::selected
    std::int64_t steps_ = 0;
};

}  // namespace kubernetes::devices
