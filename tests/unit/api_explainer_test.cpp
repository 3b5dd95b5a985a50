// SPDX-License-Identifier: Apache-2.0
#include "api/explainer.h"

#include "decode/document.h"
#include "fake_world.h"
#include "report/explanation_text.h"

using namespace berth;

namespace {

/// The last decisions of a fake world, and who answers for them.
struct World {
    FakePlugin fit{"Fit"}, likes{"Likes"}, bind = binder();
    std::optional<FakeWorld> world;
    report::DecisionRing last;
    std::optional<api::Questions> questions;
    std::optional<api::Explainer> explainer;
    kube::Routes routes;
    bool knows = true, leads = true;
    kube::LeftOut left_out;

    World() {
        fit.filter = [](const std::string &node) {
            return node == "n1" ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"n1 is bad"}} : FilterSays{};
        };
        likes.score = [](const std::string &node) { return node == "n3" ? 70 : 20; };
        world.emplace(std::initializer_list<FakePlugin *>{&fit, &likes, &bind});
        answer();
    }
    /// Questions about the world as it is.
    void answer() {
        questions.emplace(api::Questions::World{world->clock, world->scheduler, [this] { return knows; }});
        explainer.emplace(api::Explainer::World{world->clock,
                                                world->scheduler,
                                                *questions,
                                                last,
                                                world->clock,
                                                [this] { return leads; },
                                                &left_out,
                                                {},
                                                "1.37"});
        routes = {};
        explainer->add_to(routes, [](const std::function<void()> &fn) { fn(); });
    }
    void settle() {
        world->settle();
        for (const auto &d : std::exchange(world->decisions, {})) last.add(d);
    }

    std::vector<kube::ServedAnswer> answers;
    void begin(const std::string &method, const std::string &path, const std::string &query = {},
               const std::string &body = {}) {
        routes({method, "/apis/berth/v1alpha1/" + path, query, body, {}, {}},
               [this](kube::ServedAnswer answer) { answers.push_back(std::move(answer)); });
    }
    kube::ServedAnswer ask(const std::string &method, const std::string &path, const std::string &query = {},
                           const std::string &body = {}) {
        answers.clear();
        begin(method, path, query, body);
        world->clock.run();
        REQUIRE(answers.size() == 1);
        CHECK(answers[0].content_type == "application/json");
        return answers[0];
    }
};

decode::Document read(const kube::ServedAnswer &answer) {
    auto document = decode::read_document(answer.body, "answer.json");
    INFO(answer.body);
    REQUIRE(document);
    return *document;
}
std::string message(const kube::ServedAnswer &answer) {
    auto document = read(answer);
    CHECK(document.value()["kind"].string() == "Status");
    CHECK(document.value()["code"].integer() == answer.status);
    return std::string(document.value()["message"].string());
}

const std::string bare =
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}})";

std::string spec(const std::string &more) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],)" +
           more + "}}";
}

}  // namespace

TEST_CASE("explainer: a dry run tells where the pod would go and why, and it then goes there", "[api]") {
    World w;
    w.world->add_nodes(3);
    auto answer = w.ask("POST", "dryrun", {}, bare);
    CHECK(answer.status == 200);
    auto document = read(answer);
    auto root = document.value();
    CHECK(root["kind"].string() == "DryRun");
    CHECK(root["metadata"]["namespace"].string() == "default");
    CHECK(root["leads"].is_true());
    CHECK(root["kubernetesVersion"].string() == "1.37");
    auto e = root["evaluation"];
    CHECK(e["result"].string() == "Scheduled");
    CHECK(e["node"].string() == "n3");
    CHECK(e["nodes"].at(0)["scores"].at(0)["weighted"].integer() == 70);
    CHECK(e["rejections"].at(0)["reasons"].at(0).string() == "n1 is bad");
    CHECK(e["times"].at(0)["plugin"].string() == "Fit");
    CHECK(e["times"].at(0)["extensionPoint"].string() == "Filter");
    CHECK(e["times"].at(0)["nodes"].integer() == 3);
    CHECK(e["times"].at(1)["plugin"].string() == "Likes");
    CHECK(e["times"].at(1)["nodes"].integer() == 2);
    CHECK(w.world->events == std::vector<std::string>{"Added n1", "Added n2", "Added n3"});
    w.world->scheduler.observer().pod_added(plain_pod("p"));
    w.settle();
    auto after = read(w.ask("GET", "decisions/default/p"));
    CHECK(after.value()["standing"]["node"].string() == "n3");
    CHECK(after.value()["decisions"].at(0)["node"].string() == "n3");
    CHECK(!after.value()["evaluation"]);
    auto detail = read(w.ask("GET", "decisions/default/p", "detail=nodes&nodes=1"));
    CHECK(detail.value()["evaluation"]["node"].string() == "n3");
    CHECK(detail.value()["evaluation"]["nodes"].size() == 2);
    CHECK(detail.value()["warnings"].at(0).string().find("one more pod") != std::string::npos);
    CHECK(read(w.ask("GET", "decisions")).value()["items"].size() == 1);
    CHECK(read(w.ask("GET", "decisions", "limit=0")).value()["items"].size() == 0);
}

TEST_CASE("explainer: what would make a pod fit is told, of nodes that one plugin alone rejects", "[api]") {
    World w;
    w.fit.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"no room"}}; };
    FakePlugin far{"Far"};
    far.filter = [](const std::string &node) {
        return node == "n1" ? FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"too far"}} : FilterSays{};
    };
    w.fit.remedy = [](const berth_nodes *, std::span<const std::uint32_t> slots, berth_remedy_sink *out) {
        const berth_change tidy{BERTH_CHANGE_OTHER, 0, model::to_str("room"), {}, {}, 0};
        for (std::size_t i = 0; i < slots.size(); ++i) plugin::RemedySink::of(out)->add(i, &tidy, 1);
        return BERTH_STATUS_SUCCESS;
    };
    w.world.emplace(std::initializer_list<FakePlugin *>{&w.fit, &far, &w.likes, &w.bind});
    w.answer();
    w.world->add_nodes(3);
    const auto dry_run = read(w.ask("POST", "dryrun", {}, bare));
    w.world->scheduler.observer().pod_added(plain_pod("p"));
    w.settle();
    const auto pending = read(w.ask("GET", "decisions/default/p", "detail=nodes"));
    for (const auto &answer : {dry_run.value(), pending.value()}) {
        const auto e = answer["evaluation"];
        REQUIRE(e["remedies"].size() == 1);
        const auto near = e["remedies"].at(0);
        CHECK(near["change"].string() == "room on n2");
        CHECK(near["node"].string() == "n2");
        CHECK(near["plugin"].string() == "Fit");
        CHECK(near["nodes"].integer() == 2);
        // Nobody sees who was asked for that.
        REQUIRE(e["times"].size() == 1);
        CHECK(e["times"].at(0)["nodes"].integer() == 3);
        const auto text = report::view_of(answer, {});
        INFO(text);
        CHECK(text.find("\nWHAT WOULD MAKE IT FIT (one of these)\n"
                        "  CHANGE      PLUGIN  NODES\n"
                        "  room on n2  Fit         2\n") != text.npos);
    }
    CHECK(!read(w.ask("GET", "decisions/default/p")).value()["evaluation"]);
}

TEST_CASE("explainer: a dry run gives a bare pod what admission would", "[api]") {
    World w;
    std::vector<std::string> seen;
    std::int32_t priority = 0;
    w.fit.pre_enqueue = [&](const berth_pod *pod, berth_status *) {
        priority = pod->priority;
        seen.clear();
        for (std::uint64_t i = 0; i < pod->tolerations_len; ++i) seen.push_back(text(pod->tolerations[i].key));
        CHECK(pod->node_name.len == 0);
        CHECK(pod->nominated_node.len == 0);
    };
    w.world.emplace(std::initializer_list<FakePlugin *>{&w.fit, &w.bind});
    w.answer();
    w.world->add_nodes(2);
    auto document = read(w.ask("POST", "dryrun", {}, bare));
    CHECK(!document.value()["warnings"]);
    CHECK(seen == std::vector<std::string>{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"});
    read(w.ask("POST", "dryrun", {},
               spec(R"("priorityClassName":"system-node-critical","tolerations":[{"operator":"Exists"}])")));
    CHECK(priority == 2'000'001'000);
    CHECK(seen == std::vector<std::string>{""});
    document = read(w.ask("POST", "dryrun", {}, spec(R"("priorityClassName":"gold","nodeName":"n9")")));
    CHECK(document.value()["warnings"].size() == 2);
    auto placed = read(w.ask(
        "POST", "dryrun", {},
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"web-","deletionTimestamp":"2026-01-01T00:00:00Z"},)"
        R"("spec":{"nodeName":"n1","containers":[{"name":"c","image":"i"}]},"status":{"phase":"Failed","nominatedNodeName":"n2"}})"));
    CHECK(placed.value()["metadata"]["name"].string() == "web-dry-run");
    CHECK(placed.value()["evaluation"]["result"].string() == "Scheduled");
}

// promise(peer): The errors of an invalid body fit into an answer of bounded size, and Berth never reads a body as
// YAML.
TEST_CASE("explainer: the answer lists fifty of a body's thousands of errors, and a body is never read as YAML",
          "[api]") {
    World w;
    w.world->add_nodes(1);
    const auto body = [](std::string_view part) {
        std::string list(part);
        for (int i = 0; i < 5000; ++i) (list += ',') += part;
        return list;
    };
    for (const auto &text : {spec("\"tolerations\":[" + body("1") + "]"),
                             R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[)" + body("{}") + "]}}"}) {
        const auto answer = w.ask("POST", "dryrun", {}, text);
        CHECK(answer.status == 422);
        CHECK(message(answer).find(" more that are not listed") != std::string::npos);
        CHECK(read(answer).value()["details"]["causes"].size() == 51);
        CHECK(answer.body.size() < 20'000);
    }
    // Its merge of a mapping into itself would be found out by a reader of YAML.
    CHECK(message(w.ask("POST", "dryrun", {}, "a: &a {<<: *a}")) == "expected a Pod as JSON, which begins with {");
}

TEST_CASE("explainer: what is wrong with a request is told with its field", "[api]") {
    World w;
    w.world->add_nodes(1);
    auto refused = [&](int status, const std::string &body, const std::string &part) {
        auto answer = w.ask("POST", "dryrun", {}, body);
        INFO(body.substr(0, 200) << " -> " << answer.body);
        CHECK(answer.status == status);
        CHECK(message(answer).find(part) != std::string::npos);
    };
    refused(400, "", "expected a Pod as JSON");
    refused(400, "{", "expected a Pod as JSON");
    refused(400, "kind: Pod\napiVersion: v1\n", "expected a Pod as JSON");
    refused(400, std::string("\xff\xfe\0", 3), "expected a Pod as JSON");
    refused(400, std::string(10'000, '['), "expected a Pod as JSON");
    refused(400, "[]", "begins with {");
    refused(400, R"({"apiVersion":"apps/v1","kind":"Deployment"})", "kind Pod");
    refused(422, R"({"apiVersion":"v1","kind":"Pod"})", "spec.containers: Required value");
    refused(422, R"({"apiVersion":"v1","kind":"Pod","spec":7})", "spec: expected");
    refused(
        422,
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"UP"},"spec":{"containers":[{"name":"c","image":"i"}]}})",
        "metadata.name");
    refused(422, R"({"apiVersion":"v1","kind":"Pod","spec":{"containers":[{"name":"c"}]}})",
            "spec.containers[0].image: Required value");
    refused(422, spec(R"("priority":"high")"), "spec.priority: expected");
    refused(422, spec(R"("schedulerName":"other")"), "spec.schedulerName: Unsupported value: \"other\"");
    refused(413, spec("\"x\":\"" + std::string(300'000, 'x') + "\""), "too large");
    auto incomplete = read(w.ask("POST", "dryrun", {}, R"({"apiVersion":"v1","kind":"Pod"})"));
    CHECK(incomplete.value()["details"]["causes"].at(0)["field"].string() == "spec.containers");
    CHECK(w.ask("GET", "dryrun").status == 405);
    CHECK(w.ask("POST", "decisions").status == 405);
    CHECK(w.ask("DELETE", "decisions/default/p").status == 405);
    CHECK(w.ask("GET", "decisions", "limit=x").status == 400);
    CHECK(w.ask("GET", "decisions/default/p", "nodes=-1").status == 400);
    CHECK(w.ask("GET", "decisions/default/p", "detail=all").status == 400);
    for (const char *path :
         {"decisions/", "decisions/default", "decisions/default/", "decisions//p", "decisions/a/b/c"})
        CHECK(w.ask("GET", path).status == 404);
    CHECK(message(w.ask("GET", "decisions/default/nobody")).find("\"nobody\" not found") != std::string::npos);
}

// promise(peer): Requests to the scheduling loop wait for their turn, excess requests are refused, and scheduling
// continues in between.
TEST_CASE("explainer: questions wait for their turn, too many are refused, and each leaves time to others", "[api]") {
    World w;
    w.world->add_nodes(2);
    for (int i = 0; i < 40; ++i) w.begin("POST", "dryrun", {}, bare);
    w.world->clock.run();
    std::size_t answered = 0, refused = 0;
    for (int i = 0; i < 100; ++i) w.world->clock.run();
    for (const auto &answer : w.answers) {
        answered += answer.status == 200 ? 1 : 0;
        refused += answer.status == 429 ? 1 : 0;
    }
    CHECK(refused >= 40 - api::Questions::most_waiting - 1);
    CHECK(answered + refused == 40);
    w.knows = false;
    CHECK(w.ask("POST", "dryrun", {}, bare).status == 503);
    CHECK(w.ask("GET", "decisions/default/p").status == 503);
    w.knows = true;
    w.leads = false;
    CHECK(read(w.ask("POST", "dryrun", {}, bare)).value()["leads"].boolean() == false);
}

/// A world of one node, which is full, with a plugin whose PostFilter ends when `end` is called.
struct SlowWorld : World {
    FakePlugin full{"Full"};
    const berth_done *later = nullptr;

    SlowWorld() {
        full.filter = [](const std::string &) { return FilterSays{BERTH_STATUS_UNSCHEDULABLE, {"full"}}; };
        full.post_filter = [this](const PostFilterCall &c) {
            c.status->code = BERTH_STATUS_IN_PROGRESS;
            later = c.done;
        };
        world.emplace(std::initializer_list<FakePlugin *>{&full, &bind});
        answer();
        world->add_nodes(1);
    }
    void end() {
        const auto *done = std::exchange(later, nullptr);
        done->status->code = BERTH_STATUS_UNSCHEDULABLE;
        plugin::behind(*done).complete(done->status);
    }
};

TEST_CASE("explainer: while a plugin is awaited nobody looks, and after a while it is named", "[api]") {
    SlowWorld w;
    w.world->scheduler.observer().pod_added(plain_pod("slow"));
    w.settle();
    REQUIRE(w.later);
    w.begin("POST", "dryrun", {}, bare);
    w.begin("GET", "decisions/default/slow");
    w.world->clock.run();
    CHECK(w.answers.empty());
    for (int i = 0; i < 110; ++i) w.world->pass_seconds(0.1), w.world->clock.run();
    REQUIRE(w.answers.size() >= 1);
    CHECK(w.answers[0].status == 503);
    CHECK(message(w.answers[0]).find("plugin \"Full\" has not ended PostFilter for pod \"default/slow\"") !=
          std::string::npos);
    w.answers.clear();
    w.begin("POST", "dryrun", {}, bare);
    w.world->clock.run();
    w.end();
    for (int i = 0; i < 10; ++i) w.world->clock.run(), w.world->pass_seconds(0.1);
    REQUIRE(w.answers.size() == 1);
    CHECK(w.answers[0].status == 200);
}

TEST_CASE("explainer: attempts that follow each other without a pause keep no question waiting", "[api]") {
    SlowWorld w;
    for (int i = 0; i < 20; ++i) w.world->scheduler.observer().pod_added(plain_pod("slow" + std::to_string(i)));
    // Each attempt takes a second, and the next one begins before a timer can run.
    auto another = [&](bool asked_before) {
        w.world->pass_seconds(1);
        w.world->clock.run();
        if (w.later) w.end();
        w.world->clock.post([&w, asked_before] {
            if (asked_before) w.questions->before_cycle();
            REQUIRE(w.world->scheduler.schedule_one());
        });
        w.world->clock.run();
        REQUIRE(w.later);
    };
    another(false);
    w.begin("POST", "dryrun", {}, bare);
    w.begin("POST", "dryrun", {}, bare);
    w.world->clock.run();
    REQUIRE(w.answers.empty());
    another(true);
    another(true);
    REQUIRE(w.answers.size() == 2);
    CHECK(w.answers[0].status == 200);
    CHECK(w.answers[1].status == 200);
}

// A question that waited long behind others is not refused because of an attempt that has just begun.
TEST_CASE("explainer: a question is refused for an attempt that takes long, not for its own time", "[api]") {
    SlowWorld w;
    std::vector<kube::ServedAnswer> answers;
    w.questions->ask([&] { w.world->pass_seconds(2); }, [&](auto answer) { answers.push_back(std::move(answer)); });
    w.questions->ask([&] { answers.emplace_back(); }, [&](auto answer) { answers.push_back(std::move(answer)); });
    w.world->clock.run();
    // The loop is left to others for 18 s, at whose end an attempt has just begun.
    w.world->pass_seconds(17.5);
    w.world->scheduler.observer().pod_added(plain_pod("slow"));
    w.settle();
    REQUIRE(w.later);
    w.world->pass_seconds(1);
    w.world->clock.run();
    CHECK(answers.empty());
    w.world->pass_seconds(11);
    w.world->clock.run();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].status == 503);
}

// promise(editor): `berth explain` reports an unreadable object as long as it is unreadable.
TEST_CASE("explainer: objects that cannot be read are named", "[api]") {
    World w;
    auto warnings = [&](const std::string &path) {
        std::vector<std::string> out;
        const auto document = read(w.ask("GET", path));
        const auto list = document.value()["warnings"];
        for (std::size_t i = 0; i < list.size(); ++i) out.emplace_back(list.at(i).string());
        return out;
    };
    CHECK(warnings("decisions").empty());
    w.left_out.add({"pods", "default/web", "7", "spec: expected an object, got 3", false});
    w.left_out.add({"claims", "default/a", "8", "too deep", true});
    w.left_out.add({"claims", "other/b", "9", "too deep", false});
    w.left_out.add({"nodes", "n9", "9", "no", false});
    const std::string claim = "claims default/a cannot be read and is taken as it was before: too deep",
                      other = "claims other/b cannot be read and is left out: too deep",
                      node = "nodes n9 cannot be read and is left out: no",
                      pod = "pods default/web cannot be read and is left out: spec: expected an object, got 3";
    CHECK(warnings("decisions") == std::vector{claim, other, node, pod});
    INFO("of a pod, those of its namespace and of none");
    w.world->scheduler.observer().pod_added(plain_pod("p"));
    w.settle();
    CHECK(warnings("decisions/default/p") == std::vector{claim, node, pod});
    CHECK(warnings("decisions/default/p").size() == 3);
    const auto gone = w.ask("GET", "decisions/default/web");
    CHECK(gone.status == 404);
    CHECK(message(gone) == pod);
    for (int i = 0; i < 30; ++i) w.left_out.add({"claims", "x/" + std::to_string(i), "1", "no", false});
    CHECK(warnings("decisions").size() == 21);
    CHECK(warnings("decisions").back() == "14 more objects cannot be read");
    CHECK(report::view_of(read(w.ask("GET", "decisions")).value(), {}).find("  " + claim + "\n") != std::string::npos);
    w.left_out.remove("claims", "default/a");
    CHECK(warnings("decisions/default/p") == std::vector{node, pod});
}
