// SPDX-License-Identifier: Apache-2.0
#include "verify/stand_in.h"

#include "decode/write.h"
#include "model/build.h"
#include "plugin/given.h"

namespace berth::verify {
namespace {

std::int32_t less(void *, const berth_pod *, const berth_pod *) { return 0; }
constexpr berth_plugin_queue_sort sort_table{sizeof(berth_plugin_queue_sort), 0, less, nullptr};

void bind(void *self, const berth_call *, berth_state *, const berth_pod *pod, berth_str node, berth_status *status,
          const berth_done *done) {
    model::Arena arena;
    model::ObjectBuilder root(arena), meta(arena), target(arena);
    meta.add("name", model::view(pod->name)).add("namespace", model::view(pod->namespace_));
    target.add("kind", "Node").add("name", model::view(node));
    const auto body =
        root.add("apiVersion", "v1").add("kind", "Binding").add("metadata", meta).add("target", target).value();
    env::ApiRequest request;
    request.version = "v1";
    request.resource = "pods";
    request.name_space = model::view(pod->namespace_);
    request.name = model::view(pod->name);
    request.subresource = "binding";
    request.body = decode::to_json(model::Value{&body});
    status->code = BERTH_STATUS_IN_PROGRESS;
    static_cast<env::Api *>(self)->send(std::move(request), [done](const env::ApiAnswer &answer) {
        constexpr int refused = 300;
        if (answer.http_status >= refused || answer.http_status == 0) {
            done->status->code = BERTH_STATUS_ERROR;
            plugin::behind(*done->status).set_error(model::to_str(answer.body));
        }
        plugin::behind(*done).complete(done->status);
    });
}
constexpr berth_plugin_bind bind_table{sizeof(berth_plugin_bind), 0, bind};

void fits(void *, const berth_call *call, berth_state *, const berth_pod *pod, const berth_nodes *nodes,
          const std::uint32_t *slots, std::uint64_t n, std::int32_t *code, std::uint32_t *reasons) {
    const berth_str text = model::to_str("Insufficient cpu");
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto slot = slots[i];
        const bool room = nodes->requested_cpu[slot] + pod->requests->cpu <= nodes->allocatable_cpu[slot] &&
                          nodes->pod_count[slot] < nodes->allocatable_pods[slot];
        code[i] = room ? BERTH_STATUS_SUCCESS : BERTH_STATUS_UNSCHEDULABLE;
        if (!room) reasons[i] = plugin::behind(*call).intern_reasons(&text, 1);
    }
}
constexpr berth_plugin_filter filter_table{sizeof(berth_plugin_filter), 0, fits};

plugin::Instance &add(plugin::Profile &profile, env::Api &api) {
    auto &one = *profile.instances.emplace_back(std::make_unique<plugin::Instance>());
    one.name = "host";
    one.self = &api;
    return one;
}

}  // namespace

void enable(plugin::Profile &profile, plugin::Instance &instance) {
    const auto at = [&](std::vector<plugin::Instance *> &list, const void *table) {
        if (table) list.push_back(&instance);
    };
    at(profile.pre_enqueue, instance.pre_enqueue);
    at(profile.pre_filter, instance.pre_filter);
    at(profile.filter, instance.filter);
    at(profile.post_filter, instance.post_filter);
    at(profile.pre_score, instance.pre_score);
    if (instance.score) profile.score.push_back({&instance, 1});
    at(profile.reserve, instance.reserve);
    at(profile.permit, instance.permit);
    at(profile.pre_bind, instance.pre_bind);
    at(profile.bind, instance.bind);
    at(profile.post_bind, instance.post_bind);
    if (instance.queue_sort) profile.queue_sort = &instance;
}

void complete(plugin::Profile &profile, env::Api &api) {
    auto &host = add(profile, api);
    host.queue_sort = &sort_table;
    host.bind = &bind_table;
    host.filter = &filter_table;
    host.interests = {{"AssignedPod", BERTH_EVENT_ALL, false}, {"Node", BERTH_EVENT_ALL, false}};
    if (!profile.queue_sort) profile.queue_sort = &host;
    profile.bind.push_back(&host);
    profile.filter.push_back(&host);
}

plugin::Profile stand_in_profile(const std::string &scheduler_name, env::Api &api) {
    plugin::Profile out;
    out.scheduler_name = scheduler_name;
    complete(out, api);
    return out;
}

}  // namespace berth::verify
