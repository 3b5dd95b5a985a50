// SPDX-License-Identifier: Apache-2.0
// Sound: beside a plugin of strict_metrics.cpp it finds its names taken, and counts all the same.
#include <berth/plugin.hpp>

namespace {

class Taken {
    berth::Labelled<berth::Counter> labelled_;
    berth::Counter counter_;

public:
    explicit Taken(const berth::Host &host)
        : labelled_(host.counter("strict_gauge_total", "Of a test.", {"of"})),
          counter_(host.counter("strict_gauge_total", "Of a test.")) {}

    berth::Verdict filter(berth::Pod, berth::Node) const {
        labelled_.with({"x"}).add();
        labelled_.with({"x"}).end();
        counter_.add();
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Taken, "Taken", "1.0.0")
