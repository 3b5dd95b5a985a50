// SPDX-License-Identifier: Apache-2.0
#include "plugin/checked_calls.h"

#include <algorithm>
#include <span>
#include <utility>

namespace berth::plugin {
namespace {

/// How many calls ago a handle may be from to be recognized.
constexpr std::size_t remembered_calls = 64;

}  // namespace

CallProxy &CheckedCalls::begin(std::string_view point, Tag tag, const berth_pod *pod) {
    auto proxy = std::make_unique<Checked>(strict_, point, tag, pod);
    std::scoped_lock lock(mutex_);
    return *open_.emplace_back(std::move(proxy));
}

bool CheckedCalls::returned(CallProxy &proxy, bool later) {
    std::scoped_lock lock(mutex_);
    Checked &call = of(proxy);
    call.running = false;
    const bool given = call.answer == Answer::Given;
    if (!later) call.answer = Answer::Immediate;
    else if (!given) call.answer = Answer::Owed;
    return given;
}

CheckedCalls::Answer CheckedCalls::complete(CallProxy &proxy, berth_status *status) {
    std::scoped_lock lock(mutex_);
    Checked &call = of(proxy);
    if (call.answer == Answer::Given || call.answer == Answer::Immediate) return call.answer;
    call.given = call.real_of(status);
    return std::exchange(call.answer, Answer::Given);
}

berth_status *CheckedCalls::given(CallProxy &proxy) const {
    std::scoped_lock lock(mutex_);
    return of(proxy).given;
}

std::vector<std::string> CheckedCalls::end(CallProxy &proxy) {
    of(proxy).poison();
    std::scoped_lock lock(mutex_);
    auto violations = std::move(of(proxy).violations);
    const auto at = std::ranges::find_if(open_, [&](const auto &call) { return call.get() == &proxy; });
    ended_.push_back(std::move(*at));
    open_.erase(at);
    if (ended_.size() > remembered_calls) ended_.pop_front();
    return violations;
}

bool CheckedCalls::add_violation(const std::string &what, CallProxy *proxy) {
    std::scoped_lock lock(mutex_);
    Checked *call = proxy && proxy->open() ? &of(*proxy) : innermost_locked();
    for (auto at = open_.rbegin(); !call && at != open_.rend(); ++at)
        if ((*at)->answer != Answer::Owed) call = at->get();
    if (call) call->violations.push_back(what);
    return call != nullptr;
}

CallProxy *CheckedCalls::innermost() const {
    std::scoped_lock lock(mutex_);
    return innermost_locked();
}

CheckedCalls::Checked *CheckedCalls::innermost_locked() const {
    const auto here = std::this_thread::get_id();
    const auto at = std::find_if(open_.rbegin(), open_.rend(),
                                 [&](const auto &call) { return call->running && call->thread == here; });
    return at == open_.rend() ? nullptr : at->get();
}

template <class Is>
CallProxy *CheckedCalls::find_if(Is &&is) const {
    std::scoped_lock lock(mutex_);
    if (const auto at = std::find_if(open_.rbegin(), open_.rend(), is); at != open_.rend()) return at->get();
    const auto at = std::find_if(ended_.rbegin(), ended_.rend(), is);
    return at == ended_.rend() ? nullptr : at->get();
}

CallProxy *CheckedCalls::find(const berth_state *handle) const {
    return find_if([&](const auto &call) { return call->is_handle(handle); });
}

CallProxy *CheckedCalls::find(const berth_call *handle) const {
    return find_if([&](const auto &call) { return call->is_handle(handle); });
}

std::vector<std::string> CheckedCalls::owed() const {
    std::scoped_lock lock(mutex_);
    std::vector<std::string> out;
    for (const auto &call : open_)
        if (call->answer == Answer::Owed) out.push_back(call->where());
    return out;
}

void CheckedCalls::give(CallProxy &proxy, const void *given) {
    std::scoped_lock lock(mutex_);
    of(proxy).gave.push_back(given);
}

bool CheckedCalls::gave(const void *given) const {
    return find_if([&](const auto &call) { return std::ranges::find(call->gave, given) != call->gave.end(); });
}

bool CheckedCalls::any_kept(const berth_str *texts, std::uint64_t n) const {
    std::scoped_lock lock(mutex_);
    return std::ranges::any_of(std::span(texts, texts ? n : 0), [&](const berth_str &text) {
        auto holds = [&](const auto &call) { return call->memory.holds(text.ptr); };
        return text.len > 0 && (is_poison(text.ptr) || std::ranges::any_of(ended_, holds));
    });
}

void CheckedCalls::show(const berth_object *object) {
    std::scoped_lock lock(mutex_);
    if (Checked *call = innermost_locked()) call->show(object);
    else shown_outside_.insert(object);
}

bool CheckedCalls::shows(const berth_object *object) const {
    std::scoped_lock lock(mutex_);
    if (shown_outside_.contains(object)) return true;
    // A call that runs on another thread may still be given more, and one that is completed may be ending there.
    const auto here = std::this_thread::get_id();
    return std::ranges::any_of(open_, [&](const auto &call) {
        const bool settled = call->running ? call->thread == here : call->answer == Answer::Owed;
        return settled && call->shows(object);
    });
}

void CheckedCalls::callback_ended() {
    std::scoped_lock lock(mutex_);
    shown_outside_.clear();
}

void CheckedCalls::renew(std::string_view point) {
    std::scoped_lock lock(mutex_);
    for (const auto &call : open_)
        if (call->point == point && (call->running || call->answer == Answer::Owed)) call->renew();
}

}  // namespace berth::plugin
