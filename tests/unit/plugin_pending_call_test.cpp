// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin/host_context.h"
#include "plugin/pending_call.h"
#include "sim/virtual_clock.h"

#include <optional>

namespace plugin = berth::plugin;

TEST_CASE("pending call: what ends it after its maker is gone is nobody's, until the instance has ended", "[plugin]") {
    berth::sim::VirtualClock clock{0};
    int ends = 0, expected = 0;
    plugin::Instance instance;
    instance.name = "Tea";
    instance.context = std::make_shared<plugin::HostContext>();
    instance.context->services.clock = &clock;
    const berth_call *given_call = nullptr;
    const berth_done *done = nullptr;
    {
        plugin::CallContext context;
        plugin::PendingCall call(instance, "PreBind", context, clock, [&] { ++ends; });
        given_call = context.call();
        CHECK_FALSE(call.call([&](berth_status *status, const berth_done *given) {
            status->code = BERTH_STATUS_IN_PROGRESS;
            done = given;
        }));
        CHECK_FALSE(berth_cancelled(given_call));
        SECTION("never ended") {}
        SECTION("ended, and not heard yet") {
            plugin::behind(*done).complete(done->status);
            CHECK(call.ended());
            expected = 1;
        }
    }
    // As the plugin's own thread, or its destructor, may.
    CHECK(berth_cancelled(given_call));
    done->status->code = BERTH_STATUS_SUCCESS;
    plugin::behind(*done->status).set_error(BERTH_STR("spilt"));
    plugin::behind(*done).complete(done->status);
    clock.run();
    CHECK(ends == expected);
}

TEST_CASE("pending call: one that has ended keeps nothing", "[plugin]") {
    berth::sim::VirtualClock clock{0};
    plugin::Instance instance;
    instance.context = std::make_shared<plugin::HostContext>();
    plugin::CallContext context;
    std::optional<plugin::PendingCall> call(std::in_place, instance, "PreBind", context, clock, [] {});
    CHECK_FALSE(call->call([&](berth_status *status, const berth_done *done) {
        status->code = BERTH_STATUS_IN_PROGRESS;
        plugin::behind(*done).complete(done->status);
    }));
    CHECK(call->take().success());
    SECTION("of the call") {
        call.reset();
        CHECK(instance.context->abandoned.empty());
    }
    SECTION("of the instance") {
        const std::weak_ptr<plugin::HostContext> context_of = instance.context;
        instance.context.reset();
        CHECK(context_of.expired());
    }
}
