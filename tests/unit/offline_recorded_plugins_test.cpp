// SPDX-License-Identifier: Apache-2.0
#include "offline/recorded_plugins.h"

#include "catch.h"
#include "env/sha256.h"
#include "plugin/library_owner.h"
#include "test_directory.h"

#include <filesystem>

using namespace berth;
using offline::Instead;

namespace {

std::string digest_of(const std::string &file) {
    auto opened = plugin::open_library(file);
    REQUIRE(opened);
    return *env::sha256_of(opened->get());
}

live::RecordedBuild recorded_with(const live::RecordedPlugin &plugin) {
    live::RecordedBuild out;
    out.plugins.push_back(plugin);
    return out;
}

std::string found(const live::RecordedPlugin &plugin, const Instead &instead) {
    const auto pins = offline::recorded_pins(recorded_with(plugin), instead, "r.tape");
    if (!pins) return pins.error().text;
    REQUIRE(pins->size() == 1);
    CHECK(pins->front().name == plugin.name);
    CHECK(pins->front().plugin == plugin.plugin);
    CHECK(pins->front().sha256.empty());
    return pins->front().file;
}

bool refused(const std::string &text) {
    return text.find("a recording does not choose what is loaded here") != text.npos;
}

}  // namespace

TEST_CASE("replay: a recorded library is one that was named, or one of a plugin directory", "[offline]") {
    const TestDirectory named, strange;
    const auto ours = named.write("it.so", "ours"), theirs = strange.write("it.so", "ours");
    const auto digest = digest_of(ours);
    const live::RecordedPlugin wanted{"It", theirs, "It", digest};
    CHECK(refused(found(wanted, {})));
    CHECK(found(wanted, {{{named.path.string()}, {}, false, {}}, {}, {}, false, false}) == ours);
    CHECK(found(wanted, {{}, {}, {}, true, false}) == theirs);
    const auto none =
        offline::recorded_pins(recorded_with(wanted), {{{}, {"It=" + ours}, false, {}}, {}, {}, false, false}, "r");
    REQUIRE(none);
    CHECK(none->empty());
    // What was decided then is decided again with what is the same library.
    CHECK(found(wanted, {{{}, {"It=" + ours}, false, {}}, {}, {}, false, true}) == ours);
    named.write("it.so", "another one");
    CHECK(refused(found(wanted, {{{named.path.string()}, {}, false, {}}, {}, {}, false, false})));
    CHECK(refused(found(wanted, {{{}, {"It=" + ours}, false, {}}, {}, {}, false, true})));
    strange.write("it.so", "another one");
    CHECK(refused(found(wanted, {{}, {}, {}, true, false})));
}

// promise(recording): Names and paths in a recording do not lead out of the directories that the command line names.
TEST_CASE("replay: the names and paths of libraries in a recording lead to no other directory", "[offline]") {
    const TestDirectory named;
    std::filesystem::create_directories(named.path / "plugins");
    const auto secret = named.write("secret.so", "secret");
    const auto digest = digest_of(secret);
    const Instead instead{{{named.file("plugins")}, {}, false, {}}, {}, {}, false, false};
    const std::vector<std::string> files{"../secret.so",
                                         secret,
                                         "/",
                                         "",
                                         "..",
                                         "plugins/../../secret.so",
                                         "secret.so",
                                         named.file("plugins/../secret.so")};
    for (const auto &file : files) CHECK(refused(found({"It", file, "It", digest}, instead)));
    // A name is a name, however much it looks like a pin.
    const auto good = named.write("plugins/it.so", "good");
    CHECK(found({"It=" + secret + "#It", good, "It", digest_of(good)}, instead) == good);
    // Nor is a path of the recording taken from the working directory.
    CHECK(refused(found({"It", "it.so", "It", digest}, {{}, {}, {}, true, false})));
}

TEST_CASE("replay: facts that no run has written are refused", "[offline]") {
    auto refused_build = [](const std::string &how) {
        const auto build = live::read_build(how);
        return build ? "read" : build.error().text;
    };
    CHECK(refused_build("{}") == "read");
    for (const auto *how : {R"({"checks":3})", R"({"checks":-1})", R"({"onPluginFailure":77})"})
        CHECK(refused_build(how) ==
              "how the profiles were made: checks or onPluginFailure is none that berth run writes");
    const auto waits = live::read_build(R"({"queue":{"initialNs":-5,"maxNs":9223372036854775807,"longestNs":-1}})");
    REQUIRE(waits);
    CHECK(waits->facts.queue.backoff.initial_ns == 0);
    CHECK(waits->facts.queue.backoff.max_ns == INT64_MAX / 4);
    CHECK(waits->facts.queue.longest_unschedulable_ns == 0);
}
