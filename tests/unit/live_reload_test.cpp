// SPDX-License-Identifier: Apache-2.0
// When files count as changed, and what of a configuration needs a restart.
#include "live/reload.h"

#include "config/defaults.h"
#include "config/dump.h"
#include "config/read.h"
#include "test_directory.h"

using namespace berth;
using live::FileWatch;
namespace fs = std::filesystem;

namespace {

/// Asks until nothing moves any more: whether it was said that there is something new.
bool noticed(FileWatch &watch) {
    const bool first = watch.changed();
    return watch.changed() || first;
}

void swap_link(const TestDirectory &dir, const std::string &to) {
    fs::create_directory_symlink(to, dir.path / "..data_tmp");
    fs::rename(dir.path / "..data_tmp", dir.path / "..data");
}

config::Configuration read(const std::string &text) {
    auto out =
        config::read("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" + text, "c.yaml");
    if (!out) FAIL(out.error().text);
    return *std::move(out);
}

config::MutableTree merged(const std::string &text) {
    return config::dump(read(text), config::defaults_v1(), [](auto, auto) { return model::TreePtr{}; });
}

}  // namespace

TEST_CASE("file watch: the swap of a ConfigMap's ..data is a change, and is said once", "[live]") {
    TestDirectory dir;
    for (const auto *version : {"..1", "..2", "..3"}) fs::create_directory(dir.path / version);
    dir.write("..1/c.yaml", "one");
    dir.write("..2/c.yaml", "two");
    dir.write("..3/c.yaml", "two");
    swap_link(dir, "..1");
    fs::create_symlink("..data/c.yaml", dir.path / "c.yaml");
    FileWatch watch(dir.file("c.yaml"), {});
    CHECK_FALSE(noticed(watch));
    swap_link(dir, "..2");
    // It has to stay so from one look to the next.
    CHECK_FALSE(watch.changed());
    CHECK(watch.changed());
    CHECK_FALSE(noticed(watch));
    INFO("another file with the same content is the same");
    swap_link(dir, "..3");
    CHECK_FALSE(noticed(watch));
    CHECK_FALSE(noticed(watch));
}

TEST_CASE("file watch: a file that is written, replaced, gone or back is a change; one that is touched is not",
          "[live]") {
    TestDirectory dir;
    const auto file = dir.write("c.yaml", "one");
    FileWatch watch(file, {});
    fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(5));
    CHECK_FALSE(noticed(watch));
    dir.write("c.yaml", "two");
    CHECK(noticed(watch));
    dir.write("new", "six");
    fs::rename(dir.file("new"), file);
    CHECK(noticed(watch));
    fs::remove(file);
    CHECK(noticed(watch));
    CHECK_FALSE(noticed(watch));
    dir.write("c.yaml", "six");
    CHECK(noticed(watch));
    dir.write("c.yaml", "seven");
    watch.read();
    CHECK_FALSE(noticed(watch));
}

TEST_CASE("file watch: libraries come, go and are replaced", "[live]") {
    TestDirectory dir;
    fs::create_directory(dir.path / "plugins");
    const auto pinned = dir.write("pinned.so", "p");
    plugin::PluginOptions plugins;
    plugins.directories = {dir.file("plugins")};
    plugins.pins = {"Name=" + pinned};
    FileWatch watch({}, plugins);
    dir.write("plugins/readme", "no library");
    CHECK_FALSE(noticed(watch));
    const auto a = dir.write("plugins/a.so", "a");
    CHECK(noticed(watch));
    dir.write("a2", "a");
    fs::rename(dir.file("a2"), a);
    CHECK(noticed(watch));
    fs::remove(a);
    CHECK(noticed(watch));
    dir.write("pinned.so", "other");
    CHECK(noticed(watch));
    CHECK_FALSE(noticed(watch));
}

TEST_CASE("reload: what only counts when Berth starts is named", "[live]") {
    using Names = std::vector<std::string>;
    const auto begun = merged("profiles: [{schedulerName: a}]\n");
    CHECK(live::needs_restart(begun, begun) == Names{});
    CHECK(live::needs_restart(begun,
                              merged("profiles: [{schedulerName: b}]\npercentageOfNodesToScore: 30\n"
                                     "podInitialBackoffSeconds: 3\npodMaxBackoffSeconds: 30\nextenders: [{urlPrefix: "
                                     "'http://x', filterVerb: f, weight: 1}]\n")) == Names{});
    CHECK(live::needs_restart(begun, merged("leaderElection: {leaderElect: false}\nclientConnection: {qps: 7}\n"
                                            "profiles: [{schedulerName: a}]\n")) ==
          Names{"clientConnection", "leaderElection"});
}

TEST_CASE("reload: what only counts when Berth starts stays in force as it was", "[live]") {
    const auto begun = merged("profiles: [{schedulerName: a}]\nclientConnection: {qps: 5}\n");
    const auto tree = live::in_force(begun, merged("profiles: [{schedulerName: b}]\nclientConnection: {qps: 7}\n"
                                                   "podMaxBackoffSeconds: 30\nleaderElection: {leaderElect: false}\n"))
                          .tree();
    const auto now = tree->value();
    CHECK(now["profiles"].at(0)["schedulerName"].string() == "b");
    CHECK(now["podMaxBackoffSeconds"].integer() == 30);
    CHECK(now["clientConnection"]["qps"].integer() == 5);
    CHECK(now["leaderElection"]["leaderElect"].is_true());
    CHECK(now.size() == begun.tree()->value().size());
}

TEST_CASE("reload: the status tells what is in force and what went wrong last", "[live]") {
    live::ReloadStatus status;
    status.begun(read("profiles: [{schedulerName: a}]\n"), nullptr, 5);
    CHECK(status.get().generation == 1);
    CHECK(status.get().in_force_ns == 5);
    CHECK(status.get().ended_ns == 0);
    status.refused("no", 6);
    CHECK(status.get().error == "no");
    CHECK(status.get().refused == 1);
    CHECK(status.get().generation == 1);
    CHECK(status.get().in_force_ns == 5);
    CHECK(status.get().configuration->profiles[0].scheduler_name == "a");
    const auto shown = merged("profiles: [{schedulerName: b}]\n").tree();
    status.taken(read("profiles: [{schedulerName: b}]\n"), shown, 7);
    CHECK(status.get().merged == shown);
    CHECK(status.get().error.empty());
    CHECK(status.get().generation == 2);
    CHECK(status.get().taken == 1);
    CHECK(status.get().ended_ns == 7);
    CHECK(status.get().configuration->profiles[0].scheduler_name == "b");
}
