// SPDX-License-Identifier: Apache-2.0
// Objects of a kind of which the profiles in force watch a part, and a shadow all.
#include "fake_world.h"
#include "plugin/host_context.h"

using namespace berth;
using Lines = std::vector<std::string>;

namespace {

const model::Kind maps = model::kind_of("", "v1", "configmaps");

model::AnyPtr map(const std::string &name, const std::string &app) {
    return any_object(maps, "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: d, name: " + name +
                                ", uid: " + name + ", labels: {app: " + app + "}}}");
}

/// A profile whose first plugin watches the ConfigMaps with those labels, or all; the other wants to know of
/// everything.
std::vector<plugin::Profile> profiles_of(std::initializer_list<FakePlugin *> fakes, std::string_view labels) {
    std::vector<plugin::Profile> out;
    out.push_back(fake_profile(fakes));
    auto &context = out.front().instances.front()->context;
    context = std::make_shared<plugin::HostContext>("Watcher", "p");
    context->kinds = {maps};
    if (labels.empty()) return out;
    berth_watch watch{};
    watch.label_selector = model::to_str(labels);
    std::string why;
    context->selections.add(maps, *detail::Selection::read(watch, why));
    return out;
}

struct World : FakeWorld {
    FakePlugin watcher{"Watcher"}, closed{"Closed"}, bind = binder();
    explicit World(bool only_shadow = false) : FakeWorld({}) {
        closed.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"closed"}}; };
        closed.interests = {{"*", BERTH_EVENT_ALL, false}};
        auto profiles = profiles_of({&watcher, &closed, &bind}, "app=web");
        if (only_shadow) profiles.front().instances.front()->context->kinds.clear();
        scheduler.use(std::move(profiles));
        scheduler.use_shadow(profiles_of({&watcher, &bind}, ""), {});
        add_nodes(1);
        scheduler.observer().pod_added(plain_pod("p"));
        settle();
        events.clear();
    }
    /// How often pods were tried after this change.
    std::size_t tries(const model::AnyPtr &before, const model::AnyPtr &after) {
        decisions.clear();
        scheduler.observer().object_changed(maps, before, after);
        pass_seconds(30);
        settle();
        return decisions.size();
    }
};

}  // namespace

TEST_CASE("selected objects: what only the shadow selects is no event", "[cycle]") {
    World world;
    CHECK(world.tries(nullptr, map("a", "db")) == 0);
    CHECK(world.events.empty());
    CHECK(world.tries(map("a", "db"), map("a", "web")) == 1);
    CHECK(world.tries(map("a", "web"), map("a", "db")) == 1);
    CHECK(world.tries(map("a", "db"), nullptr) == 0);
    CHECK(std::ranges::count(world.events, "Added d/a") == 1);
    CHECK(std::ranges::count(world.events, "Deleted d/a") == 1);
    CHECK(std::ranges::count(world.events, "Modified d/a") == 0);
}

TEST_CASE("selected objects: the end of an object is seen even if its last change made it another one", "[cycle]") {
    World world;
    CHECK(world.tries(nullptr, map("a", "web")) == 1);
    CHECK(world.tries(map("a", "db"), nullptr) == 1);
    CHECK(std::ranges::count(world.events, "Deleted d/a") == 1);
}

// A replay, which has no shadow, gets these objects, too.
TEST_CASE("selected objects: a kind that the profiles in force do not watch requeues no pod", "[cycle]") {
    World world(true);
    CHECK(world.tries(nullptr, map("a", "web")) == 0);
    CHECK(world.tries(map("a", "web"), nullptr) == 0);
    CHECK(world.events.empty());
}
