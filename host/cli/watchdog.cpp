// SPDX-License-Identifier: Apache-2.0
#include "cli/watchdog.h"

#include <string>

namespace berth::cli {

Watchdog::Watchdog(env::Log &log, std::chrono::milliseconds patience)
    : at_(plugin::AtHand::mine()), log_(log), patience_(patience), thread_([this] { watch(); }) {}

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
        if (now == seen && at_.plugin.load(std::memory_order_relaxed)) {
            if (waited < next) continue;
            tell(waited);
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

/// The call has stood still for seconds, so what it refers to does.
void Watchdog::tell(std::chrono::milliseconds waited) {
    const auto *plugin = at_.plugin.load(std::memory_order_relaxed);
    const auto *pod = at_.pod.load(std::memory_order_relaxed);
    if (!plugin) return;
    std::string text =
        "plugin \"" + *plugin + "\"" + (at_.shadow.load(std::memory_order_relaxed) ? " of the shadow" : "") +
        " has not returned from " + std::string(at_.point.load(std::memory_order_relaxed), at_.point_size.load());
    if (pod) text += " for pod \"" + pod->key() + "\"";
    log_.write(env::Severity::Error, 0,
               text + " after " + std::to_string(waited.count() / 1000) + " s: nothing else happens until it does");
}

}  // namespace berth::cli
