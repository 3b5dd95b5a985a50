// SPDX-License-Identifier: Apache-2.0
#include "verify/discovery.h"

#include "verify/costs.h"
#include "verify/world.h"

namespace berth::verify {

void discover(Run &run, Material &material) {
    constexpr int most_rounds = 4;
    Requests requests;
    requests.add_texts_of(run.subject.file);
    for (int round = 0; round < most_rounds; ++round) {
        const auto before = requests.size();
        material.requests = requests;
        requests.objects.clear();
        World world(run, {8, 16, 12}, &requests);
        (void)ask_everything(world, world.pending);
        world.stage.clock.run();
        if (requests.size() == before) break;
    }
    material.requests = std::move(requests);
}

}  // namespace berth::verify
