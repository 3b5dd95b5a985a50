// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The background work of a simulation, on its loop without threads.

#include "env/clock.h"
#include "env/workers.h"

#include <utility>

namespace berth::sim {

/// Does each piece of work at its turn on the loop, so that nothing depends on which thread is faster.
class VirtualWorkers : public env::Workers {
    env::Clock &clock_;

public:
    explicit VirtualWorkers(env::Clock &clock) : clock_(clock) {}
    void submit(std::function<void()> work, std::function<void()> done) override {
        clock_.post([work = std::move(work), done = std::move(done)] {
            work();
            done();
        });
    }
};

}  // namespace berth::sim
