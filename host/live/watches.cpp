// SPDX-License-Identifier: Apache-2.0
#include "live/watches.h"

#include "kube/url.h"
#include "live/needed_rights.h"
#include "model/recent_kinds.h"

#include <algorithm>
#include <utility>

namespace berth::live {
namespace {

constexpr int not_found = 404;

/// As messages say it: "v1/configmaps (namespace a)".
std::string text_of(const plugin::Watched &watched) {
    const auto part = watched.part.text();
    return watched.kind.text() + (part.empty() ? "" : " (" + part + ")");
}

/// Differs for each kind and part; none of the texts has a line break.
std::string key_of(const plugin::Watched &watched) {
    const auto &part = watched.part;
    return watched.kind.text() + "\n" + part.name_space() + "\n" + part.name() + "\n" + part.label_selector();
}

/// As a field selector has it.
std::string escaped(const std::string &name) {
    std::string out;
    for (const char c : name) {
        if (c == '\\' || c == ',' || c == '=') out += '\\';
        out += c;
    }
    return out;
}

kube::Collection restricted_to(kube::Collection collection, const detail::Selection &part) {
    collection.label_selector = part.label_selector();
    if (!part.name().empty()) collection.field_selector = "metadata.name=" + escaped(part.name());
    if (!part.name_space().empty())
        collection.path.insert(collection.path.rfind('/'), "/namespaces/" + kube::percent_encoded(part.name_space()));
    return collection;
}

std::string names_of(const plugin::Watched &watched) {
    std::set<Needer> who;
    for (const auto &name : watched.plugins) who.insert({true, name});
    if (who.empty()) who.insert({false, "the scheduler"});
    return names_of(who);
}

}  // namespace

Unwatchable unwatchable(const plugin::Watched &watched, int status, const std::string &why) {
    const auto &kind = watched.kind;
    std::string text = names_of(watched) + ": watching " + text_of(watched) +
                       (watched.plugins.empty() ? "" : ", as declared,") + " is not possible: " + why + "; ";
    if (status == not_found && kind.custom)
        text += "install the CustomResourceDefinition " + kind.resource + "." + kind.group + " with version " +
                kind.version +
                (watched.part.name_space().empty() ? "" : ", or select no namespace if the kind has none");
    else if (status == not_found) text += "this API server does not serve that version";
    else
        text += rule_to_add({kind.group, kind.resource, watched.part.name(), watched.part.name_space(), {}},
                            {"list", "watch"});
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
    auto &one = all_[key_of(watched)];
    one.watched = watched;
    if (one.reflector) return one;
    auto collection = restricted_to(kube::objects_for(observer_, watched.kind), watched.part);
    collection.refused = [this, &one](int status, const std::string &why) { refused(one, status, why); };
    one.reflector =
        std::make_unique<kube::Reflector>(transport_, clock_, &log_, std::move(collection), seed_, left_out_);
    if (speaks_json_) one.reflector->speak_json();
    return one;
}

Watches::One *Watches::followed(const model::Kind &kind) {
    for (auto &[text, one] : all_)
        if (one.followed && one.watched.kind == kind) return &one;
    return nullptr;
}

std::vector<Unwatchable> Watches::lacking(const std::vector<plugin::Watched> &kinds) {
    std::vector<Unwatchable> out;
    for (const auto &watched : kinds) {
        const auto *present = followed(watched.kind);
        if (!present || present->watched.part.shared_with(watched.part) == present->watched.part) continue;
        out.push_back({watched.kind, names_of(watched) + ": watching " + text_of(watched) +
                                         " is not possible: Berth watches " + text_of(present->watched) +
                                         " and has to be started again to watch more of the kind"});
    }
    return out;
}

void Watches::follow(const std::vector<plugin::Watched> &kinds, Done done) {
    if (auto refused = lacking(kinds); !refused.empty()) return done(std::move(refused));
    auto round = std::make_shared<Round>();
    round->done = std::move(done);
    std::vector<One *> added;
    for (const auto &watched : kinds) {
        if (auto *present = followed(watched.kind)) {
            present->watched.plugins = watched.plugins;
            continue;
        }
        auto &one = make(watched);
        one.followed = true;
        added.push_back(&one);
    }
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
    one.followed = false;
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
