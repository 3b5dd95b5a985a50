// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A fake world that is asked under /apis/berth/v1alpha1.

#include "api/explain_api.h"
#include "decode/document.h"
#include "fake_world.h"

namespace berth {

/// A scheduler without plugins but Fit and a binder, and who answers for it.
struct AskedWorld {
    FakePlugin fit{"Fit"}, bind = binder();
    report::SchedulerMetrics meter;
    std::optional<FakeWorld> world;
    struct Silence : env::Log {
        bool enabled(env::Severity, int) const override { return false; }
        void write(env::Severity, int, std::string_view, const Pairs &, std::source_location) override {}
        void write_text(env::Severity, int, std::string_view, std::string_view) override {}
    } log;
    std::optional<plugin::PluginFailures> failures;
    report::DecisionRing last;
    std::optional<api::ExplainApi> api;
    kube::Routes routes;
    bool knows = true;

    AskedWorld() {
        fit.filter = [](const std::string &) { return FilterSays{}; };
        SchedulerSettings settings;
        settings.meter = &meter;
        world.emplace(std::initializer_list<FakePlugin *>{&fit, &bind}, settings);
        failures.emplace(plugin::OnFailure::SkipPlugin, world->clock, log);
        api.emplace(api::ExplainApi::World{world->clock,
                                           world->scheduler,
                                           last,
                                           world->clock,
                                           [this] { return knows; },
                                           [] { return true; },
                                           {meter, &*failures},
                                           {},
                                           nullptr,
                                           {},
                                           "1.37"});
        const auto at_once = [](const std::function<void()> &fn) { fn(); };
        api->add_to(routes, at_once, at_once);
    }
    void settle() {
        world->settle();
        for (const auto &d : std::exchange(world->decisions, {})) last.add(d);
    }
    std::vector<kube::ServedAnswer> answers;
    void begin(const std::string &path, const std::string &query = {}, const std::string &method = "GET") {
        routes({method, "/apis/berth/v1alpha1/" + path, query, {}, {}, {}},
               [this](kube::ServedAnswer answer) { answers.push_back(std::move(answer)); });
        world->clock.run();
    }
    kube::ServedAnswer ask(const std::string &path, const std::string &query = {}, const std::string &method = "GET") {
        answers.clear();
        begin(path, query, method);
        REQUIRE(answers.size() == 1);
        return answers[0];
    }
    decode::Document read(const std::string &path, const std::string &query = {}) {
        auto answer = ask(path, query);
        INFO(answer.body);
        CHECK(answer.status == 200);
        CHECK(answer.content_type == "application/json");
        auto document = decode::read_document(answer.body, "answer.json");
        REQUIRE(document);
        return *document;
    }
};

}  // namespace berth
