// SPDX-License-Identifier: Apache-2.0
// --plugin-checks=strict names remedies that a host would ignore; without it they are ignored.
#include "report/explanation.h"
#include "strict_world.h"

using namespace strict_world;

namespace {

struct Asked {
    Lines remedies, log;
};

/// What is shown of a pod that the library rejects on both nodes, and what is logged of the plugin.
Asked ask(const std::string &fault, plugin::Checks checks) {
    World world("strict_" + fault, everywhere, checks);
    const auto pod = berth::plain_pod("p");
    Asked out;
    for (const auto &remedy : world.scheduler->dry_runs().remedies(pod, world.scheduler->dry_runs().run(pod).decision))
        out.remedies.push_back(berth::report::remedy_text(remedy));
    world.scheduler.reset();
    out.log = world.log.lines;
    return out;
}

const Lines none;

}  // namespace

TEST_CASE("strict remedy: a sound one is shown, of one that throws nothing is", "[plugin][cycle]") {
    for (auto checks : {plugin::Checks::Basic, plugin::Checks::Strict}) {
        const auto sound = ask("remedy_sound", checks);
        CHECK(sound.remedies == Lines{"label tea=hot on n1"});
        CHECK(sound.log.empty());
        const auto thrown = ask("remedy_throws", checks);
        CHECK(thrown.remedies == none);
        CHECK(thrown.log.empty());
    }
}

TEST_CASE("strict remedy: one that cannot be understood is named, and never shown", "[plugin][cycle]") {
    const std::pair<std::string, std::string> faults[] = {
        {"remedy_place", "added a remedy for place 2 of 2"},
        {"remedy_long", "added a remedy of 65 changes, not of 1 to 64"},
        {"remedy_kind", "added a remedy with a change of kind 99, which this ABI does not have"},
        {"remedy_amount", "added a remedy with the amount 0, which is not positive"},
        {"remedy_name", "added a remedy with a change that has no name"}};
    for (const auto &[fault, sentence] : faults) {
        INFO(fault);
        const auto basic = ask(fault, plugin::Checks::Basic), strict = ask(fault, plugin::Checks::Strict);
        CHECK(basic.remedies == none);
        CHECK(basic.log.empty());
        CHECK(strict.remedies == none);
        REQUIRE(!strict.log.empty());
        CHECK(strict.log.front() == broke("Remedy") + "p\": it " + sentence);
    }
}
