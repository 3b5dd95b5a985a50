// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin/call.h"

#include <berth/berth.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace plugin = berth::plugin;

namespace {

plugin::Instance &named(plugin::Instance &instance) {
    instance.name = "Tea";
    return instance;
}

int destroyed = 0;
const berth_state_type counted{sizeof(berth_state_type), 0, nullptr, nullptr, [](void *, void *) { ++destroyed; }};
const berth_state_type throwing{sizeof(berth_state_type), 0, nullptr, nullptr,
                                [](void *, void *) { throw std::runtime_error("no"); }};

}  // namespace

TEST_CASE("call: equal lists of reasons have one id, within an attempt", "[plugin]") {
    plugin::CallContext context;
    const auto *call = context.call();
    const berth_str ab[] = {BERTH_STR("a"), BERTH_STR("b")}, ba[] = {BERTH_STR("b"), BERTH_STR("a")};
    CHECK(call->reasons(call, nullptr, 0) == BERTH_NO_REASONS);
    auto first = call->reasons(call, ab, 2), other = call->reasons(call, ba, 2);
    CHECK(first != other);
    CHECK(call->reasons(call, ab, 2) == first);
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
    const auto *call = context.call();
    void *first = call->scratch(call, 100, 8);
    for (std::uint64_t align : {1, 2, 8, 64, 3, 0}) {
        auto at = reinterpret_cast<std::uintptr_t>(call->scratch(call, 10, align));
        CHECK(at % (align == 0 || align == 3 ? 64 : align) == 0);
    }
    for (int i = 0; i < 100; ++i) {
        auto *big = static_cast<char *>(call->scratch(call, 100'000, 16));
        big[0] = big[99'999] = 'x';
        context.free_scratch();
    }
    CHECK(call->scratch(call, 100, 8) == first);
}

TEST_CASE("call: an answer is taken with its texts, and the slot is as new", "[plugin]") {
    plugin::Instance instance;
    plugin::StatusSlot slot;
    const berth_str reasons[] = {BERTH_STR("no milk"), BERTH_STR("no sugar")};
    slot.raw()->code = BERTH_UNSCHEDULABLE;
    slot.raw()->set_reasons(slot.raw(), reasons, 2);
    auto status = slot.take(named(instance), "Filter");
    CHECK(status.code == BERTH_UNSCHEDULABLE);
    CHECK(status.plugin == "Tea");
    CHECK(status.message() == "no milk, no sugar");
    CHECK(slot.take(instance, "Filter").success());
}

TEST_CASE("call: a code that is none counts as an error that names it", "[plugin]") {
    plugin::Instance instance;
    plugin::StatusSlot slot;
    auto answer = [&](std::int32_t code, std::string_view error = {}) {
        slot.raw()->code = code;
        if (!error.empty()) slot.raw()->set_error(slot.raw(), {error.data(), error.size()});
        auto status = slot.take(named(instance), "PreFilter");
        CHECK(status.code == BERTH_ERROR);
        return status.message();
    };
    CHECK(answer(99) ==
          "plugin \"Tea\" answered code 99 at PreFilter, which is none of the scheduling framework's (0 to 6)");
    CHECK(answer(BERTH_NO_MEMORY, "the pot is full") ==
          "plugin \"Tea\" answered code -8 at PreFilter, which is none of the scheduling framework's (0 to 6): the pot "
          "is full");
    CHECK(answer(BERTH_IN_PROGRESS) ==
          "plugin \"Tea\" answered IN_PROGRESS at PreFilter, where the answer cannot come later");
    CHECK(answer(BERTH_ERROR) == "plugin \"Tea\" failed at PreFilter without saying why");
    CHECK(answer(BERTH_ERROR, "boiled over") == "boiled over");
    CHECK(plugin::judged(instance, "Filter", BERTH_NOT_EVALUATED).error ==
          "plugin \"Tea\" left a node unjudged at Filter");
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
