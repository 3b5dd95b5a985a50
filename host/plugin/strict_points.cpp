// SPDX-License-Identifier: Apache-2.0
// The points up to the choice of a node, under the strict layer, and the tables of all points.
#include "plugin/strict_points.h"

#include "plugin/profile.h"
#include "plugin/remedy_fault.h"

#include <algorithm>

namespace berth::plugin {
namespace {

void pre_enqueue(void *self, const berth_call *call, const berth_pod *pod, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "PreEnqueue", Tag::Loop, pod);
    strict.own<berth_plugin_pre_enqueue>(Interface::PreEnqueue)
        .pre_enqueue(strict.self(), one.proxied(call), one.proxied(pod), one.proxied(status));
    one.end(status);
}

bool ask_less(Call &one, Strict &strict, const berth_pod *a, const berth_pod *b) {
    return strict.own<berth_plugin_queue_sort>(Interface::QueueSort)
               .less(strict.self(), one.proxied(a), one.proxied(b)) > 0;
}

std::int32_t less(void *self, const berth_pod *a, const berth_pod *b) {
    Strict &strict = Strict::of(self);
    Call one(strict, "QueueSort", Tag::Loop, a);
    bool before = ask_less(one, strict, a, b);
    if (before && ask_less(one, strict, b, a))
        strict.violated("puts it before pod " + quoted_name(*b) + " and behind it", &one.proxy());
    if (ask_less(one, strict, a, a)) strict.violated("puts it before itself", &one.proxy());
    one.end();
    return before;
}

std::uint64_t sort_key(void *self, const berth_pod *pod, std::uint8_t *key, std::uint64_t size) {
    Strict &strict = Strict::of(self);
    Call one(strict, "QueueSort", Tag::Loop, pod);
    auto *view = one.proxy().memory.guarded_out(key, size, "key[]");
    const auto length =
        strict.own<berth_plugin_queue_sort>(Interface::QueueSort).sort_key(strict.self(), one.proxied(pod), view, size);
    std::copy_n(view, size, key);
    // The whole key is compared, when there is room for it.
    if (length == 0 || (length > size && size < BERTH_SORT_KEY_MAX)) {
        one.end();
        return length;
    }
    const std::vector<std::uint8_t> whole(key, key + std::min(length, size));
    auto own_less = [&](const berth_pod &a, const berth_pod &b) { return ask_less(one, strict, &a, &b); };
    for (const auto &other : strict.sort_order.contradictions(*pod, whole, own_less))
        strict.violated("orders it and pod " + other + " by sort_key in another way than by less", &one.proxy());
    strict.sort_order.remember(*pod, whole);
    one.end();
    return length;
}

void hint(void *self, const berth_call *call, const berth_event *event, const berth_pod *const *pods, std::uint64_t n,
          std::uint8_t *out) {
    Strict &strict = Strict::of(self);
    Call one(strict, "QueueingHint", Tag::Loop, n == 1 ? pods[0] : nullptr);
    berth_event view = *event;
    view.resource = one.proxied(event->resource);
    view.old_pod = one.proxied(event->old_pod);
    view.new_pod = one.proxied(event->new_pod);
    view.old_node = one.proxied(event->old_node);
    view.new_node = one.proxied(event->new_node);
    for (const auto *object : {event->old_object, event->new_object})
        if (object) one.proxy().show(object);
    auto &memory = one.proxy().memory;
    std::vector<const berth_pod *> views;
    for (std::uint64_t i = 0; i < n; ++i) views.push_back(one.proxied(pods[i]));
    auto *hints = memory.guarded_out(out, n, "out[]");
    strict.own<berth_plugin_events>(Interface::Events)
        .hint(strict.self(), one.proxied(call), memory.guarded_in(&view, 1, "the event"),
              memory.guarded_in(views.data(), n, "pods[]"), n, hints);
    std::copy_n(hints, n, out);
    for (std::uint64_t i = 0; i < n; ++i)
        if (out[i] > BERTH_HINT_ERROR)
            strict.violated("answered " + std::to_string(out[i]) + " for pod " + quoted_name(*pods[i]) +
                                ", which is none of skip, queue and error (0 to 2)",
                            &one.proxy());
    // After a violation, the plugin's pods are woken.
    if (!one.end().empty()) std::fill_n(out, n, static_cast<std::uint8_t>(BERTH_HINT_QUEUE));
}

void pre_filter(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
                berth_restrict *restrict_to, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "PreFilter", Tag::Loop, pod);
    auto *view = one.proxied(status);
    strict.own<berth_plugin_pre_filter>(Interface::PreFilter)
        .pre_filter(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(nodes),
                    one.proxied(restrict_to), view);
    if (view->code == BERTH_STATUS_SKIP && one.proxy().limited())
        strict.violated("narrowed the nodes and answered Skip", &one.proxy());
    one.end(status);
}

std::int32_t sign(void *self, const berth_pod *pod, const berth_nodes *nodes, berth_text_sink *out) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Sign", Tag::Loop, pod);
    const auto code =
        strict.own<berth_plugin_sign>(Interface::Sign).sign(strict.self(), one.proxied(pod), one.proxied(nodes), out);
    // The answers of one that cannot be trusted are not for others.
    return one.end().empty() ? code : BERTH_STATUS_ERROR;
}

/// A remedy sink that names the plugin for what a host would ignore.
class CheckedRemedies final : public RemedySink {
    Strict &strict_;
    CallProxy &proxy_;
    RemedySink &real_;
    std::uint64_t slots_;

public:
    CheckedRemedies(Strict &strict, CallProxy &proxy, RemedySink &real, std::uint64_t slots)
        : strict_(strict), proxy_(proxy), real_(real), slots_(slots) {}
    void add(std::uint64_t i, const berth_change *changes, std::uint64_t n) override {
        if (!strict_.may_use(proxy_, "the remedy sink")) return;
        if (i >= slots_)
            return strict_.violated("added a remedy for place " + std::to_string(i) + " of " + std::to_string(slots_),
                                    &proxy_);
        if (auto fault = fault_of_remedy(changes, n)) return strict_.violated(*fault, &proxy_);
        real_.add(i, changes, n);
    }
};

std::int32_t remedy(void *self, const berth_call *call, berth_state *state, const berth_pod *pod,
                    const berth_nodes *nodes, const std::uint32_t *slots, std::uint64_t n, berth_remedy_sink *out) {
    Strict &strict = Strict::of(self);
    Call one(strict, "Remedy", Tag::Loop, pod);
    CheckedRemedies checked(strict, one.proxy(), *RemedySink::of(out), n);
    const auto code =
        strict.own<berth_plugin_remedy>(Interface::Remedy)
            .remedy(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(nodes),
                    one.proxy().memory.guarded_in(slots, n, "slots[]"), n, checked.handle());
    return one.end().empty() ? code : BERTH_STATUS_ERROR;
}

void pre_score(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
               const std::uint32_t *slots, std::uint64_t n, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "PreScore", Tag::Loop, pod);
    strict.own<berth_plugin_pre_score>(Interface::PreScore)
        .pre_score(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(nodes),
                   one.proxy().memory.guarded_in(slots, n, "slots[]"), n, one.proxied(status));
    one.end(status);
}

void normalize(void *self, const berth_call *call, berth_state *state, const berth_pod *pod, const berth_nodes *nodes,
               const std::uint32_t *slots, std::uint64_t n, std::int64_t *inout, berth_status *status) {
    Strict &strict = Strict::of(self);
    Call one(strict, "NormalizeScore", Tag::Loop, pod);
    auto *scores = one.proxy().memory.guarded_out(inout, n, "inout[]");
    strict.own<berth_plugin_normalize>(Interface::Normalize)
        .normalize(strict.self(), one.proxied(call), one.proxied(state), one.proxied(pod), one.proxied(nodes),
                   one.proxy().memory.guarded_in(slots, n, "slots[]"), n, scores, one.proxied(status));
    std::copy_n(scores, n, inout);
    one.end(status);
}

constexpr berth_plugin_pre_enqueue pre_enqueue_table{sizeof(berth_plugin_pre_enqueue), 0, pre_enqueue};
constexpr berth_plugin_queue_sort less_table{sizeof(berth_plugin_queue_sort), 0, less, nullptr};
constexpr berth_plugin_queue_sort sort_key_table{sizeof(berth_plugin_queue_sort), 0, less, sort_key};
constexpr berth_plugin_events events_table{sizeof(berth_plugin_events), 0, nullptr, hint};
constexpr berth_plugin_pre_filter pre_filter_table{sizeof(berth_plugin_pre_filter), 0, pre_filter};
constexpr berth_plugin_pre_filter_ext pre_filter_ext_table{sizeof(berth_plugin_pre_filter_ext), 0, checked_add_pod,
                                                           checked_remove_pod};
constexpr berth_plugin_post_filter post_filter_table{sizeof(berth_plugin_post_filter), 0, checked_post_filter};
constexpr berth_plugin_filter filter_table{sizeof(berth_plugin_filter), 0, checked_filter};
constexpr berth_plugin_pre_score pre_score_table{sizeof(berth_plugin_pre_score), 0, pre_score};
constexpr berth_plugin_score score_table{sizeof(berth_plugin_score), 0, checked_score};
constexpr berth_plugin_normalize normalize_table{sizeof(berth_plugin_normalize), 0, BERTH_NORMALIZE_CUSTOM, 0,
                                                 normalize};
constexpr berth_plugin_reserve reserve_table{sizeof(berth_plugin_reserve), 0, checked_reserve, checked_unreserve};
constexpr berth_plugin_permit permit_table{sizeof(berth_plugin_permit), 0, checked_permit};
constexpr berth_plugin_pre_bind pre_bind_table{sizeof(berth_plugin_pre_bind), 0, nullptr, checked_pre_bind};
constexpr berth_plugin_pre_bind preflight_table{sizeof(berth_plugin_pre_bind), 0, checked_preflight, checked_pre_bind};
constexpr berth_plugin_bind bind_table{sizeof(berth_plugin_bind), 0, checked_bind};
constexpr berth_plugin_post_bind post_bind_table{sizeof(berth_plugin_post_bind), 0, checked_post_bind};
constexpr berth_plugin_prepare prepare_table{sizeof(berth_plugin_prepare), 0, checked_prepare, checked_drop};
constexpr berth_plugin_sign sign_table{sizeof(berth_plugin_sign), 0, sign};
constexpr berth_plugin_remedy remedy_table{sizeof(berth_plugin_remedy), 0, remedy};
constexpr berth_plugin_placement_feasible placement_feasible_table{sizeof(berth_plugin_placement_feasible), 0,
                                                                   checked_placement_feasible};

}  // namespace

void Strict::wrap(Instance &instance, const Tables &own) {
    own_ = own;
    creating_ = false;
    self_ = std::exchange(instance.self, this);
    auto put = [](const auto *&slot, const auto &table) {
        if (slot) slot = &table;
    };
    put(instance.pre_enqueue, pre_enqueue_table);
    if (instance.queue_sort) put(instance.queue_sort, instance.queue_sort->sort_key ? sort_key_table : less_table);
    if (instance.events && instance.events->hint) put(instance.events, events_table);
    put(instance.pre_filter, pre_filter_table);
    put(instance.pre_filter_ext, pre_filter_ext_table);
    put(instance.filter, filter_table);
    put(instance.post_filter, post_filter_table);
    put(instance.pre_score, pre_score_table);
    put(instance.score, score_table);
    normalizes_ = instance.normalize != nullptr;
    // In the other modes the host does it.
    if (normalizes_ && instance.normalize->mode == BERTH_NORMALIZE_CUSTOM) put(instance.normalize, normalize_table);
    put(instance.reserve, reserve_table);
    put(instance.permit, permit_table);
    if (instance.pre_bind) put(instance.pre_bind, instance.pre_bind->preflight ? preflight_table : pre_bind_table);
    put(instance.bind, bind_table);
    put(instance.post_bind, post_bind_table);
    put(instance.prepare, prepare_table);
    put(instance.sign, sign_table);
    put(instance.remedy, remedy_table);
    put(instance.placement_feasible, placement_feasible_table);
}

}  // namespace berth::plugin
