// SPDX-License-Identifier: Apache-2.0
// Selective watches as a plugin in C++ declares them, by the testing kit.
#include <berth/plugin.hpp>
#include <berth/testing.hpp>

#include "catch.h"

namespace {

/// Watches what its argument says, and lists it.
class Watcher {
    const berth::Host &host_;
    berth::Kind maps_;
    std::string what_;

public:
    static constexpr std::array watches{"v1/configmaps"};

    Watcher(berth::Args args, const berth::Host &host)
        : host_(host), maps_(host.kind("", "v1", "configmaps")), what_(args.string("what", "")) {}
    void declare(berth::Declare d) const {
        if (what_ == "bad") return d.watch({.resource = "configmaps", .label_selector = "app in web"});
        if (what_ == "all") d.watch("", "v1", "configmaps");
        d.watch({.resource = "configmaps", .name_space = "harbour", .label_selector = "app=web"});
        d.watch({.resource = "configmaps", .name = "b", .field_selector = "data.key=value"});
    }
    berth::Verdict pre_filter(berth::Pod) const {
        std::string names;
        host_.each(maps_, "", [&](berth::Object one) {
            names.append(one.name_space()).append("/").append(one.name()).append(" ");
            return true;
        });
        names += host_.get(maps_, "harbour", "a") ? "got" : "did not get";
        return berth::unschedulable(names);
    }
};

struct Library {
    static constexpr auto entries() { return std::tuple{berth::entry<Watcher>("Watcher", "1.0.0")}; }
};

std::string seen(const std::string &what) {
    berth::testing::Cluster cluster;
    cluster.add(R"(
{kind: ConfigMap, apiVersion: v1, metadata: {name: a, namespace: harbour, labels: {app: web}}}
---
{kind: ConfigMap, apiVersion: v1, metadata: {name: a, namespace: other, labels: {app: web}}}
---
{kind: ConfigMap, apiVersion: v1, metadata: {name: b, namespace: harbour}, data: {key: other}}
---
{kind: ConfigMap, apiVersion: v1, metadata: {name: b, namespace: other}, data: {key: value}}
---
{kind: Pod, metadata: {name: p}}
)");
    berth::testing::Plugin plugin(cluster, *berth::detail::library<Library>(), "Watcher", "{what: " + what + "}");
    CHECK(std::ranges::count(plugin.host.watches(), Watcher::watches[0]) > 0);
    return plugin.pre_filter("p").text();
}

}  // namespace

TEST_CASE("sdk: a plugin sees the objects that its watches select", "[sdk]") {
    CHECK(seen("some") == "harbour/a other/b got");
    CHECK(seen("all") == "harbour/a harbour/b other/a other/b got");
}

TEST_CASE("sdk: the testing kit refuses a selection as a host does", "[sdk]") {
    CHECK_THROWS_WITH(seen("bad"),
                      "declare: it declares to watch \"v1/configmaps\": its selectors cannot be read: unable to parse "
                      "the selector: found 'web', expected: '('");
}

TEST_CASE("sdk: on a host without selective watches, declare fails and names the draft", "[sdk]") {
    static std::string watched;
    watched.clear();
    static const berth_host_sinks sinks = [] {
        auto table = berth::testing::sinks_table();
        table.declare_watch = [](const berth_host *, berth_declare_sink *, berth_str, berth_str, berth_str resource) {
            watched = berth::view(resource);
        };
        return table;
    }();
    berth_host raw{};
    raw.struct_size = sizeof raw;
    raw.get_service = [](const berth_host *, berth_str id) -> const void * {
        return berth::view(id) == BERTH_HOST_SINKS_V1 ? &sinks : nullptr;
    };
    const berth::Declare declare(&raw, nullptr);
    CHECK_THROWS_WITH(declare.watch({.resource = "configmaps", .name = "a"}),
                      "this host does not offer berth.host.selective_watches/draft1");
    CHECK(watched.empty());
}

TEST_CASE("sdk: the testing kit refuses a group that begins like a version", "[sdk]") {
    berth::testing::DeclareSlot sink;
    const auto &table = berth::testing::sinks_table();
    table.declare_write(nullptr, sink.handle(), BERTH_VERB_CREATE, BERTH_STR("example.com"), BERTH_STR("v1"),
                        BERTH_STR("teas"));
    CHECK((*sink).fault.empty());
    table.declare_write(nullptr, sink.handle(), BERTH_VERB_CREATE, BERTH_STR("v1.example.com"), BERTH_STR("v1"),
                        BERTH_STR("teas"));
    CHECK((*sink).fault ==
          "it declares the write \"create v1.example.com/v1/teas\", whose group begins like a version");
}
