// SPDX-License-Identifier: Apache-2.0
#include "plugin/call.h"

#include "plugin/fault.h"
#include "plugin/host_context.h"
#include "plugin/thrown.h"
#include "plugin/violations.h"

#include <algorithm>
#include <array>
#include <new>

namespace berth::plugin {
namespace {

/// Copies what a plugin passes as an array of texts.
std::vector<std::string> copied(const berth_str *texts, std::uint64_t n) {
    std::vector<std::string> out;
    if (!texts) return out;
    out.reserve(n);
    for (std::uint64_t i = 0; i < n; ++i) out.emplace_back(text_of(texts[i]));
    return out;
}

/// Of the codes of the framework, two are for some points.
bool means_something(std::int32_t code, std::string_view point) {
    if (code == BERTH_STATUS_WAIT) return point == "Permit" || point == "PlacementFeasible";
    static constexpr std::array<std::string_view, 4> may_skip{"PreFilter", "PreScore", "PreBindPreFlight", "Bind"};
    return code != BERTH_STATUS_SKIP || std::ranges::count(may_skip, point) > 0;
}

}  // namespace

std::uint32_t ReasonTable::intern(std::vector<std::string> list) {
    if (list.empty()) return BERTH_NO_REASONS;
    auto [at, is_new] = ids_.try_emplace(std::move(list), static_cast<std::uint32_t>(lists_.size()));
    if (is_new) lists_.push_back(at->first);
    return at->second;
}

std::uint32_t ReasonTable::intern(const berth_str *texts, std::uint64_t n) {
    const auto &last = lists_[last_];
    if (texts && std::equal(last.begin(), last.end(), texts, texts + n,
                            [](const std::string &mine, berth_str theirs) { return mine == text_of(theirs); }))
        return last_;
    return last_ = intern(copied(texts, n));
}

const std::vector<std::string> *ReasonTable::find(std::uint32_t id) const {
    return id < lists_.size() ? &lists_[id] : nullptr;
}

void ReasonTable::clear() {
    lists_.resize(1);
    ids_.clear();
    last_ = BERTH_NO_REASONS;
}

State::~State() {
    for (std::uint32_t key = 0; key < data_.size(); ++key) put(key, nullptr, nullptr);
}

void State::put(std::uint32_t key, void *data, const berth_plugin_state_type *type) {
    if (key >= data_.size()) data_.resize(key + std::size_t{1});
    auto old = std::exchange(data_[key], Datum{data, type});
    if (!old.data || old.data == data || !old.type || !old.type->destroy) return;
    // The pod that it was kept for is gone, and so may be the plugin's name.
    if (auto what = thrown_by([&] { old.type->destroy(old.type, old.data); }))
        count_violation("a plugin threw " + *what + " when it destroyed what it had kept of a pod");
}

void *State::get(std::uint32_t key) const { return key < data_.size() ? data_[key].data : nullptr; }

std::unique_ptr<State> State::clone() const {
    auto out = std::make_unique<State>();
    for (const Datum &datum : data_) {
        Datum &copy = out->data_.emplace_back(Datum{datum.data, nullptr});
        if (!datum.data || !datum.type || !datum.type->clone) continue;
        copy = {nullptr, datum.type};
        if (auto what = thrown_by([&] { copy.data = datum.type->clone(datum.type, datum.data); })) {
            count_violation("a plugin threw " + *what + " when it cloned what it had kept of a pod");
            return nullptr;
        }
    }
    return out;
}

CallContext::CallContext() { shown_->call.handle = model::to_handle<GivenCall>(this); }

void CallContext::reset(std::uint64_t cycle_id, std::uint64_t attempt_salt) {
    shown_->call.cycle_id = cycle_id;
    attempt_salt_ = attempt_salt;
    cancellation_.end_all();
    set_cancelled(false);
    reasons_.clear();
    scratch_.reset();
}

void CallContext::set_cancelled(bool cancelled) {
    shown_->set_cancelled(cancelled);
    cancellation_.set(cancelled);
}

void *CallContext::scratch(std::uint64_t size, std::uint64_t align) try {
    return may_align(align) ? scratch_.allocate(size, align) : nullptr;
} catch (const std::bad_alloc &) {
    return nullptr;
}

model::Status judged(const Instance &instance, std::string_view point, std::int32_t code) {
    model::Status out;
    out.plugin = instance.name;
    out.code = code;
    const bool known = code >= BERTH_STATUS_SUCCESS && code <= BERTH_STATUS_PENDING;
    if (known && means_something(code, point)) return out;
    const auto who = "plugin " + in_quotes(instance.name), where = std::string(point);
    if (known) {
        misbehaved(instance, point,
                   who + " answered " + model::code_name(code) + " at " + where + ", where it has no meaning");
        return out;
    }
    out.code = BERTH_STATUS_ERROR;
    if (code == BERTH_STATUS_CANCELLED || code == BERTH_STATUS_NO_MEMORY) {
        out.error =
            who + (code == BERTH_STATUS_CANCELLED ? " was cancelled at " : " has not enough memory at ") + where;
        return out;
    }
    if (code == BERTH_STATUS_NOT_EVALUATED) out.error = who + " left a node unjudged at " + where;
    else if (code == BERTH_STATUS_IN_PROGRESS)
        out.error = who + " answered IN_PROGRESS at " + where + ", where the answer cannot come later";
    else
        out.error = who + " answered code " + std::to_string(code) + " at " + where +
                    ", which is none of the scheduling framework's (0 to 6)";
    misbehaved(instance, point, out.error);
    return out;
}

void misbehaved(const Instance &instance, std::string_view point, std::string_view what) {
    if (!instance.context) return;
    std::string sentence(what);
    if (const auto *pod = CurrentCall::mine().pod.load()) sentence += ", for pod " + in_quotes(pod->key());
    count_violation(sentence);
    const auto &services = instance.context->services;
    if (services.calls && services.calls->in_dry_run()) return;
    if (auto *observer = services.misbehaviour) observer->misbehaved(instance.name, point, what);
}

StatusSlot::StatusSlot() {
    raw_.struct_size = sizeof raw_;
    raw_.handle = model::to_handle<GivenStatus>(this);
}

void StatusSlot::set_error(berth_str text) { status_.error = text_of(text); }

void StatusSlot::set_reasons(const berth_str *reasons, std::uint64_t n) { status_.reasons = copied(reasons, n); }

std::vector<std::string> StatusSlot::texts() const {
    return status_.error.empty() ? status_.reasons : std::vector{status_.error};
}

model::Status StatusSlot::take(const Instance &instance, std::string_view point) {
    auto out = judged(instance, point, raw_.code);
    auto given = std::exchange(status_, {});
    if (!given.error.empty()) out.error += (out.error.empty() ? "" : ": ") + given.error;
    out.reasons = std::move(given.reasons);
    if (out.code == BERTH_STATUS_ERROR && out.error.empty() && out.reasons.empty())
        out.error = "plugin " + in_quotes(instance.name) + " failed at " + std::string(point) + " without saying why";
    raw_.code = BERTH_STATUS_SUCCESS;
    return out;
}

model::Status caught(const Instance &instance, std::string_view point) {
    model::Status out;
    out.code = BERTH_STATUS_ERROR;
    out.plugin = instance.name;
    out.error = "plugin " + in_quotes(instance.name) + " threw " + describe_thrown() + " at " + std::string(point);
    misbehaved(instance, point, out.error);
    return out;
}

}  // namespace berth::plugin
