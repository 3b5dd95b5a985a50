// SPDX-License-Identifier: Apache-2.0
#include "plugin/frame.h"

#include "plugin/fault.h"
#include "plugin/strict.h"

#include <algorithm>

namespace berth::plugin {
namespace {

std::string key_of(const berth_pod *pod) {
    if (!pod) return {};
    return std::string(text_of(pod->namespace_)) + "/" + std::string(text_of(pod->name));
}

}  // namespace

/// What the lent views point to: each looks whether its call is still the one at hand, then asks the host's own.
struct Frame::Calls {
    static Frame &of(const berth_call *call) { return *static_cast<Frame *>(call->ctx); }

    static std::uint32_t reasons(const berth_call *call, const berth_str *texts, std::uint64_t n) {
        Frame &f = of(call);
        if (!f.owner.may_use(f, "call->reasons")) return BERTH_NO_REASONS;
        f.owner.check_texts(texts, n);
        return f.real_call->reasons(f.real_call, texts, n);
    }
    static void *scratch(const berth_call *call, std::uint64_t size, std::uint64_t) {
        Frame &f = of(call);
        // Whoever asks too late, or on another thread, is given memory all the same: nothing else would end well.
        if (!f.owner.may_use(f, "call->scratch")) return f.owner.late_memory(size);
        return f.memory.allocate_guarded(size, size, "scratch");
    }

    static void set_error(berth_status *status, berth_str text) {
        auto &s = *static_cast<Status *>(status->ctx);
        if (!s.frame->owner.may_use(*s.frame, "status->set_error", s.frame->done.status == status)) return;
        s.frame->owner.check_texts(&text, 1);
        s.real->set_error(s.real, text);
    }
    static void set_reasons(berth_status *status, const berth_str *texts, std::uint64_t n) {
        auto &s = *static_cast<Status *>(status->ctx);
        if (!s.frame->owner.may_use(*s.frame, "status->set_reasons", s.frame->done.status == status)) return;
        s.frame->owner.check_texts(texts, n);
        s.real->set_reasons(s.real, texts, n);
    }

    static std::uint32_t find(const berth_nodes *nodes, berth_str name) {
        auto &n = *static_cast<Nodes *>(nodes->ctx);
        if (!n.frame->owner.may_use(*n.frame, "nodes->find")) return BERTH_NO_SLOT;
        return n.real->find(n.real, name);
    }
    static std::int32_t column(const berth_nodes *nodes, std::uint32_t id, berth_column *out) {
        auto &n = *static_cast<Nodes *>(nodes->ctx);
        if (!n.frame->owner.may_use(*n.frame, "nodes->column")) return BERTH_NOT_FOUND;
        n.frame->owner.may_read(*n.frame, id);
        return n.real->column(n.real, id, out);
    }
    static std::uint64_t pods_of(const berth_pods *pods, std::uint32_t slot, const std::uint32_t **rows) {
        auto &n = *static_cast<Nodes *>(pods->ctx);
        if (!n.frame->owner.may_use(*n.frame, "pods->pods_of")) return 0;
        return n.real->pods->pods_of(n.real->pods, slot, rows);
    }
    static std::int32_t pod_column(const berth_pods *pods, std::uint32_t id, berth_column *out) {
        auto &n = *static_cast<Nodes *>(pods->ctx);
        if (!n.frame->owner.may_use(*n.frame, "pods->column")) return BERTH_NOT_FOUND;
        n.frame->owner.may_read(*n.frame, id);
        return n.real->pods->column(n.real->pods, id, out);
    }

    static const berth_pod *placed_pod(const berth_pods *pods, std::uint32_t row) {
        auto &n = *static_cast<Nodes *>(pods->ctx);
        if (!n.frame->owner.may_use(*n.frame, "pods->pod")) return nullptr;
        return n.frame->lend(n.real->pods->pod(n.real->pods, row));
    }

    static void slots(void *ctx, const std::uint32_t *slots, std::uint64_t n) {
        auto &r = *static_cast<Restrict *>(ctx);
        if (!r.frame->owner.may_use(*r.frame, "restrict->slots")) return;
        r.frame->narrowed = true;
        r.real->slots(r.real->ctx, slots, n);
    }
    static void names(void *ctx, const berth_str *names, std::uint64_t n) {
        auto &r = *static_cast<Restrict *>(ctx);
        if (!r.frame->owner.may_use(*r.frame, "restrict->names")) return;
        r.frame->owner.check_texts(names, n);
        r.frame->narrowed = true;
        r.real->names(r.real->ctx, names, n);
    }

    static std::uint64_t outcome_reasons(const berth_outcome *outcome, std::uint32_t slot, const berth_str **texts) {
        auto &o = *static_cast<Outcome *>(outcome->ctx);
        if (!o.frame->owner.may_use(*o.frame, "outcome->reasons")) return 0;
        return o.real->reasons(o.real, slot, texts);
    }
    static berth_str outcome_plugin(const berth_outcome *outcome, std::uint32_t slot) {
        auto &o = *static_cast<Outcome *>(outcome->ctx);
        if (!o.frame->owner.may_use(*o.frame, "outcome->plugin")) return {};
        return o.real->plugin(o.real, slot);
    }
    static std::uint64_t outcome_slots(const berth_outcome *outcome, std::int32_t code, const std::uint32_t **slots) {
        auto &o = *static_cast<Outcome *>(outcome->ctx);
        if (!o.frame->owner.may_use(*o.frame, "outcome->slots_with")) return 0;
        return o.real->slots_with(o.real, code, slots);
    }
    static void nominate(void *ctx, berth_str node) {
        auto &n = *static_cast<Nomination *>(ctx);
        if (!n.frame->owner.may_use(*n.frame, "nomination->nominate")) return;
        n.frame->owner.check_texts(&node, 1);
        n.real->nominate(n.real->ctx, node);
    }

    static void complete(void *ctx, berth_status *status) {
        auto &frame = *static_cast<Frame *>(ctx);
        frame.owner.completed(frame, status);
    }
};

Frame::Frame(Strict &strict, std::string_view at, Tag with, const berth_pod *about)
    : owner(strict), point(at), tag(with), pod(key_of(about)) {}

const berth_call *Frame::lend(const berth_call *real) {
    real_call = real;
    call = *real;
    call.ctx = this;
    call.reasons = Calls::reasons;
    call.scratch = Calls::scratch;
    return &call;
}

berth_state *Frame::lend(berth_state *real) {
    real_state = real;
    return reinterpret_cast<berth_state *>(&state_place_);
}

const berth_pod *Frame::lend(const berth_pod *real) {
    if (!real) return nullptr;
    if (!real_pod) real_pod = real;
    pod_objects_.push_back(real->obj);
    return pods_.emplace_back(copy_pod(memory, *real));
}

const berth_nodes *Frame::lend(const berth_nodes *real) {
    if (!real) return nullptr;
    Nodes &n = nodes_.emplace_back(Nodes{this, real, {}, {}, {}});
    show(n);
    return &n.view;
}

void Frame::show(Nodes &n) {
    n.view = *n.real;
    n.view.ctx = &n;
    n.view.find = Calls::find;
    n.view.column = Calls::column;
    if (!n.real->pods) return;
    n.pods = *n.real->pods;
    n.pods.ctx = &n;
    n.pods.pods_of = Calls::pods_of;
    n.pods.column = Calls::pod_column;
    n.pods.pod = Calls::placed_pod;
    n.view.pods = &n.pods;
}

void Frame::renew() {
    for (Nodes &n : nodes_) show(n);
}

const berth_restrict *Frame::lend(const berth_restrict *real) {
    Restrict &r = restricts_.emplace_back(Restrict{this, real, *real});
    r.view.ctx = &r;
    r.view.slots = Calls::slots;
    r.view.names = Calls::names;
    return &r.view;
}

berth_status *Frame::lend(berth_status *real) {
    Status &s = statuses_.emplace_back(Status{this, real, *real});
    s.view.ctx = &s;
    s.view.set_error = Calls::set_error;
    s.view.set_reasons = Calls::set_reasons;
    return &s.view;
}

const berth_outcome *Frame::lend(const berth_outcome *real) {
    Outcome &o = outcomes_.emplace_back(Outcome{this, real, *real});
    o.view.ctx = &o;
    const auto *nodes = real_nodes();
    o.view.code = memory.lend_in(real->code, nodes ? nodes->slots : 0, "outcome->code[]");
    o.view.reasons = Calls::outcome_reasons;
    o.view.plugin = Calls::outcome_plugin;
    o.view.slots_with = Calls::outcome_slots;
    return &o.view;
}

const berth_nomination *Frame::lend(const berth_nomination *real) {
    Nomination &n = nominations_.emplace_back(Nomination{this, real, *real});
    n.view.ctx = &n;
    n.view.nominate = Calls::nominate;
    return &n.view;
}

const berth_done *Frame::lend(const berth_done *real) {
    real_done = *real;
    done = *real;
    done.ctx = this;
    done.status = lend(real->status);
    done.complete = Calls::complete;
    answer = Answer::Running;
    return &done;
}

bool Frame::lent(const berth_nodes *nodes) const {
    return std::any_of(nodes_.begin(), nodes_.end(), [&](const Nodes &n) { return &n.view == nodes; });
}

bool Frame::shows(const berth_object *object) const {
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

berth_status *Frame::real_of(berth_status *lent) {
    for (Status &s : statuses_)
        if (&s.view == lent) return s.real;
    return lent;
}

void Frame::pass_codes_on() {
    for (Status &s : statuses_) s.real->code = s.view.code;
}

void Frame::end() {
    open = false;
    // The pods' views are in the memory too, and have to stay readable.
    memory.poison();
    for (berth_pod *view : pods_) *view = poisoned_pod();
    for (Nodes &n : nodes_) {
        auto nodes = poisoned_nodes();
        nodes.ctx = &n, nodes.find = Calls::find, nodes.column = Calls::column, nodes.pods = &n.pods;
        n.view = nodes;
        n.pods = poisoned_pods();
        n.pods.ctx = &n, n.pods.pods_of = Calls::pods_of, n.pods.column = Calls::pod_column;
        n.pods.pod = Calls::placed_pod;
        n.objects.clear();
    }
}

std::string Frame::where() const {
    std::string out(point);
    if (!pod.empty()) out += " for pod " + in_quotes(pod);
    return out;
}

}  // namespace berth::plugin
