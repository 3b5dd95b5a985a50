// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The score of a node by the utilization of its storage classes (upstream: volumebinding/scorer.go).

#include "shape.h"
#include "volume_binder.h"
#include "wrapping.h"

#include <cmath>
#include <map>

namespace kubernetes {

/// How well a pod's volumes use what a node has for them, by storage class (volumebinding/scorer.go).
class StorageScore {
    struct Use {
        std::int64_t requested = 0, capacity = 0;
    };
    using ByClass = std::map<std::string_view, Use>;

    Shape shape_;

    /// Volumes that are there count, and where there are none, those that are to be made.
    static ByClass use(const VolumesOnNode &found, Labels labels) {
        ByClass out;
        for (const auto &[volume, claim] : found.bindings) {
            auto &use = out[volume->named_class];
            use.requested = wrapping::plus(use.requested, claim->request.value());
            use.capacity = wrapping::plus(use.capacity, volume->capacity.value());
        }
        if (!found.bindings.empty()) return out;
        for (const auto *claim : found.provisions) {
            const auto *pool = claim->capacity_matters ? claim->pool_on(labels) : nullptr;
            if (!pool) continue;
            auto &use = out[claim->storage_class];
            use.requested = wrapping::plus(use.requested, claim->request.value());
            use.capacity = pool->capacity;  // the same room for all of the class
        }
        return out;
    }

public:
    explicit StorageScore(berth::Value shape) : shape_(Shape::read(shape)) {}

    std::int64_t of(const VolumesOnNode &found, Labels labels) const {
        constexpr std::int64_t full = 100;
        const auto classes = use(found, labels);
        if (classes.empty()) return 0;
        std::int64_t sum = 0;
        for (const auto &[name, use] : classes) {
            const bool none_left = use.capacity == 0 || use.requested > use.capacity;
            sum += shape_.at(none_left ? full : wrapping::divided(wrapping::times(use.requested, full), use.capacity));
        }
        return static_cast<std::int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(classes.size())));
    }
};

}  // namespace kubernetes
