// SPDX-License-Identifier: Apache-2.0
#include "cli/watches.h"

#include <algorithm>
#include <utility>

namespace berth::cli {
namespace {

/// A kind that plugins watch and the API server does not show, and what to do about it.
std::string unwatchable(const plugin::Watched &watched, int status, const std::string &why) {
    constexpr int not_found = 404;
    const auto &kind = watched.kind;
    std::string names;
    for (const auto &name : watched.plugins) names += (names.empty() ? "" : ", ") + name;
    std::string text = (watched.plugins.size() == 1 ? "plugin " : "plugins ") + names + ": watching " + kind.text() +
                       ", as declared, is not possible: " + why + "; ";
    if (status == not_found && kind.custom)
        return text + "install the CustomResourceDefinition " + kind.resource + "." + kind.group + " with version " +
               kind.version;
    if (status == not_found) return text + "this API server does not serve that version";
    return text + "add to the scheduler's ClusterRole the rule {apiGroups: [\"" + kind.group + "\"], resources: [" +
           kind.resource + "], verbs: [list, watch]}";
}

}  // namespace

Watches::Watches(kube::Transport &transport, env::Clock &clock, env::Log &log, Scheduler &scheduler, std::uint64_t seed)
    : transport_(transport), clock_(clock), log_(log), scheduler_(scheduler), seed_(seed) {}

Watches::One &Watches::make(const plugin::Watched &watched) {
    auto &one = all_[watched.kind.text()];
    one.watched = watched;
    if (one.reflector) return one;
    auto collection = kube::objects_for(scheduler_, watched.kind);
    collection.refused = [this, &one](int status, const std::string &why) { refused(one.watched, status, why); };
    one.reflector = std::make_unique<kube::Reflector>(transport_, clock_, &log_, std::move(collection), seed_);
    return one;
}

void Watches::follow(const std::vector<plugin::Watched> &kinds, Done done) {
    auto round = round_ = std::make_shared<Round>();
    round->done = std::move(done);
    std::vector<One *> added;
    for (const auto &watched : kinds)
        if (auto &one = make(watched); !std::exchange(one.followed, true)) added.push_back(&one);
    round->open = added.size();
    if (added.empty()) return std::exchange(round->done, nullptr)({});
    for (auto *one : added)
        one->reflector->start([round] {
            if (--round->open == 0 && round->done) std::exchange(round->done, nullptr)({});
        });
}

void Watches::refused(const plugin::Watched &watched, int status, const std::string &why) {
    if (round_->done) std::exchange(round_->done, nullptr)(model::Error{unwatchable(watched, status, why)});
}

void Watches::keep(const std::vector<plugin::Watched> &kinds) {
    for (auto &[text, one] : all_) {
        const bool wanted =
            std::ranges::any_of(kinds, [&](const auto &watched) { return watched.kind == one.watched.kind; });
        if (wanted || !std::exchange(one.followed, false)) continue;
        one.reflector->forget();
        scheduler_.forget(one.watched.kind);
    }
}

void Watches::stop() {
    for (auto &[text, one] : all_) one.reflector->stop();
}

}  // namespace berth::cli
