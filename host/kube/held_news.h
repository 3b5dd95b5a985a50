// SPDX-License-Identifier: Apache-2.0
#pragma once

/// News of one collection that waits until another one is known.

#include "kube/collection.h"

#include <utility>
#include <vector>

namespace berth::kube {

/// Loop only. Lives longer than whoever follows a collection that it holds.
class HeldNews {
    bool told_ = false;
    std::vector<std::function<void()>> held_;

    template <class... Args>
    std::function<void(Args...)> hold(std::function<void(Args...)> tell) {
        return [this, tell = std::move(tell)](Args... args) {
            if (told_) return tell(std::move(args)...);
            held_.push_back([tell, args...] { tell(args...); });
        };
    }

public:
    /// The same collection, of which nobody hears before tell().
    Collection hold(Collection collection) {
        collection.added = hold(std::move(collection.added));
        collection.updated = hold(std::move(collection.updated));
        collection.deleted = hold(std::move(collection.deleted));
        return collection;
    }
    /// Tells what has waited, in the order in which it came; what comes from now on does not wait.
    void tell() {
        told_ = true;
        for (const auto &one : std::exchange(held_, {})) one();
    }
};

}  // namespace berth::kube
