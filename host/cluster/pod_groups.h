// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pod groups and where their pods are (kube-scheduler v1.37.2, backend/cache/podgroupstate.go).

#include "model/pod_group.h"
#include "plugin/services.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::cluster {

/// Knows a group from its first pod, or from its PodGroup, until both are gone. Pods without a group are passed over.
/// Loop only.
class PodGroups final : public plugin::PodGroups {
public:
    void set(model::PodGroupPtr group);
    void drop(const model::PodGroup &group);
    /// nullptr: there is none of that key, "namespace/name".
    model::PodGroupPtr find(const std::string &key) const;

    void add(const model::PodPtr &pod) {
        if (!pod->group().empty()) add_member(pod);
    }
    /// A pod that has no node yet, or has got one.
    void update(const model::PodPtr &pod) {
        if (!pod->group().empty()) update_member(pod);
    }
    void remove(const model::Pod &pod) {
        if (!pod.group().empty()) remove_member(pod);
    }
    void assume(const model::PodPtr &pod) {
        if (!pod->group().empty()) assume_member(pod);
    }
    void forget(const model::Pod &pod) {
        if (!pod.group().empty()) forget_member(pod);
    }

    /// The pods of a group that have a node: assumed and assigned.
    std::vector<model::PodPtr> scheduled(const std::string &key) const;
    std::size_t scheduled_count(const std::string &key) const;

    bool describe(std::string_view name_space, std::string_view name, berth_pod_group &out) const override;
    void visit(std::string_view name_space, std::string_view name, std::uint32_t which,
               const Visit &visit) const override;

private:
    enum Where : std::uint32_t {
        Unscheduled = BERTH_GROUP_UNSCHEDULED,
        Assumed = BERTH_GROUP_ASSUMED,
        Assigned = BERTH_GROUP_ASSIGNED
    };
    struct Member {
        model::PodPtr pod;  ///< as the watch last said
        Where where;
        model::PodPtr assumed;  ///< with its node, while it is assumed
    };
    struct Group {
        model::PodGroupPtr object;
        std::map<std::string, Member, std::less<>> members;  ///< by UID
        std::size_t assumed = 0, assigned = 0;               ///< how many of them are

        /// The member is somewhere else from here on; its counts follow.
        void move(Member &member, Where to);
    };

    void add_member(const model::PodPtr &pod);
    void update_member(const model::PodPtr &pod);
    void remove_member(const model::Pod &pod);
    void assume_member(const model::PodPtr &pod);
    void forget_member(const model::Pod &pod);
    /// The group and its member, or two null pointers.
    std::pair<Group *, Member *> member(const model::Pod &pod);
    const Group *group(const std::string &key) const;

    std::map<std::string, Group, std::less<>> groups_;  ///< by key
};

}  // namespace berth::cluster
