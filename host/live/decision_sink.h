// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The sink of a live cluster's decisions: the decision log and the last decisions.

#include "report/decision_log.h"
#include "report/decision_ring.h"
#include "scheduler/scheduler.h"

#include <utility>

namespace berth::live {

class LiveSink : public DecisionSink {
    report::DecisionLog &log_;
    report::DecisionRing last_;
    bool written_ = false;

public:
    explicit LiveSink(report::DecisionLog &log) : log_(log) {}
    model::Detail detail() const override { return log_.is_open() ? log_.detail() : model::Detail::Summary; }
    void decision(const model::Decision &d) override {
        last_.add(d);
        log_.write(d);
        written_ = true;
    }
    void event(const model::DecisionEvent &e) override {
        log_.write(e);
        written_ = true;
    }
    const report::DecisionRing &last() const { return last_; }
    /// Flushes the file when the loop is idle.
    model::Result<void> flush() {
        if (!std::exchange(written_, false)) return {};
        return log_.finish();
    }
};

}  // namespace berth::live
