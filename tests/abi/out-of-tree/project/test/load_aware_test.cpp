// SPDX-License-Identifier: Apache-2.0
#include <berth/testing.hpp>

#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace {

/// A file that is written as a monitoring program should: a new one, renamed.
class Loads {
    std::string path_ = "/tmp/berth-load-" + std::to_string(getpid());

public:
    ~Loads() { remove(); }
    const std::string &path() const { return path_; }
    void write(std::string_view text) const {
        std::ofstream(path_ + ".new") << text;
        std::rename((path_ + ".new").c_str(), path_.c_str());
    }
    void remove() const { std::remove(path_.c_str()); }
};

struct World {
    Loads loads;
    berth::testing::Cluster cluster{R"(
kind: Node
metadata: {name: busy}
---
kind: Node
metadata: {name: idle}
---
kind: Node
metadata: {name: new}
---
kind: Pod
metadata: {name: web}
)"};
    berth::testing::Plugin made() {
        return {cluster, BERTH_PLUGIN_FILE, "LoadAware", "{path: " + loads.path() + ", periodSeconds: 5}"};
    }
};

std::size_t said(const berth::testing::Plugin &plugin, std::string_view words) {
    std::size_t n = 0;
    for (const auto &line : plugin.host.log)
        if (line.find(words) != std::string::npos) ++n;
    return n;
}

}  // namespace

BERTH_TEST("the least loaded node is best, and one without a line is in the middle") {
    World w;
    w.loads.write("# node load\nbusy 87.6\n\nidle 3\nover 250\n");
    auto plugin = w.made();
    (void)plugin.pre_score("web");
    (void)plugin.pre_score("web");
    BERTH_CHECK_EQUAL(plugin.score("web", "busy"), 12);
    BERTH_CHECK_EQUAL(plugin.score("web", "idle"), 97);
    BERTH_CHECK_EQUAL(plugin.score("web", "new"), 50);
    BERTH_CHECK_EQUAL(said(plugin, "has no line for node new: nodes without one have the score 50"), 1u);
}

BERTH_TEST(
    "the file is read again when it changed, and not before the period "
    "is over") {
    World w;
    w.loads.write("busy 90\nidle 10\nnew 20\n");
    auto plugin = w.made();
    (void)plugin.pre_score("web");
    plugin.host.run();
    w.loads.write("busy 1\nidle 10\nnew 20\n");
    plugin.host.pass_seconds(4);
    BERTH_CHECK_EQUAL(plugin.score("web", "busy"), 10);
    plugin.host.pass_seconds(2);
    BERTH_CHECK_EQUAL(plugin.score("web", "busy"), 99);
    w.loads.remove();
    plugin.host.pass_seconds(20);
    BERTH_CHECK_EQUAL(plugin.score("web", "busy"), 50);
    BERTH_CHECK_EQUAL(said(plugin, "there is no"), 1u);
    w.loads.write("busy 30\n");
    plugin.host.pass_seconds(5);
    BERTH_CHECK_EQUAL(plugin.score("web", "busy"), 70);
}

BERTH_TEST("without a file every node is alike, and the log says so once") {
    World w;
    auto plugin = w.made();
    (void)plugin.pre_score("web");
    plugin.host.pass_seconds(60);
    (void)plugin.pre_score("web");
    BERTH_CHECK_EQUAL(plugin.score("web", "busy"), 50);
    BERTH_CHECK_EQUAL(plugin.host.log.size(), 1u);
}

BERTH_TEST("a line that says nothing is named") {
    World w;
    w.loads.write("busy 90\nidle ten\n");
    auto plugin = w.made();
    BERTH_CHECK_EQUAL(said(plugin, ":2: expected a node and its load in per cent"), 1u);
}

BERTH_TEST_MAIN()
