// SPDX-License-Identifier: Apache-2.0
// PostFilter: who is asked, what becomes of the message and of the nomination, and plugins that take their time.
#include "fake_world.h"

#include <algorithm>

using namespace berth;
using model::AttemptResult;
using Names = std::vector<std::string>;

namespace {

FakePlugin full() {
    FakePlugin fake{"Full"};
    fake.filter = [](const std::string &node) {
        return FilterSays{node == "n2" ? BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE : BERTH_STATUS_UNSCHEDULABLE,
                          {"full"}};
    };
    fake.hint = [](const berth_event *, const berth_pod *) { return BERTH_HINT_QUEUE; };
    fake.interests = {{"Node", BERTH_EVENT_ADD, true}};
    return fake;
}

FakePlugin says(std::string name, std::int32_t code, const std::string &text, const std::string &node = "-") {
    FakePlugin fake{std::move(name)};
    fake.post_filter = [=](const PostFilterCall &c) {
        if (node != "-") c.nominate(node);
        if (code == BERTH_STATUS_ERROR) fail_with(c.status, text);
        else answer(c.status, code, text);
    };
    return fake;
}

struct World {
    FakePlugin filter = full(), bind = binder();
    std::optional<FakeWorld> world;

    explicit World(std::vector<FakePlugin *> post, int nodes = 3) {
        // As many as a test needs; the others do nothing.
        static FakePlugin none{"None"};
        post.resize(3, &none);
        world.emplace(std::initializer_list<FakePlugin *>{&filter, post[0], post[1], post[2], &bind});
        world->add_nodes(nodes);
    }
    const model::Decision &add(const std::string &pod) {
        world->scheduler.observer().pod_added(plain_pod(pod));
        world->settle();
        return world->last();
    }
};

const std::string fits_not = "0/3 nodes are available: 3 full.";

}  // namespace

TEST_CASE("post filter: without plugins there is nobody to ask, and a nomination is taken back", "[cycle]") {
    World w({});
    const auto &d = w.add("p");
    CHECK(d.message == fits_not);
    CHECK(d.nomination == "");
    CHECK(d.post_filter.empty());
}

TEST_CASE("post filter: rejections add up until somebody has the last word", "[cycle]") {
    FakePlugin a = says("A", BERTH_STATUS_UNSCHEDULABLE, "not I"), b = says("B", BERTH_STATUS_UNSCHEDULABLE, "nor I"),
               c, d;
    auto message = [](std::vector<FakePlugin *> plugins) { return World(std::move(plugins)).add("p").message; };
    CHECK(message({&a, &b}) == fits_not + " not I, nor I");
    c = says("C", BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "nobody can");
    CHECK(message({&a, &c, &b}) == fits_not + " nobody can");
    c = says("C", BERTH_STATUS_SUCCESS, "");
    CHECK(message({&a, &c, &b}) == fits_not);
    c = says("C", BERTH_STATUS_SUCCESS, "made room");
    CHECK(message({&a, &c, &b}) == fits_not + " made room");
    c = says("C", BERTH_STATUS_ERROR, "broke");
    CHECK(message({&a, &c, &b}) == fits_not + " broke");
    c = says("C", BERTH_STATUS_WAIT, "");
    CHECK(message({&a, &c, &b}) == fits_not + " answered Wait without a text");
    c.post_filter = [](const PostFilterCall &) { throw std::string("tea"); };
    CHECK(message({&a, &c, &b}) == fits_not + " plugin \"C\" threw std::string: tea at PostFilter");
}

TEST_CASE("post filter: the pod is unschedulable in any case, and waits for its event", "[cycle][queue]") {
    FakePlugin makes_room = says("Room", BERTH_STATUS_SUCCESS, "", "n1");
    World w({&makes_room});
    const auto &d = w.add("p");
    CHECK(d.result == AttemptResult::Unschedulable);
    CHECK(d.phase == "Filter");
    CHECK(d.reason == "Unschedulable");
    CHECK(d.rejected_by == Names{"Full"});
    CHECK(w.world->scheduler.queue().unschedulable() == 1);
    REQUIRE(d.post_filter.size() == 1);
    CHECK(d.post_filter[0].plugin == "Room");
    CHECK(d.post_filter[0].nominated == "n1");
}

TEST_CASE("post filter: whose nomination counts", "[cycle]") {
    auto nomination = [](std::vector<FakePlugin *> plugins) { return World(std::move(plugins)).add("p").nomination; };
    FakePlugin u = says("U", BERTH_STATUS_UNSCHEDULABLE, "u", "n1"),
               silent = says("S", BERTH_STATUS_UNSCHEDULABLE, "s");
    FakePlugin clears = says("C", BERTH_STATUS_UNSCHEDULABLE, "c", ""),
               room = says("R", BERTH_STATUS_SUCCESS, "", "n3");
    FakePlugin quiet = says("Q", BERTH_STATUS_SUCCESS, ""),
               last = says("L", BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "l", "n2");
    FakePlugin fails = says("F", BERTH_STATUS_ERROR, "f", "n2");
    CHECK(nomination({&silent}) == std::nullopt);
    CHECK(nomination({&u, &silent}) == "n1");
    CHECK(nomination({&u, &clears}) == "");
    CHECK(nomination({&u, &room}) == "n3");
    CHECK(nomination({&u, &quiet}) == std::nullopt);
    CHECK(nomination({&u, &last}) == "n2");
    CHECK(nomination({&u, &fails}) == std::nullopt);
}

TEST_CASE("post filter: the nomination counts at once, and the world is told later", "[cycle]") {
    FakePlugin room = says("R", BERTH_STATUS_SUCCESS, "", "n1");
    World w({&room});
    CHECK(w.add("p").nominated_node == "n1");
    CHECK(w.world->scheduler.nominations().node_of("uid-p") == "n1");
}

TEST_CASE("post filter: a nomination to a node that does not exist is the plugin's mistake", "[cycle]") {
    FakePlugin lost = says("Lost", BERTH_STATUS_SUCCESS, "", "n9");
    World w({&lost});
    const auto &d = w.add("p");
    CHECK(d.message == fits_not + " plugin \"Lost\" nominated the pod to node \"n9\", which does not exist");
    CHECK(d.nomination == std::nullopt);
    CHECK(d.nominated_node.empty());
}

TEST_CASE("post filter: the outcome says why each node did not take the pod", "[cycle]") {
    std::vector<std::string> said;
    FakePlugin reads{"Reads"};
    reads.post_filter = [&](const PostFilterCall &c) {
        said.clear();
        for (std::uint32_t i = 0; i < c.nodes->count; ++i) {
            std::uint32_t slot = c.nodes->order[i];
            const berth_str *texts = nullptr;
            std::string line = text(c.nodes->name[slot]) + " " + model::code_name(c.outcome->code[slot]) + " " +
                               text(plugin::behind(*c.outcome).plugin(slot));
            for (auto n = plugin::behind(*c.outcome).reasons(slot, &texts); n > 0; --n) line += " " + text(*texts++);
            said.push_back(line);
        }
        const std::uint32_t *slots = nullptr;
        std::string line = "absent " + model::code_name(c.outcome->absent_code) + "; may help:";
        for (auto n = plugin::behind(*c.outcome).slots_with(BERTH_STATUS_UNSCHEDULABLE, &slots); n > 0; --n)
            line += " " + text(c.nodes->name[*slots++]);
        said.push_back(line);
        answer(c.status, BERTH_STATUS_UNSCHEDULABLE);
    };
    FakePlugin before{"Before"};
    before.pre_filter = [](const berth_nodes *, berth_restrict *, berth_status *) {};
    World w({&before, &reads});
    w.add("p");
    CHECK(said == Names{"n1 Unschedulable Full full", "n2 UnschedulableAndUnresolvable Full full",
                        "n3 Unschedulable Full full", "absent UnschedulableAndUnresolvable; may help: n1 n3"});

    before.pre_filter = [](const berth_nodes *nodes, berth_restrict *to, berth_status *) {
        berth_str n3 = BERTH_STR("n3");
        plugin::Restrict::of(to)->names(&n3, 1);
        (void)nodes;
    };
    w.add("narrowed");
    const std::string not_this = " UnschedulableAndUnresolvable  node(s) didn't satisfy plugin(s) [Before]";
    CHECK(said == Names{"n1" + not_this, "n2" + not_this, "n3 Unschedulable Full full",
                        "absent UnschedulableAndUnresolvable; may help: n3"});

    before.pre_filter = [](const berth_nodes *, berth_restrict *, berth_status *status) {
        answer(status, BERTH_STATUS_UNSCHEDULABLE, "not now");
    };
    w.add("rejected");
    CHECK(said == Names{"n1 Unschedulable  not now", "n2 Unschedulable  not now", "n3 Unschedulable  not now",
                        "absent Unschedulable; may help: n1 n2 n3"});
}

namespace {

/// Names the pods on a node as victims, in the order of their rows, then answers.
FakePlugin names(std::string name, std::int32_t code, const std::string &reason, const std::string &node = "n1") {
    FakePlugin fake{std::move(name)};
    fake.post_filter = [=](const PostFilterCall &c) {
        const berth_pods &pods = *c.nodes->pods;
        const auto slot = model::find_node(*c.nodes, model::to_str(node));
        std::vector<std::uint32_t> rows;
        for (std::uint32_t row = 0; row < pods.rows; ++row)
            if (pods.node_slot[row] == slot) rows.push_back(row);
        c.nominate(node);
        CHECK(c.victims(rows, reason) == BERTH_STATUS_SUCCESS);
        if (code == BERTH_STATUS_ERROR) fail_with(c.status, "broke");
        else answer(c.status, code, "no");
    };
    return fake;
}

model::PodPtr placed(const std::string &name, const std::string &node = "n1") {
    return plain_pod(name, {}, "spec: {nodeName: " + node + ", containers: [{name: c, image: i}]}");
}

}  // namespace

TEST_CASE("victims: the record names those of the plugin that makes room, and so does the pod's state", "[cycle]") {
    FakePlugin first = names("First", BERTH_STATUS_UNSCHEDULABLE, "first", "n2"),
               room = names("Room", BERTH_STATUS_SUCCESS, "fewest pods");
    World w({&first, &room});
    for (const auto *name : {"a", "b"}) w.world->scheduler.observer().pod_added(placed(name));
    w.world->scheduler.observer().pod_added(placed("c", "n2"));
    const auto &d = w.add("p");
    const model::Victims expected{{"default/a", "default/b"}, 0, "fewest pods"};
    CHECK(d.victims == expected);
    CHECK(d.message == fits_not + " no");  // which Room says, though it makes room
    REQUIRE(d.post_filter.size() == 2);
    CHECK(d.post_filter[0].victims == model::Victims{{"default/c"}, 0, "first"});
    CHECK(d.post_filter[1].victims == expected);
    CHECK(w.world->scheduler.scheduling_state(plain_pod("p")).victims == expected);
}

TEST_CASE("victims: of a plugin that makes no room the record alone knows, of one that fails nobody", "[cycle]") {
    for (auto code : {BERTH_STATUS_UNSCHEDULABLE, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, BERTH_STATUS_ERROR}) {
        FakePlugin plugin = names("Names", code, "why");
        World w({&plugin});
        w.world->scheduler.observer().pod_added(placed("a"));
        const auto &d = w.add("p");
        CHECK(d.victims == model::Victims{});
        const bool fails = code == BERTH_STATUS_ERROR;
        CHECK(d.post_filter.at(0).victims == (fails ? model::Victims{} : model::Victims{{"default/a"}, 0, "why"}));
        CHECK(w.world->scheduler.scheduling_state(plain_pod("p")).victims == model::Victims{});
    }
}

TEST_CASE("victims: a hundred are named, and how many more there are; a reason is one short line", "[cycle]") {
    const std::string reason = "one\ntwo\x1b" + std::string(501, 'x');
    FakePlugin room = names("Room", BERTH_STATUS_SUCCESS, reason + "\xc3\xa4\xc3\xa4");
    World w({&room});
    for (int i = 0; i < 103; ++i) w.world->scheduler.observer().pod_added(placed("v" + std::to_string(i)));
    const auto &d = w.add("p");
    CHECK(d.victims.pods.size() == 100);
    CHECK(d.victims.more == 3);
    // A character at the limit is left out whole.
    CHECK(d.victims.reason.size() == 511);
    CHECK(d.victims.reason.starts_with("one two xxx"));
    CHECK(d.victims.reason.ends_with("x\xc3\xa4"));
}

TEST_CASE("victims: what are no different pods on nodes is refused, and the last word counts", "[cycle]") {
    FakePlugin room{"Room"};
    std::vector<std::int32_t> codes;
    std::optional<PostFilterCall> late;
    room.post_filter = [&](const PostFilterCall &c) {
        const auto rows = c.nodes->pods->rows;
        CHECK(c.victims({0, 1}, "first") == BERTH_STATUS_SUCCESS);
        CHECK(c.victims({1}) == BERTH_STATUS_SUCCESS);
        for (const auto &wrong : std::vector<std::vector<std::uint32_t>>{
                 {}, {0, 0}, {rows}, {UINT32_MAX}, {0, 1, rows}, std::vector<std::uint32_t>(10'001)})
            codes.push_back(c.victims(wrong));
        CHECK(plugin::Nomination::of(c.nomination)->name_victims(nullptr, 1, {}) == BERTH_STATUS_INVALID);
        late = c;
        answer(c.status, BERTH_STATUS_SUCCESS);
    };
    World w({&room});
    for (const auto *name : {"a", "b"}) w.world->scheduler.observer().pod_added(placed(name));
    const auto &d = w.add("p");
    CHECK(codes == std::vector<std::int32_t>(6, BERTH_STATUS_INVALID));
    CHECK(d.victims == model::Victims{{"default/b"}, 0, ""});
    // A row whose pod has gone is empty.
    room.post_filter = [&](const PostFilterCall &c) {
        codes = {c.victims({0}), c.victims({1})};
        answer(c.status, BERTH_STATUS_SUCCESS);
    };
    w.world->scheduler.observer().pod_deleted(placed("a"));
    w.add("q");
    CHECK(codes == std::vector<std::int32_t>{BERTH_STATUS_INVALID, BERTH_STATUS_SUCCESS});
    CHECK(late->victims({1}) == BERTH_STATUS_INVALID);
}

namespace {

/// A plugin that answers when the test says so.
struct Thinker {
    FakePlugin plugin{"Thinker"};
    std::optional<PostFilterCall> call;
    Thinker() {
        plugin.post_filter = [this](const PostFilterCall &c) {
            call = c;
            c.status->code = BERTH_STATUS_IN_PROGRESS;
        };
    }
    void finish() {
        call->nominate("n1");
        plugin::behind(*call->done).complete(call->done->status);
    }
};

}  // namespace

TEST_CASE("post filter: while a plugin takes its time no pod is scheduled and the world waits", "[cycle]") {
    Thinker thinker;
    World w({&thinker.plugin});
    auto &scheduler = w.world->scheduler;
    scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    CHECK(w.world->decisions.empty());
    w.world->pass_seconds(90);
    CHECK(scheduler.pending_calls() == Names{"plugin \"Thinker\" has not ended PostFilter for pod \"default/p\" after "
                                             "90 s: no pod is scheduled until it does"});
    CHECK(scheduler.pending_calls(90'000'000'001).empty());
    scheduler.observer().pod_added(plain_pod("q"));
    scheduler.observer().node_added(plain_node("n4"));
    w.world->settle();
    CHECK(w.world->decisions.empty());
    CHECK(scheduler.next_wake() == std::nullopt);
    CHECK(thinker.call->nodes->count == 3);
    CHECK(scheduler.cache().node_count() == 3);

    bool timer = false;
    w.world->clock.after(1, [&] { timer = true; });
    w.world->pass_seconds(1);
    w.world->settle();
    CHECK(timer);

    thinker.plugin.post_filter = [](const PostFilterCall &c) { answer(c.status, BERTH_STATUS_UNSCHEDULABLE, "no"); };
    thinker.finish();
    w.world->settle();
    CHECK(scheduler.cache().node_count() == 4);
    CHECK(scheduler.pending_calls().empty());
    const auto &first = w.world->decisions.front();
    CHECK(first.pod.name == "p");
    CHECK(first.nomination == "n1");
    CHECK(w.world->decisions.size() >= 2);
    // The node that came meanwhile is an event that the pod has not missed.
    CHECK(std::count_if(w.world->decisions.begin(), w.world->decisions.end(),
                        [](const auto &d) { return d.pod.name == "p"; }) == 2);
}

TEST_CASE("post filter: a pod that is deleted meanwhile does not come back", "[cycle]") {
    Thinker thinker;
    World w({&thinker.plugin});
    auto &scheduler = w.world->scheduler;
    scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    scheduler.observer().pod_deleted(plain_pod("p"));
    thinker.finish();
    w.world->settle();
    CHECK(scheduler.queue().unschedulable() + scheduler.queue().active() + scheduler.queue().backing_off() == 0);
    CHECK(scheduler.nominations().empty());
}

TEST_CASE("post filter: the next plugin is asked after one that took its time", "[cycle]") {
    Thinker thinker;
    FakePlugin next = says("Next", BERTH_STATUS_UNSCHEDULABLE, "nor I");
    World w({&thinker.plugin, &next});
    w.world->scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    answer(thinker.call->done->status, BERTH_STATUS_UNSCHEDULABLE, "not I");
    plugin::behind(*thinker.call->done).complete(thinker.call->done->status);
    w.world->settle();
    CHECK(w.world->last().message == fits_not + " not I, nor I");
}

TEST_CASE("post filter: a binding that fails meanwhile is undone afterwards", "[cycle][bind]") {
    Thinker thinker;
    const berth_done *binding = nullptr;
    World w({&thinker.plugin});
    w.filter.filter = [](const std::string &) { return FilterSays{}; };
    w.bind.bind = [&](const berth_pod *, berth_status *status, const berth_done *done) {
        status->code = BERTH_STATUS_IN_PROGRESS;
        binding = done;
    };
    auto &scheduler = w.world->scheduler;
    scheduler.observer().pod_added(plain_pod("bound"));
    w.world->settle();
    REQUIRE(binding);
    w.filter = full();
    w.filter.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}}; };
    scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    REQUIRE(scheduler.pending_calls().size() == 2);
    fail_with(binding->status, "gone");
    plugin::behind(*binding).complete(binding->status);
    w.world->settle();
    CHECK(scheduler.cache().is_assumed("uid-bound"));
    thinker.finish();
    thinker.plugin.post_filter = [](const PostFilterCall &c) { answer(c.status, BERTH_STATUS_UNSCHEDULABLE); };
    w.world->settle();
    CHECK_FALSE(scheduler.cache().is_assumed("uid-bound"));
}

TEST_CASE("post filter: what a plugin says after the end of its call is not heard", "[cycle]") {
    Thinker thinker;
    World w({&thinker.plugin});
    w.world->scheduler.observer().pod_added(plain_pod("p"));
    w.world->settle();
    thinker.finish();
    w.world->settle();
    thinker.call->nominate("n3");
    thinker.finish();
    CHECK(w.world->scheduler.nominations().node_of("uid-p") == "n1");

    // One that answers at once and ends the call as well does not end the next one.
    World both({&thinker.plugin});
    thinker.plugin.post_filter = [&](const PostFilterCall &c) {
        thinker.call = c;
        if (text(c.pod->name) == "first") plugin::behind(*c.done).complete(c.done->status);
        else c.status->code = BERTH_STATUS_IN_PROGRESS;
    };
    both.world->scheduler.observer().pod_added(plain_pod("first"));
    both.world->scheduler.observer().pod_added(plain_pod("second"));
    REQUIRE(both.world->scheduler.schedule_one());
    REQUIRE(both.world->scheduler.schedule_one());
    both.world->settle();
    CHECK(both.world->decisions.size() == 1);
    thinker.finish();
    both.world->settle();
    CHECK(both.world->last().nomination == "n1");
}
