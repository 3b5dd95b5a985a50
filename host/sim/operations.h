// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes of users, kubelets and controllers to the simulated API server. The scheduler's are in requests.h.

#include "sim/store.h"

#include <string>
#include <string_view>

namespace berth::sim {

/// Every error is what the server would answer, in short. The store outlives it. Loop only.
class Operations {
    Store &store_;

public:
    explicit Operations(Store &store) : store_(store) {}
    Store &store() const { return store_; }

    /// Creates the object, or replaces what one may change of it; what the server and kubelets wrote is kept.
    model::Result<void> apply(const model::Node &node);
    model::Result<void> apply(const model::Pod &pod);
    model::Result<void> apply(const InputObject &object);

    // JSON merge patches.
    model::Result<void> patch_node(std::string_view name, model::Value patch);
    model::Result<void> patch_pod(const std::string &key, model::Value patch);
    model::Result<void> patch_object(const model::Kind &kind, const std::string &key, model::Value patch);

    model::Result<void> delete_node(std::string_view name);
    /// Pods gracefully.
    model::Result<void> delete_object(const model::Kind &kind, const std::string &key);
    /// A pod's containers have ended after it was deleted: it is gone, if it is still that one.
    void end_pod(const model::Pod &pod);

private:
    model::Result<void> change(const model::Pod &before, const model::Tree &after);
};

}  // namespace berth::sim
