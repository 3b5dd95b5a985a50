// SPDX-License-Identifier: Apache-2.0
#include "offline/dashboard.h"

#include "api/explain_api.h"
#include "api/what_if.h"
#include "env/loop.h"
#include "kube/server.h"
#include "live/memory_watch.h"

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

namespace berth::offline {
namespace {

constexpr const char *address = "127.0.0.1";

/// A page from elsewhere can have its own name lead to this machine, and then ask as if it were from here; what it
/// cannot do is to say another name than its own.
bool is_for_us(const kube::ServedRequest &request, std::uint16_t port) {
    const auto own = ":" + std::to_string(port);
    return request.host == address + own || request.host == "localhost" + own;
}

/// The input of the simulation, and what came of it.
api::WhatIf::World input_of(const EndedSimulation &ended) {
    constexpr int bad_request = 400;
    api::WhatIf::Subject subject;
    subject.configuration = std::make_shared<config::Configuration>(ended.configuration);
    subject.gates = ended.options.gates;
    subject.inputs = ended.options.inputs;
    subject.added = ended.options.add_nodes;
    subject.removed = ended.options.without_nodes;
    subject.before = std::make_shared<report::SimulationSummary>(
        report::summary_of(report::to_tree(ended.result, model::Detail::Summary)->value()));
    subject.node = [&nodes = ended.result.nodes](std::string_view name) {
        const auto at = std::ranges::find(nodes, name, [](const auto &use) { return use.node->name; });
        return at == nodes.end() ? nullptr : at->node;
    };
    return {ended.options.plugins, ended.options.seed, false,
            [subject = std::move(subject)](const auto &then, const kube::Answering &refused) {
                if (std::ranges::count(subject.inputs, "-") == 0) return then(subject);
                refused(kube::status_answer(bad_request, "BadRequest",
                                            "the cluster came from standard input, which cannot be read again; give "
                                            "berth simulate a file"));
            },
            ended.options.skip_unknown};
}

api::AskShadow shadow_of(const EndedSimulation &ended) {
    if (!ended.result.shadow) return {};
    return [&shadow = *ended.result.shadow](std::size_t most) {
        report::ShadowState out;
        out.report = shadow;
        if (out.report.differences.size() > most) out.report.differences.resize(most);
        return out;
    };
}

}  // namespace

model::Result<void> show_simulation(const EndedSimulation &ended, std::uint16_t port, const api::WebOptions &pages) {
    constexpr int misdirected = 421;
    env::Loop loop;
    loop.on_signal([&] { loop.stop(); });
    const auto yes = [] { return true; };
    const auto memory = [&] {
        const auto system = live::MemoryWatch::read_system();
        return report::memory_use(live::owned_by(ended.scheduler, ended.last), system.process, system.group);
    };
    api::ExplainApi api({loop,
                         ended.scheduler,
                         ended.last,
                         ended.clock,
                         yes,
                         yes,
                         {ended.meter},
                         shadow_of(ended),
                         nullptr,
                         memory,
                         ended.configuration.release.text()});
    kube::Routes routes;
    std::uint16_t bound = 0;
    auto listening = kube::Server::listen(
        address, port, std::nullopt, [&](kube::ServedRequest request, const kube::Answering &done) {
            if (is_for_us(request, bound)) return routes(std::move(request), done);
            done({misdirected, "421 Misdirected Request: ask for " + std::string(address) + " or localhost\n"});
        });
    if (!listening)
        return model::Error{"--ui-port " + std::to_string(port) + ": cannot listen there at " + address +
                            "; expected a free port of this machine's; without the option any is taken"};
    auto server = std::move(*listening);
    bound = server.port();
    const auto post = [&](std::function<void()> fn) { server.post(std::move(fn)); };
    api::WhatIf what_if(input_of(ended));
    api.add_to(routes, post, [&](std::function<void()> fn) { server.work(std::move(fn)); });
    what_if.add_to(routes, post);
    api::add_web_pages(routes, pages);
    server.every(api::Changes::rhythm, [&] { api.look(); });
    server.start();
    std::cerr << "The dashboard is at http://" << address << ":" << bound
              << "/ui until this is interrupted (Ctrl-C).\n";
    loop.run({.work = [&] { return ended.clock.run(); }});
    server.stop();
    return {};
}

}  // namespace berth::offline
