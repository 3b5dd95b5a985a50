// SPDX-License-Identifier: Apache-2.0
#include "record/player.h"

#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <utility>

namespace berth::record {
namespace {

constexpr int created = 201, ok = 200;

}  // namespace

std::uint64_t Player::most_held_by(const Journal &journal) {
    constexpr std::uint64_t least = std::uint64_t{64} << 20, times = 1024;
    const auto machine =
        static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return std::min(least + times * journal.entries.size(), machine / 2);
}

model::Result<void> Player::wrong() const {
    const std::string why = journal_.why();
    return model::Error{recording_.file + ": byte " + std::to_string(recording_.in_file(journal_.at())) + ": " +
                        (why.empty() ? "it holds what is no entry" : why) +
                        "; the file was damaged, made to do harm, or recorded by another version of Berth"};
}

/// The clock goes on, or back; false: to where no clock is.
bool Player::pass(std::int64_t ns) {
    std::int64_t now = 0;
    if (__builtin_add_overflow(now_ns_, ns, &now) || now < 0 || now > latest_ns)
        return journal_.fail("it tells of a time that no clock shows"), false;
    now_ns_ = now;
    return true;
}

std::optional<Entry> Player::next() const {
    if (journal_.at_end()) return std::nullopt;
    return static_cast<Entry>(journal_.left().front());
}

void Player::differ(Difference difference) {
    if (!difference_) difference_ = std::move(difference);
}

model::Result<void> Player::play(Core core) {
    core_ = std::move(core);
    while (const auto entry = next()) {
        if (*entry == Entry::Decision) {
            if (auto recorded = take_recorded()) differ({std::move(recorded), {}, {}});
        } else if (*entry == Entry::Requested) {
            take_request();
            differ({{}, {}, "a request that was made then is not made"});
        } else if (*entry == Entry::Kind) {
            kind();
        } else if (*entry == Entry::Built) {
            journal_.byte();
            const auto number = journal_.number();
            const std::string how(journal_.text());
            if (!journal_.good()) break;
            built_.insert(number);
            builder_ = {Ids::of_build(number), 0};
            const Ids::As as(&ids_, builder_);
            if (auto built = core_.build(number, how); !built) return built;
        } else if (is_input(*entry)) {
            const auto before = journal_;
            journal_.byte();
            const auto then = now_ns_;
            if (!pass(journal_.signed_number())) break;
            if (core_.go_on && !core_.go_on(now_ns_)) {
                journal_ = before;
                now_ns_ = then;
                return {};
            }
            if (inputs_++ == 0) began_ns_ = now_ns_;
            if (apart()) catch_up();
            input(*entry);
            if (apart()) catch_up();
        } else {
            journal_.fail();
        }
        if (!journal_.good()) break;
    }
    if (!journal_.good()) return wrong();
    return {};
}

void Player::input(Entry entry) {
    const bool is_cluster_input = entry < Entry::Called;
    if (is_cluster_input && entry != Entry::Used && !used_)
        return journal_.fail("it tells of a cluster before anybody looks at it");
    switch (entry) {
        case Entry::Used:
        case Entry::Dropped: return use(entry);
        case Entry::NodeAdded:
        case Entry::NodeUpdated:
        case Entry::NodeDeleted: return node(entry);
        case Entry::PodAdded:
        case Entry::PodUpdated:
        case Entry::PodDeleted: return pod(entry);
        case Entry::ObjectAdded:
        case Entry::ObjectUpdated:
        case Entry::ObjectDeleted: return object(entry);
        case Entry::Forgotten: return forgotten();
        case Entry::ScheduleOne: return schedule_one();
        case Entry::Called: return call(journal_.number());
        case Entry::Answered: return answered();
        default: return extender_said();
    }
}

void Player::use(Entry entry) {
    const auto number = journal_.number();
    if (!journal_.good()) return;
    if (built_.erase(number) == 0) return journal_.fail("it uses profiles that it has not told of");
    if (entry == Entry::Dropped) return core_.drop(number);
    used_ = true;
    core_.use(number);
}

void Player::schedule_one() {
    constexpr int most = 100'000;
    if (!core_.schedule_one() || !apart()) return;
    // The core may have more to do than it had then, and then it found nothing more.
    for (int i = 0; i < most && next() != Entry::ScheduleOne; ++i) {
        catch_up();
        if (!core_.schedule_one()) return;
    }
}

std::optional<model::Decision> Player::take_recorded() {
    journal_.byte();
    auto out = take_decision(journal_);
    if (!journal_.good()) return std::nullopt;
    if (core_.recorded) core_.recorded(out);
    return out;
}

void Player::take_request() {
    journal_.byte();
    journal_.number();
    journal_.number();
}

void Player::decision(const model::Decision &decision) {
    if (apart()) return;
    if (next() != Entry::Decision) return differ({{}, decision, {}});
    auto recorded = take_recorded();
    if (!recorded) return;
    std::string one, other;
    // Of the numbers some were events', which a replay does not write.
    const auto seq = std::exchange(recorded->seq, decision.seq);
    put_decision(one, *recorded);
    recorded->seq = seq;
    put_decision(other, decision);
    if (one != other) differ({std::move(recorded), decision, {}});
}

void Player::retired() {
    while (next() == Entry::Kind) kind();
    while (next() == Entry::Forgotten) {
        journal_.byte();
        if (!pass(journal_.signed_number())) return;
        forgotten();
    }
}

void Player::after(std::int64_t ns, std::function<void()> fn) {
    const std::scoped_lock lock(mutex_);
    calls_[ids_.next()] = {std::move(fn), now_ns_ + ns};
}

void Player::post(std::function<void()> fn) {
    const std::scoped_lock lock(mutex_);
    calls_[ids_.next()] = {std::move(fn), 0};
    posted_.notify_all();
}

void Player::submit(std::function<void()> work, std::function<void()> done) {
    tasks_[ids_.next()] = {std::move(work), std::move(done)};
}

std::optional<Player::Call> Player::find_call(std::uint64_t id) {
    std::unique_lock lock(mutex_);
    auto there = [&] { return calls_.contains(id); };
    if (Ids::is_foreign(id)) posted_.wait_for(lock, std::chrono::seconds{patience_s}, there);
    if (!there()) return std::nullopt;
    return std::move(calls_.extract(id).mapped());
}

/// Does what a task is for; what it asks for counts as its own.
void Player::run_task(std::uint64_t id, Task &task) {
    if (auto work = std::exchange(task.work, nullptr)) {
        Ids::Asker asker{id};
        const Ids::As as(&ids_, asker);
        work();
    }
}

void Player::call(std::uint64_t id) {
    if (apart() || !journal_.good()) return;
    if (auto task = tasks_.find(id); task != tasks_.end()) {
        run_task(id, task->second);
        auto done = std::move(task->second.done);
        tasks_.erase(id);
        return done();
    }
    auto call = find_call(id);
    // Perhaps it is what a task posts that has not come to its end.
    for (auto at = tasks_.begin(); !call && !Ids::is_of_dry_run(id) && at != tasks_.end(); ++at) {
        run_task(at->first, at->second);
        call = find_call(id);
    }
    if (!call && Ids::is_of_dry_run(id)) return;
    if (!call) return differ({{}, {}, "a timer, or what a plugin posted then, is not there"});
    call->fn();
}

void Player::send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) {
    const auto id = ids_.next();
    if (!apart() && !ids_.is_apart()) {
        const auto sent = digest_of(request);
        std::uint64_t recorded = 0;
        if (next() == Entry::Requested) {
            journal_.byte();
            journal_.number();
            recorded = journal_.number();
        }
        if (recorded != sent)
            differ({{},
                    {},
                    "a request to the API server is another one: " + request.resource + "/" + request.subresource +
                        " " + request.name_space + "/" + request.name});
    }
    if (!apart()) {
        requests_[id] = std::move(done);
        return;
    }
    if (request.reads())
        return post([done = std::move(done)] { done({0, "the recording does not have what was read"}); });
    const int status = request.verb == env::Verb::Create ? created : ok;
    post([status, done = std::move(done)] { done({status, "{}"}); });
}

void Player::answered() {
    const auto id = journal_.number();
    auto answer = take_answer(journal_);
    const auto at = requests_.find(id);
    if (!journal_.good()) return;
    if (at == requests_.end()) return differ({{}, {}, "a request that was answered then was not made"});
    auto done = std::move(at->second);
    requests_.erase(at);
    done(std::move(answer));
}

/// Runs what is due, in the order in which it is.
void Player::catch_up() {
    for (;;) {
        std::optional<Call> call;
        {
            const std::scoped_lock lock(mutex_);
            auto first = calls_.end();
            for (auto at = calls_.begin(); at != calls_.end(); ++at)
                if (at->second.due_ns <= now_ns_ && (first == calls_.end() || at->second.due_ns < first->second.due_ns))
                    first = at;
            if (first != calls_.end()) call = std::move(calls_.extract(first).mapped());
        }
        if (call) call->fn();
        else if (!tasks_.empty()) {
            auto task = tasks_.extract(tasks_.begin());
            run_task(task.key(), task.mapped());
            task.mapped().done();
        } else {
            return;
        }
    }
}

/// Asks the recording.
class Player::ReplayedExtender final : public env::Extender {
    Player &player_;

    template <class T>
    void ask(Done<T> done, const model::Result<T> &otherwise) {
        const auto id = player_.ids_.next();
        if (player_.apart()) return player_.post([done = std::move(done), otherwise] { done(otherwise); });
        player_.extenders_[id] = [done = std::move(done)](Bytes &bytes, const std::optional<std::string> &error) {
            if (error) return done(model::Error{*error});
            if constexpr (std::is_void_v<T>) {
                done({});
            } else {
                T said;
                take_said(bytes, said);
                done(std::move(said));
            }
        };
        player_.said_within(id);
    }

public:
    ReplayedExtender(Player &player, env::ExtenderTraits traits) : Extender(std::move(traits)), player_(player) {}

    void filter(const model::Object &, std::span<const Node> nodes, Done<Filtered> done) override {
        Filtered all;
        for (const auto &node : nodes) all.left.emplace_back(node.name);
        ask<Filtered>(std::move(done), std::move(all));
    }
    void prioritize(const model::Object &, std::span<const Node>, Done<std::vector<Score>> done) override {
        ask<std::vector<Score>>(std::move(done), std::vector<Score>{});
    }
    void preempt(const model::Object &, std::span<const Candidate> candidates, Done<Preempted> done) override {
        Preempted all;
        for (const auto &one : candidates) {
            auto &victims = all[std::string(one.node)];
            for (const auto *victim : one.victims) victims.uids.emplace_back(model::view(victim->meta().uid));
            victims.violations = one.violations;
        }
        ask<Preempted>(std::move(done), std::move(all));
    }
    void bind(const model::Pod &, std::string_view, Done<void> done) override { ask<void>(std::move(done), {}); }
};

std::unique_ptr<env::Extender> Player::extender(env::ExtenderTraits traits) {
    return std::make_unique<ReplayedExtender>(*this, std::move(traits));
}

/// An answer that came from within the call comes from within it again.
void Player::said_within(std::uint64_t id) {
    if (next() != Entry::ExtenderSaid) return;
    auto ahead = journal_;
    ahead.byte();
    ahead.signed_number();
    if (ahead.number() != id || ahead.byte() != 1) return;
    journal_.byte();
    journal_.signed_number();
    extender_said();
}

void Player::extender_said() {
    const auto id = journal_.number();
    journal_.byte();
    const bool failed = journal_.byte() != 0;
    const auto text = journal_.text();
    const auto at = extenders_.find(id);
    if (!journal_.good()) return;
    if (at == extenders_.end()) return differ({{}, {}, "an extender that was asked then is not"});
    auto said = std::move(at->second);
    extenders_.erase(at);
    Bytes bytes(text);
    said(bytes, failed ? std::optional(std::string(text)) : std::nullopt);
    if (!bytes.good()) journal_.fail();
}

}  // namespace berth::record
