// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Plugins for tests: what a point shall do is written as a lambda; a point without one is not implemented.

#include "object_text.h"
#include "plugin/call.h"

#include <functional>
#include <initializer_list>
#include <optional>
#include <span>

namespace berth {

inline std::string text(berth_str s) { return std::string(model::view(s)); }

inline void answer(berth_status *status, std::int32_t code, std::string_view reason = {}) {
    status->code = code;
    berth_str one = model::to_str(reason);
    if (!reason.empty()) plugin::behind(*status).set_reasons(&one, 1);
}

inline void fail_with(berth_status *status, std::string_view error) {
    status->code = BERTH_STATUS_ERROR;
    plugin::behind(*status).set_error(model::to_str(error));
}

/// What a filter says about one node.
struct FilterSays {
    std::int32_t code = BERTH_STATUS_SUCCESS;
    std::vector<std::string> reasons{};
};

/// What PostFilter is given.
struct PostFilterCall {
    const berth_call *call;
    berth_state *state;
    const berth_pod *pod;
    const berth_nodes *nodes;
    const berth_outcome *outcome;
    berth_nomination *nomination;
    berth_status *status;
    const berth_done *done;

    void nominate(const std::string &node) const { plugin::Nomination::of(nomination)->nominate(model::to_str(node)); }
    std::int32_t victims(const std::vector<std::uint32_t> &rows, const std::string &reason = {}) const {
        return plugin::Nomination::of(nomination)->name_victims(rows.data(), rows.size(), model::to_str(reason));
    }
};

struct FakePlugin {
    using Pod = const berth_pod *;
    using Status = berth_status *;
    std::string name;
    std::function<void(Pod, Status)> pre_enqueue{};
    std::function<bool(Pod, Pod)> less{};
    std::function<std::string(Pod)> sort_key{};  ///< beside less
    std::function<std::uint8_t(const berth_event *, Pod)> hint{};
    std::function<void(const berth_nodes *, berth_restrict *, Status)> pre_filter{};
    /// AddPod and RemovePod: "add other on node", or with remove.
    std::function<void(std::string, const berth_nodes *, berth_status *)> extension{};
    std::function<FilterSays(std::string)> filter{};
    std::function<void(const berth_nodes *, const std::uint32_t *, std::uint64_t, std::int32_t *)> filter_batch{};
    std::function<void(const PostFilterCall &)> post_filter{};
    std::function<void(std::uint64_t, Status)> pre_score{};
    std::function<std::int64_t(std::string)> score{};
    std::function<void(Status)> score_status{};
    std::function<void(std::int64_t *, std::uint64_t, Status)> normalize{};
    std::uint32_t normalize_mode = BERTH_NORMALIZE_CUSTOM;
    std::function<void(std::string, Status)> reserve{};
    std::function<void(std::string)> unreserve{};
    std::function<std::uint32_t(Pod, Status)> permit{};
    std::function<std::uint32_t(Status)> preflight{};
    std::function<void(Pod, Status, const berth_done *)> pre_bind{};
    std::function<void(Pod, Status, const berth_done *)> bind{};
    std::function<void(Pod)> post_bind{};
    /// What it signs the pod with; nothing: it does not.
    std::function<std::optional<std::string>(Pod)> sign{};
    std::function<std::int32_t(const berth_nodes *, std::span<const std::uint32_t>, berth_remedy_sink *)> remedy{};
    std::function<void(const berth_pod_group *, std::uint64_t remaining, std::uint64_t scheduled, Status)>
        placement_feasible{};
    std::vector<plugin::EventInterest> interests{};
    int hint_calls = 0;
    std::int64_t weight = 1;
};

/// The tables of the ABI over a FakePlugin.
struct FakeTables {
    using C = const berth_call *;
    using S = berth_state *;
    using P = const berth_pod *;
    using N = const berth_nodes *;
    static FakePlugin &of(void *self) { return *static_cast<FakePlugin *>(self); }

    static void pre_enqueue(void *self, C, P pod, berth_status *status) { of(self).pre_enqueue(pod, status); }
    static std::int32_t less(void *self, P a, P b) { return of(self).less(a, b); }
    static std::uint64_t sort_key(void *self, P pod, std::uint8_t *key, std::uint64_t size) {
        const std::string made = of(self).sort_key(pod);
        std::copy_n(made.begin(), std::min<std::uint64_t>(size, made.size()), key);
        return made.size();
    }
    static void hint(void *self, C, const berth_event *event, P const *pods, std::uint64_t n, std::uint8_t *out) {
        ++of(self).hint_calls;
        for (std::uint64_t i = 0; i < n; ++i) out[i] = of(self).hint(event, pods[i]);
    }
    static void pre_filter(void *self, C, S, P, N nodes, berth_restrict *to, berth_status *status) {
        of(self).pre_filter(nodes, to, status);
    }
    static void filter(void *self, C call, S, P, N nodes, const std::uint32_t *slots, std::uint64_t n,
                       std::int32_t *code, std::uint32_t *reasons) {
        if (of(self).filter_batch) return of(self).filter_batch(nodes, slots, n, code);
        for (std::uint64_t i = 0; i < n; ++i) {
            FilterSays says = of(self).filter(text(nodes->name[slots[i]]));
            code[i] = says.code;
            std::vector<berth_str> texts;
            for (const auto &reason : says.reasons) texts.push_back(model::to_str(reason));
            reasons[i] = plugin::behind(*call).intern_reasons(texts.data(), texts.size());
        }
    }
    static void change(void *self, const char *what, P other, N nodes, std::uint32_t slot, berth_status *status) {
        of(self).extension(what + text(other->name) + " on " + text(nodes->name[slot]), nodes, status);
    }
    static void add_pod(void *self, C, S, P, P other, N nodes, std::uint32_t slot, berth_status *status) {
        change(self, "add ", other, nodes, slot, status);
    }
    static void remove_pod(void *self, C, S, P, P other, N nodes, std::uint32_t slot, berth_status *status) {
        change(self, "remove ", other, nodes, slot, status);
    }
    static void post_filter(void *self, C call, S state, P pod, N nodes, const berth_outcome *outcome,
                            berth_nomination *nomination, berth_status *status, const berth_done *done) {
        of(self).post_filter({call, state, pod, nodes, outcome, nomination, status, done});
    }
    static void pre_score(void *self, C, S, P, N, const std::uint32_t *, std::uint64_t n, berth_status *status) {
        of(self).pre_score(n, status);
    }
    static void score(void *self, C, S, P, N nodes, const std::uint32_t *slots, std::uint64_t n, std::int64_t *out,
                      berth_status *status) {
        if (of(self).score_status) return of(self).score_status(status);
        for (std::uint64_t i = 0; i < n; ++i) out[i] = of(self).score(text(nodes->name[slots[i]]));
    }
    static void normalize(void *self, C, S, P, N, const std::uint32_t *, std::uint64_t n, std::int64_t *inout,
                          berth_status *status) {
        of(self).normalize(inout, n, status);
    }
    static void reserve(void *self, C, S, P, N, std::uint32_t, berth_str node, berth_status *status) {
        if (of(self).reserve) of(self).reserve(text(node), status);
    }
    static void unreserve(void *self, C, S, P, berth_str node) {
        if (of(self).unreserve) of(self).unreserve(text(node));
    }
    static void permit(void *self, C, S, P pod, N, std::uint32_t, berth_str, std::int64_t *timeout_ns,
                       berth_status *status) {
        *timeout_ns = of(self).permit(pod, status) * std::int64_t{1'000'000};
    }
    static void preflight(void *self, C, S, P, berth_str, std::uint32_t *parallel, berth_status *status) {
        *parallel = of(self).preflight(status);
    }
    static void pre_bind(void *self, C, S, P pod, berth_str, berth_status *status, const berth_done *done) {
        of(self).pre_bind(pod, status, done);
    }
    static void bind(void *self, C, S, P pod, berth_str, berth_status *status, const berth_done *done) {
        of(self).bind(pod, status, done);
    }
    static void post_bind(void *self, C, S, P pod, berth_str) { of(self).post_bind(pod); }

    static std::int32_t sign(void *self, P pod, N, berth_text_sink *out) {
        auto signature = of(self).sign(pod);
        plugin::TextSink::of(out)->write(model::to_str(signature.value_or("half of it")));
        return signature ? BERTH_STATUS_SUCCESS : BERTH_STATUS_UNSUPPORTED;
    }
    static std::int32_t remedy(void *self, C, S, P, N nodes, const std::uint32_t *slots, std::uint64_t n,
                               berth_remedy_sink *out) {
        return of(self).remedy(nodes, {slots, n}, out);
    }
    static void placement_feasible(void *self, C, const berth_pod_group *group, std::uint64_t remaining,
                                   std::uint64_t scheduled, berth_status *status) {
        of(self).placement_feasible(group, remaining, scheduled, status);
    }

    static constexpr berth_plugin_pre_enqueue pre_enqueue_table{sizeof(berth_plugin_pre_enqueue), 0, pre_enqueue};
    static constexpr berth_plugin_queue_sort queue_sort_tables[]{{sizeof(berth_plugin_queue_sort), 0, less, nullptr},
                                                                 {sizeof(berth_plugin_queue_sort), 0, less, sort_key}};
    static constexpr berth_plugin_events events_table{sizeof(berth_plugin_events), 0, nullptr, hint};
    static constexpr berth_plugin_pre_filter pre_filter_table{sizeof(berth_plugin_pre_filter), 0, pre_filter};
    static constexpr berth_plugin_pre_filter_ext extension_table{sizeof(berth_plugin_pre_filter_ext), 0, add_pod,
                                                                 remove_pod};
    static constexpr berth_plugin_post_filter post_filter_table{sizeof(berth_plugin_post_filter), 0, post_filter};
    static constexpr berth_plugin_filter filter_table{sizeof(berth_plugin_filter), 0, filter};
    static constexpr berth_plugin_pre_score pre_score_table{sizeof(berth_plugin_pre_score), 0, pre_score};
    static constexpr berth_plugin_score score_table{sizeof(berth_plugin_score), 0, score};
    static constexpr berth_plugin_normalize normalize_tables[]{
        {sizeof(berth_plugin_normalize), 0, BERTH_NORMALIZE_CUSTOM, 0, normalize},
        {sizeof(berth_plugin_normalize), 0, BERTH_NORMALIZE_DEFAULT, 0, nullptr},
        {sizeof(berth_plugin_normalize), 0, BERTH_NORMALIZE_REVERSE, 0, nullptr}};
    static constexpr berth_plugin_reserve reserve_table{sizeof(berth_plugin_reserve), 0, reserve, unreserve};
    static constexpr berth_plugin_permit permit_table{sizeof(berth_plugin_permit), 0, permit};
    static constexpr berth_plugin_pre_bind pre_bind_table{sizeof(berth_plugin_pre_bind), 0, nullptr, pre_bind};
    static constexpr berth_plugin_pre_bind pre_bind_preflight_table{sizeof(berth_plugin_pre_bind), 0, preflight,
                                                                    pre_bind};
    static constexpr berth_plugin_bind bind_table{sizeof(berth_plugin_bind), 0, bind};
    static constexpr berth_plugin_post_bind post_bind_table{sizeof(berth_plugin_post_bind), 0, post_bind};
    static constexpr berth_plugin_sign sign_table{sizeof(berth_plugin_sign), 0, sign};
    static constexpr berth_plugin_remedy remedy_table{sizeof(berth_plugin_remedy), 0, remedy};
    static constexpr berth_plugin_placement_feasible feasible_table{sizeof(berth_plugin_placement_feasible), 0,
                                                                    placement_feasible};
};

/// A profile of these plugins, each at every point it implements, in this order. They outlive it.
inline plugin::Profile fake_profile(std::initializer_list<FakePlugin *> fakes,
                                    std::string scheduler_name = "default-scheduler") {
    using T = FakeTables;
    plugin::Profile profile;
    profile.scheduler_name = std::move(scheduler_name);
    for (FakePlugin *fake : fakes) {
        plugin::Instance &i = *profile.instances.emplace_back(std::make_unique<plugin::Instance>());
        i.name = fake->name;
        i.self = fake;
        i.interests = fake->interests;
        auto at = [&i](auto &list, const auto *&slot, const auto &table) {
            slot = &table;
            list.push_back(&i);
        };
        if (fake->pre_enqueue) at(profile.pre_enqueue, i.pre_enqueue, T::pre_enqueue_table);
        if (fake->less) i.queue_sort = &T::queue_sort_tables[fake->sort_key ? 1 : 0], profile.queue_sort = &i;
        if (fake->hint) i.events = &T::events_table;
        if (fake->pre_filter) at(profile.pre_filter, i.pre_filter, T::pre_filter_table);
        if (fake->extension) i.pre_filter_ext = &T::extension_table;
        if (fake->post_filter) at(profile.post_filter, i.post_filter, T::post_filter_table);
        if (fake->filter || fake->filter_batch) at(profile.filter, i.filter, T::filter_table);
        if (fake->pre_score) at(profile.pre_score, i.pre_score, T::pre_score_table);
        if (fake->score || fake->score_status) i.score = &T::score_table, profile.score.push_back({&i, fake->weight});
        if (fake->normalize || fake->normalize_mode) i.normalize = &T::normalize_tables[fake->normalize_mode];
        if (fake->reserve || fake->unreserve) at(profile.reserve, i.reserve, T::reserve_table);
        if (fake->permit) at(profile.permit, i.permit, T::permit_table);
        if (fake->pre_bind && !fake->preflight) at(profile.pre_bind, i.pre_bind, T::pre_bind_table);
        if (fake->pre_bind && fake->preflight) at(profile.pre_bind, i.pre_bind, T::pre_bind_preflight_table);
        if (fake->bind) at(profile.bind, i.bind, T::bind_table);
        if (fake->post_bind) at(profile.post_bind, i.post_bind, T::post_bind_table);
        if (fake->sign) i.sign = &T::sign_table;
        if (fake->remedy) i.remedy = &T::remedy_table;
        if (fake->placement_feasible) at(profile.placement_feasible, i.placement_feasible, T::feasible_table);
    }
    return profile;
}

inline model::PodPtr plain_pod(const std::string &name, const std::string &more_meta = {},
                               const std::string &more = {}) {
    return pod_of("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: default, uid: uid-" + name +
                  more_meta + "}\n" + (more.empty() ? "spec: {containers: [{name: c, image: i}]}" : more));
}

inline model::NodePtr plain_node(const std::string &name, const std::string &more = {}) {
    return node_of("apiVersion: v1\nkind: Node\nmetadata: {name: " + name + more +
                   "}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}");
}

}  // namespace berth
