// SPDX-License-Identifier: Apache-2.0
#include "plugin/strict.h"

#include "plugin/fault.h"
#include "plugin/host_context.h"

#include <utility>

namespace berth::plugin {

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

std::string Strict::sentence(const std::string &where, const std::string &what) const {
    return "plugin " + in_quotes(context_.plugin) + " broke the plugin ABI " + where + ": it " + what;
}

void Strict::log(const std::vector<std::string> &sentences) const {
    for (const auto &text : sentences) context_.broke_abi(text);
}

void Strict::violated(const std::string &what, CallProxy *proxy) {
    if (context_.tasks->running_here()) return log({sentence("in a task", what)});
    if (!calls.add_violation(what, proxy)) log({sentence("outside of its calls", what)});
}

bool Strict::may_use(CallProxy &proxy, const char *what, bool any_thread) {
    if (!proxy.open()) {
        violated("used " + std::string(what) + " of an earlier call (" + proxy.where() + ")");
        return false;
    }
    if (any_thread || (std::this_thread::get_id() == proxy.thread && !context_.tasks->running_here())) return true;
    violated("used " + std::string(what) + " on a thread that is not that of the call", &proxy);
    return false;
}

bool Strict::was_given(const void *given, const char *what) {
    // What create and events are given is the host's own.
    if (creating() || calls.gave(given)) return true;
    violated("used " + std::string(what) + " that it was not given, or that ended long ago");
    return false;
}

void Strict::check_texts(const berth_str *texts, std::uint64_t n) {
    if (calls.any_kept(texts, n)) violated("passed a text that it had kept from an earlier call");
}

void Strict::give_column(std::uint32_t column) {
    if (creating()) return columns_.give_always(column);
    const CallProxy *proxy = calls.innermost();
    columns_.give(column, proxy ? proxy->attempt() : 0);
}

void Strict::check_column(CallProxy &proxy, std::uint32_t column) {
    if (!columns_.may_read(column, proxy.attempt()))
        violated("read a column that it was not given in this attempt, nor at create", &proxy);
}

std::string Strict::end(CallProxy &proxy) {
    const auto where = "at " + proxy.where();
    std::vector<std::string> sentences;
    if (auto damage = proxy.memory.damage()) sentences.push_back(sentence(where, *damage));
    dry_runs.close_of(proxy);
    for (const auto &what : calls.end(proxy)) sentences.push_back(sentence(where, what));
    log(sentences);
    return sentences.empty() ? std::string() : sentences.front();
}

void Strict::end_completed(CallProxy &proxy) {
    const berth_done done = proxy.real_done();
    berth_status *given = calls.given(proxy);
    proxy.pass_codes_on();
    if (std::string sentence = end(proxy); !sentence.empty()) fail(given = done.status, sentence);
    behind(done).complete(given);
}

void Strict::complete(CallProxy &proxy, berth_status *status) {
    using enum CheckedCalls::Answer;
    switch (calls.complete(proxy, status)) {
        case Running: break;  // what the call does is not known yet: its thread ends it
        case Owed: end_completed(proxy); break;
        case Given: violated("ended a call twice (" + proxy.where() + ")"); break;
        case Immediate: violated("ended a call that it had answered already (" + proxy.where() + ")"); break;
    }
}

void Strict::destroyed() {
    std::vector<std::string> sentences;
    if (auto kept = context_.retained(); kept > 0)
        sentences.push_back("plugin " + in_quotes(context_.plugin) +
                            " broke the plugin ABI: it ended without releasing " + std::to_string(kept) +
                            (kept == 1 ? " object" : " objects") + " that it had retained");
    // A plugin whose callback was cancelled because it ends could not answer before.
    if (!callbacks.cancelled())
        for (const auto &where : calls.owed())
            sentences.push_back(sentence("at " + where, "answered IN_PROGRESS and never ended the call"));
    log(sentences);
}

Call::Call(Strict &strict, std::string_view point, Tag tag, const berth_pod *pod)
    : strict_(strict), proxy_(&strict.calls.begin(point, tag, pod)) {}

Call::~Call() {
    if (proxy_) strict_.end(*proxy_);
}

std::string Call::end() {
    CallProxy &proxy = *std::exchange(proxy_, nullptr);
    proxy.pass_codes_on();
    return strict_.end(proxy);
}

void Call::end(berth_status *real) { fail(real, end()); }

void Call::end_or_wait(berth_status *real) {
    proxy_->pass_codes_on();
    const bool later = real->code == BERTH_STATUS_IN_PROGRESS;
    const bool completed = strict_.calls.returned(*proxy_, later);
    if (!later) {
        if (completed) strict_.violated("ended the call with done and answered it at once", proxy_);
        return end(real);
    }
    CallProxy &proxy = *std::exchange(proxy_, nullptr);
    if (completed) strict_.end_completed(proxy);
}

}  // namespace berth::plugin
