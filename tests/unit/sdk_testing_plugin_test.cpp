// SPDX-License-Identifier: Apache-2.0
// What a plugin in C++ is shown of nominations, waiting pods, queue times and events, by the testing kit.
#include <berth/plugin.hpp>
#include <berth/testing.hpp>

#include "catch.h"

namespace {

class Shown {
    const berth::Host &host_;

public:
    static inline std::string event;  ///< that the hint was asked about
    static constexpr std::array watches{"v1/configmaps", "storage.k8s.io/v1/storageclasses", "example.com/v1/geese"};

    explicit Shown(const berth::Host &host) : host_(host) {}
    void declare(berth::Declare d) const {
        d.watch({.resource = "configmaps", .label_selector = "app=web"});
        d.watch("storage.k8s.io", "v1", "storageclasses");
        d.watch("example.com", "v1", "geese");
    }
    void events(berth::Events e) const {
        e.add_hinted("ConfigMap", BERTH_EVENT_ALL);
        e.add_hinted("storageclasses.v1.storage.k8s.io", BERTH_EVENT_ALL);
        e.add_hinted("geese.v1.example.com", BERTH_EVENT_ALL);
    }
    berth::Hint hint(berth::Event e, berth::Pod pod) const {
        event = std::string(e.resource()) + (e.is(BERTH_EVENT_ADD)      ? " add"
                                             : e.is(BERTH_EVENT_DELETE) ? " delete"
                                                                        : "");
        for (const auto &one : {e.old_object(), e.new_object()})
            event +=
                one ? " " + std::string(one.name_space()) + "/" + std::string(one.at("/metadata/labels/app").string())
                    : " -";
        event += " " + std::to_string(pod.attempts());
        return berth::Hint::Queue;
    }
    bool less(berth::Pod a, berth::Pod b) const {
        return std::tuple(a.queued_time_ns(), a.initial_attempt_ns(), a.attempts()) <
               std::tuple(b.queued_time_ns(), b.initial_attempt_ns(), b.attempts());
    }
    berth::Verdict pre_enqueue(berth::Pod pod) const {
        return berth::unschedulable(std::to_string(pod.queued_time_ns()));
    }
    berth::Verdict pre_filter(berth::Pod pod) const {
        if (pod.name() == "rejects" && (!host_.reject_waiting("u-a", "no room") || host_.reject_waiting("u-x", "")))
            return berth::error("it was not rejected");
        if (pod.name() == "removes" && (!host_.remove_nomination("u-a") || host_.remove_nomination("u-x")))
            return berth::error("it was not removed");
        std::string names;
        host_.each_nominated("quay", [&](const berth_pod *one) {
            names.append(berth::view(one->name)).append(" ");
            return names.size() < 4;
        });
        return berth::unschedulable(names);
    }
};

struct Library {
    static constexpr auto entries() { return std::tuple{berth::entry<Shown>("Shown", "1.0.0")}; }
};

struct World {
    berth::testing::Cluster cluster;
    berth::testing::Plugin plugin;

    World() : plugin((add(), cluster), *berth::detail::library<Library>()) {
        CHECK(std::ranges::count(plugin.host.watches(), Shown::watches[0]) > 0);
    }
    void add() {
        for (const auto *name : {"a", "b", "c", "d", "rejects", "removes"})
            cluster.add("{kind: Pod, metadata: {uid: u-" + std::string(name) + ", name: " + name + "}}");
    }
    std::string hinted(const std::string &before, const std::string &after) {
        Shown::event.clear();
        const auto hint = plugin.hint("a", BERTH_EVENT_UPDATE, before, after);
        CHECK(hint == (Shown::event.empty() ? BERTH_HINT_SKIP : BERTH_HINT_QUEUE));
        return Shown::event;
    }
};

std::string object(const std::string &api_version, const std::string &kind, const std::string &app) {
    return "{kind: " + kind + ", apiVersion: " + api_version + ", metadata: {name: a, labels: {app: " + app + "}}}";
}

}  // namespace

TEST_CASE("sdk: a plugin sees the nominations that a test sets, and removes them", "[sdk]") {
    World it;
    CHECK(it.plugin.pre_filter("d").text().empty());
    it.plugin.host.nominated = {{"b", "quay"}, {"c", "pier"}, {"a", "quay"}, {"d", "quay"}};
    CHECK(it.plugin.pre_filter("d").text() == "b a ");
    CHECK(it.plugin.pre_filter("removes").text() == "b d ");
    CHECK(it.plugin.host.nominated.size() == 3);
}

TEST_CASE("sdk: the testing kit records why a waiting pod was rejected", "[sdk]") {
    World it;
    it.plugin.host.waiting = {{"a", "quay"}};
    (void)it.plugin.pre_filter("rejects");
    CHECK(it.plugin.host.rejected == std::vector<std::string>{"u-a"});
    CHECK(it.plugin.host.reject_reasons == std::vector<std::string>{"no room"});
}

TEST_CASE("sdk: pods that wait in the queue are compared by its times and attempts", "[sdk]") {
    World it;
    CHECK_FALSE(it.plugin.less("a", "b"));
    using berth::testing::PendingPod;
    PendingPod first{"a", BERTH_PENDING_ACTIVE, 2}, second{"default/b", BERTH_PENDING_BACKOFF, 1};
    it.plugin.host.pending = {first, second};
    CHECK(it.plugin.less("b", "a"));
    first.queued_time_ns = 5, second.queued_time_ns = 7;
    it.plugin.host.pending = {first, second};
    CHECK(it.plugin.less("a", "b"));
    CHECK(it.plugin.pre_enqueue("b").text() == "7");
    second.queued_time_ns = 5, first.initial_attempt_ns = 1;
    it.plugin.host.pending = {first, second};
    CHECK(it.plugin.less("b", "a"));
}

TEST_CASE("sdk: a hint is asked about objects of every kind that the plugin watches", "[sdk]") {
    World it;
    it.plugin.host.pending = {{"a", BERTH_PENDING_UNSCHEDULABLE, 3}};
    const auto web = object("v1", "ConfigMap", "web"), db = object("v1", "ConfigMap", "db");
    CHECK(it.hinted(web, web) == "ConfigMap default/web default/web 3");
    CHECK(it.hinted(db, web) == "ConfigMap add - default/web 3");
    CHECK(it.hinted(web, db) == "ConfigMap delete default/web - 3");
    CHECK(it.hinted(db, db).empty());
    CHECK(it.hinted("", object("storage.k8s.io/v1", "StorageClass", "x")) == "storageclasses.v1.storage.k8s.io - /x 3");
    const auto goose = object("example.com/v1", "Goose", "x");
    CHECK_THROWS_WITH(it.hinted("", goose), "hint: the plugin does not watch a Goose");
    it.cluster.add(
        "{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1, metadata: {name: g}, spec: "
        "{group: example.com, scope: Cluster, names: {kind: Goose, plural: geese}}}");
    CHECK(it.hinted(goose, "") == "geese.v1.example.com /x - 3");
}
