// SPDX-License-Identifier: Apache-2.0
// Objects of other kinds as a plugin in C++ is notified of them and finds them, by the testing kit.
#include <berth/plugin.hpp>
#include <berth/testing.hpp>

#include "catch.h"

namespace {

/// Writes down what it is notified of, and keeps the versions that came.
class Subscriber {
    const berth::Host &host_;
    std::vector<berth::KeptObject> kept_;

    static std::string text(const berth::Object &o) {
        if (!o) return "-";
        return std::string(o.name_space()) + "/" + std::string(o.name()) + "@" +
               std::string(berth::view(o.meta().resource_version));
    }

public:
    static inline std::vector<std::string> came;
    static constexpr std::array watches{"v1/configmaps", "example.com/v1/geese", "storage.k8s.io/v1/storageclasses"};

    explicit Subscriber(const berth::Host &host) : host_(host) {
        for (auto kind : {host.kind("", "v1", "configmaps"), host.kind("example.com", "v1", "geese"),
                          host.kind("storage.k8s.io", "v1", "storageclasses")})
            host.subscribe(kind, [this](const berth::Object &before, const berth::Object &after) {
                came.push_back(text(before) + " " + text(after));
                for (const auto &one : {before, after})
                    if (one) kept_.emplace_back(host_, one.raw());
            });
    }
    Subscriber(const Subscriber &) = delete;
    Subscriber &operator=(const Subscriber &) = delete;
    void declare(berth::Declare d) const {
        d.watch({.resource = "configmaps", .label_selector = "app=web"});
        d.watch("example.com", "v1", "geese");
        d.watch("storage.k8s.io", "v1", "storageclasses");
    }
    berth::Verdict pre_filter(berth::Pod) const {
        std::string names;
        for (const auto &one : kept_) {
            const auto metadata = host_.object_at(one.raw(), "/metadata");
            for (const auto *key : {"namespace", "name", "resourceVersion", "uid"})
                names.append(metadata[key].string()).append(" ");
        }
        return berth::unschedulable(names);
    }
};

struct Library {
    static constexpr auto entries() { return std::tuple{berth::entry<Subscriber>("Subscriber", "1.0.0")}; }
};

std::string map(const std::string &name, const std::string &app) {
    return "{kind: ConfigMap, apiVersion: v1, metadata: {name: " + name + ", labels: {app: " + app + "}}}";
}
constexpr const char *goose = "{kind: Goose, apiVersion: example.com/v1, metadata: {name: grey}}";
std::string geese(const std::string &scope) {
    return "{kind: CustomResourceDefinition, apiVersion: apiextensions.k8s.io/v1, metadata: {name: geese.example.com}, "
           "spec: {group: example.com, scope: " +
           scope + ", names: {kind: Goose, plural: geese}}}";
}

struct Subscribed {
    berth::testing::Cluster &cluster;
    berth::testing::Plugin plugin;

    explicit Subscribed(berth::testing::Cluster &c) : cluster(c), plugin(begin(c), *berth::detail::library<Library>()) {
        CHECK(std::ranges::count(plugin.host.watches(), Subscriber::watches[0]) > 0);
    }
    static berth::testing::Cluster &begin(berth::testing::Cluster &c) {
        Subscriber::came.clear();
        return c;
    }
    static std::vector<std::string> came() { return std::exchange(Subscriber::came, {}); }
};
using Came = std::vector<std::string>;

}  // namespace

TEST_CASE("sdk: a subscriber is notified of what there is, and of each change after it", "[sdk]") {
    berth::testing::Cluster cluster(map("b", "web") + "\n---\n" + map("a", "web") + "\n---\n" + map("c", "db"));
    Subscribed it(cluster);
    CHECK(it.came() == Came{"- default/a@2", "- default/b@1"});
    cluster.add(map("a", "web"));
    cluster.add(map("d", "web"));
    cluster.remove("ConfigMap", "b");
    cluster.add("{kind: Pod, metadata: {name: p}}");
    CHECK(it.came() == Came{"default/a@2 default/a@4", "- default/d@5", "default/b@1 -"});
    // What was kept is there though it is gone.
    CHECK(
        it.plugin.pre_filter("p").text() ==
        "default a 2 uid-a default b 1 uid-b default a 2 uid-a default a 4 uid-a default d 5 uid-d default b 1 uid-b ");
}

TEST_CASE("sdk: an object that enters a selection is new to a subscriber, one that leaves it is gone", "[sdk]") {
    berth::testing::Cluster cluster(map("a", "web"));
    Subscribed it(cluster);
    (void)it.came();
    for (const auto *app : {"db", "db", "web"}) cluster.add(map("a", app));
    CHECK(it.came() == Came{"default/a@1 -", "- default/a@4"});
}

TEST_CASE("sdk: an instance that ends is not notified any more", "[sdk]") {
    berth::testing::Cluster cluster;
    {
        const Subscribed it(cluster);
    }
    cluster.add(map("a", "web"));
    CHECK(Subscriber::came.empty());
}

TEST_CASE("sdk: a definition in the cluster says the plural of its kind, and whether it has namespaces", "[sdk]") {
    berth::testing::Cluster guessing(goose), namespaced(std::string(goose) + "\n---\n" + geese("Namespaced")),
        wide(geese("Cluster") + "\n---\n" + goose);
    CHECK(Subscribed(guessing).came().empty());
    CHECK(Subscribed(namespaced).came() == Came{"- default/grey@2"});
    CHECK(Subscribed(wide).came() == Came{"- /grey@2"});
}

TEST_CASE("sdk: an object is in the namespace default, unless its kind has none", "[sdk]") {
    berth::testing::Cluster cluster(map("a", "web") +
                                    "\n---\n{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: fast}}"
                                    "\n---\n{kind: ConfigMap, apiVersion: v1, metadata: {name: a, namespace: harbour, "
                                    "labels: {app: web}, resourceVersion: '70'}}\n---\n" +
                                    map("b", "web"));
    CHECK(Subscribed(cluster).came() == Came{"- default/a@1", "- default/b@71", "- harbour/a@70", "- /fast@2"});
}
