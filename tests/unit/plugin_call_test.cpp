// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin/call.h"
#include "plugin/guarded_memory.h"
#include "plugin/host_context.h"
#include "sim/virtual_clock.h"

#include <berth/berth.h>

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

namespace plugin = berth::plugin;

namespace {

plugin::Instance &named(plugin::Instance &instance) {
    instance.name = "Tea";
    return instance;
}

int destroyed = 0;
const berth_plugin_state_type counted{sizeof(berth_plugin_state_type), 0, nullptr,
                                      [](const berth_plugin_state_type *, void *) { ++destroyed; }};
const berth_plugin_state_type throwing{sizeof(berth_plugin_state_type), 0, nullptr,
                                       [](const berth_plugin_state_type *, void *) { throw std::runtime_error("no"); }};

}  // namespace

TEST_CASE("call: equal lists of reasons have one id, within an attempt", "[plugin]") {
    plugin::CallContext context;
    auto &call = plugin::behind(*context.call());
    const berth_str ab[] = {BERTH_STR("a"), BERTH_STR("b")}, ba[] = {BERTH_STR("b"), BERTH_STR("a")};
    CHECK(call.intern_reasons(nullptr, 0) == BERTH_NO_REASONS);
    auto first = call.intern_reasons(ab, 2), other = call.intern_reasons(ba, 2);
    CHECK(first != other);
    CHECK(call.intern_reasons(ab, 2) == first);
    REQUIRE(context.reasons().find(first));
    CHECK(*context.reasons().find(first) == std::vector<std::string>{"a", "b"});
    CHECK(context.reasons().find(4711) == nullptr);
    context.reset(2, 3);
    CHECK(context.reasons().find(first) == nullptr);
    REQUIRE(context.reasons().find(BERTH_NO_REASONS));
    CHECK(context.reasons().find(BERTH_NO_REASONS)->empty());
}

TEST_CASE("call: scratch memory is aligned, and used again after the call", "[plugin]") {
    plugin::CallContext context;
    auto &call = plugin::behind(*context.call());
    void *first = call.scratch(100, 8);
    for (std::uint64_t align : {1, 2, 8, 64}) {
        auto at = reinterpret_cast<std::uintptr_t>(call.scratch(10, align));
        CHECK(at != 0);
        CHECK(at % align == 0);
    }
    for (std::uint64_t align : {0, 3, 65, 128}) CHECK(call.scratch(10, align) == nullptr);
    for (int i = 0; i < 100; ++i) {
        auto *big = static_cast<char *>(call.scratch(100'000, 16));
        big[0] = big[99'999] = 'x';
        context.free_scratch();
    }
    CHECK(call.scratch(100, 8) == first);
}

TEST_CASE("call: a plugin that asks for more memory than there is harms nobody", "[plugin]") {
    plugin::CallContext context;
    auto &call = plugin::behind(*context.call());
    plugin::GuardedMemory guarded;
    for (std::uint64_t size : {UINT64_MAX, UINT64_MAX - 15, UINT64_MAX / 2 + 1}) {
        CHECK(call.scratch(size, 8) == nullptr);
        CHECK_THROWS_AS(guarded.allocate_guarded(size, size, "scratch"), std::bad_alloc);
    }
    CHECK(call.scratch(10, 8));
    CHECK_FALSE(guarded.damage());
}

TEST_CASE("call: an answer is taken with its texts, and the slot is as new", "[plugin]") {
    plugin::Instance instance;
    plugin::StatusSlot slot;
    const berth_str reasons[] = {BERTH_STR("no milk"), BERTH_STR("no sugar")};
    slot.raw()->code = BERTH_STATUS_UNSCHEDULABLE;
    plugin::behind(*slot.raw()).set_reasons(reasons, 2);
    auto status = slot.take(named(instance), "Filter");
    CHECK(status.code == BERTH_STATUS_UNSCHEDULABLE);
    CHECK(status.plugin == "Tea");
    CHECK(status.message() == "no milk, no sugar");
    CHECK(slot.take(instance, "Filter").success());
}

TEST_CASE("call: a code that is none counts as an error that names it", "[plugin]") {
    plugin::Instance instance;
    plugin::StatusSlot slot;
    auto answer = [&](std::int32_t code, std::string_view error = {}) {
        slot.raw()->code = code;
        if (!error.empty()) plugin::behind(*slot.raw()).set_error({error.data(), error.size()});
        auto status = slot.take(named(instance), "PreFilter");
        CHECK(status.code == BERTH_STATUS_ERROR);
        return status.message();
    };
    CHECK(answer(99) ==
          "plugin \"Tea\" answered code 99 at PreFilter, which is none of the scheduling framework's (0 to 6)");
    CHECK(answer(BERTH_STATUS_INVALID) ==
          "plugin \"Tea\" answered code -3 at PreFilter, which is none of the scheduling framework's (0 to 6)");
    CHECK(answer(BERTH_STATUS_NO_MEMORY, "the pot is full") ==
          "plugin \"Tea\" has not enough memory at PreFilter: the pot is full");
    CHECK(answer(BERTH_STATUS_CANCELLED) == "plugin \"Tea\" was cancelled at PreFilter");
    CHECK(answer(BERTH_STATUS_IN_PROGRESS) ==
          "plugin \"Tea\" answered IN_PROGRESS at PreFilter, where the answer cannot come later");
    CHECK(answer(BERTH_STATUS_ERROR) == "plugin \"Tea\" failed at PreFilter without saying why");
    CHECK(answer(BERTH_STATUS_ERROR, "boiled over") == "boiled over");
    CHECK(plugin::judged(instance, "Filter", BERTH_STATUS_NOT_EVALUATED).error ==
          "plugin \"Tea\" left a node unjudged at Filter");
}

TEST_CASE("call: to be cancelled, or without memory, is no misbehaviour", "[plugin]") {
    struct Counter : plugin::Misbehaviour {
        int n = 0;
        void misbehaved(const std::string &, std::string_view, std::string_view) override { ++n; }
    } counter;
    plugin::Instance instance;
    named(instance).context = std::make_shared<plugin::HostContext>();
    instance.context->services.misbehaviour = &counter;
    for (auto code : {BERTH_STATUS_CANCELLED, BERTH_STATUS_NO_MEMORY})
        CHECK(plugin::judged(instance, "PreBind", code).code == BERTH_STATUS_ERROR);
    CHECK(counter.n == 0);
    for (auto code : {BERTH_STATUS_INVALID, BERTH_STATUS_NOT_FOUND, BERTH_STATUS_NO_MEMORY - 1, 7})
        CHECK(plugin::judged(instance, "PreBind", code).code == BERTH_STATUS_ERROR);
    CHECK(counter.n == 4);
}

TEST_CASE("call: nothing that a plugin throws gets past the guard", "[plugin]") {
    plugin::Instance instance;
    auto message = [&](const std::function<void()> &fn) {
        return plugin::guard(named(instance), "Score", fn).message();
    };
    CHECK(plugin::guard(instance, "Score", [] {}).success());
    CHECK(message([] { throw std::out_of_range("cup"); }) == "plugin \"Tea\" threw std::out_of_range: cup at Score");
    CHECK(message([] { throw "spoon"; }) == "plugin \"Tea\" threw char const*: spoon at Score");
    CHECK(message([] { throw std::string("pot"); }) == "plugin \"Tea\" threw std::string: pot at Score");
    CHECK(message([] { throw 42; }) == "plugin \"Tea\" threw int at Score");
}

TEST_CASE("call: a state owns what is put into it", "[plugin]") {
    destroyed = 0;
    int tea = 0, milk = 0;
    {
        plugin::State state;
        CHECK(state.get(5) == nullptr);
        state.put(5, &tea, &counted);
        CHECK(state.get(5) == &tea);
        CHECK(state.get(4) == nullptr);
        state.put(5, &tea, &counted);
        CHECK(destroyed == 0);
        state.put(5, &milk, &counted);
        CHECK(destroyed == 1);
        state.put(6, &tea, nullptr);
        state.put(7, &tea, &throwing);
    }
    CHECK(destroyed == 2);
}

TEST_CASE("call: of its cancellation and its end the first is told, once", "[plugin]") {
    std::vector<std::int32_t> codes;  // what is left is told when the call's context goes
    berth::sim::VirtualClock clock{0};
    const auto instance = std::make_shared<plugin::HostContext>();
    instance->services.clock = &clock;
    plugin::CallContext call;
    plugin::Cancellation &cancellation = call.cancellation();
    const auto ask = [&] {
        return cancellation.after(
            *instance,
            [](void *ctx, std::int32_t code) { static_cast<std::vector<std::int32_t> *>(ctx)->push_back(code); },
            &codes);
    };
    const std::vector<std::int32_t> cancelled{BERTH_STATUS_SUCCESS}, ended{BERTH_STATUS_CANCELLED};
    CHECK(ask() == BERTH_STATUS_INVALID);
    cancellation.begin(instance);
    CHECK(ask() == BERTH_STATUS_SUCCESS);
    SECTION("what is cancelled twice is told once") {
        call.set_cancelled(true);
        call.set_cancelled(true);
        CHECK(codes.empty());
        clock.run();
        CHECK(codes == cancelled);
        cancellation.end(instance.get());
        CHECK(codes == cancelled);
        CHECK(ask() == BERTH_STATUS_INVALID);
    }
    SECTION("an end before the cancellation was told") {
        call.set_cancelled(true);
        cancellation.end(instance.get());
        CHECK(codes == ended);
        clock.run();
        CHECK(codes == ended);
    }
    SECTION("who asks late is told in the next turn") {
        call.set_cancelled(true);
        clock.run();
        codes.clear();
        CHECK(ask() == BERTH_STATUS_SUCCESS);
        CHECK(codes.empty());
        clock.run();
        CHECK(codes == cancelled);
    }
    SECTION("the next attempt ends what is left") {
        call.reset(2, 2);
        CHECK(codes == ended);
    }
    SECTION("and so does the end of the instance") {
        instance->end_waits();
        CHECK(codes == ended);
        CHECK(ask() == BERTH_STATUS_CANCELLED);
        call.set_cancelled(true);
        clock.run();
        CHECK(codes == ended);
    }
}
