// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The allocator of devices for ResourceClaims (upstream: structured allocator, "incubating"). It finds the same
/// devices in the same order, and the same words, as kube-scheduler 1.36.3 or 1.37.2, as the inventory's rules have it
/// (k8s.io/dynamic-resource-allocation/structured, with the features that are on by default).

#include "allocated.h"
#include "pools.h"
#include "request.h"

#include <functional>
#include <map>
#include <mutex>

namespace kubernetes::devices {

/// What a selector says of a device.
struct Selected {
    bool matches = false;
    std::string fault = {};  ///< "CEL compile error: …" or "CEL runtime error: …"; empty: none
    bool by_device = false;  ///< the fault is of this device
};

/// Evaluates the selectors of classes and claims. Thread: any.
class Selectors {
public:
    Selectors() = default;
    Selectors(const Selectors &) = delete;
    Selectors &operator=(const Selectors &) = delete;
    virtual ~Selectors() = default;
    virtual Selected select(const std::string &expression, const Slice &slice, const Device &device) const = 0;
};

/// A device that was chosen for a request.
struct Chosen {
    const Request *request;
    const Slice *slice;
    const Device *device;
    bool shared = false;
    Consumed consumed = {};
};

/// The devices of one claim, in the order in which they were chosen.
struct ClaimDevices {
    std::vector<Chosen> devices;
    std::vector<std::size_t> alternatives;  ///< for each request of the claim the subrequest that was taken
};

struct Allocation {
    enum class Outcome { Found, NotFound, Error, Stopped };
    Outcome outcome = Outcome::NotFound;
    std::string text;                  ///< of Error and NotFound: upstream's
    std::vector<ClaimDevices> claims;  ///< of Found
    std::int64_t steps = 0;            ///< of the search
};

/// Finds devices for one pod, on any number of nodes. Everything given must outlive it and stay as it is.
class Allocator {
public:
    using FindClass = std::function<const Class *(std::string_view name)>;
    /// Whether to give up; checked at each step of the search, and before each selector.
    using Stop = std::function<bool()>;

    /// A pod's claims without devices. Those for its extended resources differ from node to node.
    using Claims = std::vector<const Claim *>;

    Allocator(const Inventory &inventory, const Uses &uses, const Selectors &selectors, FindClass find_class)
        : inventory_(inventory),
          rules_(inventory.rules()),
          uses_(uses),
          selectors_(selectors),
          find_class_(std::move(find_class)) {}

    /// What it finds refers to the claims. Thread: any.
    Allocation allocate(const NodeView &node, const Claims &claims, const Stop &stop) const;

    /// The one change to the node, or to a request, with which the claims have devices there: a phrase in the
    /// imperative. Empty: allocate() finds some, or there is not one, or none is known within what `stop` allows.
    std::string lacks(const NodeView &node, const Claims &claims, const Stop &stop) const;

    /// What a pool has left of its counters, as a search sees it first.
    struct CounterStock {
        std::map<std::pair<std::string_view, std::string_view>, std::size_t> places;  ///< by set and name
        std::vector<berth::Quantity> available;

        /// Calls `fn(place, amount)` for each counter that the device consumes.
        template <class Fn>
        void each(const Device &device, Fn &&fn) const {
            for (const auto &set : device.consumes)
                for (const auto &[counter, amount] : set.counters)
                    if (auto at = places.find({set.name, counter}); at != places.end()) fn(at->second, amount);
        }
    };

private:
    friend class Search;
    /// The driver and the name of a pool; no driver: of any.
    using PoolKey = std::pair<std::string_view, std::string_view>;
    PoolKey key_of(const Pool &pool) const {
        return {rules_.counters_by_driver ? pool.driver : std::string_view{}, pool.name};
    }
    const CounterStock &counters(const Pool &pool) const;

    const Inventory &inventory_;
    Rules rules_;
    const Uses &uses_;
    const Selectors &selectors_;
    FindClass find_class_;
    mutable std::mutex mutex_;
    mutable std::map<PoolKey, CounterStock> counters_;
};

/// The status.allocation of a claim on a node, as JSON. `share_id` makes the id of a share. Throws Fatal.
std::string allocation_json(const Claim &claim, const ClaimDevices &chosen, std::string_view node,
                            const Allocator::FindClass &find_class, const std::function<std::string()> &share_id,
                            const Rules &rules);

}  // namespace kubernetes::devices
