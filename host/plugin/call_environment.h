// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The environment of plugin calls: their meter, and whether they are a dry run without effects.

#include <thread>
#include <utility>

namespace berth::plugin {

class Meter;

/// A scheduler has one and offers it to its plugins (Services); their instances and profiles refer to it. On the loop,
/// whose thread made it.
class CallEnvironment {
    Meter *meter_;
    bool dry_run_ = false, gates_ = false;
    const std::thread::id loop_ = std::this_thread::get_id();

public:
    explicit CallEnvironment(Meter *meter = nullptr) : meter_(meter) {}
    CallEnvironment(const CallEnvironment &) = delete;
    CallEnvironment &operator=(const CallEnvironment &) = delete;

    /// Loop only. Null: nothing is counted.
    Meter *meter() const { return meter_; }
    /// Whether this thread asks plugins what they would say. Any thread: a task may act while the loop is in a dry run.
    bool in_dry_run() const { return on_loop() && dry_run_; }
    bool on_loop() const { return std::this_thread::get_id() == loop_; }
    /// Whether PreEnqueue is called outside of the queue.
    bool at_gates() const { return gates_; }

    /// As long as it lives, `meter` counts; if it is null, nothing is counted. It outlives what is counted with it.
    class CountedBy {
        CallEnvironment &calls_;
        Meter *before_;

    public:
        CountedBy(CallEnvironment &calls, Meter *meter) : calls_(calls), before_(std::exchange(calls.meter_, meter)) {}
        ~CountedBy() { calls_.meter_ = before_; }
        CountedBy(const CountedBy &) = delete;
        CountedBy &operator=(const CountedBy &) = delete;
    };

    /// As long as it lives, PreEnqueue is called outside of the queue, and sees as little of the queue as within it.
    /// Not to be nested.
    class Gates {
        CallEnvironment &calls_;

    public:
        explicit Gates(CallEnvironment &calls) : calls_(calls) { calls_.gates_ = true; }
        ~Gates() { calls_.gates_ = false; }
        Gates(const Gates &) = delete;
        Gates &operator=(const Gates &) = delete;
    };

    /// As long as it lives, what plugins do counts in no metric and for no quarantine, and what they want to change in
    /// the world through the host is refused. `times` may count the calls. Not to be nested.
    class DryRun {
        CallEnvironment &calls_;
        const CountedBy counted_;

    public:
        DryRun(CallEnvironment &calls, Meter *times) : calls_(calls), counted_(calls, times) { calls_.dry_run_ = true; }
        ~DryRun() { calls_.dry_run_ = false; }
        DryRun(const DryRun &) = delete;
        DryRun &operator=(const DryRun &) = delete;
    };
};

}  // namespace berth::plugin
