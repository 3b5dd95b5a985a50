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
    auto round = std::make_shared<Round>();
    round->done = std::move(done);
    std::vector<One *> added;
    for (const auto &watched : kinds)
        if (auto &one = make(watched); !std::exchange(one.followed, true)) added.push_back(&one);
    round->open = added.size();
    if (added.empty()) return round->end();
    for (auto *one : added) {
        one->awaited_by = round;
        ++one->generation;
        one->reflector->start([round, one] {
            one->awaited_by = nullptr;
            round->answered();
        });
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
    if (status == not_found && model::is_recent(one.watched.kind)) return absent(one, why);
    auto unwatched = unwatchable(one.watched, status, why);
    const auto round = std::exchange(one.awaited_by, nullptr);
    if (!round) {
        log_.write(env::Severity::Error, 0, "A kind cannot be watched; it counts as having no objects",
                   {{"resource", one.watched.kind.text()}, {"err", unwatched.text}});
        return ask_again(one);
    }
    if (round->refused.empty()) clock_.after(patience_ns, [round] { round->end(); });
    round->refused.push_back(std::move(unwatched));
    round->answered();
}

void Watches::absent(One &one, const std::string &why) {
    if (!std::exchange(one.said_absent, true))
        log_.write(env::Severity::Info, 0, "The API server does not serve a kind; it counts as having no objects",
                   {{"resource", one.watched.kind.text()}, {"err", why}});
    ask_again(one);
    if (const auto round = std::exchange(one.awaited_by, nullptr)) round->answered();
}

void Watches::ask_again(One &one) {
    constexpr std::int64_t until_then_ns = 600'000'000'000;
    clock_.after(until_then_ns, [this, &one, generation = ++one.generation] {
        if (generation != one.generation) return;
        one.reflector->start([this, &one] {
            one.said_absent = false;
            log_.write(env::Severity::Info, 0, "The API server serves a kind that it did not show before",
                       {{"resource", one.watched.kind.text()}});
        });
    });
}

void Watches::keep(const std::vector<plugin::Watched> &kinds) {
    for (auto &[text, one] : all_) {
        const bool wanted =
            std::ranges::any_of(kinds, [&](const auto &watched) { return watched.kind == one.watched.kind; });
        if (wanted || !std::exchange(one.followed, false)) continue;
        ++one.generation;
        one.awaited_by = nullptr;
        one.reflector->forget();
        forget_(one.watched.kind);
    }
}

void Watches::resync() {
    for (auto &[text, one] : all_) one.reflector->resync();
}

void Watches::stop() {
    for (auto &[text, one] : all_) {
        ++one.generation;
        one.reflector->stop();
    }
}

std::size_t Watches::bytes() const {
    std::size_t out = 0;
    for (const auto &[text, one] : all_) out += one.reflector->bytes();
    return out;
}

}  // namespace berth::live
