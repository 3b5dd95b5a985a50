// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Watch events of one collection that wait until another collection is listed.

#include "kube/collection.h"

#include <utility>
#include <vector>

namespace berth::kube {

/// Loop only. Outlives the reflectors of the collections that it holds.
class HeldEvents {
    bool released_ = false;
    std::vector<std::function<void()>> held_;

    template <class... Args>
    std::function<void(Args...)> hold(std::function<void(Args...)> notify) {
        return [this, notify = std::move(notify)](Args... args) {
            if (released_) return notify(std::move(args)...);
            held_.push_back([notify, args...] { notify(args...); });
        };
    }

public:
    /// The same collection; its events are held back until release().
    Collection hold(Collection collection) {
        collection.added = hold(std::move(collection.added));
        collection.updated = hold(std::move(collection.updated));
        collection.deleted = hold(std::move(collection.deleted));
        return collection;
    }
    /// Delivers the held events in order; later events pass at once.
    void release() {
        released_ = true;
        for (const auto &one : std::exchange(held_, {})) one();
    }
};

}  // namespace berth::kube
