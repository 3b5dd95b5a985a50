// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Plugin instances in an empty simulated cluster, for commands such as `berth config rbac`.

#include "plugin/profile.h"
#include "plugin/sources.h"
#include "report/log.h"
#include "scheduler/scheduler.h"
#include "sim/virtual_clock.h"
#include "sim/world.h"

namespace berth::offline {

class Offline {
    struct Sink : DecisionSink {
        model::Detail detail() const override { return model::Detail::Summary; }
        void decision(const model::Decision &) override {}
        void event(const model::DecisionEvent &) override {}
    };
    Sink sink_;
    report::KlogLog log_{0};
    sim::VirtualClock clock_{0};
    sim::World world_{clock_};
    Scheduler scheduler_{clock_, &log_, sink_, {}};

public:
    /// The profiles are good as long as this.
    model::Result<std::vector<plugin::Profile>> profiles(const config::Configuration &configuration,
                                                         plugin::Catalog &catalog, plugin::Checks checks) {
        plugin::Services services;
        services.clock = &clock_;
        services.api = &world_;
        services.log = &log_;
        services.seed = 1;
        services.checks = checks;
        scheduler_.offer(services);
        return plugin::build_profiles(configuration, catalog, services);
    }
};

}  // namespace berth::offline
