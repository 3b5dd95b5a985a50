// SPDX-License-Identifier: Apache-2.0
#include "queue_world.h"

using namespace berth;
using namespace berth::queue;

namespace {

model::PodPtr pod_with_priority(const std::string &name, int priority) {
    return plain_pod(name, {}, "spec: {priority: " + std::to_string(priority) + ", containers: [{name: c, image: i}]}");
}

FakePlugin by_priority() {
    FakePlugin fake{"ByPriority"};
    fake.less = [](const berth_pod *a, const berth_pod *b) { return a->priority > b->priority; };
    return fake;
}

}  // namespace

TEST_CASE("queue: QueueSort decides who is next, and arrival where it decides nothing", "[queue]") {
    FakePlugin sort = by_priority();
    QueueWorld world({&sort});
    world.queue->add(pod_with_priority("low-1", 1));
    world.queue->add(pod_with_priority("high-1", 9));
    world.queue->add(pod_with_priority("low-2", 1));
    world.queue->add(pod_with_priority("high-2", 9));
    CHECK(world.pop_all() == "high-1 high-2 low-1 low-2 ");
}

TEST_CASE("queue: a sort key is compared instead of calling the plugin", "[queue]") {
    FakePlugin sort{"ByName"};
    sort.less = [](const berth_pod *, const berth_pod *) -> bool { throw std::logic_error("less was called"); };
    sort.sort_key = [](const berth_pod *pod) { return std::string(model::view(pod->name)); };
    QueueWorld world({&sort});
    for (const char *name : {"c", "ab", "a", "b"}) world.queue->add(plain_pod(name));
    CHECK(world.pop_all() == "a ab b c ");
}

TEST_CASE("queue: a pod whose sort key cannot be told comes last", "[queue]") {
    FakePlugin sort{"ByName"};
    sort.less = [](const berth_pod *, const berth_pod *) -> bool { throw std::logic_error("less was called"); };
    sort.sort_key = [](const berth_pod *pod) -> std::string {
        if (model::view(pod->name) == "b") throw std::runtime_error("which name?");
        return std::string(model::view(pod->name));
    };
    QueueWorld world({&sort});
    for (const char *name : {"c", "b", "a"}) world.queue->add(plain_pod(name));
    CHECK(world.pop_all() == "a c b ");
}

TEST_CASE("queue: a sort key may be long, and as many bytes of it are compared as the ABI says", "[queue]") {
    FakePlugin sort{"ByName"};
    std::size_t length = 0;
    sort.less = [](const berth_pod *, const berth_pod *) -> bool { throw std::logic_error("less was called"); };
    sort.sort_key = [&](const berth_pod *pod) {
        return std::string(length, 'x') + std::string(model::view(pod->name));
    };
    for (const auto &[before, order] : {std::pair{33U, "a b c "},
                                        {BERTH_SORT_KEY_MAX - 1, "a b c "},
                                        {BERTH_SORT_KEY_MAX, "c a b "},
                                        {1U << 20, "c a b "}}) {
        length = before;
        QueueWorld world({&sort});
        for (const char *name : {"c", "a", "b"}) world.queue->add(plain_pod(name));
        CAPTURE(length);
        CHECK(world.pop_all() == order);
    }
}

TEST_CASE("queue: a comparison that contradicts itself loses no pod", "[queue]") {
    FakePlugin sort{"Contrary"};
    sort.less = [](const berth_pod *, const berth_pod *) { return true; };
    QueueWorld world({&sort});
    for (char c = 'a'; c < 'k'; ++c) world.queue->add(plain_pod(std::string(1, c)));
    world.queue->remove(*plain_pod("d"));
    CHECK(world.pop_all().size() == 2 * 9);
}

TEST_CASE("queue: a pod that changes in the active queue is sorted anew", "[queue]") {
    FakePlugin sort = by_priority();
    QueueWorld world({&sort});
    world.queue->add(pod_with_priority("a", 5));
    auto before = pod_with_priority("b", 1);
    world.queue->add(before);
    world.queue->update(before, pod_with_priority("b", 9));
    CHECK(world.pop_all() == "b a ");
}

TEST_CASE("queue: the attempt that begins with pop is counted", "[queue]") {
    QueueWorld world({});
    world.queue->add(plain_pod("p"));
    auto pod = world.queue->pop();
    CHECK(pod->view.attempts == 1);
    CHECK(pod->view.queued_time_ns == start_ns);
    CHECK(pod->view.initial_attempt_ns == start_ns);
    CHECK(world.queue->pop() == nullptr);
}

// promise(tenant): A pod that fails repeatedly waits longer each time, so that it does not take the turns of other
// pods.
TEST_CASE("queue: a pod refused three times waits four seconds", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&fit});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Fit");
    for (int i = 0; i < 2; ++i) {
        world.node_appears();
        world.pop_and_fail("Fit");
    }
    world.node_appears();
    CHECK(world.queue->backing_off() == 1);
    world.pass(4);
    CHECK(world.queue->next_ready() == world.clock.now_ns());  // Whoever backs off may be popped early.
    world.queue->add(plain_pod("q"));
    auto q = world.queue->pop();
    CHECK(q->pod->name() == "q");
    CHECK(world.queue->active() == 0);
    world.pass(1);  // The second in which the wait ends counts as waiting.
    auto p = world.queue->pop();
    CHECK(p->pod->name() == "p");
    CHECK(p->view.attempts == 4);
}

TEST_CASE("queue: the wait doubles from one second to ten", "[queue]") {
    Backoff backoff = Settings().backoff;
    std::vector<std::int64_t> seconds;
    for (std::uint32_t count : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 60u, 200u})
        seconds.push_back(backoff.duration(count) / second_ns);
    CHECK(seconds == std::vector<std::int64_t>{0, 1, 2, 4, 8, 10, 10, 10, 10});
    backoff.max_ns = 0;
    QueuedPod pod;
    pod.unschedulable_count = 7;
    CHECK_FALSE(backoff.waiting(pod, start_ns));
}

TEST_CASE("queue: errors since the last rejection decide the wait before rejections do", "[queue]") {
    Backoff backoff = Settings().backoff;
    QueuedPod pod;
    pod.view.queued_time_ns = start_ns;
    pod.unschedulable_count = 5;
    pod.error_count = 2;
    CHECK(backoff.end(pod) == start_ns + 2 * second_ns);
}

TEST_CASE("queue: a pod whose attempt broke is never taken early", "[queue]") {
    QueueWorld world({});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail();
    CHECK(world.queue->backing_off() == 1);
    CHECK(world.pop_name().empty());
    CHECK(world.queue->next_wake() == start_ns + 2 * second_ns);
    world.pass(1);
    CHECK(world.pop_name().empty());
    world.pass(1);
    CHECK(world.pop_name() == "p");
}

TEST_CASE("queue: a pod in backoff is taken when nothing else is ready", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&fit});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Fit");
    CHECK(world.pop_name().empty());
    world.node_appears();
    CHECK(world.queue->backing_off() == 1);
    CHECK(world.pop_name() == "p");
}

TEST_CASE("queue: an event wakes the pods whose rejecting plugin asks for it, one hint call for all", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    FakePlugin other = interested("Other", "AssignedPod", BERTH_EVENT_DELETE, BERTH_HINT_QUEUE);
    QueueWorld world({&fit, &other});
    for (const char *name : {"a", "b", "c"}) world.queue->add(plain_pod(name));
    world.pop_and_fail("Fit");
    world.pop_and_fail("Fit");
    world.pop_and_fail("Other");
    world.pass(2);
    world.node_appears();
    CHECK(fit.hint_calls == 1);
    CHECK(other.hint_calls == 0);
    CHECK(world.queue->active() == 2);
    CHECK(world.queue->unschedulable() == 1);
}

TEST_CASE("queue: a hint that skips leaves the pod, one that cannot tell wakes it", "[queue]") {
    auto [says, woken] = GENERATE(table<std::uint8_t, std::size_t>({{BERTH_HINT_SKIP, 0}, {BERTH_HINT_ERROR, 1}}));
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, says);
    QueueWorld world({&fit});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Fit");
    world.pass(2);
    world.node_appears();
    CHECK(world.queue->active() == woken);
}

TEST_CASE("queue: a hint that throws wakes the pod", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_SKIP);
    fit.hint = [](const berth_event *, const berth_pod *) -> std::uint8_t { throw std::runtime_error("no idea"); };
    QueueWorld world({&fit});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Fit");
    world.pass(2);
    world.node_appears();
    CHECK(world.queue->active() == 1);
}

TEST_CASE("queue: a plugin that waits for somebody else hurries the pod past its backoff", "[queue]") {
    FakePlugin claims = interested("Claims", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&claims});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Claims", true);
    world.node_appears();
    CHECK(world.queue->active() == 1);
    CHECK(world.queue->backing_off() == 0);
}

TEST_CASE("queue: what happened while a pod was being tried is not lost", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&fit});
    world.queue->add(plain_pod("p"));
    auto pod = world.queue->pop();
    world.node_appears();
    auto current = pod->pod;
    world.queue->requeue(std::move(pod), current, {world.plugin("Fit")}, {});
    CHECK(world.queue->backing_off() == 1);
}

TEST_CASE("queue: what happened before a pod was popped does not count for it", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&fit});
    world.queue->add(plain_pod("early"));
    world.queue->add(plain_pod("late"));
    auto early = world.queue->pop();
    world.node_appears();
    auto late = world.queue->pop();
    auto current = late->pod;
    world.queue->requeue(std::move(late), current, {world.plugin("Fit")}, {});
    CHECK(world.queue->unschedulable() == 1);
    current = early->pod;
    world.queue->requeue(std::move(early), current, {world.plugin("Fit")}, {});
    CHECK(world.queue->backing_off() == 1);
}

TEST_CASE("queue: a pod that nobody wakes is tried again after five minutes", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_SKIP);
    QueueWorld world({&fit});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Fit");
    CHECK_FALSE(world.queue->next_ready());
    // They are looked at every 30 seconds, and at 300 it has not waited longer than 300.
    CHECK(world.queue->next_wake() == start_ns + 30 * second_ns);
    world.pass(300);
    CHECK(world.pop_name().empty());
    CHECK(world.queue->next_wake() == start_ns + 330 * second_ns);
    world.pass(30);
    CHECK(world.pop_name() == "p");
}

TEST_CASE("queue: PreEnqueue holds a pod back until an event of its own", "[queue]") {
    bool open = false;
    FakePlugin gate = interested("Gate", "Node", BERTH_EVENT_DELETE, BERTH_HINT_QUEUE);
    gate.pre_enqueue = [&](const berth_pod *, berth_status *status) {
        if (!open) answer(status, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "gates are closed");
    };
    QueueWorld world({&gate});
    world.queue->add(plain_pod("p"));
    CHECK(world.queue->gated() == 1);
    CHECK(world.queue->unschedulable() == 0);
    CHECK(world.gated == std::vector<std::string>{"p: gates are closed"});
    CHECK(world.pop_name().empty());

    world.queue->move(node_event(BERTH_EVENT_DELETE, plain_node("n"), nullptr));  // Asked again, still closed.
    CHECK(world.queue->gated() == 1);
    CHECK(world.gated.size() == 1);
    open = true;
    world.node_appears();  // Not its event.
    world.pass(400);       // Nor is the end of five minutes.
    CHECK(world.pop_name().empty());
    world.queue->move(node_event(BERTH_EVENT_DELETE, plain_node("n"), nullptr));
    CHECK(world.pop_name() == "p");
}

namespace {

Settings as_1_37() {
    Settings out;
    out.rules = config::Rules(*config::Release::of("1.37"));
    return out;
}

}  // namespace

TEST_CASE("queue: as 1.37, gated pods are asked again every five minutes", "[queue]") {
    int asked = 0;
    bool open = false;
    FakePlugin gate = interested("Gate", "Node", BERTH_EVENT_DELETE, BERTH_HINT_QUEUE);
    gate.pre_enqueue = [&](const berth_pod *, berth_status *status) {
        ++asked;
        if (!open) answer(status, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, "gates are closed");
    };
    QueueWorld world({&gate}, as_1_37());
    auto looks_after = [&](std::int64_t seconds) {
        world.pass(seconds);
        world.queue->flush();
        return asked;
    };
    world.queue->add(plain_pod("p"));
    world.news();
    CHECK(asked == 1);
    CHECK(looks_after(300) == 1);
    CHECK(looks_after(30) == 2);
    CHECK(world.news() == std::vector<std::string>{"p unschedulable UnschedulableTimeout"});
    CHECK(world.gated.size() == 1);
    for (int i = 0; i < 10; ++i) CHECK(looks_after(30) == 2);
    open = true;
    CHECK(looks_after(30) == 3);
    CHECK(world.pop_name() == "p");
}

TEST_CASE("queue: as 1.37, a node that loses a taint wakes only whom that concerns", "[queue]") {
    FakePlugin nodes = interested("Nodes", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    FakePlugin taints = interested("Taints", "Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_TAINT, BERTH_HINT_QUEUE);
    auto woken = [](FakePlugin *plugin, const Settings &settings) {
        QueueWorld world({plugin}, settings);
        world.queue->add(plain_pod("p"));
        world.pop_and_fail(plugin->name);
        world.pass(2);
        world.queue->move(node_event(BERTH_EVENT_UPDATE_NODE_TAINT, plain_node("n"), plain_node("n")));
        return world.queue->active() == 1;
    };
    CHECK(woken(&nodes, {}));
    CHECK_FALSE(woken(&nodes, as_1_37()));
    CHECK(woken(&taints, as_1_37()));
}

TEST_CASE("queue: a host with one more action wakes a plugin that asked for any update", "[queue]") {
    FakePlugin any = interested("Any", "Node", BERTH_EVENT_UPDATE, BERTH_HINT_QUEUE);
    FakePlugin labels = interested("Labels", "Node", BERTH_EVENT_UPDATE_NODE_LABEL, BERTH_HINT_QUEUE);
    constexpr std::uint64_t one_more = std::uint64_t{1} << 13;
    for (const auto &[plugin, active] : {std::pair{&any, 1u}, std::pair{&labels, 0u}}) {
        QueueWorld world({plugin});
        world.queue->add(plain_pod("p"));
        world.pop_and_fail(plugin->name);
        world.pass(2);
        world.queue->move(node_event(one_more, plain_node("n"), plain_node("n")));
        CHECK(world.queue->active() == active);
    }
}

TEST_CASE("queue: a pod's own change is put to the plugins that rejected it", "[queue]") {
    FakePlugin taints = interested("Taints", "Pod", BERTH_EVENT_UPDATE_POD_TOLERATION, BERTH_HINT_QUEUE);
    QueueWorld world({&taints});
    auto before = plain_pod("p");
    world.queue->add(before);
    world.pop_and_fail("Taints");
    world.pass(2);
    auto labelled = plain_pod("p", ", labels: {a: b}");
    world.queue->update(before, labelled);
    CHECK(world.queue->unschedulable() == 1);
    auto tolerant = plain_pod("p", {}, "spec: {tolerations: [{operator: Exists}], containers: [{name: c, image: i}]}");
    world.queue->update(labelled, tolerant);
    CHECK(world.queue->active() == 1);
    CHECK(world.queue->pop()->view.tolerations_len == 1);
}

TEST_CASE("queue: a change of a pod in flight waits for the end of its attempt", "[queue]") {
    FakePlugin taints = interested("Taints", "Pod", BERTH_EVENT_UPDATE_POD_LABEL, BERTH_HINT_QUEUE);
    QueueWorld world({&taints});
    auto before = plain_pod("p"), after = plain_pod("p", ", labels: {a: b}");
    world.queue->add(before);
    auto pod = world.queue->pop();
    world.queue->update(before, after);
    CHECK(world.queue->active() == 0);
    world.queue->requeue(std::move(pod), after, {world.plugin("Taints")}, {});
    CHECK(world.queue->backing_off() == 1);
    CHECK(world.queue->pop()->view.labels_len == 1);
}

// promise(tenant): Berth keeps a bounded number of events for the pods whose attempts have not ended, such as pods that
// wait in Permit. If an attempt fails and older events were dropped meanwhile, Berth tries the pod again.
TEST_CASE("queue: only the last events during an attempt are kept", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_DELETE, BERTH_HINT_SKIP);
    constexpr std::size_t most = 10'000;
    for (const bool more : {false, true}) {
        QueueWorld world({&fit});
        auto current = plain_pod("p");
        world.queue->add(current);
        auto pod = world.queue->pop();
        auto first = plain_node("n");
        const std::weak_ptr kept = first;
        world.queue->move(node_event(BERTH_EVENT_DELETE, std::exchange(first, nullptr), nullptr));
        for (std::size_t i = more ? 0 : 1; i < most; ++i)
            world.queue->move(node_event(BERTH_EVENT_DELETE, plain_node("m"), nullptr));
        CHECK(kept.expired() == more);
        world.queue->requeue(std::move(pod), current, {world.plugin("Fit")}, {});
        CHECK(world.queue->backing_off() == (more ? 1u : 0u));
        CHECK(world.queue->unschedulable() == (more ? 0u : 1u));
    }
}

TEST_CASE("queue: a wait longer than a year is one of a year", "[queue]") {
    CHECK(queue::wait_ns(10) == 10 * queue::second_ns);
    CHECK(queue::wait_ns(INT64_MAX) == 31'536'000 * queue::second_ns);
    queue::Backoff backoff{queue::wait_ns(INT64_MAX), queue::wait_ns(INT64_MAX)};
    CHECK(backoff.duration(40) == queue::wait_ns(INT64_MAX));
}

TEST_CASE("queue: a removed pod is gone from wherever it waited", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&fit});
    for (const char *name : {"broken", "rejected", "active"}) world.queue->add(plain_pod(name));
    world.pop_and_fail();
    world.pop_and_fail("Fit");
    for (const char *name : {"broken", "rejected", "active"}) world.queue->remove(*plain_pod(name));
    CHECK(world.queue->active() + world.queue->backing_off() + world.queue->unschedulable() == 0);
    world.pass(1000);
    CHECK(world.pop_name().empty());
}

TEST_CASE("queue: whoever asks for new nodes also hears of nodes made usable", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_SKIP);
    QueueWorld world({&fit});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Fit");
    world.pass(2);
    world.queue->move(node_event(BERTH_EVENT_UPDATE_NODE_TAINT, plain_node("n"), plain_node("n")));
    CHECK(world.queue->active() == 1);
    CHECK(fit.hint_calls == 0);
}

TEST_CASE("queue: a pod of a profile that does not exist is not taken", "[queue]") {
    QueueWorld world({});
    world.queue->add(plain_pod("p", {}, "spec: {schedulerName: other, containers: [{name: c, image: i}]}"));
    CHECK(world.pop_name().empty());
}
