// SPDX-License-Identifier: Apache-2.0
// Events of objects, for plugins that watch only some of their kind.
#include "plugin/current_call.h"
#include "plugin/host_context.h"
#include "queue_world.h"

using namespace berth;
using namespace berth::queue;

namespace {

const model::Kind maps = model::kind_of("", "v1", "configmaps");

model::AnyPtr map(const std::string &app) {
    return any_object(
        maps,
        "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: d, name: x, uid: u, labels: {app: " + app + "}}}");
}

/// A pod that two plugins have rejected, each of which waits for events of ConfigMaps; the first watches those of web.
struct World : QueueWorld {
    World(FakePlugin &some, FakePlugin &all) : QueueWorld({&some, &all}) {
        auto &instance = *profiles.front().instances.front();
        if (!instance.context) instance.context = std::make_shared<plugin::HostContext>("Some", "p");
        berth_watch watch{};
        watch.label_selector = BERTH_STR("app=web");
        std::string why;
        instance.context->selections.add(maps, *detail::Selection::read(watch, why));
    }
    /// Whether a pod that the plugin has rejected is woken.
    bool wakes(const std::string &by, const model::AnyPtr &before, const model::AnyPtr &after) {
        queue->add(plain_pod("p"));
        pop_and_fail(by);
        pass(2);
        queue->move(object_event("ConfigMap", before, after));
        const bool woken = queue->active() == 1;
        queue->remove(*plain_pod("p"));
        return woken;
    }
};

}  // namespace

TEST_CASE("queue: an event of an object that a plugin did not select wakes none of its pods", "[queue]") {
    FakePlugin some = interested("Some", "ConfigMap", BERTH_EVENT_ALL, BERTH_HINT_QUEUE);
    FakePlugin all = interested("All", "ConfigMap", BERTH_EVENT_ALL, BERTH_HINT_QUEUE);
    World world(some, all);
    CHECK_FALSE(world.wakes("Some", nullptr, map("db")));
    CHECK(some.hint_calls == 0);
    CHECK(world.wakes("All", nullptr, map("db")));
    CHECK(world.wakes("Some", nullptr, map("web")));
    CHECK(some.hint_calls == 1);
}

TEST_CASE("queue: an object that enters a selection is new, one that leaves it is gone", "[queue]") {
    FakePlugin some{"Some"}, all{"All"};
    std::string seen;
    const auto hint = [&](const berth_event *event, const berth_pod *) -> std::uint8_t {
        seen = std::to_string(event->action) + (event->old_object ? " old" : "") + (event->new_object ? " new" : "");
        return BERTH_HINT_QUEUE;
    };
    const auto wanted = GENERATE(std::uint64_t{BERTH_EVENT_ADD}, std::uint64_t{BERTH_EVENT_DELETE});
    some.interests = {{"ConfigMap", wanted, true}};
    all.interests = {{"ConfigMap", BERTH_EVENT_UPDATE, true}};
    some.hint = all.hint = hint;
    World world(some, all);
    const bool enters = wanted == BERTH_EVENT_ADD;
    CHECK(world.wakes("Some", map("db"), map("web")) == enters);
    CHECK(world.wakes("Some", map("web"), map("db")) != enters);
    CHECK(seen == std::to_string(wanted) + (enters ? " new" : " old"));
    CHECK_FALSE(world.wakes("Some", map("web"), map("web")));
    CHECK(world.wakes("All", map("db"), map("web")));
    CHECK(seen == std::to_string(BERTH_EVENT_UPDATE) + " old new");
}

TEST_CASE("queue: an event during an attempt counts for the plugin that selected its object", "[queue]") {
    FakePlugin some = interested("Some", "ConfigMap", BERTH_EVENT_ALL, BERTH_HINT_QUEUE);
    FakePlugin all = interested("All", "ConfigMap", BERTH_EVENT_ALL, BERTH_HINT_QUEUE);
    World world(some, all);
    for (const auto *app : {"db", "web"}) {
        world.queue->add(plain_pod("p"));
        auto pod = world.queue->pop();
        REQUIRE(pod);
        auto current = pod->pod;
        world.queue->move(object_event("ConfigMap", nullptr, map(app)));
        world.queue->requeue(std::move(pod), current, {world.plugin("Some")}, {});
        CHECK((world.queue->unschedulable() == 1) == (std::string(app) == "db"));
        world.queue->remove(*plain_pod("p"));
    }
}

TEST_CASE("queue: a selection holds for the other versions of its kind, unless the plugin declares them", "[queue]") {
    plugin::Selections selections;
    const auto kind = [](const char *version) { return model::kind_of("storage.k8s.io", version, "storageclasses"); };
    berth_watch watch{};
    watch.label_selector = BERTH_STR("app=web");
    std::string why;
    selections.add(kind("v1"), *detail::Selection::read(watch, why));
    const auto seen = [&](const std::string &version, const std::string &app) {
        model::AnyPtr before, after = any_object(kind(version.c_str()), "{apiVersion: storage.k8s.io/" + version +
                                                                            ", kind: StorageClass, metadata: {name: x, "
                                                                            "uid: u, labels: {app: " +
                                                                            app + "}}}");
        (void)selections.reduce("storage.k8s.io/StorageClass", before, after);
        return after != nullptr;
    };
    CHECK(seen("v1", "web"));
    CHECK_FALSE(seen("v1", "db"));
    CHECK(seen("v1beta1", "web"));
    CHECK_FALSE(seen("v1beta1", "db"));
    selections.see_all(kind("v1beta1"));
    CHECK(seen("v1beta1", "db"));
    CHECK_FALSE(seen("v1", "db"));
}

TEST_CASE("queue: a hint is not about the pod whose attempt or binding the event comes from", "[queue]") {
    FakePlugin some{"Some"};
    const model::Pod *about = nullptr;
    some.interests = {{"ConfigMap", BERTH_EVENT_ALL, true}};
    some.hint = [&](const berth_event *, const berth_pod *) -> std::uint8_t {
        about = plugin::CurrentCall::mine().pod.load();
        return BERTH_HINT_QUEUE;
    };
    QueueWorld world({&some});
    world.queue->add(plain_pod("p"));
    world.pop_and_fail("Some");
    world.pass(2);
    const auto bound = plain_pod("bound");
    about = bound.get();
    const plugin::AboutPod of_binding(bound);
    world.queue->move(object_event("ConfigMap", nullptr, map("web")));
    CHECK(world.queue->active() == 1);
    CHECK(about == nullptr);
}
