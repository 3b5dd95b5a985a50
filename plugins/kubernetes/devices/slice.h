// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parsed ResourceSlices: devices, attributes, capacities, counters.

#include "amount.h"

#include "../node_selector.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubernetes::devices {

/// A value that a driver publishes of a device.
struct Attribute {
    enum class Type { Unknown, String, Int, Bool, Version };
    Type type = Type::Unknown;
    std::int64_t number = 0;  ///< of Int and Bool
    std::string text;         ///< of String and Version

    bool operator==(const Attribute &) const = default;

    static Attribute read(berth::Value v) {
        if (auto text = v["string"]; text.is_string()) return {Type::String, 0, std::string(text.string())};
        if (auto n = v["int"].integer()) return {Type::Int, *n, {}};
        if (auto b = v["bool"].boolean()) return {Type::Bool, *b ? 1 : 0, {}};
        if (auto text = v["version"]; text.is_string()) return {Type::Version, 0, std::string(text.string())};
        return {};
    }
};

/// Which amounts of a capacity can be had.
struct RequestPolicy {
    struct Range {
        std::optional<Amount> min, max, step;
    };
    std::optional<Amount> preset;  ///< for a request that names no amount
    std::optional<std::vector<Amount>> valid_values;
    std::optional<Range> valid_range;
};

struct Capacity {
    std::string name;
    Amount value;
    std::optional<RequestPolicy> policy;

    static Capacity read(std::string_view name, berth::Value v) {
        Capacity out{std::string(name), Amount::read(v["value"]), std::nullopt};
        auto policy = v["requestPolicy"];
        if (policy.is_null()) return out;
        out.policy.emplace();
        out.policy->preset = Amount::read_optional(policy["default"]);
        if (auto values = policy["validValues"]; values.is_array()) {
            out.policy->valid_values.emplace();
            for (std::size_t i = 0; i < values.size(); ++i)
                out.policy->valid_values->push_back(Amount::read(values.at(i)));
        }
        if (auto range = policy["validRange"]; !range.is_null())
            out.policy->valid_range =
                RequestPolicy::Range{Amount::read_optional(range["min"]), Amount::read_optional(range["max"]),
                                     Amount::read_optional(range["step"])};
        return out;
    }
};

/// Counters that a pool shares between its devices, or what a device consumes of them.
struct CounterSet {
    std::string name;
    std::vector<std::pair<std::string, berth::Quantity>> counters;

    static std::vector<CounterSet> read(berth::Value list, std::string_view name_field) {
        std::vector<CounterSet> out;
        for (std::size_t i = 0; i < list.size(); ++i) {
            CounterSet set{std::string(list.at(i)[name_field].string()), {}};
            auto counters = list.at(i)["counters"];
            for (std::size_t k = 0; k < counters.size(); ++k)
                set.counters.emplace_back(counters.key(k), Amount::read(counters.member(k)["value"]).quantity);
            out.push_back(std::move(set));
        }
        return out;
    }
};

/// The nodes that a slice, or one of its devices, can be used from.
struct NodeSelection {
    std::optional<std::string> node_name;
    bool all_nodes = false;
    berth::Value selector;        ///< null: none
    std::vector<NodeTerm> terms;  ///< of the selector

    static NodeSelection read(berth::Value spec) {
        NodeSelection out;
        if (auto name = spec["nodeName"]; name.is_string()) out.node_name = std::string(name.string());
        out.all_nodes = spec["allNodes"].is_true();
        out.selector = spec["nodeSelector"];
        if (!out.selector.is_null()) out.terms = berth::parse_node_selector(out.selector, "");
        return out;
    }
    bool on_one_node() const { return node_name && !node_name->empty(); }
    bool known() const { return on_one_node() || all_nodes || !selector.is_null(); }
};

struct Device {
    std::string name;
    berth::Value source;  ///< of the slice's object
    std::vector<std::pair<std::string, Attribute>> attributes;
    std::vector<Capacity> capacities;
    std::vector<CounterSet> consumes;
    NodeSelection nodes;              ///< where the slice leaves it to its devices
    std::vector<berth_taint> taints;  ///< their texts are the object's
    berth::Value binding_conditions, binding_failure_conditions;
    bool binds_to_node = false;
    bool shareable = false;  ///< allowMultipleAllocations
    std::string id;          ///< of all devices of the cluster

    const Attribute *attribute(std::string_view attribute_name) const {
        for (const auto &[key, value] : attributes)
            if (key == attribute_name) return &value;
        return nullptr;
    }
};

/// No name of a driver, a pool or a device has a line feed.
inline std::string device_id(std::string_view driver, std::string_view pool, std::string_view device) {
    std::string out(driver);
    return ((out += '\n') += pool).append("\n").append(device);
}

/// A ResourceSlice. The object that it was read from must outlive it.
struct Slice {
    /// Tells it from every other that this process has read, also from a later one at its address.
    std::uint64_t serial = 0;
    std::string name, driver, pool;
    std::int64_t generation = 0, slice_count = 0;
    NodeSelection nodes;
    bool per_device_nodes = false;
    bool compatibility_groups = false;  ///< some device has them
    std::vector<Device> devices;
    std::vector<CounterSet> shared_counters;

    static Slice read(std::string_view name, berth::Value spec) {
        static std::atomic<std::uint64_t> last{0};
        Slice out;
        out.serial = ++last;
        out.name = name;
        out.driver = spec["driver"].string();
        out.pool = spec["pool"]["name"].string();
        out.generation = spec["pool"]["generation"].integer().value_or(0);
        out.slice_count = spec["pool"]["resourceSliceCount"].integer().value_or(0);
        out.nodes = NodeSelection::read(spec);
        out.per_device_nodes = spec["perDeviceNodeSelection"].is_true();
        auto list = spec["devices"];
        for (std::size_t i = 0; i < list.size(); ++i) {
            out.devices.push_back(out.read_device(list.at(i)));
            auto consumes = list.at(i)["consumesCounters"];
            for (std::size_t k = 0; k < consumes.size(); ++k)
                out.compatibility_groups = out.compatibility_groups || consumes.at(k)["compatibilityGroups"].size() > 0;
        }
        out.shared_counters = CounterSet::read(spec["sharedCounters"], "name");
        return out;
    }

private:
    Device read_device(berth::Value v) const {
        Device out;
        out.name = v["name"].string();
        out.id = device_id(driver, pool, out.name);
        out.source = v;
        auto attributes = v["attributes"], capacity = v["capacity"], taints = v["taints"];
        for (std::size_t i = 0; i < attributes.size(); ++i)
            out.attributes.emplace_back(attributes.key(i), Attribute::read(attributes.member(i)));
        for (std::size_t i = 0; i < capacity.size(); ++i)
            out.capacities.push_back(Capacity::read(capacity.key(i), capacity.member(i)));
        out.consumes = CounterSet::read(v["consumesCounters"], "counterSet");
        for (std::size_t i = 0; i < taints.size(); ++i)
            out.taints.push_back({berth::to_str(taints.at(i)["key"].string()),
                                  berth::to_str(taints.at(i)["value"].string()),
                                  berth::to_str(taints.at(i)["effect"].string())});
        out.nodes = NodeSelection::read(v);
        out.binding_conditions = v["bindingConditions"];
        out.binding_failure_conditions = v["bindingFailureConditions"];
        out.binds_to_node = v["bindsToNode"].is_true();
        out.shareable = v["allowMultipleAllocations"].is_true();
        return out;
    }
};

}  // namespace kubernetes::devices
