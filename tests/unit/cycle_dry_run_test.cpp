// SPDX-License-Identifier: Apache-2.0
// What a PostFilter plugin asks the other plugins by berth.host.runner/1.
#include "fake_world.h"
#include "model/look_ups.h"

using namespace berth;
using Names = std::vector<std::string>;

namespace {

struct World {
    FakePlugin room{"Room"}, counts{"Counts"}, tries{"Tries"}, bind = binder();
    Names told;
    std::optional<FakeWorld> world;

    World() {
        room.filter_batch = [](const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n,
                               std::int32_t *code) {
            for (std::uint64_t i = 0; i < n; ++i)
                code[i] = nodes->pod_count[slots[i]] < 2 ? BERTH_STATUS_SUCCESS : BERTH_STATUS_UNSCHEDULABLE;
        };
        counts.pre_filter = [](const berth_nodes *, berth_restrict *, berth_status *) {};
        counts.extension = [this](const std::string &what, const berth_nodes *, berth_status *) {
            told.push_back(what);
        };
        tries.post_filter = [](const PostFilterCall &) {};
        world.emplace(std::initializer_list<FakePlugin *>{&room, &counts, &tries, &bind});
        world->add_nodes(1);
        for (const char *name : {"a", "b"})
            world->scheduler.observer().pod_added(
                plain_pod(name, {}, "spec: {nodeName: n1, containers: [{name: c, image: i}]}"));
    }
    plugin::DryRunner &runner() { return *world->services().dry_runner; }
    berth_trial *open(const PostFilterCall &c, std::uint32_t slot = 0) {
        return runner().open_dry_run(c.call, c.state, c.pod, c.nodes, slot);
    }
    std::string add(const std::string &pod) {
        world->scheduler.observer().pod_added(plain_pod(pod));
        world->settle();
        return world->last().message;
    }
};

}  // namespace

TEST_CASE("dry run: a node is tried without some of its pods, and is as it was afterwards", "[cycle]") {
    World w;
    w.tries.post_filter = [&](const PostFilterCall &c) {
        const berth_pods &pods = *c.nodes->pods;
        auto generation = c.nodes->slot_generation[0];
        auto *trial = w.open(c);
        REQUIRE(trial);
        CHECK(w.open(c) == nullptr);
        CHECK(w.runner().filter(trial).code == BERTH_STATUS_UNSCHEDULABLE);
        const std::uint32_t *rows = nullptr;
        REQUIRE(model::look_ups(pods).pods_of(0, &rows) == 2);
        std::uint32_t a = rows[0], b = rows[1];
        CHECK(w.runner().remove_pod(trial, a).code == BERTH_STATUS_SUCCESS);
        CHECK(w.runner().remove_pod(trial, a).code == BERTH_STATUS_INVALID);
        CHECK(w.runner().remove_pod(trial, 77).code == BERTH_STATUS_INVALID);
        CHECK(model::look_ups(pods).view_of(a) == nullptr);
        CHECK(c.nodes->pod_count[0] == 1);
        CHECK(c.nodes->slot_generation[0] != generation);
        CHECK(w.runner().filter(trial).code == BERTH_STATUS_SUCCESS);
        CHECK(w.runner().add_pod(trial, a).code == BERTH_STATUS_SUCCESS);
        CHECK(w.runner().add_pod(trial, b).code == BERTH_STATUS_INVALID);
        CHECK(w.runner().filter(trial).code == BERTH_STATUS_UNSCHEDULABLE);
        CHECK(w.runner().remove_pod(trial, b).code == BERTH_STATUS_SUCCESS);
        w.runner().close_dry_run(trial);
        CHECK(w.runner().filter(trial).code == BERTH_STATUS_INVALID);
        CHECK(c.nodes->pod_count[0] == 2);
        CHECK(c.nodes->slot_generation[0] == generation);
        REQUIRE(model::look_ups(pods).pods_of(0, &rows) == 2);
        CHECK((rows[0] == a && rows[1] == b));
        answer(c.status, BERTH_STATUS_UNSCHEDULABLE, "tried");
    };
    CHECK(w.add("p") == "0/1 nodes are available: tried");
    CHECK(w.told == Names{"remove a on n1", "add a on n1", "remove b on n1"});
}

TEST_CASE("dry run: the state of a trial is a copy that ends with it, and closed while plugins are asked", "[cycle]") {
    World w;
    w.tries.post_filter = [&](const PostFilterCall &c) {
        const std::uint32_t *rows = nullptr;
        model::look_ups(*c.nodes->pods).pods_of(0, &rows);
        auto *trial = w.open(c);
        auto *copy = w.runner().state(trial);
        REQUIRE(copy);
        CHECK(copy != c.state);
        CHECK(w.runner().state(trial) == copy);
        berth_state *within = copy;
        w.counts.extension = [&](const std::string &, const berth_nodes *, berth_status *) {
            within = w.runner().state(trial);
        };
        w.runner().remove_pod(trial, rows[0]);
        CHECK(within == nullptr);
        CHECK(w.runner().state(trial) == copy);
        w.runner().close_dry_run(trial);
        CHECK(w.runner().state(trial) == nullptr);
        answer(c.status, BERTH_STATUS_UNSCHEDULABLE, "tried");
    };
    CHECK(w.add("p") == "0/1 nodes are available: tried");
}

TEST_CASE("dry run: what is not of the call at hand opens nothing", "[cycle]") {
    World w;
    std::optional<PostFilterCall> earlier;
    w.tries.post_filter = [&](const PostFilterCall &c) {
        CHECK(w.open(c, 5) == nullptr);
        berth_pod other = *c.pod;
        CHECK(w.runner().open_dry_run(c.call, c.state, &other, c.nodes, 0) == nullptr);
        // An earlier call's memory may be used again, and then is this call's.
        if (earlier && earlier->call != c.call)
            CHECK(w.runner().open_dry_run(earlier->call, earlier->state, c.pod, c.nodes, 0) == nullptr);
        earlier = c;
        answer(c.status, BERTH_STATUS_UNSCHEDULABLE);
    };
    w.add("p");
    REQUIRE(earlier);
    CHECK(w.open(*earlier) == nullptr);
    w.add("q");
}

TEST_CASE("dry run: a trial that is left open is closed, and its plugin has failed", "[cycle]") {
    World w;
    w.tries.post_filter = [&](const PostFilterCall &c) {
        const std::uint32_t *rows = nullptr;
        model::look_ups(*c.nodes->pods).pods_of(0, &rows);
        w.runner().remove_pod(w.open(c), rows[0]);
        c.nominate("n1");
    };
    CHECK(w.add("p") ==
          "0/1 nodes are available: plugin \"Tries\" answered at PostFilter with its trial of node \"n1\" open");
    CHECK_FALSE(w.world->last().nomination);
    CHECK(w.world->scheduler.cache().snapshot().pod_count[0] == 2);
}

TEST_CASE("dry run: a plugin that fails says so in the words of a cycle", "[cycle]") {
    World w;
    Names said;
    w.counts.extension = [](const std::string &, const berth_nodes *, berth_status *status) {
        fail_with(status, "lost count");
    };
    w.tries.post_filter = [&](const PostFilterCall &c) {
        auto *trial = w.open(c);
        const std::uint32_t *rows = nullptr;
        model::look_ups(*c.nodes->pods).pods_of(0, &rows);
        auto answered = w.runner().remove_pod(trial, rows[0]);
        CHECK(answered.code == BERTH_STATUS_ERROR);
        for (const auto &one : answered.texts) said.push_back(text(one));
        w.runner().close_dry_run(trial);
        answer(c.status, BERTH_STATUS_UNSCHEDULABLE);
    };
    w.add("p");
    CHECK(said == Names{"running RemovePod on PreFilter plugin \"Counts\": lost count"});
}

TEST_CASE("dry run: a plugin that is asked in a trial cannot ask of it, or end it", "[cycle]") {
    World w;
    berth_trial *trial = nullptr;
    std::vector<std::int32_t> codes;
    w.room.filter_batch = [&](const berth_nodes *, const std::uint32_t *, std::uint64_t n, std::int32_t *code) {
        if (trial) {
            codes.push_back(w.runner().filter(trial).code);
            codes.push_back(w.runner().remove_pod(trial, 0).code);
            w.runner().close_dry_run(trial);
        }
        std::fill_n(code, n, BERTH_STATUS_UNSCHEDULABLE);
    };
    w.tries.post_filter = [&](const PostFilterCall &c) {
        trial = w.open(c);
        CHECK(w.runner().filter(trial).code == BERTH_STATUS_UNSCHEDULABLE);
        CHECK(w.runner().remove_pod(trial, 0).code == BERTH_STATUS_SUCCESS);
        w.runner().close_dry_run(std::exchange(trial, nullptr));
        answer(c.status, BERTH_STATUS_UNSCHEDULABLE, "tried");
    };
    w.add("p");
    CHECK(codes == std::vector<std::int32_t>{BERTH_STATUS_INVALID, BERTH_STATUS_INVALID});
}
