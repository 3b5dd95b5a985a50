// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The recorder: interceptors that write all inputs of the core to the journal.
///
/// The core behind them is a deterministic machine on one loop: the same entries in the same order make the same
/// decisions. Time stands still from one entry to the next, so that one time for each is enough.

#include "env/api.h"
#include "env/clock.h"
#include "env/extender.h"
#include "env/workers.h"
#include "record/entry.h"
#include "record/ids.h"
#include "record/journal.h"
#include "record/seen_objects.h"
#include "record/values.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace berth::record {

/// Loop only, but for posts and tasks. Everything it is given outlives it, and it what it was made for.
class Recorder final : env::Clock, env::Observer, env::Api, env::Workers {
public:
    /// `journal` may be null: then nothing is written, and the core gets the real clock, API and workers.
    Recorder(JournalWriter *journal, env::Clock &clock, env::Workers &workers);
    ~Recorder() override { close(); }
    /// Closes it for good: timers, responses and ends of tasks no longer reach the core. Requests still go out; their
    /// results are dropped.
    void close() { *open_ = false; }

    env::Clock &clock() { return journal_ ? static_cast<env::Clock &>(*this) : clock_; }
    env::Workers &workers() { return journal_ ? static_cast<env::Workers &>(*this) : workers_; }
    /// One each.
    env::Observer &observer(env::Observer &core);
    env::Api &api(env::Api &world);
    std::unique_ptr<env::Extender> extender(std::unique_ptr<env::Extender> world);

    /// What the core asks for is numbered by them.
    Ids &ids() { return *ids_; }

    bool on() const { return journal_ && journal_->recording() && *open_; }
    /// As long as it lives, profiles are made. From then on until built(), the loop calls nothing.
    std::unique_ptr<Ids::As> building();
    /// Those that were begun last were made, so as the JSON text says. Answers their number.
    std::uint64_t built(const std::string &how);
    /// Before they take the place of those before.
    void used(std::uint64_t build);
    /// Before they end without having been used.
    void dropped(std::uint64_t build);
    /// Before the objects of a kind are forgotten.
    void forgotten(const model::Kind &kind);
    /// Before the next pod is taken up.
    void schedule_one();
    void decision(const model::Decision &decision);

private:
    class RecordedExtender;

    std::int64_t now_ns() const override { return now_ns_.load(std::memory_order_relaxed); }
    std::int64_t monotonic_ns() const override { return clock_.monotonic_ns(); }
    void after(std::int64_t ns, std::function<void()> fn) override;
    void post(std::function<void()> fn) override;
    void submit(std::function<void()> work, std::function<void()> done) override;
    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override;
    void node_added(model::NodePtr node) override;
    void node_updated(model::NodePtr before, model::NodePtr after) override;
    void node_deleted(model::NodePtr node) override;
    void pod_added(model::PodPtr pod) override;
    void pod_updated(model::PodPtr before, model::PodPtr after) override;
    void pod_deleted(model::PodPtr pod) override;
    void object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) override;

    struct OfKind {
        model::Kind kind;
        SeenObjects seen;
        bool secret = false;
    };

    std::string &out() { return journal_->buffer(); }
    void enter(Entry entry);
    void ended(Entry entry, std::uint64_t build);
    void called(std::uint64_t id);
    void call(const std::shared_ptr<Ids::Build> &build, const std::function<void()> &record,
              const std::function<void()> &fn);
    /// What records that `id` is called, and calls `fn`.
    std::function<void()> later(std::uint64_t id, std::function<void()> fn);
    std::size_t number_of(const model::Kind &kind);
    void put_added(OfKind &of, const model::Object &object);
    void put_updated(OfKind &of, const model::Object &before, const model::Object &after);
    void put_deleted(OfKind &of, const model::Object &object);

    JournalWriter *journal_;
    const std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(true);
    env::Clock &clock_;
    env::Workers &workers_;
    env::Observer *core_ = nullptr;
    env::Api *world_ = nullptr;
    const std::shared_ptr<Ids> ids_ = std::make_shared<Ids>();  ///< tasks that never begin hold it longer
    Ids::Asker builder_;
    std::atomic<std::int64_t> now_ns_;
    std::int64_t recorded_ns_ = 0;
    OfKind nodes_, pods_;
    std::vector<std::unique_ptr<OfKind>> kinds_;
    std::uint64_t builds_ = 0;
};

}  // namespace berth::record
