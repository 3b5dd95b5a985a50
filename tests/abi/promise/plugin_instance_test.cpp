// SPDX-License-Identifier: Apache-2.0
// What can go wrong between a configuration and a running instance.
#include "catch.h"
#include "paths.h"
#include "plugin_world.h"

#include <filesystem>

namespace plugin = berth::plugin;
using plugin_world::hostile;
using plugin_world::World;

namespace {

constexpr const char *enabled = R"(profiles:
  - plugins:
      filter:
        enabled:
          - name: Tea
)";
constexpr const char *configured = R"(profiles:
  - plugins:
      filter:
        enabled:
          - name: Tea
    pluginConfig:
      - name: Tea
        args:
          cups:
            - size: 1
            - size: 2
)";

/// What building a profile with the hostile library, pinned as Tea, says.
std::string refusal(const std::string &library, const std::string &yaml = enabled) {
    World world({{"Tea", hostile(library), {}, {}}});
    return world.refusal(yaml);
}

const std::string place = "c.yaml:7:13: profiles[0].plugins.filter.enabled[0]: ";

}  // namespace

TEST_CASE("instance: a plugin is created under the name of the configuration", "[plugin]") {
    World world({{"Tea", hostile("sound"), {}, {}}});
    auto profiles = world.build(configured);
    if (!profiles) FAIL(profiles.error().text);
    const auto &filter = profiles->front().filter;
    REQUIRE_FALSE(filter.empty());
    CHECK(filter.back()->name == "Tea");
    CHECK(berth::model::view(filter.back()->plugin->name) == "Sound");
    CHECK(filter.back()->args->value()["cups"].at(1)["size"].integer() == 2);
    std::string resources;
    for (const auto &interest : filter.back()->interests) {
        resources += interest.resource + " ";
        CHECK(interest.actions == BERTH_EVENT_ALL);
    }
    CHECK(resources ==
          "Pod Node PersistentVolume PersistentVolumeClaim storage.k8s.io/CSINode storage.k8s.io/CSIDriver "
          "storage.k8s.io/CSIStorageCapacity storage.k8s.io/StorageClass resource.k8s.io/ResourceClaim "
          "resource.k8s.io/DeviceClass Service ");  // the last one is what it watches
}

TEST_CASE("instance: a plugin that refuses or fails is named with its place", "[plugin]") {
    auto initializing = place + "initializing plugin \"Tea\": ";
    CHECK(refusal("create_fails") == initializing + "no tea today");
    CHECK(refusal("create_99") ==
          initializing +
              "plugin \"Tea\" answered code 99 at create, which is none of the scheduling framework's (0 to 6)");
    CHECK(refusal("throws_in_create") == initializing + "create threw std::runtime_error: no tea in create");
    CHECK(refusal("throws_in_default_args") ==
          initializing + "default_args threw std::runtime_error: no tea in default_args");
    CHECK(refusal("throws_in_declare") == initializing + "declare threw std::runtime_error: no tea in declare");
    CHECK(refusal("throws_in_events") == initializing + "events threw std::runtime_error: no tea in events");
    CHECK(refusal("declare_fails") == initializing + "declare failed: no tea to declare");
    CHECK(refusal("needs_service") ==
          initializing + "it needs service \"berth.tea/1\", which this host does not offer");
    CHECK(refusal("declares_verb_9") ==
          initializing + "it declares a write of verb 9, which this host does not know; expected a BERTH_VERB_…");
    CHECK(refusal("declares_verb_of_read") ==
          initializing + "it declares a write of verb 5, which this host does not know; expected a BERTH_VERB_…");
    CHECK(refusal("declares_read_of_write") ==
          initializing + "it declares a read of verb 4, which this host does not know; expected a BERTH_READ_…");
    CHECK(refusal("declares_write_like_version") ==
          initializing +
              "it declares the write \"create v1.example.com/v1/teas\", whose group begins like a version; expected "
              "another group, as in \"example.com\"");
    CHECK(refusal("declares_watch_like_version") ==
          initializing +
              "it declares to watch \"v1.example.com/v1/teas\", which is no kind: expected a group, a version and a "
              "plural, as in \"storage.k8s.io\", \"v1\", \"storageclasses\"");
    CHECK(refusal("declares_unnoted") ==
          initializing + "it declares among its writes \"delete v1/nodes\", which the note of " +
              std::filesystem::canonical(hostile("declares_unnoted")).string() + " does not name; add it to the note");
    CHECK(refusal("declares_read_9") ==
          initializing + "it declares a read of verb 9, which this host does not know; expected a BERTH_READ_…");
    CHECK(refusal("declares_read_path") ==
          initializing +
              "it declares to read \"v1/../nodes\", which is no kind: expected a group, a version and a plural, "
              "as in \"\", \"v1\", \"configmaps\"");
    CHECK(refusal("declares_read_watch") ==
          initializing +
              "it declares to read \"v1/watch\", which is no kind: expected a group, a version and a plural, "
              "as in \"\", \"v1\", \"configmaps\"");
    CHECK(refusal("declares_unnoted_read") ==
          initializing + "it declares among its reads \"list v1/nodes\", which the note of " +
              std::filesystem::canonical(hostile("declares_unnoted_read")).string() +
              " does not name; add it to the note");
    CHECK(refusal("args_no_object") == initializing + "default_args returned \"[1]\", expected a JSON object");
}

TEST_CASE("instance: a selective watch that is not valid is refused", "[plugin]") {
    const auto watching = place + "initializing plugin \"Tea\": it declares to watch ";
    CHECK(refusal("declares_selected_class") ==
          watching + "\"storage.k8s.io/v1/storageclasses\" in namespace \"tea\", and the kind has no namespaces");
    CHECK(refusal("declares_selected_nothing") == watching + "a berth_watch that this host cannot read");
    CHECK(refusal("declares_selected_path") ==
          watching +
              "\"v1/../pods\", which is no kind: expected a group, a version and a plural, as in "
              "\"storage.k8s.io\", \"v1\", \"storageclasses\"");
    CHECK(refusal("declares_selected_pods").starts_with(watching + "\"v1/pods\", which berth.host.cluster/1 does not"));
    CHECK(refusal("declares_selected_short") == watching + "a berth_watch that this host cannot read");
    CHECK(refusal("declares_selected_text") ==
          watching +
              "\"v1/services\": its selectors cannot be read: unable to parse the selector: found 'tea', "
              "expected: '('");
    CHECK(refusal("declares_selected_unnoted") ==
          place + "initializing plugin \"Tea\": it declares among its watches \"v1/configmaps\", which the note of " +
              std::filesystem::canonical(hostile("declares_selected_unnoted")).string() +
              " does not name; add it to the note");
}

TEST_CASE("instance: a kind of which a plugin selects too many parts is refused", "[plugin]") {
    CHECK(
        refusal("declares_selected_many") ==
        place +
            "initializing plugin \"Tea\": it declares to watch more than 16 different selections of \"v1/configmaps\"");
}

TEST_CASE("instance: a kind that would be empty for ever is refused", "[plugin]") {
    const auto initializing = place + "initializing plugin \"Tea\": ";
    const std::string instead =
        ", which berth.host.cluster/1 does not have: find pods and nodes in the snapshot of each call (berth_nodes), "
        "their changes by berth.host.delta/1, and wait for events of \"Pod\", \"AssignedPod\" and \"Node\"";
    CHECK(refusal("declares_pods") == initializing + "it declares to watch \"v1/pods\"" + instead);
    CHECK(refusal("declares_nodes") == initializing + "it declares to watch \"v1/nodes\"" + instead);
    CHECK(refusal("asks_pods") == initializing + "it asks for objects of \"v1/pods\"" + instead);
    CHECK(refusal("asks_undeclared") ==
          initializing +
              "it asks for objects of \"apps/v1/deployments\", which it does not declare to watch, so that "
              "there are none for it; declare the kind, and name it in the note's watches, or do not ask for "
              "it");
    CHECK(refusal("asks_late") == "it was built");
}

TEST_CASE("instance: an instance that cannot be ended costs a line of the log", "[plugin]") {
    World world({{"Tea", hostile("throws_in_destroy"), {}, {}}});
    {
        auto profiles = world.build(enabled);
        if (!profiles) FAIL(profiles.error().text);
    }
    CHECK(world.log.lines ==
          std::vector<std::string>{"plugin \"Tea\" threw std::runtime_error: no tea in destroy at destroy"});
}

TEST_CASE("instance: what a plugin waits for when it ends is cancelled, so that its memory is freed", "[plugin]") {
    World world({{"Tea", hostile("waits"), {}, {}}});
    {
        auto profiles = world.build(enabled);
        if (!profiles) FAIL(profiles.error().text);
        CHECK(world.api.sent.empty());
        CHECK(world.log.lines == std::vector<std::string>{"cancelled: -6"});
        REQUIRE(world.clock.timers.size() == 3);
        world.clock.timers[2].second();
        REQUIRE(world.api.sent.size() == 1);
    }
    CHECK(world.log.lines ==
          std::vector<std::string>{"cancelled: -6", "two hours: 0", "an hour: -6",
                                   "an answer: -6it was cancelled: the plugin's instance has ended"});
    // What comes too late is not heard.
    for (const auto &[ns, fire] : world.clock.timers) fire();
    world.api.sent[0].second({201, "late"});
    CHECK(world.log.lines.size() == 4);
}

TEST_CASE("instance: what a plugin in C reads is called back once, so that its memory is freed", "[plugin]") {
    World world({{"Tea", hostile("reads"), {}, {}}});
    const std::string early =
        "plugin \"Tea\" called read of berth.host.reader/draft1 before its instance was made; the read was not sent";
    const std::string cancelled = "cancelled: -6 0 it was cancelled, 0 members";
    const std::string answered = "answered: 0 200 {\"a\":1}, 1 members";
    {
        auto profiles = world.build(enabled);
        if (!profiles) FAIL(profiles.error().text);
        CHECK(world.api.sent.empty());
        REQUIRE(world.clock.timers.size() == 2);
        world.clock.timers[0].second();
        REQUIRE(world.api.sent.size() == 3);
        CHECK(world.api.sent[0].first.verb == berth::env::Verb::Get);
        CHECK(world.log.lines == std::vector<std::string>{early, cancelled});
        world.api.sent[1].second({200, R"({"a":1})"});
        const auto maps = berth::model::kind_of("", "v1", "configmaps");
        CHECK(std::ranges::count(plugin::used_kinds(*profiles), maps) == 1);
        for (const auto &watched : plugin::watched_kinds(*profiles)) CHECK(watched.kind != maps);
    }
    CHECK(world.log.lines ==
          std::vector<std::string>{early, cancelled, answered,
                                   "not answered: -6 0 it was cancelled: the plugin's instance has ended, 0 members"});
    for (auto &[request, done] : world.api.sent) done({200, "{}"});
    CHECK(world.log.lines.size() == 4);
    CHECK(world.api.sent.size() == 3);
}

TEST_CASE("instance: every fault of the arguments is shown where it stands", "[plugin]") {
    CHECK(refusal("args_faults", configured) ==
          "c.yaml:13:21: profiles[0].pluginConfig[0].args.cups[1].size: is too small\n"
          "c.yaml:11:11: profiles[0].pluginConfig[0].args: lacks milk");
    CHECK(refusal("sound",
                  "profiles:\n  - plugins:\n      filter:\n        enabled:\n          - name: Tea\n"
                  "    pluginConfig:\n      - name: Tea\n        args: [1]\n") ==
          "c.yaml:10:15: profiles[0].pluginConfig[0].args: expected an object");
    CHECK(refusal("args_nothing") ==
          place + "initializing plugin \"Tea\": default_args returned nothing, expected a JSON object");
}

TEST_CASE("instance: arguments of a plugin that is not enabled are nobody's business", "[plugin]") {
    World world({{"Tea", hostile("args_faults"), {}, {}}});
    auto profiles = world.build("profiles:\n  - pluginConfig:\n      - name: Tea\n        args: {}\n");
    CHECK(profiles);
}

TEST_CASE("instance: a plugin that is nowhere, or does not do what is asked, is refused", "[plugin]") {
    World world;
    CHECK(world.refusal(enabled) ==
          place + "FilterPlugin \"Tea\" does not exist: no library in " + berth::paths::plugins() + " offers it");
    CHECK(refusal("score_101") == place + "plugin \"Tea\" does not extend FilterPlugin plugin");
    CHECK(refusal("entry_null") == place + std::filesystem::canonical(hostile("entry_null")).string() +
                                       ": berth_plugins_abi1 returned NULL, expected its berth_library");
}

TEST_CASE("instance: every profile sorts the queue alike", "[plugin]") {
    World world({{"OtherSort", berth::paths::plugins() + "/kubernetes.so", "PrioritySort", {}}});
    auto refused = world.refusal(R"(profiles:
  - schedulerName: one
  - schedulerName: two
    plugins:
      multiPoint:
        disabled: [{name: PrioritySort}]
        enabled: [{name: OtherSort}]
)");
    CHECK(refused ==
          "c.yaml:5:5: profiles[1]: different queue sort plugins for profile \"two\": \"OtherSort\", first: "
          "\"PrioritySort\"");
    CHECK(world.build("profiles:\n  - schedulerName: one\n  - schedulerName: two\n"));
}
