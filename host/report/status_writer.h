// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The writer of statuses: the condition PodScheduled and nominatedNodeName of pods, and the condition of pod groups.

#include "env/api.h"
#include "env/clock.h"
#include "env/log.h"
#include "model/decision.h"
#include "model/pod_group.h"

#include <cstddef>
#include <deque>
#include <string>
#include <unordered_map>

namespace berth::report {

/// One patch at a time for each pod, so that none overtakes another; of those that come meanwhile only what is new is
/// kept. In a cluster that is full each deletion changes the words of every pod that waits, faster than a server takes
/// them: more than a few are never under way, so that bindings do not stand behind them. Loop only.
class StatusWriter {
public:
    /// All outlive it and what they are still to call back; `log` may be null.
    StatusWriter(env::Api &api, env::Clock &clock, env::Log *log) : api_(api), clock_(clock), log_(log) {}

    /// What came of this attempt.
    void failed(const model::Pod &pod, const model::Decision &decision);
    /// The node that it is on already, and whose binding takes long, as its nomination.
    void nominate(const model::Pod &pod);
    /// What came of a cycle of the group.
    void group(const model::PodGroup &group, const model::GroupCondition &condition);
    /// It has its node: what was not said by now is no longer true.
    void bound(const model::Pod &pod);

    /// How many patches the server has at a time.
    static constexpr std::size_t most_under_way = 32;
    /// Pods and groups of which a patch waits or is under way.
    std::size_t pods() const { return pods_.size(); }

private:
    struct Patch {
        env::ApiRequest request;
        bool explains = false, nominates = false;
        int harmless = 0;  ///< a response that is not logged
        bool of_group = false;
    };
    struct Pod {
        std::deque<Patch> waiting;
        bool queued = false, under_way = false;
    };

    void write(std::string uid, Patch patch);
    void enqueue(const std::string &uid, Pod &pod);
    void pump();
    void answered(const std::string &uid, const std::string &key, int harmless, bool of_group,
                  const env::ApiAnswer &answer);

    env::Api &api_;
    env::Clock &clock_;
    env::Log *log_;
    std::unordered_map<std::string, Pod> pods_;  ///< by uid
    std::deque<std::string> queue_;
    std::size_t under_way_ = 0;
};

}  // namespace berth::report
