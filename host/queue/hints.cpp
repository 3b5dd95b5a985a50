// SPDX-License-Identifier: Apache-2.0
#include "queue/hints.h"

#include "env/random.h"
#include "plugin/host_context.h"
#include "plugin/meter.h"
#include "queue/queued_group.h"

#include <algorithm>
#include <optional>

namespace berth::queue {

namespace {

bool contains(const Instances &list, const plugin::Instance *instance) {
    return std::find(list.begin(), list.end(), instance) != list.end();
}

berth_event to_abi(const Event &event, NodeTables &tables) {
    berth_event out{};
    out.struct_size = sizeof out;
    out.resource = model::to_str(event.resource);
    out.action = event.action;
    if (event.old_pod) out.old_pod = &event.old_pod->view;
    if (event.new_pod) out.new_pod = &event.new_pod->view;
    out.old_object = model::handle(event.old_object.get());
    out.new_object = model::handle(event.new_object.get());
    out.node_slot = BERTH_NO_SLOT;
    std::string_view node_name;
    if (const auto &pod = event.new_pod ? event.new_pod : event.old_pod) node_name = pod->node_name();
    if (const auto &node = event.new_node ? event.new_node : event.old_node) node_name = node->name;
    if (!node_name.empty()) out.node_slot = tables.slot(node_name);
    if (event.old_node) out.old_node = tables.table(0, *event.old_node);
    if (event.new_node) out.new_node = tables.table(1, *event.new_node);
    return out;
}

/// The event as an instance sees it that watches only some objects of the kind; `room` may have it then. A nullptr: not
/// at all.
const Event *seen_by(const plugin::Instance &instance, const Event &event, std::optional<Event> &room) {
    if (!event.old_object && !event.new_object) return &event;
    if (!instance.context || !instance.context->selections.restrict(event.resource)) return &event;
    auto before = event.old_object, after = event.new_object;
    if (!instance.context->selections.reduce(event.resource, before, after)) return &event;
    if (!before && !after) return nullptr;
    return &room.emplace(object_event(event.resource, std::move(before), std::move(after)));
}

}  // namespace

PluginMask mask_of(const plugin::Instance &instance) { return PluginMask{1} << (env::text_hash(instance.name) % 64); }

PluginMask mask_of(const QueuedPod &pod) {
    if (pod.group) {
        PluginMask of_any = 0;
        for (const auto &member : pod.group->members) of_any |= mask_of(*member);
        return of_any;
    }
    if (pod.has_no_rejectors()) return ~PluginMask{0};
    PluginMask mask = 0;
    for (const Instances *list : {&pod.unschedulable, &pod.pending})
        for (const plugin::Instance *instance : *list) mask |= mask_of(*instance);
    return mask;
}

Hints::Hints(std::span<const plugin::Profile> profiles, NodeTables &tables, env::Log *log, const config::Rules &rules)
    : tables_(tables), log_(log) {
    use(profiles, rules);
}

void Hints::use(std::span<const plugin::Profile> profiles, const config::Rules &rules) {
    interests_.clear();
    for (const auto &profile : profiles)
        for (const auto &instance : profile.instances) {
            bool node_added = false, taint_updated = false;
            for (const auto &interest : instance->interests) {
                interests_.push_back({&profile, instance.get(), interest.resource, interest.actions, interest.has_hint,
                                      mask_of(*instance), interest.long_name});
                if (interest.resource != resource_node) continue;
                node_added |= (interest.actions & BERTH_EVENT_ADD) != 0;
                taint_updated |= (interest.actions & BERTH_EVENT_UPDATE_NODE_TAINT) != 0;
            }
            // As upstream does: a pod that waits for a new node also gets the event that one becomes usable
            // (kubernetes#109437).
            if (rules.taint_wakes_all_node_waiters && node_added && !taint_updated)
                interests_.push_back({&profile, instance.get(), resource_node, BERTH_EVENT_UPDATE_NODE_TAINT, false,
                                      mask_of(*instance)});
        }
    // Those with a gate first: none of them is passed over because somebody else has let the pod go already. Upstream
    // asks in the order of a Go map.
    std::ranges::stable_partition(interests_, [](const Interest &i) { return i.instance->pre_enqueue != nullptr; });
}

PluginMask Hints::concerned(const Event &event) const {
    if (event.wildcard()) return ~PluginMask{0};
    PluginMask mask = 0;
    std::optional<Event> room;
    for (const auto &interest : interests_)
        if (const auto *seen = seen_by(*interest.instance, event, room);
            seen && matches(interest.resource, interest.actions, *seen))
            mask |= interest.mask;
    return mask;
}

bool Hints::concerns(const plugin::Instance &instance, const Event &event) const {
    std::optional<Event> room;
    const auto *seen = seen_by(instance, event, room);
    return seen && std::any_of(interests_.begin(), interests_.end(), [&](const Interest &i) {
               return i.instance == &instance && matches(i.resource, i.actions, *seen);
           });
}

void Hints::ask(const Event &event, std::span<QueuedPod *const> pods, std::vector<Strategy> &out) {
    out.assign(pods.size(), Strategy::Skip);
    if (pods.empty()) return;
    bool all = event.wildcard() && !event.new_pod;
    for (std::size_t i = 0; i < pods.size(); ++i) {
        bool only = event.wildcard() && event.new_pod && event.new_pod->uid() == pods[i]->pod->uid();
        if (all || only || pods[i]->has_no_rejectors()) out[i] = Strategy::AfterBackoff;
    }
    if (event.wildcard()) return;
    berth_event abi{};
    std::optional<Event> room;
    for (const auto &interest : interests_) {
        const auto *seen = seen_by(*interest.instance, event, room);
        if (!seen || !matches(interest.resource, interest.actions, *seen)) continue;
        if (seen == &event && abi.struct_size == 0) abi = to_abi(event, tables_);
        auto shown = seen == &event ? abi : to_abi(*seen, tables_);
        if (!interest.long_name.empty()) shown.resource = model::to_str(interest.long_name);
        ask_one(interest, shown, pods, out);
    }
}

void Hints::ask_one(const Interest &interest, const berth_event &event, std::span<QueuedPod *const> pods,
                    std::vector<Strategy> &out) {
    const plugin::Instance &instance = *interest.instance;
    batch_.clear();
    views_.clear();
    for (std::size_t i = 0; i < pods.size(); ++i) {
        const QueuedPod &pod = *pods[i];
        // A pod that goes after its backoff can only be hurried by a pending plugin.
        bool settled = out[i] == Strategy::Immediately || (out[i] == Strategy::AfterBackoff && pod.pending.empty());
        if (settled || pod.profile != interest.profile) continue;
        if (!contains(pod.unschedulable, &instance) && !contains(pod.pending, &instance)) continue;
        batch_.push_back(i);
        views_.push_back(&pod.view);
    }
    if (batch_.empty()) return;
    hints_.assign(batch_.size(), BERTH_HINT_QUEUE);
    if (interest.has_hint && instance.events && instance.events->hint) {
        call_.reset(0, 0);
        model::Status thrown = plugin::counted(instance, plugin::CalledPoint::QueueingHint, views_.size(), [&] {
            instance.events->hint(instance.self, call_.call(), &event, views_.data(), views_.size(), hints_.data());
        });
        call_.free_scratch();
        if (!thrown.success()) {
            std::fill(hints_.begin(), hints_.end(), BERTH_HINT_QUEUE);
            if (log_) log_->write(env::Severity::Error, 0, thrown.message());
        }
    }
    for (std::size_t k = 0; k < batch_.size(); ++k) {
        if (hints_[k] == BERTH_HINT_SKIP) continue;
        std::size_t i = batch_[k];
        out[i] = contains(pods[i]->pending, &instance) ? Strategy::Immediately : Strategy::AfterBackoff;
    }
}

}  // namespace berth::queue
