// SPDX-License-Identifier: Apache-2.0
#include "cli/show_simulation.h"

#include "cli/explain_api.h"
#include "env/loop.h"
#include "kube/server.h"

#include <iostream>
#include <string>

namespace berth::cli {
namespace {

constexpr const char *address = "127.0.0.1";

/// A page from elsewhere can have its own name lead to this machine, and then ask as if it were from here; what it
/// cannot do is to say another name than its own.
bool is_for_us(const kube::ServedRequest &request, std::uint16_t port) {
    const auto own = ":" + std::to_string(port);
    return request.host == address + own || request.host == "localhost" + own;
}

}  // namespace

model::Result<void> show_simulation(const EndedSimulation &ended, std::uint16_t port, const WebOptions &pages) {
    constexpr int misdirected = 421;
    env::Loop loop;
    loop.on_signal([&] { loop.stop(); });
    const auto yes = [] { return true; };
    ExplainApi api({loop, ended.scheduler, ended.last, ended.clock, yes, yes, {ended.meter}});
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
    WhatIf what_if(ended.base);
    api.add_to(routes, post);
    what_if.add_to(routes, post);
    add_web_pages(routes, pages);
    server.every(Changes::rhythm, [&] { api.look(); });
    server.start();
    std::cerr << "The dashboard is at http://" << address << ":" << bound
              << "/ui until this is interrupted (Ctrl-C).\n";
    loop.run([&] { return ended.clock.run(); }, [] { return std::nullopt; });
    server.stop();
    return {};
}

}  // namespace berth::cli
