// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Plays a script on Berth's queue and writes down what happens, in the words of tests/oracle/judge/queue/upstream.go.

#include "script.h"

#include "cluster/cache.h"
#include "queue/queue.h"
#include "sim/virtual_clock.h"

#include <list>

namespace queue_play {

class Player : berth::queue::NodeTables {
    struct Entry {
        std::string pod, queue, event;
    };
    using Flight = std::unique_ptr<berth::queue::QueuedPod>;

    Answers answers_;
    std::vector<std::unique_ptr<Scripted>> plugins_;
    berth::sim::VirtualClock clock_;
    berth::cluster::Cache cache_;
    std::vector<berth::plugin::Profile> profiles_;
    berth::queue::Queue queue_;
    std::int64_t flush_at_ns_;

    std::map<std::string, berth::model::PodPtr> pods_;  ///< as the watch knows them, by key
    std::list<Flight> flying_;                          ///< in the order in which they were popped
    std::map<std::string, std::string> states_;         ///< as last written down
    std::vector<Entry> entries_;
    std::string out_;
    int number_ = 0;

public:
    /// The queue is that of `release`.
    Player(Value script, berth::config::Release release);
    /// Does one step.
    void play(Value step);
    const std::string &lines() const { return out_; }

private:
    const berth_nodes *table(int which, const berth::model::Node &node) override;
    std::uint32_t slot(std::string_view) override { return BERTH_NO_SLOT; }

    void act(std::string_view what, Value step);
    void add(berth::model::PodPtr pod);
    void update(berth::model::PodPtr pod);
    void remove(const berth::model::Pod &named);
    void free_nomination(const berth::model::PodPtr &pod);
    void pop();
    void requeue(Value step);
    void node(const berth::model::NodePtr &before, const berth::model::NodePtr &after);
    void assigned(const berth::model::PodPtr &before, const berth::model::PodPtr &after);
    void pass(std::int64_t ns);
    std::list<Flight>::iterator flight(std::string_view uid);
    void report();
};

}  // namespace queue_play
