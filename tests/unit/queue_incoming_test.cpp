// SPDX-License-Identifier: Apache-2.0
// What brings a pod into a queue, and by which name metrics know it.
#include "queue_world.h"

using namespace berth;
using namespace berth::queue;

using Lines = std::vector<std::string>;

TEST_CASE("incoming: each way into a queue has its name", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&fit});
    world.queue->add(plain_pod("p"));
    CHECK(world.news() == Lines{"p active UnschedulablePodAdd"});
    world.pop_and_fail("Fit");
    CHECK(world.news() == Lines{"p unschedulable ScheduleAttemptFailure"});
    world.node_appears();
    CHECK(world.news() == Lines{"p backoff NodeAdd"});
    world.pop_and_fail();
    CHECK(world.news() == Lines{"p active PopFromBackoffQ", "p backoff ScheduleAttemptFailure"});
    world.pass(2);
    world.pop_and_fail("Fit");
    CHECK(world.news() == Lines{"p active BackoffComplete", "p unschedulable ScheduleAttemptFailure"});
    world.pass(330);
    world.queue->flush();
    CHECK(world.news() == Lines{"p active UnschedulableTimeout"});
    world.queue->update(plain_pod("q"), plain_pod("q"));
    CHECK(world.news() == Lines{"q active UnschedulablePodUpdate"});
}

TEST_CASE("incoming: as 1.37, pods that wait have other names of events", "[queue]") {
    FakePlugin fit = interested("Fit", "Pod", BERTH_EVENT_UPDATE_POD_LABEL, BERTH_HINT_QUEUE);
    Settings settings;
    settings.rules = config::Rules(*config::Release::of("1.37"));
    QueueWorld world({&fit}, settings);
    const auto before = plain_pod("p"), after = plain_pod("p", ", labels: {a: b}");
    world.queue->add(before);
    CHECK(world.news() == Lines{"p active UnscheduledPodAdd"});
    world.pop_and_fail("Fit");
    world.news();
    world.queue->update(before, after);
    CHECK(world.news() == Lines{"p backoff TargetPodUpdatePodLabel"});
    world.queue->update(plain_pod("q"), plain_pod("q"));
    CHECK(world.news() == Lines{"q active UnscheduledPodAdd"});
}

TEST_CASE("incoming: a pod that stays gated enters anew with an event, and not with its own change", "[queue]") {
    FakePlugin gate = interested("Gate", "Pod", BERTH_EVENT_UPDATE_POD_LABEL | BERTH_EVENT_DELETE, BERTH_HINT_QUEUE);
    gate.pre_enqueue = [](const berth_pod *, berth_status *status) {
        answer(status, BERTH_STATUS_UNSCHEDULABLE, "closed");
    };
    QueueWorld world({&gate});
    auto before = plain_pod("p"), after = plain_pod("p", ", labels: {a: b}");
    world.queue->add(before);
    CHECK(world.news() == Lines{"p unschedulable UnschedulablePodAdd"});
    world.queue->move(pod_event(*before, BERTH_EVENT_DELETE, plain_pod("q"), nullptr));
    CHECK(world.news() == Lines{"p unschedulable UnschedulablePodDelete"});
    world.queue->update(before, after);
    world.queue->activate(after);
    CHECK(world.news().empty());
    CHECK(world.queue->gated() == 1);
}

TEST_CASE("activate: a pod is ready at once, whatever it waits for", "[queue]") {
    FakePlugin fit = interested("Fit", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    QueueWorld world({&fit});
    auto pod = plain_pod("p");
    SECTION("for an event") {
        world.queue->add(pod);
        world.pop_and_fail("Fit");
    }
    SECTION("for the end of its backoff") {
        world.queue->add(pod);
        world.pop_and_fail("Fit");
        world.node_appears();
    }
    SECTION("after an attempt that broke") {
        world.queue->add(pod);
        world.pop_and_fail();
    }
    world.news();
    world.queue->activate(pod);
    CHECK(world.news() == Lines{"p active ForceActivate"});
    world.queue->activate(pod);
    CHECK(world.news().empty());
    CHECK(world.queue->active() == 1);
}

TEST_CASE("activate: a pod in flight comes back ready, and nobody else does", "[queue]") {
    FakePlugin fit{"Fit"};
    QueueWorld world({&fit});
    for (const char *name : {"p", "q"}) world.queue->add(plain_pod(name));
    auto p = world.queue->pop(), q = world.queue->pop();
    world.queue->activate(plain_pod("p"));
    auto p_now = p->pod, q_now = q->pod;
    world.queue->requeue(std::move(p), p_now, {world.plugin("Fit")}, {});
    world.queue->requeue(std::move(q), q_now, {world.plugin("Fit")}, {});
    CHECK(world.queue->backing_off() == 1);
    CHECK(world.queue->unschedulable() == 1);
    CHECK(world.pop_name() == "p");
}

TEST_CASE("activate: a pod that the queue does not know is ignored", "[queue]") {
    QueueWorld world({});
    world.queue->activate(plain_pod("p"));
    CHECK(world.queue->active() == 0);
}

TEST_CASE("activate: PreEnqueue is asked, except about a pod that backs off", "[queue]") {
    bool closed = false;
    FakePlugin gate = interested("Gate", "Node", BERTH_EVENT_ADD, BERTH_HINT_QUEUE);
    gate.pre_enqueue = [&](const berth_pod *, berth_status *status) {
        if (closed) answer(status, BERTH_STATUS_UNSCHEDULABLE, "closed");
    };
    QueueWorld world({&gate});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Gate");
    closed = true;
    world.queue->activate(plain_pod("p"));
    CHECK(world.queue->gated() == 1);
    closed = false;
    world.node_appears();
    CHECK(world.queue->backing_off() == 1);
    closed = true;
    world.queue->activate(plain_pod("p"));
    CHECK(world.queue->active() == 1);
}

TEST_CASE("incoming: a pod that is shown as new twice is the newer one, unless that one must wait", "[queue]") {
    FakePlugin gate{"Gate"};
    gate.pre_enqueue = [](const berth_pod *pod, berth_status *status) {
        if (pod->labels_len > 0) answer(status, BERTH_STATUS_UNSCHEDULABLE, "closed");
    };
    QueueWorld world({&gate});
    auto open = plain_pod("p"), closed = plain_pod("p", ", labels: {a: b}");
    world.queue->add(open);
    world.queue->add(closed);
    CHECK(world.queue->active() == 1);
    CHECK(world.queue->gated() == 0);
    world.queue->remove(*open);
    world.news();
    world.queue->add(closed);
    world.queue->add(closed);
    CHECK(world.news() == Lines{"p unschedulable UnschedulablePodAdd"});
    world.queue->add(open);
    CHECK(world.news() == Lines{"p active UnschedulablePodAdd"});
    CHECK(world.queue->gated() == 0);
}
