// SPDX-License-Identifier: Apache-2.0
#include "plugin/call_proxy.h"

#include "plugin/fault.h"
#include "plugin/strict.h"

#include <berth/draft/victims.h>

#include <algorithm>
#include <new>

namespace berth::plugin {
namespace {

std::string key_of(const berth_pod *pod) {
    if (!pod) return {};
    return std::string(text_of(pod->namespace_)) + "/" + std::string(text_of(pod->name));
}

}  // namespace

std::uint32_t CallProxy::intern_reasons(const berth_str *texts, std::uint64_t n) {
    if (!owner.may_use(*this, "intern_reasons")) return BERTH_NO_REASONS;
    owner.check_texts(texts, n);
    return behind(*real_call_).intern_reasons(texts, n);
}
void *CallProxy::scratch(std::uint64_t size, std::uint64_t align) try {
    // A late call, or one on another thread, gets memory all the same: a null pointer would crash the plugin.
    if (!owner.may_use(*this, "scratch")) return owner.late_memory.allocate(size);
    if (may_align(align)) return memory.allocate_guarded(size, size, "scratch");
    owner.violated(
        "asked for scratch memory aligned to " + std::to_string(align) + ", which is no power of two up to 64", this);
    return nullptr;
} catch (const std::bad_alloc &) {
    return nullptr;
}

CallProxy::Status::Status(CallProxy &p, berth_status *r) : proxy(p), real(r), view(*r) {
    view.handle = model::to_handle<GivenStatus>(this);
}
bool CallProxy::Status::may_use(const char *what) const {
    return proxy.owner.may_use(proxy, what, proxy.done_.status == &view);
}
void CallProxy::Status::set_error(berth_str text) {
    if (!may_use("set_error of the status")) return;
    proxy.owner.check_texts(&text, 1);
    behind(*real).set_error(text);
}
void CallProxy::Status::set_reasons(const berth_str *reasons, std::uint64_t n) {
    if (!may_use("set_reasons of the status")) return;
    proxy.owner.check_texts(reasons, n);
    behind(*real).set_reasons(reasons, n);
}

std::uint32_t CallProxy::Nodes::find(berth_str name) const noexcept {
    if (!proxy.owner.may_use(proxy, "find of the nodes")) return BERTH_NO_SLOT;
    return model::find_node(*real, name);
}
std::int32_t CallProxy::Nodes::column(std::uint32_t id, berth_column *out) noexcept {
    if (!proxy.owner.may_use(proxy, "column of the nodes")) return BERTH_STATUS_NOT_FOUND;
    proxy.owner.check_column(proxy, id);
    return model::look_ups(*real).column(id, out);
}
std::uint64_t CallProxy::Nodes::Pods::pods_of(std::uint32_t slot, const std::uint32_t **rows) const noexcept {
    *rows = nullptr;
    if (!nodes.proxy.owner.may_use(nodes.proxy, "pods_of of the pods")) return 0;
    return model::look_ups(*nodes.real->pods).pods_of(slot, rows);
}
std::int32_t CallProxy::Nodes::Pods::column(std::uint32_t id, berth_column *out) noexcept {
    if (!nodes.proxy.owner.may_use(nodes.proxy, "pod_column of the pods")) return BERTH_STATUS_NOT_FOUND;
    nodes.proxy.owner.check_column(nodes.proxy, id);
    return model::look_ups(*nodes.real->pods).column(id, out);
}
const berth_pod *CallProxy::Nodes::Pods::view_of(std::uint32_t row) const noexcept {
    if (!nodes.proxy.owner.may_use(nodes.proxy, "pod of the pods")) return nullptr;
    return nodes.proxy.proxied(model::look_ups(*nodes.real->pods).view_of(row));
}

void CallProxy::Restriction::slots(const std::uint32_t *slots, std::uint64_t n) {
    if (!proxy.owner.may_use(proxy, "restrict_slots")) return;
    proxy.limited_ = true;
    real.slots(slots, n);
}
void CallProxy::Restriction::names(const berth_str *names, std::uint64_t n) {
    if (!proxy.owner.may_use(proxy, "restrict_names")) return;
    proxy.owner.check_texts(names, n);
    proxy.limited_ = true;
    real.names(names, n);
}

CallProxy::Outcome::Outcome(CallProxy &p, const berth_outcome *r) : proxy(p), real(r), view(*r) {
    view.handle = model::to_handle<GivenOutcome>(this);
}
std::uint64_t CallProxy::Outcome::reasons(std::uint32_t slot, const berth_str **texts) {
    *texts = nullptr;
    if (!proxy.owner.may_use(proxy, "outcome_reasons")) return 0;
    return behind(*real).reasons(slot, texts);
}
berth_str CallProxy::Outcome::plugin(std::uint32_t slot) {
    if (!proxy.owner.may_use(proxy, "outcome_plugin")) return {};
    return behind(*real).plugin(slot);
}
std::uint64_t CallProxy::Outcome::slots_with(std::int32_t code, const std::uint32_t **slots) {
    *slots = nullptr;
    if (!proxy.owner.may_use(proxy, "outcome_slots")) return 0;
    return behind(*real).slots_with(code, slots);
}
void CallProxy::Nominating::nominate(berth_str node) {
    if (!proxy.owner.may_use(proxy, "nominate")) return;
    proxy.owner.check_texts(&node, 1);
    real.nominate(node);
}
std::int32_t CallProxy::Nominating::name_victims(const std::uint32_t *rows, std::uint64_t n, berth_str reason) {
    const std::string what = "name of " BERTH_HOST_VICTIMS_DRAFT1;
    if (!proxy.owner.may_use(proxy, what.c_str())) return BERTH_STATUS_INVALID;
    proxy.owner.check_texts(&reason, 1);
    const auto code = real.name_victims(rows, n, reason);
    if (code == BERTH_STATUS_INVALID)
        proxy.owner.violated("called " + what + " with rows that are not 1 to 10,000 different pods on nodes", &proxy);
    return code;
}

void CallProxy::complete(berth_status *status) { owner.complete(*this, status); }

CallProxy::CallProxy(Strict &strict, std::string_view at, Tag with, const berth_pod *about)
    : owner(strict), point(at), tag(with), pod(key_of(about)) {}

const berth_call *CallProxy::proxied(const berth_call *real) {
    real_call_ = real;
    call_ = *real;
    call_.handle = model::to_handle<GivenCall>(this);
    owner.calls.give(*this, &call_);
    return &call_;
}

berth_state *CallProxy::proxied(berth_state *real) {
    real_state_ = real;
    return reinterpret_cast<berth_state *>(&state_place_);
}

const berth_pod *CallProxy::proxied(const berth_pod *real) {
    if (!real) return nullptr;
    if (!real_pod_) real_pod_ = real;
    pod_objects_.push_back(real->obj);
    return pods_.emplace_back(copy_pod(memory, *real));
}

const berth_nodes *CallProxy::proxied(const berth_nodes *real) {
    if (!real) return nullptr;
    Nodes &n = nodes_.emplace_back(*this, real);
    show(n);
    owner.calls.give(*this, &n.view);
    owner.calls.give(*this, &n.pods.view);
    return &n.view;
}

void CallProxy::show(Nodes &n) {
    n.view = *n.real;
    n.view.handle = model::to_handle<model::NodeLookUps>(&n);
    if (!n.real->pods) return;
    n.pods.view = *n.real->pods;
    n.pods.view.handle = model::to_handle<model::PodLookUps>(&n.pods);
    n.view.pods = &n.pods.view;
}

void CallProxy::renew() {
    for (Nodes &n : nodes_) show(n);
}

berth_restrict *CallProxy::proxied(berth_restrict *real) {
    auto *handle = restrictions_.emplace_back(*this, *Restrict::of(real)).handle();
    owner.calls.give(*this, handle);
    return handle;
}

berth_status *CallProxy::proxied(berth_status *real) {
    auto *view = &statuses_.emplace_back(*this, real).view;
    owner.calls.give(*this, view);
    return view;
}

const berth_outcome *CallProxy::proxied(const berth_outcome *real) {
    Outcome &o = outcomes_.emplace_back(*this, real);
    const auto *nodes = real_nodes();
    o.view.code = memory.guarded_in(real->code, nodes ? nodes->slots : 0, "outcome->code[]");
    owner.calls.give(*this, &o.view);
    return &o.view;
}

berth_nomination *CallProxy::proxied(berth_nomination *real) {
    auto *handle = nominations_.emplace_back(*this, *Nomination::of(real)).handle();
    owner.calls.give(*this, handle);
    return handle;
}

const berth_done *CallProxy::proxied(const berth_done *real) {
    real_done_ = *real;
    done_ = *real;
    done_.handle = model::to_handle<GivenDone>(this);
    done_.status = proxied(real->status);
    owner.calls.give(*this, &done_);
    return &done_;
}

bool CallProxy::is_proxy(const berth_nodes *nodes) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const Nodes &n) { return &n.view == nodes; });
}

bool CallProxy::shows(const berth_object *object) const {
    if (std::find(pod_objects_.begin(), pod_objects_.end(), object) != pod_objects_.end()) return true;
    if (shown_.contains(object)) return true;
    for (const Nodes &n : nodes_) {
        if (n.objects.empty()) {
            n.objects.insert(n.real->obj, n.real->obj + n.real->slots);
            if (const auto *pods = n.real->pods) n.objects.insert(pods->obj, pods->obj + pods->rows);
        }
        if (n.objects.contains(object)) return true;
    }
    return false;
}

berth_status *CallProxy::real_of(berth_status *view) {
    for (Status &s : statuses_)
        if (&s.view == view) return s.real;
    return view;
}

void CallProxy::pass_codes_on() {
    for (Status &s : statuses_) s.real->code = s.view.code;
}

void CallProxy::poison() {
    open_ = false;
    // The pods' views are in the memory too, and have to stay readable.
    memory.poison();
    for (berth_pod *view : pods_) *view = poisoned_pod();
    for (Nodes &n : nodes_) {
        auto nodes = poisoned_nodes();
        nodes.handle = n.view.handle, nodes.pods = &n.pods.view;
        n.view = nodes;
        const auto of_pods = n.pods.view.handle;
        n.pods.view = poisoned_pods();
        n.pods.view.handle = of_pods;
        n.objects.clear();
    }
}

std::string CallProxy::where() const {
    std::string out(point);
    if (!pod.empty()) out += " for pod " + in_quotes(pod);
    return out;
}

}  // namespace berth::plugin
