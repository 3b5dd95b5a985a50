// SPDX-License-Identifier: Apache-2.0
// What the strict layer remembers of calls, columns, dry runs and callbacks.
#include "catch.h"
#include "plugin/host_context.h"
#include "plugin/strict.h"

namespace plugin = berth::plugin;
using Answer = plugin::CheckedCalls::Answer;
using Lines = std::vector<std::string>;

namespace {

struct World {
    plugin::HostContext context;
    plugin::Strict strict{context};
    plugin::CheckedCalls &calls = strict.calls;
    berth_status status{};

    plugin::CallProxy &begin(std::string_view point = "Bind") { return calls.begin(point, plugin::Tag::Bind, nullptr); }
};

}  // namespace

TEST_CASE("checked calls: one that is completed while it runs is ended by its own thread", "[plugin]") {
    World world;
    auto &proxy = world.begin();
    CHECK(world.calls.complete(proxy, &world.status) == Answer::Running);
    CHECK(world.calls.returned(proxy, true));
    CHECK(world.calls.owed().empty());
    CHECK(world.calls.complete(proxy, nullptr) == Answer::Given);
    CHECK(world.calls.given(proxy) == &world.status);
    CHECK(proxy.open());
    CHECK(world.calls.end(proxy).empty());
    CHECK_FALSE(proxy.open());
}

TEST_CASE("checked calls: one that returned with IN_PROGRESS is owed until it is completed", "[plugin]") {
    World world;
    auto &proxy = world.begin();
    CHECK_FALSE(world.calls.returned(proxy, true));
    CHECK(world.calls.owed() == Lines{"Bind"});
    CHECK(world.calls.complete(proxy, &world.status) == Answer::Owed);
    CHECK(world.calls.owed().empty());
    CHECK(world.calls.given(proxy) == &world.status);
}

TEST_CASE("checked calls: an answer at once is the only one", "[plugin]") {
    World world;
    auto &once = world.begin(), &twice = world.begin();
    CHECK_FALSE(world.calls.returned(once, false));
    CHECK(world.calls.complete(once, &world.status) == Answer::Immediate);
    CHECK(world.calls.complete(twice, &world.status) == Answer::Running);
    CHECK(world.calls.returned(twice, false));
    CHECK(world.calls.complete(twice, &world.status) == Answer::Immediate);
}

TEST_CASE("checked calls: a violation belongs to its call, else to the innermost, else to none", "[plugin]") {
    World world;
    CHECK_FALSE(world.calls.add_violation("a", nullptr));
    auto &outer = world.begin("PreBind"), &inner = world.begin();
    CHECK(world.calls.innermost() == &inner);
    CHECK(world.calls.add_violation("b", nullptr));
    CHECK(world.calls.add_violation("c", &outer));
    CHECK(world.calls.end(inner) == Lines{"b"});
    CHECK(world.calls.add_violation("d", &inner));
    CHECK_FALSE(world.calls.returned(outer, true));
    CHECK(world.calls.innermost() == nullptr);
    CHECK_FALSE(world.calls.add_violation("e", nullptr));
    CHECK(world.calls.end(outer) == Lines{"c", "d"});
}

TEST_CASE("checked calls: what a call gave is recognized until 64 more have ended", "[plugin]") {
    World world;
    const int given = 0, other = 0;
    auto &proxy = world.begin();
    world.calls.give(proxy, &given);
    (void)world.calls.end(proxy);
    for (int i = 0; i < 63; ++i) (void)world.calls.end(world.begin());
    CHECK(world.calls.gave(&given));
    CHECK_FALSE(world.calls.gave(&other));
    (void)world.calls.end(world.begin());
    CHECK_FALSE(world.calls.gave(&given));
}

TEST_CASE("given columns: those of create stay, others end with the attempt", "[plugin]") {
    plugin::GivenColumns columns;
    columns.give_always(1);
    columns.give(2, 7);
    columns.give(3, 7);
    for (std::uint32_t column : {1, 2, 3}) CHECK(columns.may_read(column, 7));
    CHECK(columns.may_read(1, 8));
    CHECK_FALSE(columns.may_read(2, 8));
    columns.give(4, 8);
    CHECK_FALSE(columns.may_read(2, 7));
    CHECK(columns.may_read(4, 8));
}

TEST_CASE("dry run handles: each is another one, and ends with the dry run or its call", "[plugin]") {
    World world;
    plugin::DryRunHandles handles;
    int place = 0;
    auto *real = reinterpret_cast<berth_trial *>(&place);
    auto &proxy = world.begin("PostFilter"), &other = world.begin("Filter");
    CHECK(handles.open(nullptr, proxy) == nullptr);
    CHECK(handles.real_of(static_cast<const berth_trial *>(nullptr)) == nullptr);
    auto *first = handles.open(real, proxy);
    CHECK(first != real);
    CHECK(handles.real_of(first) == real);
    handles.close();
    CHECK(handles.real_of(first) == nullptr);
    auto *second = handles.open(real, proxy);
    CHECK(second != first);
    handles.close_of(other);
    CHECK(handles.real_of(second) == real);
    handles.close_of(proxy);
    CHECK(handles.real_of(second) == nullptr);
}

TEST_CASE("expected callbacks: only one that may keep an answer back counts as cancelled", "[plugin]") {
    plugin::ExpectedCallbacks callbacks;
    int ctx = 0;
    auto *come = callbacks.expect({.ctx = &ctx});
    CHECK(callbacks.take(come).ctx == &ctx);
    callbacks.expect({.at_cancellation = true});
    callbacks.cancelling();
    CHECK_FALSE(callbacks.cancelled());
    auto *late = callbacks.expect({});
    callbacks.cancelling();
    callbacks.take(late);
    callbacks.cancelling();
    CHECK(callbacks.cancelled());
}
