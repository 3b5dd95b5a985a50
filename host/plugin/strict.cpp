// SPDX-License-Identifier: Apache-2.0
#include "plugin/strict.h"

#include "plugin/fault.h"
#include "plugin/host_context.h"

#include <algorithm>
#include <cstdint>
#include <new>

namespace berth::plugin {
namespace {

/// How many calls ago a handle may be from to be recognized.
constexpr std::size_t remembered_calls = 64;

}  // namespace

void fail(berth_status *status, const std::string &sentence) {
    if (sentence.empty()) return;
    status->code = BERTH_STATUS_ERROR;
    behind(*status).set_reasons(nullptr, 0);
    behind(*status).set_error(model::to_str(sentence));
}

void violated(const Instance &instance, const std::string &what) {
    if (instance.context && instance.context->strict) instance.context->strict->violated(what);
}

Strict::Strict(HostContext &context) : context_(context) {}

bool Strict::on_loop() const { return std::this_thread::get_id() == loop_ && !context_.tasks->running_here(); }
Strict::~Strict() = default;

std::string Strict::sentence(const CallProxy &proxy, const std::string &what) const {
    return "plugin " + in_quotes(context_.plugin) + " broke the plugin ABI at " + proxy.where() + ": it " + what;
}

void Strict::log(const std::vector<std::string> &sentences) const {
    for (const auto &text : sentences) context_.broke_abi(text);
}

CallProxy *Strict::innermost() const {
    std::scoped_lock lock(mutex_);
    return innermost_locked();
}

CallProxy *Strict::innermost_locked() const {
    const auto here = std::this_thread::get_id();
    const auto at = std::find_if(open_.rbegin(), open_.rend(),
                                 [&](const auto &proxy) { return proxy->running && proxy->thread == here; });
    return at == open_.rend() ? nullptr : at->get();
}

CallProxy &Strict::begin(std::string_view point, Tag tag, const berth_pod *pod) {
    auto proxy = std::make_unique<CallProxy>(*this, point, tag, pod);
    std::scoped_lock lock(mutex_);
    return *open_.emplace_back(std::move(proxy));
}

berth_trial *Strict::proxied(berth_trial *real, const CallProxy &proxy) {
    if (!real) return nullptr;
    std::scoped_lock lock(mutex_);
    auto &place = dry_run_handles_[next_handle_++ % dry_run_handles_.size()];
    dry_run_ = {real, reinterpret_cast<berth_trial *>(&place), &proxy};
    return dry_run_.handle;
}

void Strict::dry_run_closed() {
    std::scoped_lock lock(mutex_);
    dry_run_ = {};
}

berth_trial *Strict::open_dry_run(const berth_trial *handle) {
    std::scoped_lock lock(mutex_);
    return handle && handle == dry_run_.handle ? dry_run_.real : nullptr;
}

void Strict::close(CallProxy &proxy) {
    proxy.end();
    std::scoped_lock lock(mutex_);
    if (dry_run_.proxy == &proxy) dry_run_ = {};
    auto at = std::find_if(open_.begin(), open_.end(), [&](const auto &one) { return one.get() == &proxy; });
    ended_.push_back(std::move(*at));
    open_.erase(at);
    if (ended_.size() > remembered_calls) ended_.pop_front();
}

std::string Strict::finish(CallProxy &proxy) {
    std::vector<std::string> sentences;
    if (auto damage = proxy.memory.damage()) sentences.push_back(sentence(proxy, *damage));
    {
        std::scoped_lock lock(mutex_);
        for (const auto &what : proxy.faults) sentences.push_back(sentence(proxy, what));
    }
    close(proxy);
    log(sentences);
    return sentences.empty() ? std::string() : sentences.front();
}

void Strict::violated(const std::string &what, CallProxy *proxy) {
    if (context_.tasks->running_here())
        return log({"plugin " + in_quotes(context_.plugin) + " broke the plugin ABI in a task: it " + what});
    {
        std::scoped_lock lock(mutex_);
        if (proxy && !proxy->open) proxy = nullptr;
        if (!proxy) proxy = innermost_locked();
        // A thread of the plugin's own: what it does belongs to the call that is running.
        for (auto it = open_.rbegin(); !proxy && it != open_.rend(); ++it)
            if ((*it)->answer != CallProxy::Answer::Owed) proxy = it->get();
        if (proxy) return proxy->faults.push_back(what);
    }
    log({"plugin " + in_quotes(context_.plugin) + " broke the plugin ABI outside of its calls: it " + what});
}

bool Strict::may_use(CallProxy &proxy, const char *what, bool any_thread) {
    if (!proxy.open) {
        violated("used " + std::string(what) + " of an earlier call (" + proxy.where() + ")");
        return false;
    }
    if (any_thread || (std::this_thread::get_id() == proxy.thread && !context_.tasks->running_here())) return true;
    violated("used " + std::string(what) + " on a thread that is not that of the call", &proxy);
    return false;
}

void Strict::gives(CallProxy &proxy, const void *given) {
    std::scoped_lock lock(mutex_);
    proxy.given_out.push_back(given);
}

bool Strict::was_given(const void *given, const char *what) {
    {
        std::scoped_lock lock(mutex_);
        if (creating_) return true;  // what create and events are given is the host's own
        auto gave = [&](const auto &proxy) { return std::ranges::count(proxy->given_out, given) > 0; };
        if (std::any_of(open_.rbegin(), open_.rend(), gave) || std::any_of(ended_.rbegin(), ended_.rend(), gave))
            return true;
    }
    violated("used " + std::string(what) + " that it was not given, or that ended long ago");
    return false;
}

void Strict::check_texts(const berth_str *texts, std::uint64_t n) {
    bool kept = false;
    {
        std::scoped_lock lock(mutex_);
        for (std::uint64_t i = 0; texts && i < n && !kept; ++i)
            kept = texts[i].len > 0 &&
                   (is_poison(texts[i].ptr) || std::any_of(ended_.begin(), ended_.end(), [&](const auto &proxy) {
                        return proxy->memory.holds(texts[i].ptr);
                    }));
    }
    if (kept) violated("passed a text that it had kept from an earlier call");
}

void *Strict::late_memory(std::size_t size) {
    constexpr std::size_t room = 64;
    if (size > PTRDIFF_MAX) throw std::bad_alloc();
    std::scoped_lock lock(mutex_);
    auto *at = late_.emplace_back(new std::byte[size + room]).get();
    return at + (room - reinterpret_cast<std::uintptr_t>(at) % room);
}

void Strict::gave(std::uint32_t column) {
    std::scoped_lock lock(mutex_);
    if (creating_) {
        columns_.insert(column);
        return;
    }
    const CallProxy *proxy = innermost_locked();
    const auto attempt = proxy && proxy->real_call ? proxy->real_call->cycle_id : 0;
    if (std::exchange(passing_in_, attempt) != attempt) passing_.clear();
    passing_.insert(column);
}

bool Strict::may_read(CallProxy &proxy, std::uint32_t column) {
    {
        std::scoped_lock lock(mutex_);
        const auto attempt = proxy.real_call ? proxy.real_call->cycle_id : 0;
        if (columns_.contains(column) || (passing_in_ == attempt && passing_.contains(column))) return true;
    }
    violated("read a column that it was not given in this attempt, nor at create", &proxy);
    return false;
}

CallProxy *Strict::proxy_of(const berth_state *state) {
    std::scoped_lock lock(mutex_);
    for (const auto &proxy : open_)
        if (proxy->state_handle() == state) return proxy.get();
    for (const auto &proxy : ended_)
        if (proxy->state_handle() == state) return proxy.get();
    return nullptr;
}

CallProxy *Strict::proxy_of(const berth_call *call) {
    std::scoped_lock lock(mutex_);
    for (const auto &proxy : open_)
        if (&proxy->call == call) return proxy.get();
    for (const auto &proxy : ended_)
        if (&proxy->call == call) return proxy.get();
    return nullptr;
}

bool Strict::shown(const berth_object *object) {
    std::scoped_lock lock(mutex_);
    if (shown_outside_.contains(object)) return true;
    // Another thread's call may still be lending.
    return std::any_of(open_.begin(), open_.end(), [&](const auto &proxy) {
        bool settled = proxy->thread == std::this_thread::get_id() || proxy->answer == CallProxy::Answer::Owed;
        return settled && proxy->shows(object);
    });
}

void Strict::show(const berth_object *object) {
    std::scoped_lock lock(mutex_);
    if (CallProxy *proxy = innermost_locked()) proxy->show(object);
    else shown_outside_.insert(object);
}

std::uint64_t Strict::looked_up_series() {
    std::scoped_lock lock(mutex_);
    CallProxy *const proxy = innermost_locked();
    return proxy ? ++proxy->series : 0;
}

void Strict::callback_ended() {
    std::scoped_lock lock(mutex_);
    shown_outside_.clear();
}

void Strict::renew(std::string_view point) {
    std::scoped_lock lock(mutex_);
    for (const auto &proxy : open_)
        if (proxy->point == point) proxy->renew();
}

Strict::Callback *Strict::expect(Callback callback) {
    std::scoped_lock lock(mutex_);
    return &expected_.emplace_back(callback);
}

Strict::Callback Strict::arrived(Callback *callback) {
    std::scoped_lock lock(mutex_);
    auto at = std::find_if(expected_.begin(), expected_.end(), [&](const auto &one) { return &one == callback; });
    Callback out = *at;
    expected_.erase(at);
    return out;
}

void Strict::completed(CallProxy &proxy, berth_status *status) {
    const char *wrong = nullptr;
    {
        std::scoped_lock lock(mutex_);
        if (proxy.answer == CallProxy::Answer::Given) wrong = "ended a call twice (";
        if (proxy.answer == CallProxy::Answer::Immediate) wrong = "ended a call that it had answered already (";
        if (!wrong) {
            proxy.given = proxy.real_of(status);
            // While the call runs, what it did is not known yet: then it is passed on when it returns.
            if (std::exchange(proxy.answer, CallProxy::Answer::Given) == CallProxy::Answer::Running) return;
        }
    }
    if (wrong) return violated(wrong + proxy.where() + ")");
    settle(proxy);
}

/// Passes the late answer on to the host.
void Strict::settle(CallProxy &proxy) {
    const berth_done done = proxy.real_done;
    berth_status *given = proxy.given;
    proxy.pass_codes_on();
    if (std::string sentence = finish(proxy); !sentence.empty()) fail(given = done.status, sentence);
    behind(done).complete(given);
}

void Strict::ending() {
    std::scoped_lock lock(mutex_);
    still_expecting_ = still_expecting_ || !std::ranges::all_of(expected_, &Callback::at_cancellation);
}

void Strict::destroyed() {
    std::vector<std::string> sentences;
    auto name = "plugin " + in_quotes(context_.plugin);
    if (auto kept = context_.retained(); kept > 0)
        sentences.push_back(name + " broke the plugin ABI: it ended without releasing " + std::to_string(kept) +
                            (kept == 1 ? " object" : " objects") + " that it had retained");
    {
        std::scoped_lock lock(mutex_);
        // A plugin whose callback was cancelled because it ends could not answer before.
        for (const auto &proxy : open_)
            if (proxy->answer == CallProxy::Answer::Owed && !still_expecting_)
                sentences.push_back(sentence(*proxy, "answered IN_PROGRESS and never ended the call"));
    }
    log(sentences);
}

Call::Call(Strict &strict, std::string_view point, Tag tag, const berth_pod *pod)
    : strict_(strict), proxy_(&strict.begin(point, tag, pod)) {}

void Call::leave() {
    std::scoped_lock lock(strict_.mutex_);
    proxy_->running = false;
}

Call::~Call() {
    if (!proxy_) return;
    leave();
    strict_.finish(*proxy_);
}

std::string Call::finish() {
    leave();
    CallProxy &proxy = *std::exchange(proxy_, nullptr);
    proxy.pass_codes_on();
    return strict_.finish(proxy);
}

void Call::finish(berth_status *real) { fail(real, finish()); }

void Call::finish_or_wait(berth_status *real) {
    bool given = false;
    proxy_->pass_codes_on();
    const bool later = real->code == BERTH_STATUS_IN_PROGRESS;
    {
        std::scoped_lock lock(strict_.mutex_);
        given = proxy_->answer == CallProxy::Answer::Given;
        if (!later) proxy_->answer = CallProxy::Answer::Immediate;
        else if (!given) proxy_->answer = CallProxy::Answer::Owed;
        // From here on another thread may answer, and end the proxy.
        if (later) proxy_->running = false;
    }
    if (!later) {
        if (given) strict_.violated("ended the call with done and answered it at once", proxy_);
        return finish(real);
    }
    CallProxy &proxy = *std::exchange(proxy_, nullptr);
    if (given) strict_.settle(proxy);
}

}  // namespace berth::plugin
