// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduling cycle of one pod group at a time (upstream: scheduleOnePodGroup).

#include "model/pod_group.h"
#include "scheduler/binding_cycles.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::scheduler {

/// The scheduling cycle of a pod group (kube-scheduler v1.37.2, schedule_one_podgroup.go), without placements: each of
/// its pods in turn gets a node, with those before it on theirs, until the plugins at PlacementFeasible say that the
/// group cannot be placed any more. Then every node is given up again, and the result is carried out: in a success each
/// pod that has a node goes into its binding cycle, in a failure none does. No PostFilter plugin is called. Loop only.
class GroupCycle {
public:
    /// What the group's status is to say.
    using OnCondition = std::function<void(const model::PodGroup &, const model::GroupCondition &)>;

    GroupCycle(Core &core, FailureHandler &failures, BindingCycles &bindings)
        : core_(core), failures_(failures), bindings_(bindings) {}
    void on_condition(OnCondition callback) { on_condition_ = std::move(callback); }

    /// Tries to place a group that the queue popped; only when no attempt is under way. Returns when the cycle has
    /// ended or an extender suspends it.
    void run(std::unique_ptr<queue::QueuedPod> group);
    /// The scheduler ends: the pods of a suspended group leave their nodes.
    void abandon();

private:
    using State = AttemptState::State;

    struct Member {
        std::unique_ptr<queue::QueuedPod> pod;
        std::unique_ptr<plugin::State> state = std::make_unique<plugin::State>();
        std::unique_ptr<plugin::CallContext> call = std::make_unique<plugin::CallContext>();
        model::Decision decision{};
        std::uint32_t slot = BERTH_NO_SLOT;          ///< the node that it got
        std::optional<Failure> failure{};            ///< why it got none; neither: it was not tried
        std::optional<bind::Placement> placement{};  ///< while it is reserved there
        std::unique_ptr<bind::Reservation> reservation{};
    };
    struct Cycle {
        std::shared_ptr<void>
            keeps_arrays;  ///< those that the first member's plugins have seen, until the last one's bind
        std::unique_ptr<queue::QueuedPod> group;
        model::PodGroupPtr object;
        const plugin::Profile *profile = nullptr;
        plugin::CallContext call{};
        std::vector<Member> members;
        std::size_t next = 0;  ///< the first member that was not tried
        std::uint64_t scheduled = 0;
        bool any_placed = false;
        model::Status status{};  ///< of the group
    };

    // group_checks.cpp
    std::string fault_of_group() const;
    std::string fault_of(const model::Pod &pod, std::string_view scheduler, std::string_view policy) const;
    void leave_out_gone();
    model::Status feasible();

    void begin();
    void go_on();
    void search(Member &member);
    void searched(Member &member, const cycle::ScheduleResult &result);
    bool reserve(Member &member);
    void give_up(Member &member);
    void judge(const Member &member);
    void end();
    void revert();
    bind::Placement placement(Member &member) const;

    // group_submission.cpp
    void submit();
    void bind(Member &member);
    void fail(Member &member, Failure failure);
    void fail_all(const std::string &why);
    void write_condition(const model::Status &status);
    void finish(queue::GroupOutcome outcome);

    Core &core_;
    FailureHandler &failures_;
    BindingCycles &bindings_;
    OnCondition on_condition_;
    std::unique_ptr<Cycle> cycle_;  ///< nullptr: no group is in its cycle
};

}  // namespace berth::scheduler
