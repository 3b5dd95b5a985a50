// SPDX-License-Identifier: Apache-2.0
// What is said of a shadow: the answers under /apis/berth/v1alpha1/shadow, their texts, and its metrics.
#include "asked_world.h"

using namespace berth;

namespace {

/// A world whose configuration wants n1, with a shadow that wants n2.
struct ShadowedWorld : AskedWorld {
    FakePlugin other{"Other"};
    std::string why_not;
    api::Questions questions;
    api::ShadowApi shadow_api;

    ShadowedWorld()
        : questions({world->clock, world->scheduler, [] { return true; }}),
          shadow_api({world->clock, world->scheduler, questions, last, world->clock, [] { return true; }},
                     [this](std::size_t most) {
                         const auto &shadow = *world->scheduler.shadow();
                         report::ShadowState out;
                         out.report = {"b.yaml", {}, shadow.counts(), shadow.newest(most)};
                         out.why_not = why_not;
                         out.budget_percent = 50;
                         if (!why_not.empty()) out.failures[{"Other", "Filter"}] = 10;
                         return out;
                     }) {
        routes = kube::Routes{};
        shadow_api.add_to(routes, [](const std::function<void()> &fn) { fn(); });
        fit.filter = only("n1");
        other.filter = only("n2");
        world->add_nodes(3);
        std::vector<plugin::Profile> profiles;
        profiles.push_back(fake_profile({&other, &bind}));
        world->scheduler.use_shadow(std::move(profiles), {});
    }
    static std::function<FilterSays(std::string)> only(const std::string &wanted) {
        return [wanted](const std::string &node) {
            return node == wanted ? FilterSays{} : FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"not " + wanted}};
        };
    }
};

}  // namespace

TEST_CASE("shadow API: counts and the newest differences, and a text of them", "[api]") {
    ShadowedWorld w;
    for (const auto *name : {"a", "b"}) w.world->scheduler.observer().pod_added(plain_pod(name));
    w.settle();
    auto document = w.read("shadow", "limit=1");
    auto root = document.value();
    CHECK(root["kind"].string() == "Shadow");
    CHECK(root["asked"].is_true());
    CHECK(root["budgetPercent"].integer() == 50);
    CHECK(root["attempts"]["compared"].integer() == 2);
    CHECK(root["attempts"]["other_node"].integer() == 2);
    CHECK(root["shadowSeconds"].number().value_or(0) > 0);
    REQUIRE(root["differences"].size() == 1);
    CHECK(root["differences"].at(0)["real"]["node"].string() == "n1");
    CHECK(root["differences"].at(0)["shadow"]["node"].string() == "n2");
    auto text = report::shadow_view(root);
    CHECK(text.find("SHADOW b.yaml\n  2 attempts compared, 0 alike") == 0);
    CHECK(text.find("2  another node\n") != std::string::npos);
    CHECK(text.find("default/b        1  n1    n2\n") != std::string::npos);
    w.why_not = "plugin \"Other\" is in quarantine";
    document = w.read("shadow");
    CHECK(document.value()["asked"].boolean() == false);
    text = report::shadow_view(document.value());
    CHECK(text.find("The shadow is not asked: plugin \"Other\" is in quarantine\n\n") == 0);
    CHECK(text.find("10  Other       Filter\n") != std::string::npos);
    CHECK(w.ask("shadow", "limit=x").status == 400);
    CHECK(w.ask("shadow", "", "POST").status == 405);
}

TEST_CASE("shadow API: both sides of a pod, and a text of them", "[api]") {
    ShadowedWorld w;
    w.world->scheduler.observer().pod_added(plain_pod("a"));
    w.settle();
    auto document = w.read("shadow/default/a", "nodes=1");
    auto root = document.value();
    CHECK(root["kind"].string() == "Comparison");
    CHECK(root["real"]["node"].string() == "n1");
    CHECK(root["shadow"]["node"].string() == "n2");
    CHECK_FALSE(report::is_alike(root));
    const auto text = report::comparison_view(root, {});
    CHECK(text.find("default/a: the shadow decides otherwise") == 0);
    CHECK(text.find("  real    n1\n  shadow  n2\n") != std::string::npos);
    CHECK(text.find("takes it  (chosen)") != std::string::npos);
    w.other.filter = ShadowedWorld::only("n1");
    document = w.read("shadow/default/a");
    CHECK(report::is_alike(document.value()));
    CHECK(report::comparison_view(document.value(), {}).find("default/a: both decide alike") == 0);
    CHECK(w.ask("shadow/default/nobody").status == 404);
    CHECK(w.ask("shadow/default").status == 404);
    CHECK(w.ask("shadow/default/a", "nodes=x").status == 400);
    CHECK(w.world->scheduler.shadow()->counts().compared() == 1);
}

TEST_CASE("shadow API: without a shadow it says so", "[api]") {
    AskedWorld w;
    for (const auto *path : {"shadow", "shadow/default/a"}) {
        const auto answer = w.ask(path);
        CHECK(answer.status == 404);
        CHECK(answer.body.find("there is no shadow: Berth was started without --shadow FILE") != std::string::npos);
    }
}

TEST_CASE("shadow metrics: attempts by result go on when the shadow is another", "[api]") {
    ShadowedWorld w;
    auto value_of = [&](const std::string &line) {
        const auto *shadow = w.world->scheduler.shadow();
        w.meter.update(shadow->all_counts(), shadow->paused());
        const auto text = w.meter.text();
        const auto at = text.find("\n" + line + " ");
        if (at == std::string::npos) return std::string("none");
        const auto from = at + line.size() + 2;
        return text.substr(from, text.find('\n', from) - from);
    };
    w.world->scheduler.observer().pod_added(plain_pod("a"));
    w.settle();
    CHECK(value_of("berth_shadow_attempts_total{result=\"other_node\"}") == "1");
    CHECK(value_of("berth_shadow_attempts_total{result=\"same\"}") == "0");
    CHECK(value_of("berth_shadow_asked") == "1");
    CHECK(value_of("berth_shadow_seconds_total") != "0");
    CHECK(value_of("berth_shadow_real_seconds_total") != "0");
    std::vector<plugin::Profile> profiles;
    profiles.push_back(fake_profile({&w.fit, &w.bind}));
    w.world->scheduler.use_shadow(std::move(profiles), {});
    w.world->scheduler.observer().pod_added(plain_pod("b"));
    w.settle();
    CHECK(value_of("berth_shadow_attempts_total{result=\"other_node\"}") == "1");
    CHECK(value_of("berth_shadow_attempts_total{result=\"same\"}") == "1");
    w.world->scheduler.pause_shadow();
    CHECK(value_of("berth_shadow_asked") == "0");
}
