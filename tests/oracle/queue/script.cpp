// SPDX-License-Identifier: Apache-2.0
#include "script.h"

#include "plugin/given.h"
#include "queue/event.h"

#include <berth/sort_key.hpp>

#include <cstring>
#include <iostream>

namespace queue_play {

namespace {

using namespace berth;

using Call = const berth_call *;
using Pod = const berth_pod *;

const Scripted &of(void *self) { return *static_cast<const Scripted *>(self); }

std::string key_of(Pod pod) {
    return std::string(model::view(pod->namespace_)) + "/" + std::string(model::view(pod->name));
}

void pre_enqueue(void *self, Call, Pod pod, berth_status *status) {
    auto gate = of(self).answers->gates.find(key_of(pod));
    if (gate == of(self).answers->gates.end() || gate->second.plugin != of(self).name) return;
    status->code = gate->second.code;
    berth_str reason = model::to_str("held back");
    if (gate->second.code == BERTH_STATUS_ERROR) plugin::behind(*status).set_error(reason);
    else plugin::behind(*status).set_reasons(&reason, 1);
}

/// Does the name of the event's object, the new one first, end in an odd digit?
bool odd(const berth_event &event) {
    berth_str name{};
    if (event.old_pod) name = event.old_pod->name;
    if (event.old_node) name = event.old_node->name[0];
    if (event.new_pod) name = event.new_pod->name;
    if (event.new_node) name = event.new_node->name[0];
    return name.len > 0 && (name.ptr[name.len - 1] - '0') % 2 == 1;
}

void hint(void *self, Call, const berth_event *event, Pod const *pods, std::uint64_t n, std::uint8_t *out) {
    for (std::uint64_t i = 0; i < n; ++i) {
        auto says = of(self).answers->hints.find({of(self).name, key_of(pods[i])});
        if (says == of(self).answers->hints.end()) continue;
        if (says->second == "Skip" || (says->second == "Odd" && !odd(*event))) out[i] = BERTH_HINT_SKIP;
        if (says->second == "Error") out[i] = BERTH_HINT_ERROR;
    }
}

// PrioritySort.
std::int32_t less(void *, Pod a, Pod b) {
    return a->priority != b->priority ? a->priority > b->priority : a->queued_time_ns < b->queued_time_ns;
}
std::uint64_t sort_key(void *, Pod pod, std::uint8_t *key, std::uint64_t size) {
    return berth::SortKey({key, size}).descending(pod->priority).ascending(pod->queued_time_ns).size();
}

constexpr berth_plugin_pre_enqueue pre_enqueue_table{sizeof(berth_plugin_pre_enqueue), 0, pre_enqueue};
constexpr berth_plugin_events events_table{sizeof(berth_plugin_events), 0, nullptr, hint};
constexpr berth_plugin_queue_sort sort_tables[]{{sizeof(berth_plugin_queue_sort), 0, less, nullptr},
                                                {sizeof(berth_plugin_queue_sort), 0, less, sort_key}};

void fault(Value, const std::string &path, const std::string &text) {
    std::cerr << "a script's object is wrong: " << path << ": " << text << '\n';
    std::exit(2);
}

/// A tree of its own, as a watch would hand it over.
model::TreePtr own_tree(Value object) {
    auto tree = std::make_shared<model::Tree>();
    tree->root = model::copy(tree->arena, object);
    return tree;
}

std::uint64_t action_called(std::string_view name) {
    auto is = [&](std::uint64_t action) { return queue::action_names(action) == std::vector{name}; };
    for (std::uint64_t many : {BERTH_EVENT_ALL, BERTH_EVENT_UPDATE})
        if (is(many)) return many;
    for (std::uint64_t bit = 1; bit != 0; bit <<= 1)
        if (is(bit)) return bit;
    std::cerr << "a script names an action that is none: " << name << '\n';
    std::exit(2);
}

plugin::Instance &add_instance(plugin::Profile &profile, std::vector<std::unique_ptr<Scripted>> &plugins,
                               std::string name, const Answers &answers) {
    plugin::Instance &instance = *profile.instances.emplace_back(std::make_unique<plugin::Instance>());
    instance.name = name;
    plugins.push_back(std::make_unique<Scripted>(Scripted{std::move(name), &answers}));
    instance.self = plugins.back().get();
    return instance;
}

}  // namespace

std::int64_t number(Value value) { return value.integer().value_or(0); }

std::uint64_t actions(Value value) {
    std::uint64_t set = 0;
    for (std::size_t i = 0; i < value.size(); ++i) set |= action_called(value.at(i).string());
    return set;
}

void Answers::set(Value answer) {
    hints[{std::string(answer["plugin"].string()), std::string(answer["pod"].string())}] = answer["says"].string();
}

std::vector<plugin::Profile> make_profiles(Value script, const Answers &answers,
                                           std::vector<std::unique_ptr<Scripted>> &plugins) {
    std::vector<plugin::Profile> profiles;
    for (std::size_t i = 0; i < script["profiles"].size(); ++i) {
        Value wanted = script["profiles"].at(i);
        plugin::Profile &profile = profiles.emplace_back();
        profile.scheduler_name = wanted["name"].string();
        plugin::Instance &sort = add_instance(profile, plugins, "Sort", answers);
        sort.queue_sort = &sort_tables[answers.sort_key ? 1 : 0];
        profile.queue_sort = &sort;
        for (std::size_t k = 0; k < wanted["plugins"].size(); ++k) {
            std::string name(wanted["plugins"].at(k).string());
            plugin::Instance &instance = add_instance(profile, plugins, name, answers);
            instance.events = &events_table;
            for (std::size_t m = 0; m < script["plugins"].size(); ++m) {
                Value described = script["plugins"].at(m);
                if (described["name"].string() != name) continue;
                if (described["gate"].is_true()) {
                    instance.pre_enqueue = &pre_enqueue_table;
                    profile.pre_enqueue.push_back(&instance);
                }
                for (std::size_t e = 0; e < described["events"].size(); ++e) {
                    Value interest = described["events"].at(e);
                    instance.interests.push_back({std::string(interest["resource"].string()),
                                                  actions(interest["actions"]), interest["hint"].is_true()});
                }
            }
        }
    }
    return profiles;
}

model::PodPtr pod_of(Value object) { return object ? model::read_pod(own_tree(object), fault) : nullptr; }
model::NodePtr node_of(Value object) { return object ? model::read_node(own_tree(object), fault) : nullptr; }

}  // namespace queue_play
