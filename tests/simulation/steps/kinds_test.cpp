// SPDX-License-Identifier: Apache-2.0
// Objects of other kinds than nodes and pods, from the world to a plugin and back.
#include "paths.h"
#include "running_world.h"

using namespace running_world;

namespace {

const model::Kind widgets = model::kind_of("example.com", "v1", "widgets"),
                  services = model::kind_of("", "v1", "services");
const std::string profile =
    "profiles: [{plugins: {multiPoint: {enabled: [{name: PrioritySort}, {name: Watches}, {name: DefaultBinder}]}, "
    "postFilter: {disabled: [{name: '*'}]}}}]\n";

sim::InputObject service(const std::string &name) {
    return {services, model::read_object(tree_of("{apiVersion: v1, kind: Service, metadata: {name: " + name + "}}"),
                                         services, no_faults)};
}
sim::InputObject widget(const std::string &name, const std::string &node, const std::string &meta = "") {
    return {widgets,
            model::read_object(tree_of("{apiVersion: example.com/v1, kind: Widget, metadata: {" + meta +
                                       " namespace: default, name: " + name + "}, spec: {node: " + node + "}}"),
                               widgets, no_faults)};
}

}  // namespace

TEST_CASE("kinds: a plugin sees the objects that it declares to watch", "[sim][cluster]") {
    sim::Input input;
    input.nodes = {node("n1"), node("n2"), node("n3")};
    input.pods = {pod("a"), pod("b"), pod("c")};
    input.objects = {service("svc-1"), service("svc-2"), widget("a", "n2"), widget("b", "n9", "labels: {owner: me},")};
    RunningWorld world(profile, input, {{"Watches", berth::paths::hostile() + "/watches.so", {}, {}}});
    CHECK(world.node_of("a") == "n2");
    CHECK(world.message("b") == "0/3 nodes are available: 3 the widget of somebody is elsewhere.");
    CHECK(world.message("c") == "0/3 nodes are available: no widget, but services svc-1 .");
    CHECK(world.events.written == std::vector<std::string>{"Normal Lonely Waiting Service svc-1: no widget for c",
                                                           "Normal Lonely Waiting Service svc-2: no widget for c"});
}

TEST_CASE("kinds: without one object a plugin goes on", "[sim][cluster]") {
    sim::Input input;
    input.nodes = {node("n1")};
    input.pods = {pod("a")};
    RunningWorld world(profile, input, {{"Watches", berth::paths::hostile() + "/watches.so", {}, {}}});
    CHECK(world.message("a") == "0/1 nodes are available: no service in default.");
}

TEST_CASE("kinds: an object that comes or changes wakes the pods that wait for it", "[sim][queue]") {
    sim::Input input;
    input.nodes = {node("n1")};
    input.pods = {pod("a"), pod("b")};
    RunningWorld world(profile, input, {{"Watches", berth::paths::hostile() + "/watches.so", {}, {}}});
    CHECK(world.message("a") == "0/1 nodes are available: no service in default.");
    CHECK(world.sink.last.at("default/a").attempt == 1);
    auto change = [&](const model::Kind &kind, const model::AnyPtr &before, const model::AnyPtr &after) {
        world.scheduler.observer().object_changed(kind, before, after);
        world.run();
    };
    auto tries = [&] {
        return std::to_string(world.sink.last.at("default/a").attempt) +
               std::to_string(world.sink.last.at("default/b").attempt);
    };
    // An event without a hint wakes all, one with a hint those that it helps; one that nobody asked for wakes nobody.
    auto svc = service("s").object, elsewhere = widget("a", "n9").object, here = widget("a", "n1").object;
    change(services, nullptr, svc);
    CHECK(tries() == "22");
    CHECK(world.message("a") == "0/1 nodes are available: no widget, but services s .");
    change(services, svc, service("s").object);
    CHECK(tries() == "22");
    change(widgets, nullptr, elsewhere);
    CHECK(tries() == "32");
    CHECK(world.message("a") == "0/1 nodes are available: 1 the widget of nobody is elsewhere.");
    change(widgets, elsewhere, here);
    CHECK(tries() == "42");
    CHECK(world.node_of("a") == "n1");
    change(widgets, widget("b", "n1").object, nullptr);
    CHECK(tries() == "42");
}
