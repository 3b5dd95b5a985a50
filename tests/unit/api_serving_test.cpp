// SPDX-License-Identifier: Apache-2.0
#include "api/serving.h"

#include "api/explain_api.h"
#include "fake_world.h"
#include "http_server.h"
#include "kube/beast_transport.h"
#include "report/log.h"

#include <future>

using namespace berth;

namespace {

/// A scheduler that answers at a free port of the loopback, and an API server that says who may what.
struct World {
    std::atomic<bool> allows = false;
    HttpServer api{[this](HttpServer::Session &session, const std::string &request) {
        const bool review = request.find("subjectaccessreviews") != request.npos;
        session.answer(review ? 201 : 404,
                       std::string(R"({"status":{"allowed":)") + (allows ? "true" : "false") + "}}");
        return true;
    }};
    FakePlugin bind = binder();
    FakeWorld world{&bind};
    report::KlogLog log{0};
    report::Health health;
    report::DecisionRing last;
    report::SchedulerMetrics meter;
    api::ExplainApi explain_api{
        {world.clock, world.scheduler, last, world.clock, [] { return true; }, [] { return true; }, {meter}}};
    std::optional<api::Serving> serving;

    explicit World(api::ServingOptions options) {
        prepare_transports();
        options.secure_port = 0;
        options.skip_lookup = true;
        // A refusal counts no longer than the question.
        options.authorized_ttl = options.unauthorized_ttl = std::chrono::nanoseconds{0};
        kube::Credentials own;
        own.server = api.url();
        auto opened = api::Serving::open(options, own,
                                         {world.clock, log, health, [] { return std::string("{}"); }, [] {},
                                          [] { return std::string(); }, &explain_api});
        REQUIRE(opened);
        serving.emplace(std::move(*opened));
    }
    kube::HttpAnswer get(const std::string &path) {
        kube::Credentials nobody;
        nobody.insecure = true;
        nobody.server = "https://127.0.0.1:" + std::to_string(serving->port());
        auto transport = kube::make_beast_transport(nobody);
        REQUIRE(transport);
        std::promise<kube::HttpAnswer> promise;
        auto answer = promise.get_future();
        (*transport)->request({"GET", path, {}, {}}, [&](kube::HttpAnswer got) { promise.set_value(std::move(got)); });
        while (answer.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) world.clock.run();
        return answer.get();
    }
};

api::ServingOptions at(const std::string &address, std::optional<bool> ui = {}) {
    api::ServingOptions out;
    out.bind_address = address;
    out.ui = ui;
    return out;
}

const std::string not_found = "404 page not found\n";

}  // namespace

TEST_CASE("serving: strangers get neither the dashboard nor what it asks for", "[api]") {
    World w(at("127.0.0.1"));
    for (const char *path :
         {"/ui", "/ui/", "/ui/index.html", "/ui/assets/x.js", "/apis/berth/v1alpha1/decisions",
          "/apis/berth/v1alpha1/decisions/default/p", "/apis/berth/v1alpha1/cluster", "/apis/berth/v1alpha1/nodes/n1",
          "/apis/berth/v1alpha1/devices", "/apis/berth/v1alpha1/devices/n1", "/apis/berth/v1alpha1/pending",
          "/apis/berth/v1alpha1/changes"}) {
        INFO(path);
        CHECK(w.get(path).status == 403);
    }
    w.allows = true;
    CHECK(w.get("/apis/berth/v1alpha1/decisions").status == 200);
    CHECK(w.get("/ui").body != not_found);
}

TEST_CASE("serving: the dashboard is there on the loopback, and elsewhere if somebody wants it", "[api]") {
    auto is_there = [](const api::ServingOptions &options) {
        World w(options);
        w.allows = true;
        return w.get("/ui").body != not_found;
    };
    CHECK(is_there(at("127.0.0.1")));
    CHECK(!is_there(at("127.0.0.1", false)));
    CHECK(!is_there(at("0.0.0.0")));
    CHECK(is_there(at("0.0.0.0", true)));
}
