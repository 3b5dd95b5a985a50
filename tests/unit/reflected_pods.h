// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A reflector of pods, what it tells, and the server that it asks.

#include "fake_transport.h"
#include "kube/reflector.h"
#include "sim/controllers.h"
#include "sim/virtual_clock.h"

namespace berth {

using Said = std::vector<std::string>;

struct Pods : sim::Controller, env::Log {
    std::vector<std::string> said, logged;
    sim::VirtualClock clock{1'767'225'600'000'000'000};
    FakeTransport transport;
    std::shared_ptr<kube::LeftOut> left_out = std::make_shared<kube::LeftOut>();
    kube::Reflector reflector{transport, clock, this, kube::pods_for(*this), 7, left_out};
    int synced = 0;

    void pod_added(model::PodPtr p) override { say("+", *p); }
    void pod_updated(model::PodPtr, model::PodPtr p) override { say("~", *p); }
    void pod_deleted(model::PodPtr p) override { say("-", *p); }
    bool enabled(env::Severity, int) const override { return true; }
    void write(env::Severity, int, std::string_view message, const Pairs &pairs, std::source_location) override {
        logged.emplace_back(message);
        for (const auto &[key, value] : pairs) logged.back() += " " + std::string(key) + "=" + value;
    }
    void write_text(env::Severity, int, std::string_view, std::string_view) override {}

    void say(const char *what, const model::Pod &p) {
        said.push_back(what + std::string(p.name()) + (p.node_name().empty() ? "" : "@" + std::string(p.node_name())));
    }
    std::vector<std::string> heard() {
        clock.run();
        return std::exchange(said, {});
    }
    /// The server is too old to stream lists.
    void start() {
        start_streaming();
        no_streams();
    }
    void start_streaming() {
        reflector.start([this] { ++synced; });
    }
    void no_streams() { answer(422, R"({"kind":"Status","message":"sendInitialEvents is forbidden for watch"})"); }
    void data(const std::string &bytes) {
        REQUIRE(transport.watching());
        transport.last().data(bytes);
    }
    void answer(int status, const std::string &body) {
        transport.answer(status, body);
        clock.run();
    }
    void pass_seconds(double s) { clock.advance_to(clock.now_ns() + static_cast<std::int64_t>(s * 1e9)); }
};

}  // namespace berth
