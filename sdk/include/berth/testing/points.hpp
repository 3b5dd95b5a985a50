// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The longer functions of berth::testing::Plugin.

#include <berth/testing/plugin.hpp>

namespace berth::testing {

inline void Plugin::create(std::string_view args_yaml) {
    Trees trees;
    auto documents = Yaml::read(trees, args_yaml);
    const berth_value *args = documents.empty() ? trees.root(trees.map({})) : documents.front();
    std::string text = json(Value{args});
    berth_create_info info{};
    info.struct_size = sizeof info;
    info.profile = BERTH_STR("default-scheduler"), info.plugin_name = plugin_.name;
    info.args_api_version = BERTH_STR("kubescheduler.config.k8s.io/v1");
    if (plugin_.default_args) {
        TextSlot defaulted;
        ErrorSlot faults;
        plugin_.default_args(host.raw(), &info, args, defaulted.handle(), faults.handle());
        if (!(*faults).empty()) throw std::runtime_error(*faults);
        text = *defaulted;
        args = Yaml::read(trees, text).front();  // JSON is YAML in one line
    }
    info.args = to_str(text), info.args_value = args;
    Answer answer;
    StatusSlot status(answer);
    std::optional<ChangesQueue> changing(std::in_place, host);
    plugin_.create(host.raw(), &info, &self_, status.raw());
    status.take();
    if (!answer.ok()) {
        self_ = nullptr;
        throw std::runtime_error(answer.text());
    }
    if (plugin_.declare) {
        plugin_.declare(self_, host.declare_sink(), status.raw());
        status.take();
        const auto fault = answer.ok() ? host.declare_fault() : answer.text();
        if (!answer.ok() || !fault.empty()) {
            if (plugin_.destroy) plugin_.destroy(std::exchange(self_, nullptr));
            throw std::runtime_error("declare: " + fault);
        }
    }
    host.self = self_;
    host.prepare = static_cast<const berth_plugin_prepare *>(plugin_.get_interface(BERTH_STR(BERTH_PLUGIN_PREPARE_V1)));
    changing.reset();
    host.begin();
}

inline Answer Plugin::post_filter(std::string_view pod, std::int32_t code) {
    const OutcomeSlot outcome(cluster.nodes(), code);
    Nominated nominated{cluster.nodes()->pods};
    auto out = answered_later(pod, [&](auto &call, auto *status, auto *done) {
        table<berth_plugin_post_filter>(BERTH_PLUGIN_POST_FILTER_V1)
            .post_filter(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), outcome.raw(),
                         nominated.handle(), status, done);
    });
    if (out.code() == BERTH_STATUS_IN_PROGRESS)
        throw std::runtime_error("post_filter did not end at once: only what takes no time can be tested here");
    out.nominated = std::move(nominated.node);
    out.victims = std::move(nominated.victims);
    out.victims_reason = std::move(nominated.victims_reason);
    return out;
}

inline std::vector<Remedy> Plugin::remedies(std::string_view pod, std::string_view node) {
    RemedySlot out;
    const Tries tries(host, pod);
    CallSlot call(++cycles_);
    const std::uint32_t slot = cluster.slot(node);
    const auto code =
        table<berth_plugin_remedy>(BERTH_PLUGIN_REMEDY_DRAFT1)
            .remedy(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), &slot, 1, out.handle());
    return code == BERTH_STATUS_SUCCESS ? *out : std::vector<Remedy>{};
}

inline std::map<std::string, std::int64_t> Plugin::scores(std::string_view pod) {
    const auto *nodes = cluster.nodes();
    std::vector<std::uint32_t> slots(nodes->order, nodes->order + nodes->count);
    auto all = raw_scores(pod, slots);
    const auto *normalize =
        static_cast<const berth_plugin_normalize *>(plugin_.get_interface(BERTH_STR(BERTH_PLUGIN_NORMALIZE_V1)));
    if (normalize && normalize->mode == BERTH_NORMALIZE_CUSTOM) {
        auto answer = answered(pod, [&](auto &call, auto *status) {
            normalize->normalize(self_, call.raw(), state(pod), cluster.pod(pod), nodes, slots.data(), slots.size(),
                                 all.data(), status);
        });
        if (!answer.ok()) throw std::runtime_error("normalize: " + answer.text());
    } else if (normalize) {
        const bool reverse = normalize->mode == BERTH_NORMALIZE_REVERSE;
        const auto most = all.empty() ? 0 : *std::ranges::max_element(all);
        for (auto &score : all) {
            if (most > 0) score = score * BERTH_SCORE_MAX / most;
            if (reverse) score = BERTH_SCORE_MAX - score;
        }
    }
    std::map<std::string, std::int64_t> out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i] < BERTH_SCORE_MIN || all[i] > BERTH_SCORE_MAX)
            throw std::runtime_error("the score " + std::to_string(all[i]) + " is not in 0 to 100");
        out[std::string(view(nodes->name[slots[i]]))] = all[i];
    }
    return out;
}

inline std::vector<std::string> Plugin::wakes() const {
    EventSlot out;
    Answer answer;
    StatusSlot status(answer);
    table<berth_plugin_events>(BERTH_PLUGIN_EVENTS_V1).events(self_, out.handle(), status.raw());
    status.take();
    if (!answer.ok()) throw std::runtime_error("events: " + answer.text());
    return *out;
}

/// As the plugin registered events of a kind that it watches; else, as a host names it.
inline std::string Plugin::event_resource(std::string_view kind, const StoredObject &object) const {
    const auto [group, version, resource] = kind_of(kind);
    std::string short_name = object.kind, long_name(resource);
    if (!group.empty()) short_name.insert(0, "/").insert(0, group);
    long_name.append(".").append(version);
    if (!group.empty()) long_name.append(".").append(group);
    for (const auto &line : wakes())
        for (const auto *name : {&short_name, &long_name})
            if (line.starts_with(*name + " ")) return *name;
    return cluster.is_custom(object) ? long_name : short_name;
}

inline std::uint8_t Plugin::hint(std::string_view pod, std::uint64_t action, std::string_view before_yaml,
                                 std::string_view after_yaml) {
    // A plugin may keep what it is shown.
    auto &before = *hinted_.emplace_back(std::make_unique<Cluster>());
    auto &after = *hinted_.emplace_back(std::make_unique<Cluster>());
    before.follow(cluster);
    before.add(before_yaml);
    after.follow(before);
    after.add(after_yaml);
    std::string resource;
    berth_event event{};
    event.struct_size = sizeof event;
    event.action = action;
    event.node_slot = BERTH_NO_SLOT;
    Trees trees;
    auto documents = Yaml::read(trees, after_yaml.empty() ? before_yaml : after_yaml);
    if (documents.empty()) throw std::runtime_error("hint: an event needs an object, before or after it");
    StoredObject object{Value{documents.front()}};
    if (object.kind == "Node") {
        event.resource = BERTH_STR("Node");
        event.old_node = before_yaml.empty() ? nullptr : before.nodes();
        event.new_node = after_yaml.empty() ? nullptr : after.nodes();
    } else if (object.kind == "Pod") {
        event.old_pod = before_yaml.empty() ? nullptr : before.pod(object.key());
        event.new_pod = after_yaml.empty() ? nullptr : after.pod(object.key());
        const auto &either = event.new_pod ? *event.new_pod : *event.old_pod;
        event.resource = either.node_name.len ? BERTH_STR("AssignedPod") : BERTH_STR("Pod");
    } else {
        const auto kind = host.watched_kind(object);
        if (kind.empty()) throw std::runtime_error("hint: the plugin does not watch a " + object.kind);
        const auto shown = [&](const Cluster &of) {
            return of.others().empty() || !host.sees(kind, *of.others().front()) ? nullptr
                                                                                 : of.others().front()->handle();
        };
        event.old_object = shown(before), event.new_object = shown(after);
        if (!event.old_object && !event.new_object) return BERTH_HINT_SKIP;
        if (!event.old_object && !before_yaml.empty()) event.action = BERTH_EVENT_ADD;
        if (!event.new_object && !after_yaml.empty()) event.action = BERTH_EVENT_DELETE;
        resource = event_resource(kind, object);
        event.resource = to_str(resource);
    }
    const ChangesQueue changing(host);
    CallSlot call(++cycles_);
    const berth_pod queued = host.queued_pod(pod), *asked = &queued;
    std::uint8_t out = BERTH_HINT_QUEUE;
    const auto &t = table<berth_plugin_events>(BERTH_PLUGIN_EVENTS_V1);
    if (t.hint) t.hint(self_, call.raw(), &event, &asked, 1, &out);
    return out;
}

}  // namespace berth::testing
