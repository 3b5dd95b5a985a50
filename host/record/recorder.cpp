// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.h"

#include "record/tree.h"

#include <algorithm>
#include <utility>

namespace berth::record {
namespace {

std::string_view uid_of(const model::Object &object) { return model::view(object.meta().uid); }

}  // namespace

Recorder::Recorder(JournalWriter *journal, env::Clock &clock, env::Workers &workers)
    : journal_(journal), clock_(clock), workers_(workers), now_ns_(clock.now_ns()) {}

env::Observer &Recorder::observer(env::Observer &core) {
    core_ = &core;
    return journal_ ? static_cast<env::Observer &>(*this) : core;
}

env::Api &Recorder::api(env::Api &world) {
    world_ = &world;
    return journal_ ? static_cast<env::Api &>(*this) : world;
}

/// The next entry is an input: the clock is read once.
void Recorder::enter(Entry entry) {
    journal_->end_entry();
    const auto now = clock_.now_ns();
    now_ns_.store(now, std::memory_order_relaxed);
    out().push_back(static_cast<char>(entry));
    put_signed(out(), now - std::exchange(recorded_ns_, now));
}

void Recorder::called(std::uint64_t id) {
    enter(Entry::Called);
    put_number(out(), id);
}

/// Records by `record` that `fn` is called, and calls it. For profiles whose making came to nothing it records nothing:
/// a replay does not make them.
void Recorder::call(const std::shared_ptr<Ids::Build> &build, const std::function<void()> &record,
                    const std::function<void()> &fn) {
    if (!build || build->succeeded) {
        record();
        return fn();
    }
    Ids::Asker asker{Ids::of_build(build->number), 0, false, build};
    const Ids::As as(ids_.get(), asker);
    fn();
}

std::function<void()> Recorder::later(std::uint64_t id, std::function<void()> fn) {
    return [this, open = open_, id, build = ids_->build(), fn = std::move(fn)] {
        if (*open) call(build, [&] { called(id); }, fn);
    };
}

void Recorder::after(std::int64_t ns, std::function<void()> fn) {
    clock_.after(ns, later(ids_->next(), std::move(fn)));
}

void Recorder::post(std::function<void()> fn) { clock_.post(later(ids_->next(), std::move(fn))); }

void Recorder::submit(std::function<void()> work, std::function<void()> done) {
    const auto id = ids_->next();
    workers_.submit(
        [ids = ids_, id, build = ids_->build(), work = std::move(work)] {
            Ids::Asker asker{id, 0, false, build};
            const Ids::As as(ids.get(), asker);
            work();
        },
        later(id, std::move(done)));
}

void Recorder::send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) {
    const auto id = ids_->next();
    const bool binding = request.binds(), reads = request.reads();
    const bool secret = request.group.empty() && request.resource == "secrets";
    // What the making of profiles asks for may come to nothing.
    if (on() && !ids_->is_apart()) {
        out().push_back(static_cast<char>(Entry::Requested));
        put_number(out(), id);
        put_number(out(), digest_of(request));
    }
    world_->send(std::move(request), [this, open = open_, id, build = ids_->build(), binding, reads, secret,
                                      done = std::move(done)](env::ApiAnswer answer) {
        if (!*open) return;
        auto record = [&] {
            enter(Entry::Answered);
            put_number(out(), id);
            if (on()) reads ? put_read(out(), answer, secret) : put_answer(out(), answer, binding);
        };
        call(build, record, [&] {
            // So is it in the replay.
            if (binding && answer.http_status >= 200 && answer.http_status < 300) answer.body = "{}";
            done(std::move(answer));
        });
    });
}

std::unique_ptr<Ids::As> Recorder::building() {
    auto build = std::make_shared<Ids::Build>(builds_++);
    builder_ = {Ids::of_build(build->number), 0, false, std::move(build)};
    return std::make_unique<Ids::As>(ids_.get(), builder_);
}

std::uint64_t Recorder::built(const std::string &how) {
    builder_.build->succeeded = true;
    const auto number = builder_.build->number;
    if (on()) {
        out().push_back(static_cast<char>(Entry::Built));
        put_number(out(), number);
        put_text(out(), how);
    }
    return number;
}

void Recorder::used(std::uint64_t build) { ended(Entry::Used, build); }

void Recorder::dropped(std::uint64_t build) { ended(Entry::Dropped, build); }

void Recorder::ended(Entry entry, std::uint64_t build) {
    if (!journal_) return;
    enter(entry);
    put_number(out(), build);
}

void Recorder::schedule_one() {
    if (journal_) enter(Entry::ScheduleOne);
}

void Recorder::forgotten(const model::Kind &kind) {
    if (!journal_) return;
    const auto number = number_of(kind);
    enter(Entry::Forgotten);
    put_number(out(), number);
    kinds_[number]->seen.clear();
}

void Recorder::decision(const model::Decision &decision) {
    if (!on()) return;
    out().push_back(static_cast<char>(Entry::Decision));
    put_decision(out(), decision);
}

std::size_t Recorder::number_of(const model::Kind &kind) {
    const auto at = std::ranges::find_if(kinds_, [&](const auto &one) { return one->kind == kind; });
    if (at != kinds_.end()) return static_cast<std::size_t>(at - kinds_.begin());
    auto &made = *kinds_.emplace_back(std::make_unique<OfKind>());
    made.kind = kind;
    made.secret = kind.group.empty() && kind.resource == "secrets";
    out().push_back(static_cast<char>(Entry::Kind));
    for (const auto *text : {&kind.group, &kind.version, &kind.resource, &kind.name}) put_text(out(), *text);
    out().push_back(static_cast<char>(kind.scope));
    out().push_back(kind.custom ? 1 : 0);
    return kinds_.size() - 1;
}

void Recorder::put_added(OfKind &of, const model::Object &object) {
    if (!on()) return;
    const auto uid = uid_of(object);
    const auto owner = SeenObjects::owner_of(object.tree);
    const auto like = of.seen.like(owner);
    put_text(out(), uid);
    put_text(out(), owner);
    put_tree(out(), object.tree->value(), like ? like->value() : model::Value{}, of.secret);
    of.seen.added(uid, object.shared_from_this());
}

void Recorder::put_updated(OfKind &of, const model::Object &before, const model::Object &after) {
    if (!on()) return;
    const auto uid = uid_of(before);
    const auto seen = of.seen.find(uid);
    put_text(out(), uid);
    out().push_back(seen.get() == &before ? 0 : 1);
    if (seen.get() != &before)
        put_tree(out(), before.tree->value(), seen ? seen->tree->value() : model::Value{}, of.secret);
    put_tree(out(), after.tree->value(), before.tree->value(), of.secret);
    of.seen.updated(uid, uid_of(after), after.shared_from_this());
}

void Recorder::put_deleted(OfKind &of, const model::Object &object) {
    if (!on()) return;
    const auto uid = uid_of(object);
    const auto seen = of.seen.find(uid);
    put_text(out(), uid);
    put_tree(out(), object.tree->value(), seen ? seen->tree->value() : model::Value{}, of.secret);
    of.seen.deleted(uid);
}

void Recorder::node_added(model::NodePtr node) {
    enter(Entry::NodeAdded);
    put_added(nodes_, *node);
    core_->node_added(std::move(node));
}
void Recorder::node_updated(model::NodePtr before, model::NodePtr after) {
    enter(Entry::NodeUpdated);
    put_updated(nodes_, *before, *after);
    core_->node_updated(std::move(before), std::move(after));
}
void Recorder::node_deleted(model::NodePtr node) {
    enter(Entry::NodeDeleted);
    put_deleted(nodes_, *node);
    core_->node_deleted(std::move(node));
}
void Recorder::pod_added(model::PodPtr pod) {
    enter(Entry::PodAdded);
    put_added(pods_, *pod);
    core_->pod_added(std::move(pod));
}
void Recorder::pod_updated(model::PodPtr before, model::PodPtr after) {
    enter(Entry::PodUpdated);
    put_updated(pods_, *before, *after);
    core_->pod_updated(std::move(before), std::move(after));
}
void Recorder::pod_deleted(model::PodPtr pod) {
    enter(Entry::PodDeleted);
    put_deleted(pods_, *pod);
    core_->pod_deleted(std::move(pod));
}
void Recorder::object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) {
    const auto number = number_of(kind);
    auto &of = *kinds_[number];
    enter(!before ? Entry::ObjectAdded : after ? Entry::ObjectUpdated : Entry::ObjectDeleted);
    put_number(out(), number);
    if (!before) put_added(of, *after);
    else if (after) put_updated(of, *before, *after);
    else put_deleted(of, *before);
    core_->object_changed(kind, std::move(before), std::move(after));
}

/// Writes down what an extender says.
class Recorder::RecordedExtender final : public env::Extender {
    Recorder &recorder_;
    std::unique_ptr<env::Extender> world_;

    template <class T, class Ask>
    void ask(Done<T> done, Ask &&ask) {
        auto within = std::make_shared<bool>(true);
        ask([&recorder = recorder_, open = recorder_.open_, id = recorder_.ids_->next(), within,
             done = std::move(done)](model::Result<T> said) {
            if (!*open) return;
            // Within the call no time passes.
            if (*within) {
                recorder.out().push_back(static_cast<char>(Entry::ExtenderSaid));
                put_signed(recorder.out(), 0);
            } else {
                recorder.enter(Entry::ExtenderSaid);
            }
            auto &out = recorder.out();
            put_number(out, id);
            out.push_back(*within ? 1 : 0);
            out.push_back(said ? 0 : 1);
            std::string text;
            if (!said) text = said.error().text;
            else if constexpr (!std::is_void_v<T>) put_said(text, *said);
            put_text(out, text);
            done(std::move(said));
        });
        *within = false;
    }

public:
    RecordedExtender(Recorder &recorder, std::unique_ptr<env::Extender> world)
        : Extender(world->traits()), recorder_(recorder), world_(std::move(world)) {}

    void filter(const model::Object &pod, std::span<const Node> nodes, Done<Filtered> done) override {
        ask<Filtered>(std::move(done), [&](auto answer) { world_->filter(pod, nodes, std::move(answer)); });
    }
    void prioritize(const model::Object &pod, std::span<const Node> nodes, Done<std::vector<Score>> done) override {
        ask<std::vector<Score>>(std::move(done),
                                [&](auto answer) { world_->prioritize(pod, nodes, std::move(answer)); });
    }
    void preempt(const model::Object &pod, std::span<const Candidate> candidates, Done<Preempted> done) override {
        ask<Preempted>(std::move(done), [&](auto answer) { world_->preempt(pod, candidates, std::move(answer)); });
    }
    void bind(const model::Pod &pod, std::string_view node, Done<void> done) override {
        ask<void>(std::move(done), [&](auto answer) { world_->bind(pod, node, std::move(answer)); });
    }
};

std::unique_ptr<env::Extender> Recorder::extender(std::unique_ptr<env::Extender> world) {
    if (!journal_) return world;
    return std::make_unique<RecordedExtender>(*this, std::move(world));
}

}  // namespace berth::record
