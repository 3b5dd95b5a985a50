// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The priorities of PriorityClasses, by name.

#include "model/build.h"
#include "sim/patch.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace berth::sim {

inline bool is_priority_class(model::Value o) {
    return o["kind"].string() == "PriorityClass" && o["apiVersion"].string().starts_with("scheduling.k8s.io/");
}

/// Priorities by class name. The two that every cluster has are built in.
class PriorityClasses {
    std::unordered_map<std::string, std::int64_t> values_{{"system-cluster-critical", 2000000000},
                                                          {"system-node-critical", 2000001000}};
    std::int64_t global_default_ = 0;

public:
    void add(model::Value o) {
        auto value = o["value"].integer().value_or(0);
        values_[std::string(o["metadata"]["name"].string())] = value;
        if (o["globalDefault"].is_true()) global_default_ = value;
    }
    /// What admission would write into spec.priority, or nothing if the class is unknown.
    std::optional<std::int64_t> of(std::string_view name) const {
        if (name.empty()) return global_default_;
        auto found = values_.find(std::string(name));
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    }
    /// The pod as admission lets it in: spec.priority is what its class says, unless it is there or would be zero.
    model::TreePtr admitted(const model::TreePtr &pod) const {
        auto spec = pod->value()["spec"];
        auto priority = spec["priority"].is_null() ? of(spec["priorityClassName"].string()) : std::nullopt;
        if (priority.value_or(0) == 0) return pod;
        model::Arena arena;
        auto patch =
            model::ObjectBuilder(arena).add("spec", model::ObjectBuilder(arena).add("priority", *priority)).value();
        return merged(pod->value(), model::Value{&patch});
    }
};

}  // namespace berth::sim
