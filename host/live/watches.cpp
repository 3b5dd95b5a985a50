// SPDX-License-Identifier: Apache-2.0
#include "live/watches.h"

#include "live/needed_rights.h"
#include "model/recent_kinds.h"

#include <algorithm>
#include <utility>

namespace berth::live {
namespace {

constexpr int not_found = 404;

}  // namespace

Unwatchable unwatchable(const plugin::Watched &watched, int status, const std::string &why) {
    const auto &kind = watched.kind;
    std::set<Needer> who;
    for (const auto &name : watched.plugins) who.insert({true, name});
    if (who.empty()) who.insert({false, "the scheduler"});
    std::string text = names_of(who) + ": watching " + kind.text() + (watched.plugins.empty() ? "" : ", as declared,") +
                       " is not possible: " + why + "; ";
    if (status == not_found && kind.custom)
        text += "install the CustomResourceDefinition " + kind.resource + "." + kind.group + " with version " +
                kind.version;
    else if (status == not_found) text += "this API server does not serve that version";
    else text += rule_to_add({kind.group, kind.resource, {}, {}, {}}, {"list", "watch"});
    return {kind, std::move(text)};
}

Watches::Watches(kube::Transport &transport, env::Clock &clock, env::Log &log, env::Observer &observer, Forget forget,
                 std::uint64_t seed, std::shared_ptr<kube::LeftOut> left_out)
    : transport_(transport),
      clock_(clock),
      log_(log),
      observer_(observer),
      forget_(std::move(forget)),
      seed_(seed),
      left_out_(std::move(left_out)) {}

Watches::One &Watches::make(const plugin::Watched &watched) {
    auto &one = all_[watched.kind.text()];
    one.watched = watched;
    if (one.reflector) return one;
    auto collection = kube::objects_for(observer_, watched.kind);
    collection.refused = [this, &one](int status, const std::string &why) { refused(one, status, why); };
    one.reflector =
        std::make_unique<kube::Reflector>(transport_, clock_, &log_, std::move(collection), seed_, left_out_);
    if (speaks_json_) one.reflector->speak_json();
    return one;
}

void Watches::follow(const std::vector<plugin::Watched> &kinds, Done done) {
    auto round = round_ = std::make_shared<Round>();
    round->done = std::move(done);
    std::vector<One *> added;
    for (const auto &watched : kinds)
        if (auto &one = make(watched); !std::exchange(one.followed, true)) added.push_back(&one);
    round->open = added.size();
    if (added.empty()) return round->end();
    for (auto *one : added) {
        one->awaited = true;
        one->to_ask_again = false;
        one->reflector->start([round] { round->answered(); });
    }
}

void Watches::Round::answered() {
    if (--open == 0) end();
}

void Watches::Round::end() {
    if (done) std::exchange(done, nullptr)(std::move(refused));
}

void Watches::refused(One &one, int status, const std::string &why) {
    constexpr std::int64_t patience_ns = 8'000'000'000;
    if ((status == not_found && model::is_recent(one.watched.kind)) || !one.awaited) return absent(one, why);
    auto round = round_;
    if (round->refused.empty()) clock_.after(patience_ns, [round] { round->end(); });
    round->refused.push_back(unwatchable(one.watched, status, why));
    round->answered();
}

void Watches::absent(One &one, const std::string &why) {
    constexpr std::int64_t until_then_ns = 600'000'000'000;
    if (!std::exchange(one.said_absent, true))
        log_.write(env::Severity::Info, 0, "The API server does not serve a kind; it counts as having no objects",
                   {{"resource", one.watched.kind.text()}, {"err", why}});
    one.to_ask_again = true;
    clock_.after(until_then_ns, [&one] {
        if (one.followed && std::exchange(one.to_ask_again, false)) one.reflector->start([] {});
    });
    if (std::exchange(one.awaited, false)) round_->answered();
}

void Watches::keep(const std::vector<plugin::Watched> &kinds) {
    for (auto &[text, one] : all_) {
        const bool wanted =
            std::ranges::any_of(kinds, [&](const auto &watched) { return watched.kind == one.watched.kind; });
        if (wanted || !std::exchange(one.followed, false)) continue;
        one.reflector->forget();
        forget_(one.watched.kind);
    }
}

void Watches::resync() {
    for (auto &[text, one] : all_) one.reflector->resync();
}

void Watches::stop() {
    for (auto &[text, one] : all_) one.reflector->stop();
}

std::size_t Watches::bytes() const {
    std::size_t out = 0;
    for (const auto &[text, one] : all_) out += one.reflector->bytes();
    return out;
}

}  // namespace berth::live
