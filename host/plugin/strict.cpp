// SPDX-License-Identifier: Apache-2.0
#include "plugin/strict.h"

#include "plugin/fault.h"
#include "plugin/host_context.h"
#include "plugin/violations.h"

#include <algorithm>

namespace berth::plugin {
namespace {

/// How many calls ago a handle may be from to be recognized.
constexpr std::size_t remembered_calls = 64;

/// Of the process.
struct Found {
    std::mutex mutex;
    Violations violations;
};
Found &found() {
    static auto *the = new Found;  // Instances may end at the very end.
    return *the;
}

thread_local Frame *innermost_frame = nullptr;

}  // namespace

void fail(berth_status *status, const std::string &sentence) {
    if (sentence.empty()) return;
    status->code = BERTH_ERROR;
    status->set_reasons(status, nullptr, 0);
    status->set_error(status, model::to_str(sentence));
}

void violated(const Instance &instance, const std::string &what) {
    if (instance.context && instance.context->strict) instance.context->strict->violated(what);
}

Violations violations() {
    const std::scoped_lock lock(found().mutex);
    return found().violations;
}

Strict::Strict(HostContext &context) : context_(context) {}
Strict::~Strict() = default;

std::string Strict::sentence(const Frame &frame, const std::string &what) const {
    return "plugin " + in_quotes(context_.plugin) + " broke the plugin ABI at " + frame.where() + ": it " + what;
}

void Strict::log(const std::vector<std::string> &sentences) const {
    for (const auto &text : sentences) {
        context_.log_error(text);
        const std::scoped_lock lock(found().mutex);
        auto &all = found().violations;
        if (all.count++ == 0) all.first = text;
    }
}

Frame *Strict::innermost() const {
    return innermost_frame && &innermost_frame->owner == this ? innermost_frame : nullptr;
}

Frame &Strict::begin(std::string_view point, Tag tag, const berth_pod *pod) {
    auto frame = std::make_unique<Frame>(*this, point, tag, pod);
    std::scoped_lock lock(mutex_);
    return *open_.emplace_back(std::move(frame));
}

berth_trial *Strict::lend(berth_trial *real, const Frame &frame) {
    if (!real) return nullptr;
    std::scoped_lock lock(mutex_);
    auto &place = trial_handles_[next_handle_++ % trial_handles_.size()];
    trial_ = {real, reinterpret_cast<berth_trial *>(&place), &frame};
    return trial_.handle;
}

void Strict::trial_closed() {
    std::scoped_lock lock(mutex_);
    trial_ = {};
}

berth_trial *Strict::open_trial(const berth_trial *handle) {
    std::scoped_lock lock(mutex_);
    return handle && handle == trial_.handle ? trial_.real : nullptr;
}

void Strict::close(Frame &frame) {
    frame.end();
    std::scoped_lock lock(mutex_);
    if (trial_.frame == &frame) trial_ = {};
    auto at = std::find_if(open_.begin(), open_.end(), [&](const auto &one) { return one.get() == &frame; });
    ended_.push_back(std::move(*at));
    open_.erase(at);
    if (ended_.size() > remembered_calls) ended_.pop_front();
}

std::string Strict::finish(Frame &frame) {
    std::vector<std::string> sentences;
    if (auto damage = frame.memory.damage()) sentences.push_back(sentence(frame, *damage));
    {
        std::scoped_lock lock(mutex_);
        for (const auto &what : frame.faults) sentences.push_back(sentence(frame, what));
    }
    close(frame);
    log(sentences);
    return sentences.empty() ? std::string() : sentences.front();
}

void Strict::violated(const std::string &what, Frame *frame) {
    if (Tasks::running_here())
        return log({"plugin " + in_quotes(context_.plugin) + " broke the plugin ABI in a task: it " + what});
    {
        std::scoped_lock lock(mutex_);
        if (frame && !frame->open) frame = nullptr;
        if (!frame) frame = innermost();
        // A thread of the plugin's own: what it does belongs to the call that is running.
        for (auto it = open_.rbegin(); !frame && it != open_.rend(); ++it)
            if ((*it)->answer != Frame::Answer::Owed) frame = it->get();
        if (frame) return frame->faults.push_back(what);
    }
    log({"plugin " + in_quotes(context_.plugin) + " broke the plugin ABI outside of its calls: it " + what});
}

bool Strict::may_use(Frame &frame, const char *what, bool any_thread) {
    if (!frame.open) {
        violated("used " + std::string(what) + " of an earlier call (" + frame.where() + ")");
        return false;
    }
    if (any_thread || (std::this_thread::get_id() == frame.thread && !Tasks::running_here())) return true;
    violated("used " + std::string(what) + " on a thread that is not that of the call", &frame);
    return false;
}

void Strict::check_texts(const berth_str *texts, std::uint64_t n) {
    bool kept = false;
    {
        std::scoped_lock lock(mutex_);
        for (std::uint64_t i = 0; texts && i < n && !kept; ++i)
            kept = texts[i].len > 0 &&
                   (is_poison(texts[i].ptr) || std::any_of(ended_.begin(), ended_.end(), [&](const auto &frame) {
                        return frame->memory.holds(texts[i].ptr);
                    }));
    }
    if (kept) violated("passed a text that it had kept from an earlier call");
}

void *Strict::late_memory(std::size_t size) {
    constexpr std::size_t room = 64;
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
    const Frame *frame = innermost();
    const auto attempt = frame && frame->real_call ? frame->real_call->cycle_id : 0;
    if (std::exchange(passing_in_, attempt) != attempt) passing_.clear();
    passing_.insert(column);
}

bool Strict::may_read(Frame &frame, std::uint32_t column) {
    {
        std::scoped_lock lock(mutex_);
        const auto attempt = frame.real_call ? frame.real_call->cycle_id : 0;
        if (columns_.contains(column) || (passing_in_ == attempt && passing_.contains(column))) return true;
    }
    violated("read a column that it was not given in this attempt, nor at create", &frame);
    return false;
}

Frame *Strict::frame_of(const berth_state *state) {
    std::scoped_lock lock(mutex_);
    for (const auto &frame : open_)
        if (frame->state_handle() == state) return frame.get();
    for (const auto &frame : ended_)
        if (frame->state_handle() == state) return frame.get();
    return nullptr;
}

Frame *Strict::frame_of(const berth_call *call) {
    std::scoped_lock lock(mutex_);
    for (const auto &frame : open_)
        if (&frame->call == call) return frame.get();
    for (const auto &frame : ended_)
        if (&frame->call == call) return frame.get();
    return nullptr;
}

bool Strict::shown(const berth_object *object) {
    std::scoped_lock lock(mutex_);
    if (shown_outside_.contains(object)) return true;
    // Another thread's call may still be lending.
    return std::any_of(open_.begin(), open_.end(), [&](const auto &frame) {
        bool settled = frame->thread == std::this_thread::get_id() || frame->answer == Frame::Answer::Owed;
        return settled && frame->shows(object);
    });
}

void Strict::show(const berth_object *object) {
    std::scoped_lock lock(mutex_);
    if (Frame *frame = innermost()) frame->show(object);
    else shown_outside_.insert(object);
}

void Strict::callback_ended() {
    std::scoped_lock lock(mutex_);
    shown_outside_.clear();
}

void Strict::renew(std::string_view point) {
    std::scoped_lock lock(mutex_);
    for (const auto &frame : open_)
        if (frame->point == point) frame->renew();
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

void Strict::completed(Frame &frame, berth_status *status) {
    const char *wrong = nullptr;
    {
        std::scoped_lock lock(mutex_);
        if (frame.answer == Frame::Answer::Given) wrong = "ended a call twice (";
        if (frame.answer == Frame::Answer::Immediate) wrong = "ended a call that it had answered already (";
        if (!wrong) {
            frame.given = frame.real_of(status);
            // While the call runs, what it did is not known yet: then it is passed on when it returns.
            if (std::exchange(frame.answer, Frame::Answer::Given) == Frame::Answer::Running) return;
        }
    }
    if (wrong) return violated(wrong + frame.where() + ")");
    settle(frame);
}

/// Passes the late answer on to the host.
void Strict::settle(Frame &frame) {
    berth_done done = frame.real_done;
    berth_status *given = frame.given;
    frame.pass_codes_on();
    if (std::string sentence = finish(frame); !sentence.empty()) fail(given = done.status, sentence);
    done.complete(done.ctx, given);
}

void Strict::destroyed() {
    std::vector<std::string> sentences;
    auto name = "plugin " + in_quotes(context_.plugin);
    if (auto kept = context_.retained(); kept > 0)
        sentences.push_back(name + " broke the plugin ABI: it ended without releasing " + std::to_string(kept) +
                            (kept == 1 ? " object" : " objects") + " that it had retained");
    {
        std::scoped_lock lock(mutex_);
        // Somebody who still waits for the host cannot have answered.
        for (const auto &frame : open_)
            if (frame->answer == Frame::Answer::Owed && expected_.empty())
                sentences.push_back(sentence(*frame, "answered IN_PROGRESS and never ended the call"));
    }
    log(sentences);
}

Call::Call(Strict &strict, std::string_view point, Tag tag, const berth_pod *pod)
    : strict_(strict), outer_(innermost_frame), frame_(&strict.begin(point, tag, pod)) {
    innermost_frame = frame_;
}

void Call::leave() { innermost_frame = outer_; }

Call::~Call() {
    if (!frame_) return;
    leave();
    strict_.finish(*frame_);
}

std::string Call::finish() {
    leave();
    Frame &frame = *std::exchange(frame_, nullptr);
    frame.pass_codes_on();
    return strict_.finish(frame);
}

void Call::finish(berth_status *real) { fail(real, finish()); }

void Call::finish_or_wait(berth_status *real) {
    bool given = false;
    frame_->pass_codes_on();
    const bool later = real->code == BERTH_IN_PROGRESS;
    {
        std::scoped_lock lock(strict_.mutex_);
        given = frame_->answer == Frame::Answer::Given;
        if (!later) frame_->answer = Frame::Answer::Immediate;
        else if (!given) frame_->answer = Frame::Answer::Owed;
    }
    if (!later) {
        if (given) strict_.violated("ended the call with done and answered it at once", frame_);
        return finish(real);
    }
    leave();
    Frame &frame = *std::exchange(frame_, nullptr);
    if (given) strict_.settle(frame);
}

}  // namespace berth::plugin
