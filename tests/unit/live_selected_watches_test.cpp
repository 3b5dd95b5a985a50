// SPDX-License-Identifier: Apache-2.0
// Watches of some objects of a kind: what they ask an API server, and what comes of it.
#include "fake_transport.h"
#include "live/watches.h"
#include "object_text.h"
#include "sim/controllers.h"
#include "sim/virtual_clock.h"

using namespace berth;

namespace {

using Lines = std::vector<std::string>;

const model::Kind maps = model::kind_of("", "v1", "configmaps");

std::string version_of(const model::AnyPtr &object) {
    return object
               ? std::string(object->name) + std::string(object->tree->value()["metadata"]["resourceVersion"].string())
               : "-";
}

struct Observer : sim::Controller {
    Lines seen;
    void object_changed(const model::Kind &, model::AnyPtr before, model::AnyPtr after) override {
        seen.push_back(version_of(before) + " " + version_of(after));
    }
    Lines news() { return std::exchange(seen, {}); }
};

plugin::Watched watched(std::string_view name_space, std::string_view name, std::string_view labels,
                        std::string_view fields = {}) {
    berth_watch raw{};
    raw.namespace_ = model::to_str(name_space);
    raw.name = model::to_str(name);
    raw.label_selector = model::to_str(labels);
    raw.field_selector = model::to_str(fields);
    std::string why;
    const auto selection = *detail::Selection::read(raw, why);
    return {maps, {"P"}, selection.without_fields()};
}

struct World : Observer, env::Log {
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    FakeTransport transport;
    int forgotten = 0;
    live::Watches watches{transport,
                          clock,
                          *this,
                          *this,
                          [this](const model::Kind &) { ++forgotten; },
                          7,
                          std::make_shared<kube::LeftOut>()};
    std::vector<std::string> refused;

    bool enabled(env::Severity, int) const override { return false; }
    void write(env::Severity, int, std::string_view, const Pairs &, std::source_location) override {}
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}

    void follow(const plugin::Watched &one) {
        watches.follow({one}, [this](const auto &unwatchable) {
            for (const auto &each : unwatchable) refused.push_back(each.text);
        });
    }
    /// Answers the newest list of that path, which is no stream here, with ConfigMaps "name version".
    void lists(const Lines &items) {
        transport.answer(422, "{}");
        clock.run();
        std::string body = R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[)";
        for (const auto &item : items)
            body += (body.back() == '[' ? "" : ",") +
                    (R"({"metadata":{"namespace":"d","uid":"u","name":")" + item.substr(0, 1)) +
                    R"(","resourceVersion":")" + item.substr(1) + "\"}}";
        transport.answer(200, body + "]}");
        clock.run();
    }
};

}  // namespace

TEST_CASE("watches: a selection asks the API server for no more than it has", "[live]") {
    World world;
    world.follow(watched("a b", "x,y", "app in (web)", "data.tier=front"));
    CHECK(world.transport.path().starts_with("/api/v1/namespaces/a%20b/configmaps?watch=true&"));
    CHECK(world.transport.path().find("&fieldSelector=metadata.name%3Dx%5C%2Cy&labelSelector=app%20in%20%28web%29") !=
          std::string::npos);
    CHECK(world.transport.path().find("tier") == std::string::npos);
    World other;
    other.follow(watched("", "", "app"));
    CHECK(other.transport.path().starts_with("/api/v1/configmaps?"));
    CHECK(other.transport.path().find("labelSelector=app") != std::string::npos);
    CHECK(other.transport.path().find("fieldSelector") == std::string::npos);
}

TEST_CASE("watches: a selection that is refused has the rule for its namespace and name", "[live]") {
    const auto one = live::unwatchable(watched("a", "x", ""), 403, "forbidden");
    CHECK(one.text ==
          "plugin P: watching v1/configmaps (namespace a, name x), as declared, is not possible: forbidden; add to the "
          "scheduler's Role in namespace a the rule {apiGroups: [\"\"], resources: [configmaps], resourceNames: [x], "
          "verbs: [list, watch]}");
}

TEST_CASE("watches: other objects of a kind are refused while some are followed", "[live]") {
    World world;
    world.follow(watched("d", "", ""));
    world.lists({"x1", "y1"});
    CHECK(world.news() == Lines{"- x1", "- y1"});
    world.follow(watched("d", "", ""));
    world.follow(watched("d", "x", "app"));
    CHECK(world.refused.empty());
    world.follow(watched("", "", "app"));
    CHECK(
        world.refused ==
        Lines{
            "plugin P: watching v1/configmaps (labels app) is not possible: Berth watches v1/configmaps (namespace d) "
            "and has to be started again to watch more of the kind"});
    world.watches.keep({watched("", "", "app")});
    world.watches.resync();
    CHECK(world.news() == Lines{"- x1", "- y1"});
    // Another selection begins when the kind is not watched any more.
    world.watches.keep({});
    CHECK(world.forgotten == 1);
    world.refused.clear();
    world.follow(watched("", "", "app"));
    world.lists({"y2", "z2"});
    CHECK(world.refused.empty());
    CHECK(world.news() == Lines{"- y2", "- z2"});
    world.watches.resync();
    CHECK(world.news() == Lines{"- y2", "- z2"});
}

TEST_CASE("watches: some objects of a kind are there when the whole kind is followed", "[live]") {
    World world;
    world.follow(watched("", "", ""));
    world.lists({"x1"});
    CHECK(world.news() == Lines{"- x1"});
    world.follow(watched("d", "", ""));
    world.watches.keep({watched("d", "", "")});
    CHECK(world.refused.empty());
    CHECK(world.forgotten == 0);
    world.watches.resync();
    CHECK(world.news() == Lines{"- x1"});
}

TEST_CASE("watches: parts whose texts read alike are not the same", "[live]") {
    World world;
    world.follow(watched("", "x, labels app", ""));
    world.watches.keep({});
    world.follow(watched("", "x", "app"));
    CHECK(world.transport.path().find("labelSelector=app") != std::string::npos);
}

TEST_CASE("watches: a kind that was refused as a whole is not there for a part", "[live]") {
    World world;
    world.follow(watched("", "", ""));
    // A server that has just started may deny too much, so it has some seconds.
    for (int i = 0; i < 40; ++i) {
        if (world.transport.last().done) world.transport.answer(403, "{}");
        world.clock.advance_to(world.clock.now_ns() + 1'000'000'000);
    }
    CHECK(world.refused.size() == 1);
    world.follow(watched("d", "", ""));
    CHECK(world.transport.path().starts_with("/api/v1/namespaces/d/configmaps?"));
    world.lists({"x1"});
    CHECK(world.news() == Lines{"- x1"});
}
