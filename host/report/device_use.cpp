// SPDX-License-Identifier: Apache-2.0
#include "report/device_use.h"

#include "model/build.h"
#include "model/quantity.h"
#include "report/table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace berth::report {
namespace {

using model::Value;
using PoolId = std::pair<std::string_view, std::string_view>;              // driver, pool
using CounterId = std::tuple<PoolId, std::string_view, std::string_view>;  // and set, counter
using DeviceId = std::pair<PoolId, std::string_view>;

struct Device {
    std::string_view node;
    Value published;
    bool allocated = false;
};

/// Everything points into the slices.
struct Inventory {
    std::map<PoolId, std::int64_t> generations;
    std::map<CounterId, Quantity> left;
    std::map<DeviceId, Device> devices;
};

PoolId pool_of(Value slice_or_result_pool, Value driver) { return {driver.string(), slice_or_result_pool.string()}; }

template <class Fn>
void each(Value list, const Fn &fn) {
    for (std::size_t i = 0; i < list.size(); ++i) fn(list.at(i));
}

/// Calls `fn(id, amount)` for each counter of a set.
template <class Fn>
void each_counter(const PoolId &pool, Value set_name, Value counters, const Fn &fn) {
    for (std::size_t i = 0; i < counters.size(); ++i)
        if (const auto amount = Quantity::parse(counters.member(i)["value"].string()))
            fn(CounterId{pool, set_name.string(), counters.key(i)}, *amount);
}

template <class Fn>
void each_consumed(const PoolId &pool, Value device, const Fn &fn) {
    each(device["consumesCounters"], [&](Value set) { each_counter(pool, set["counterSet"], set["counters"], fn); });
}

Inventory inventory_of(const std::vector<model::TreePtr> &slices) {
    Inventory out;
    auto each_spec = [&](const auto &fn) {
        for (const auto &slice : slices) {
            const auto spec = slice->value()["spec"], pool = spec["pool"];
            fn(spec, pool_of(pool["name"], spec["driver"]), pool["generation"].integer().value_or(0));
        }
    };
    each_spec([&](Value, const PoolId &id, std::int64_t generation) {
        auto &newest = out.generations.try_emplace(id, generation).first->second;
        newest = std::max(newest, generation);
    });
    each_spec([&](Value spec, const PoolId &id, std::int64_t generation) {
        if (generation != out.generations[id]) return;
        each(spec["sharedCounters"], [&](Value set) {
            each_counter(id, set["name"], set["counters"],
                         [&](const CounterId &counter, const Quantity &amount) { out.left.emplace(counter, amount); });
        });
        each(spec["devices"], [&](Value device) {
            const auto node = spec["perDeviceNodeSelection"].is_true() ? device["nodeName"] : spec["nodeName"];
            out.devices.try_emplace({id, device["name"].string()}, Device{node.string(), device});
        });
    });
    return out;
}

/// The devices of the claim are no longer free, nor is what they consume.
void allocate(Inventory &inventory, Value claim) {
    each(claim["status"]["allocation"]["devices"]["results"], [&](Value result) {
        if (result["adminAccess"].is_true()) return;
        const auto id = pool_of(result["pool"], result["driver"]);
        const auto device = inventory.devices.find({id, result["device"].string()});
        if (device == inventory.devices.end() || std::exchange(device->second.allocated, true)) return;
        each_consumed(id, device->second.published, [&](const CounterId &counter, const Quantity &amount) {
            if (const auto left = inventory.left.find(counter); left != inventory.left.end()) left->second -= amount;
        });
    });
}

bool is_free(const Inventory &inventory, const PoolId &pool, const Device &device) {
    if (device.allocated) return false;
    bool enough = true;
    each_consumed(pool, device.published, [&](const CounterId &counter, const Quantity &amount) {
        const auto left = inventory.left.find(counter);
        enough = enough && left != inventory.left.end() && amount <= left->second;
    });
    return enough;
}

/// The share that is not free.
double fullness(const DeviceUse &use) { return 1 - static_cast<double>(use.free) / static_cast<double>(use.devices); }

std::string text_or_dash(const std::string &text) { return text.empty() ? "-" : printable(text); }

std::string totals(const std::vector<DeviceUse> &uses) {
    struct Sum {
        std::uint64_t allocated = 0, devices = 0, free = 0, nodes = 0;
    };
    std::map<std::pair<std::string_view, std::string_view>, Sum> models;
    for (const auto &use : uses) {
        auto &sum = models[{use.driver, use.model}];
        sum.allocated += use.allocated;
        sum.devices += use.devices;
        sum.free += use.free;
        sum.nodes += use.node.empty() ? 0 : 1;
    }
    Table table({"DRIVER", "MODEL", ">ALLOCATED", ">OF", ">FREE", ">NODES"});
    for (const auto &[id, sum] : models)
        table.add({printable(id.first), text_or_dash(std::string(id.second)), grouped(sum.allocated),
                   grouped(sum.devices), grouped(sum.free), grouped(sum.nodes)});
    return "\nDEVICES\n" + table.text(2);
}

std::string by_node(const std::vector<DeviceUse> &uses, bool all) {
    std::vector<const DeviceUse *> order;
    for (const auto &use : uses) order.push_back(&use);
    const bool cut = !all && order.size() > rows_shown;
    if (cut) std::stable_sort(order.begin(), order.end(), [](auto *a, auto *b) { return fullness(*a) > fullness(*b); });
    Table table({"NODE", "DRIVER", "MODEL", ">ALLOCATED", ">OF", ">FREE"});
    for (std::size_t i = 0; i < (cut ? rows_shown : order.size()); ++i)
        table.add({order[i]->node.empty() ? "(several)" : printable(order[i]->node), printable(order[i]->driver),
                   text_or_dash(order[i]->model), grouped(order[i]->allocated), grouped(order[i]->devices),
                   grouped(order[i]->free)});
    std::string text = std::string("\nDEVICES BY NODE") + (cut ? ", the fullest first" : "") + "\n" + table.text(2);
    if (cut) text += cut_off(order.size() - rows_shown, "rows");
    return text;
}

}  // namespace

std::string model_of(Value attributes) {
    auto text_of = [&](std::string_view wanted) -> std::string_view {
        for (std::size_t i = 0; i < attributes.size(); ++i) {
            auto name = attributes.key(i);
            if (const auto slash = name.find('/'); slash != name.npos) name.remove_prefix(slash + 1);
            if (name == wanted) return attributes.member(i)["string"].string();
        }
        return {};
    };
    std::string out;
    for (const auto *name : {"productName", "model", "type"})
        if (out = text_of(name); !out.empty()) break;
    if (const auto profile = text_of("profile"); !profile.empty()) out.append(out.empty() ? "" : " ").append(profile);
    return out;
}

std::vector<DeviceUse> device_use(const std::vector<model::TreePtr> &slices,
                                  const std::vector<model::TreePtr> &claims) {
    auto inventory = inventory_of(slices);
    for (const auto &claim : claims) allocate(inventory, claim->value());
    std::map<std::tuple<std::string_view, std::string_view, std::string>, DeviceUse> uses;
    for (const auto &[id, device] : inventory.devices) {
        const auto driver = id.first.first;
        auto model = model_of(device.published["attributes"]);
        auto &use = uses[{device.node, driver, model}];
        ++use.devices;
        use.allocated += device.allocated;
        use.free += is_free(inventory, id.first, device);
    }
    std::vector<DeviceUse> out;
    for (auto &[id, use] : uses) {
        use.node = std::get<0>(id);
        use.driver = std::get<1>(id);
        use.model = std::get<2>(id);
        out.push_back(std::move(use));
    }
    return out;
}

std::string device_text(const std::vector<DeviceUse> &uses, bool all) {
    return uses.empty() ? "" : totals(uses) + by_node(uses, all);
}

berth_value device_values(model::Arena &arena, const std::vector<DeviceUse> &uses) {
    model::ArrayBuilder list(arena);
    for (const auto &use : uses) {
        model::ObjectBuilder one(arena);
        if (!use.node.empty()) one.add("node", std::string_view{use.node});
        one.add("driver", std::string_view{use.driver});
        if (!use.model.empty()) one.add("model", std::string_view{use.model});
        list.add(one.add("devices", use.devices).add("allocated", use.allocated).add("free", use.free).value());
    }
    return list.value();
}

}  // namespace berth::report
