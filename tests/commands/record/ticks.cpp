// SPDX-License-Identifier: Apache-2.0

/// A timer that starts itself anew every 30 seconds, and is logged.
#include <berth/plugin.hpp>

namespace {

class Ticks {
    const berth::Host &host_;

    void tick() {
        host_.info(0, "tick");
        start();
    }
    void start() {
        host_.after(30'000'000'000, [this] { tick(); });
    }

public:
    explicit Ticks(const berth::Host &host) : host_(host) { start(); }
    static berth::Verdict filter(berth::Pod, berth::Node) { return berth::ok; }
};

}  // namespace

BERTH_PLUGIN(Ticks, "Ticks", "1.0.0")
