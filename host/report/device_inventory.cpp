// SPDX-License-Identifier: Apache-2.0
#include "report/device_inventory.h"

#include "model/keyed_hash.h"
#include "model/quantity.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

namespace berth::report {
namespace {

using model::Value;
using PoolId = std::pair<std::string_view, std::string_view>;     // driver, pool
using CounterId = std::pair<std::string_view, std::string_view>;  // set, counter

struct Pool {
    std::int64_t generation = 0;  ///< the newest
    std::map<CounterId, Quantity> left{};
    std::vector<InventoryDevice> devices{};  ///< by name, each name once, when all slices are read
};
struct Hash {
    std::size_t operator()(const PoolId &id) const {
        constexpr std::uint64_t odd = 31;
        return model::keyed_hash(id.first) * odd + model::keyed_hash(id.second);
    }
};
/// Everything points into the slices.
using Pools = std::unordered_map<PoolId, Pool, Hash>;

template <class Fn>
void each(Value list, const Fn &fn) {
    for (std::size_t i = 0; i < list.size(); ++i) fn(list.at(i));
}

/// Calls `fn(id, amount)` for each counter of a set.
template <class Fn>
void each_counter(Value set_name, Value counters, const Fn &fn) {
    for (std::size_t i = 0; i < counters.size(); ++i)
        if (const auto amount = Quantity::parse(counters.member(i)["value"].string()))
            fn(CounterId{set_name.string(), counters.key(i)}, *amount);
}

template <class Fn>
void each_consumed(Value device, const Fn &fn) {
    each(device["consumesCounters"], [&](Value set) { each_counter(set["counterSet"], set["counters"], fn); });
}

void add_slice(Value spec, const PoolId &id, Pool &pool) {
    each(spec["sharedCounters"], [&](Value set) {
        each_counter(set["name"], set["counters"],
                     [&](const CounterId &counter, const Quantity &amount) { pool.left.emplace(counter, amount); });
    });
    const bool of_slice = !spec["perDeviceNodeSelection"].is_true();
    each(spec["devices"], [&](Value device) {
        const auto name = device["name"].string();
        if (name.empty()) return;
        const auto node = of_slice ? spec["nodeName"] : device["nodeName"];
        pool.devices.push_back({id.first, id.second, name, node.string(), device});
    });
}

Pools pools_of(const std::vector<model::TreePtr> &slices) {
    Pools out;
    std::vector<Pools::value_type *> of_slice;
    for (const auto &slice : slices) {
        const auto spec = slice->value()["spec"], pool = spec["pool"];
        const auto generation = pool["generation"].integer().value_or(0);
        auto &place = *out.try_emplace({spec["driver"].string(), pool["name"].string()}, Pool{generation}).first;
        place.second.generation = std::max(place.second.generation, generation);
        of_slice.push_back(&place);
    }
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const auto spec = slices[i]->value()["spec"];
        auto &[id, pool] = *of_slice[i];
        if (spec["pool"]["generation"].integer().value_or(0) == pool.generation) add_slice(spec, id, pool);
    }
    for (auto &[id, pool] : out) {
        std::ranges::stable_sort(pool.devices, {}, &InventoryDevice::name);
        const auto again = std::ranges::unique(pool.devices, {}, &InventoryDevice::name);
        pool.devices.erase(again.begin(), again.end());
    }
    return out;
}

/// The devices of the claim are no longer free, nor is what they consume.
void allocate(Pools &pools, Value claim, std::size_t index) {
    each(claim["status"]["allocation"]["devices"]["results"], [&](Value result) {
        const auto found = pools.find({result["driver"].string(), result["pool"].string()});
        if (found == pools.end()) return;
        auto &pool = found->second;
        const auto name = result["device"].string();
        const auto at = std::ranges::lower_bound(pool.devices, name, {}, &InventoryDevice::name);
        if (at == pool.devices.end() || at->name != name) return;
        const bool admin = result["adminAccess"].is_true();
        if (at->holders.empty() || at->holders.back().claim != index) at->holders.push_back({index, admin});
        else at->holders.back().admin_access = at->holders.back().admin_access && admin;
        if (admin || std::exchange(at->allocated, true)) return;
        each_consumed(at->published, [&](const CounterId &counter, const Quantity &amount) {
            if (const auto left = pool.left.find(counter); left != pool.left.end()) left->second -= amount;
        });
    });
}

bool is_free(const Pool &pool, const InventoryDevice &device) {
    if (device.allocated) return false;
    bool enough = true;
    each_consumed(device.published, [&](const CounterId &counter, const Quantity &amount) {
        const auto left = pool.left.find(counter);
        enough = enough && left != pool.left.end() && amount <= left->second;
    });
    return enough;
}

}  // namespace

std::vector<InventoryDevice> device_inventory(const std::vector<model::TreePtr> &slices,
                                              const std::vector<model::TreePtr> &claims) {
    auto pools = pools_of(slices);
    for (std::size_t i = 0; i < claims.size(); ++i) allocate(pools, claims[i]->value(), i);
    std::vector<Pools::value_type *> order;
    std::size_t devices = 0;
    for (auto &one : pools) {
        order.push_back(&one);
        devices += one.second.devices.size();
    }
    std::ranges::sort(order, {}, [](const auto *one) -> const PoolId & { return one->first; });
    std::vector<InventoryDevice> out;
    out.reserve(devices);
    for (auto *one : order)
        for (auto &device : one->second.devices) {
            device.free = is_free(one->second, device);
            out.push_back(std::move(device));
        }
    return out;
}

std::string model_of(Value attributes) {
    constexpr std::array<std::string_view, 4> wanted{"productName", "model", "type", "profile"};
    std::array<Value, wanted.size()> found{};
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        auto name = attributes.key(i);
        if (const auto slash = name.find('/'); slash != name.npos) name.remove_prefix(slash + 1);
        const auto at = static_cast<std::size_t>(std::ranges::find(wanted, name) - wanted.begin());
        if (at < wanted.size() && !found[at]) found[at] = attributes.member(i);
    }
    std::string out;
    for (std::size_t i = 0; i + 1 < wanted.size() && out.empty(); ++i) out = found[i]["string"].string();
    if (const auto profile = found.back()["string"].string(); !profile.empty())
        out.append(out.empty() ? "" : " ").append(profile);
    return out;
}

}  // namespace berth::report
