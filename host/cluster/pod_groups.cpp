// SPDX-License-Identifier: Apache-2.0
#include "cluster/pod_groups.h"

namespace berth::cluster {

namespace {

std::string key_of(std::string_view name_space, std::string_view name) {
    return std::string(name_space).append("/").append(name);
}

}  // namespace

void PodGroups::Group::move(Member &member, Where to) {
    for (auto [n, where] : {std::pair{&assumed, Assumed}, std::pair{&assigned, Assigned}}) {
        *n -= member.where == where;
        *n += to == where;
    }
    member.where = to;
}

void PodGroups::set(model::PodGroupPtr group) {
    auto &of = groups_[group->key()];
    of.object = std::move(group);
}

void PodGroups::drop(const model::PodGroup &group) {
    auto at = groups_.find(group.key());
    if (at == groups_.end()) return;
    at->second.object = nullptr;
    if (at->second.members.empty()) groups_.erase(at);
}

const PodGroups::Group *PodGroups::group(const std::string &key) const {
    auto at = groups_.find(key);
    return at == groups_.end() ? nullptr : &at->second;
}

model::PodGroupPtr PodGroups::find(const std::string &key) const {
    const auto *of = group(key);
    return of ? of->object : nullptr;
}

std::pair<PodGroups::Group *, PodGroups::Member *> PodGroups::member(const model::Pod &pod) {
    auto of = groups_.find(model::group_key(pod));
    if (of == groups_.end()) return {};
    auto at = of->second.members.find(pod.uid());
    if (at == of->second.members.end()) return {};
    return {&of->second, &at->second};
}

void PodGroups::add_member(const model::PodPtr &pod) {
    auto &of = groups_[model::group_key(*pod)];
    auto &known = of.members.try_emplace(std::string(pod->uid()), Member{pod, Unscheduled, nullptr}).first->second;
    of.move(known, pod->node_name().empty() ? Unscheduled : Assigned);
    known.pod = pod;
    known.assumed = nullptr;
}

void PodGroups::update_member(const model::PodPtr &pod) {
    const auto [of, known] = member(*pod);
    if (!known) return;
    if (known->pod->node_name().empty() && !pod->node_name().empty()) {
        of->move(*known, Assigned);
        known->assumed = nullptr;
    }
    known->pod = pod;
}

void PodGroups::remove_member(const model::Pod &pod) {
    auto of = groups_.find(model::group_key(pod));
    if (of == groups_.end()) return;
    if (auto at = of->second.members.find(pod.uid()); at != of->second.members.end()) {
        of->second.move(at->second, Unscheduled);
        of->second.members.erase(at);
    }
    if (of->second.members.empty() && !of->second.object) groups_.erase(of);
}

/// A pod that is gone meanwhile is not known any more.
void PodGroups::assume_member(const model::PodPtr &pod) {
    const auto [of, known] = member(*pod);
    if (!known) return;
    of->move(*known, known->pod->node_name().empty() ? Assumed : Assigned);
    known->assumed = known->where == Assumed ? pod : nullptr;
}

void PodGroups::forget_member(const model::Pod &pod) {
    const auto [of, known] = member(pod);
    if (!known) return;
    of->move(*known, known->pod->node_name().empty() ? Unscheduled : Assigned);
    known->assumed = nullptr;
}

std::vector<model::PodPtr> PodGroups::scheduled(const std::string &key) const {
    std::vector<model::PodPtr> out;
    const auto *of = group(key);
    if (!of) return out;
    for (const auto where : {Assigned, Assumed})
        for (const auto &[uid, one] : of->members)
            if (one.where == where) out.push_back(one.assumed ? one.assumed : one.pod);
    return out;
}

std::size_t PodGroups::scheduled_count(const std::string &key) const {
    const auto *of = group(key);
    return of ? of->assumed + of->assigned : 0;
}

bool PodGroups::describe(std::string_view name_space, std::string_view name, berth_pod_group &out) const {
    const auto at = groups_.find(key_of(name_space, name));
    if (at == groups_.end()) return false;
    const Group &of = at->second;
    const auto key = std::string_view(at->first);
    const auto slash = key.find('/');
    out = {};
    out.struct_size = sizeof out;
    out.obj = of.object ? model::handle(of.object->object.get()) : nullptr;
    out.namespace_ = model::to_str(key.substr(0, slash));
    out.name = model::to_str(key.substr(slash + 1));
    out.min_count = of.object ? of.object->min_count : 0;
    out.pods = of.members.size();
    out.assumed = of.assumed;
    out.assigned = of.assigned;
    return true;
}

void PodGroups::visit(std::string_view name_space, std::string_view name, std::uint32_t which,
                      const Visit &visit) const {
    const auto *of = group(key_of(name_space, name));
    if (!of) return;
    // The visitor may end waits, which changes where pods are.
    std::vector<std::string> uids;
    for (const auto &[uid, one] : of->members)
        if ((one.where & which) != 0) uids.push_back(uid);
    for (const auto &uid : uids)
        if (!visit(uid)) return;
}

}  // namespace berth::cluster
