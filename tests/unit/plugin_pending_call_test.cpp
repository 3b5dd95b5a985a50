// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin/host_context.h"
#include "plugin/pending_call.h"
#include "sim/virtual_clock.h"

namespace plugin = berth::plugin;

TEST_CASE("pending call: what ends it after its maker is gone is nobody's, until the instance has ended", "[plugin]") {
    berth::sim::VirtualClock clock{0};
    int ends = 0;
    plugin::Instance instance;
    instance.name = "Tea";
    instance.context = std::make_shared<plugin::HostContext>();
    instance.context->services.clock = &clock;
    plugin::CallContext context;
    const berth_done *done = nullptr;
    {
        plugin::PendingCall call(instance, "PreBind", context, clock, [&] { ++ends; });
        CHECK_FALSE(call.call([&](berth_status *status, const berth_done *given) {
            status->code = BERTH_STATUS_IN_PROGRESS;
            done = given;
        }));
        SECTION("never ended") {}
        SECTION("ended, and not heard yet") {
            plugin::behind(*done).complete(done->status);
            CHECK(call.ended());
        }
    }
    // As the plugin's own thread, or its destructor, may.
    done->status->code = BERTH_STATUS_SUCCESS;
    plugin::behind(*done->status).set_error(BERTH_STR("spilt"));
    const int heard = ends;
    plugin::behind(*done).complete(done->status);
    clock.run();
    CHECK(ends <= 1);
    CHECK(heard == 0);
}

TEST_CASE("pending call: one that has ended keeps nothing", "[plugin]") {
    berth::sim::VirtualClock clock{0};
    plugin::Instance instance;
    instance.context = std::make_shared<plugin::HostContext>();
    plugin::CallContext context;
    plugin::PendingCall call(instance, "PreBind", context, clock, [] {});
    CHECK_FALSE(call.call([&](berth_status *status, const berth_done *done) {
        status->code = BERTH_STATUS_IN_PROGRESS;
        plugin::behind(*done).complete(done->status);
    }));
    CHECK(call.take().success());
    CHECK(instance.context->abandoned.empty());
}
