// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The numbering of decisions and events on their way to the sink.

#include "env/clock.h"
#include "scheduler/decision_sink.h"

namespace berth::scheduler {

/// Numbers decisions and events and passes them to the sink. Loop only.
class Notifier {
    DecisionSink &sink_;
    env::Clock &clock_;
    std::uint64_t seq_;

public:
    /// `seq`: the last number that was given before.
    Notifier(DecisionSink &sink, env::Clock &clock, std::uint64_t seq) : sink_(sink), clock_(clock), seq_(seq) {}

    std::uint64_t seq() const { return seq_; }
    DecisionSink &sink() { return sink_; }
    /// Whether a decision about the pod has node tables.
    bool wants_tables(const model::Pod &pod) const { return sink_.detail_of(pod) != model::Detail::Summary; }

    void decision(model::Decision &decision) {
        decision.seq = ++seq_;
        if (decision.decided_ns == 0) decision.decided_ns = clock_.monotonic_ns();
        sink_.decision(decision);
    }
    void event(std::string_view type, std::string_view kind, std::string_view name_space, std::string_view name,
               model::TreePtr object = nullptr) {
        if (sink_.detail() != model::Detail::Events) return;
        sink_.event({++seq_, std::string(type), std::string(kind), std::string(name_space), std::string(name),
                     std::move(object)});
    }
    void event(std::string_view type, const model::Pod &pod) { event(type, "Pod", pod.name_space(), pod.name()); }
};

}  // namespace berth::scheduler
