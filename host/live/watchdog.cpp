// SPDX-License-Identifier: Apache-2.0
#include "live/watchdog.h"

#include <optional>
#include <string>

namespace berth::live {

Watchdog::Watchdog(env::Log &log, std::chrono::milliseconds patience)
    : at_(plugin::CurrentCall::mine()), log_(log), patience_(patience), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
    {
        std::scoped_lock lock(mutex_);
        ended_ = true;
    }
    ending_.notify_all();
    thread_.join();
}

void Watchdog::watch() {
    using namespace std::chrono;
    auto seen = at_.serial.load(std::memory_order_acquire);
    auto since = steady_clock::now();
    auto next = patience_;
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, patience_ / 10, [this] { return ended_; })) {
        const auto now = at_.serial.load(std::memory_order_acquire);
        const auto waited = duration_cast<milliseconds>(steady_clock::now() - since);
        if (const auto call = now == seen ? at_.seen(now) : std::nullopt) {
            if (waited < next) continue;
            report(*call, waited);
            next = waited * 2;
            continue;
        }
        if (next > patience_)
            log_.write(env::Severity::Warning, 0,
                       "The plugin has returned after " + std::to_string(waited.count() / 1000) + " s");
        seen = now;
        since = steady_clock::now();
        next = patience_;
    }
}

void Watchdog::report(const plugin::CurrentCall::Seen &call, std::chrono::milliseconds waited) {
    std::string text = "plugin \"" + call.plugin + "\"" + (call.shadow ? " of the shadow" : "") +
                       " has not returned from " + call.point;
    if (!call.pod.empty()) text += " for pod \"" + call.pod + "\"";
    log_.write(env::Severity::Error, 0,
               text + " after " + std::to_string(waited.count() / 1000) + " s: scheduling is blocked until it returns");
}

}  // namespace berth::live
