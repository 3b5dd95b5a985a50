// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The longer functions of berth::testing::Plugin.

#include <berth/testing/plugin.hpp>

namespace berth::testing {

inline void Plugin::create(std::string_view args_yaml) {
    Trees trees;
    auto documents = Yaml::read(trees, args_yaml);
    const berth_value *args = documents.empty() ? trees.root(trees.map({})) : documents.front();
    std::string text = json(Value{args}), errors;
    berth_create_info info{};
    info.struct_size = sizeof info;
    info.profile = BERTH_STR("default-scheduler"), info.plugin_name = plugin_.name;
    info.args_api_version = BERTH_STR("kubescheduler.config.k8s.io/v1");
    if (plugin_.default_args) {
        std::string defaulted;
        berth_text_sink out{sizeof out, 0, &defaulted,
                            [](void *ctx, berth_str s) { static_cast<std::string *>(ctx)->append(view(s)); }};
        berth_error_sink faults{sizeof faults, 0, &errors, [](void *ctx, berth_str path, berth_str s) {
                                    auto &to = *static_cast<std::string *>(ctx);
                                    to += (to.empty() ? "" : "; ") + std::string(view(path)) + ": " +
                                          std::string(view(s));
                                }};
        plugin_.default_args(&info, args, &out, &faults);
        if (!errors.empty()) throw std::runtime_error(errors);
        text = defaulted;
        args = Yaml::read(trees, text).front();  // JSON is YAML in one line
    }
    info.args = to_str(text), info.args_value = args;
    Answer answer;
    StatusSlot status(answer);
    plugin_.create(host.raw(), &info, status.raw(), &self_);
    status.take();
    if (!answer.ok()) {
        self_ = nullptr;
        throw std::runtime_error(answer.text());
    }
    auto declared = host.declare_sink();
    if (plugin_.declare) plugin_.declare(self_, &declared);
    host.self = self_;
    host.prepare = static_cast<const berth_prepare *>(plugin_.get_interface(BERTH_STR(BERTH_PREPARE_V1)));
}

inline Answer Plugin::post_filter(std::string_view pod, std::int32_t code) {
    struct All {
        const berth_nodes *nodes;
        std::vector<std::int32_t> codes;
    } all{cluster.nodes(), std::vector<std::int32_t>(cluster.nodes()->slots, code)};
    berth_outcome outcome{};
    outcome.struct_size = sizeof outcome;
    outcome.ctx = &all;
    outcome.code = all.codes.data();
    outcome.absent_code = BERTH_UNSCHEDULABLE_AND_UNRESOLVABLE;
    outcome.reasons = [](const berth_outcome *, std::uint32_t, const berth_str **) { return std::uint64_t{0}; };
    outcome.plugin = [](const berth_outcome *, std::uint32_t) { return BERTH_STR("Filter"); };
    outcome.slots_with = [](const berth_outcome *o, std::int32_t wanted, const std::uint32_t **slots) {
        const auto &of = *static_cast<All *>(o->ctx);
        *slots = of.nodes->order;
        return !of.codes.empty() && of.codes[0] == wanted ? std::uint64_t{of.nodes->count} : std::uint64_t{0};
    };
    std::optional<std::string> nominated;
    berth_nomination nomination{sizeof nomination, 0, &nominated, [](void *ctx, berth_str node) {
                                    *static_cast<std::optional<std::string> *>(ctx) = std::string(view(node));
                                }};
    auto out = answered_later([&](auto &call, auto *status, auto *done) {
        table<berth_post_filter>(BERTH_POST_FILTER_V1)
            .post_filter(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), &outcome, &nomination,
                         status, done);
    });
    if (out.code() == BERTH_IN_PROGRESS)
        throw std::runtime_error("post_filter did not end at once: only what takes no time can be tested here");
    out.nominated = std::move(nominated);
    return out;
}

inline std::vector<Remedy> Plugin::remedies(std::string_view pod, std::string_view node) {
    std::vector<Remedy> out;
    const berth_remedy_sink sink{sizeof sink, 0, &out,
                                 [](void *ctx, std::uint64_t, const berth_change *changes, std::uint64_t n) {
                                     auto &remedy = static_cast<std::vector<Remedy> *>(ctx)->emplace_back();
                                     for (std::uint64_t i = 0; i < n; ++i) remedy.emplace_back(changes[i]);
                                 }};
    CallSlot call(++cycles_);
    const std::uint32_t slot = cluster.slot(node);
    const auto code = table<berth_remedy>(BERTH_REMEDY_V1)
                          .remedy(self_, call.raw(), state(pod), cluster.pod(pod), cluster.nodes(), &slot, 1, &sink);
    return code == BERTH_SUCCESS ? out : std::vector<Remedy>{};
}

inline std::map<std::string, std::int64_t> Plugin::scores(std::string_view pod) {
    const auto *nodes = cluster.nodes();
    std::vector<std::uint32_t> slots(nodes->order, nodes->order + nodes->count);
    auto all = raw_scores(pod, slots);
    const auto *normalize = static_cast<const berth_normalize *>(plugin_.get_interface(BERTH_STR(BERTH_NORMALIZE_V1)));
    if (normalize && normalize->mode == BERTH_NORMALIZE_CUSTOM) {
        auto answer = answered([&](auto &call, auto *status) {
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
    std::vector<std::string> out;
    berth_event_sink sink{
        sizeof sink, 0, &out, [](void *ctx, berth_str resource, std::uint64_t actions, std::uint32_t hinted) {
            char hex[17];
            std::snprintf(hex, sizeof hex, "%llx", static_cast<unsigned long long>(actions));
            static_cast<std::vector<std::string> *>(ctx)->push_back(std::string(view(resource)) + " 0x" + hex +
                                                                    (hinted ? " hinted" : ""));
        }};
    table<berth_events>(BERTH_EVENTS_V1).events(self_, &sink);
    return out;
}

inline std::uint8_t Plugin::hint(std::string_view pod, std::uint64_t action, std::string_view before_yaml,
                                 std::string_view after_yaml) {
    Cluster before(before_yaml), after(after_yaml);
    before.columns = after.columns = cluster.columns;
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
        throw std::runtime_error("hint: expected a Node or a Pod, found a " + object.kind);
    }
    CallSlot call(++cycles_);
    const berth_pod *asked = cluster.pod(pod);
    std::uint8_t out = BERTH_HINT_QUEUE;
    const auto &t = table<berth_events>(BERTH_EVENTS_V1);
    if (t.hint) t.hint(self_, call.raw(), &event, &asked, 1, &out);
    return out;
}

}  // namespace berth::testing
