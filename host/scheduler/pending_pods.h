// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The queue as plugins see it (berth.host.pending_pods/draft1).

#include "scheduler/core.h"

namespace berth::scheduler {

class PendingPods final : public plugin::PendingPods {
    const Core &core_;

public:
    explicit PendingPods(const Core &core) : core_(core) {}

    Visited visit(std::uint32_t places, const Visit &visit) const override {
        return open() ? core_.queue->visit(places, visit) : Visited::Closed;
    }
    std::optional<std::uint64_t> count(std::uint32_t places) const override {
        return open() ? core_.queue->count(places) : std::nullopt;
    }
    std::optional<std::uint64_t> version() const override { return open() ? core_.queue->version() : std::nullopt; }

private:
    bool open() const { return core_.queue && !core_.calls.at_gates(); }
};

}  // namespace berth::scheduler
