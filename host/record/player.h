// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The player of a recording: it feeds the core recorded inputs and compares the decisions. The inputs (recorder.h)
/// come at their recorded times.
///
/// From the first difference on the core is in a world that was not recorded. Then the recording still says what
/// happens in the cluster and when pods are taken up, timers run when they are due, and all calls succeed: each request
/// is carried out at once, extenders let everything pass.

#include "env/api.h"
#include "env/clock.h"
#include "env/extender.h"
#include "env/workers.h"
#include "record/entry.h"
#include "record/ids.h"
#include "record/journal.h"
#include "record/seen_objects.h"
#include "record/tree.h"
#include "record/values.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace berth::record {

/// Where the replay was not what was recorded.
struct Difference {
    std::optional<model::Decision> recorded, replayed;  ///< nothing: there was none
    std::string what;                                   ///< if it was no decision, for people
};

/// Loop only, but for posts. Outlives the core that it is the world of.
class Player final : public env::Clock, public env::Api, public env::Workers {
public:
    /// The receivers of entries.
    struct Core {
        env::Observer *observer = nullptr;
        std::function<model::Result<void>(std::uint64_t number, const std::string &how)> build;
        std::function<void(std::uint64_t number)> use, drop;
        model::Accounting accounting = model::Accounting::PerContainer;  ///< of the pods
        std::function<bool()> schedule_one;                              ///< false: there was no pod
        std::function<void(const model::Kind &)> forget;
        /// Called before each input; false ends the replay there.
        std::function<bool(std::int64_t now_ns)> go_on;
        std::function<void(const model::Decision &)> recorded;  ///< called for each decision of the recording
    };

    /// The journal outlives it. Objects take no more than `most_held` bytes at any time.
    explicit Player(const Journal &journal, std::uint64_t most_held)
        : recording_(journal), journal_(journal.entries), most_held_(most_held) {}
    explicit Player(const Journal &journal) : Player(journal, most_held_by(journal)) {}
    Ids &ids() { return ids_; }  ///< as of the Recorder

    /// What the objects of an honest recording may take: much more than its length, as most of them are recorded as the
    /// difference from another one; but no more than half of this machine's memory.
    static std::uint64_t most_held_by(const Journal &journal);

    /// To the end. The error says what is wrong with the recording.
    model::Result<void> play(Core core);

    std::unique_ptr<env::Extender> extender(env::ExtenderTraits traits);
    /// The core has decided; recorded() was called for what it was then.
    void decision(const model::Decision &decision);
    /// Generations have ended: what was forgotten for that.
    void retired();

    bool apart() const { return difference_.has_value(); }
    const std::optional<Difference> &difference() const { return difference_; }
    std::int64_t began_ns() const { return began_ns_; }
    std::uint64_t inputs() const { return inputs_; }

    std::int64_t now_ns() const override { return now_ns_; }
    std::int64_t monotonic_ns() const override { return now_ns_ - began_ns_; }
    void after(std::int64_t ns, std::function<void()> fn) override;
    void post(std::function<void()> fn) override;
    void submit(std::function<void()> work, std::function<void()> done) override;
    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override;

private:
    class ReplayedExtender;
    struct Call {
        std::function<void()> fn;
        std::int64_t due_ns = 0;
    };
    struct Task {
        std::function<void()> work, done;
    };
    struct OfKind {
        model::Kind kind;
        SeenObjects seen;
    };
    using Said = std::function<void(Bytes &, std::optional<std::string> error)>;

    static constexpr std::int64_t patience_s = 10;  ///< with threads that plugins started themselves
    /// A hundred years after 1970 and more: later ones could not be added to.
    static constexpr std::int64_t latest_ns = INT64_MAX / 2;
    /// An API server has a few hundred, with those that were added to it.
    static constexpr std::size_t most_kinds = 10'000;

    model::Result<void> wrong() const;
    std::optional<Entry> next() const;
    void differ(Difference difference);
    std::optional<model::Decision> take_recorded();
    void take_request();
    void input(Entry entry);
    void use(Entry entry);
    void node(Entry entry);
    void pod(Entry entry);
    void object(Entry entry);
    void kind();
    void forgotten();
    void schedule_one();
    void call(std::uint64_t id);
    std::optional<Call> find_call(std::uint64_t id);
    void run_task(std::uint64_t id, Task &task);
    void answered();
    void extender_said();
    void said_within(std::uint64_t id);
    void catch_up();
    bool pass(std::int64_t ns);
    Room room_left() const;
    template <class Read>
    auto take(model::Value base, const Read &read);

    const Journal &recording_;
    Bytes journal_;
    const std::uint64_t most_held_;
    const std::shared_ptr<std::atomic<std::uint64_t>> held_ = std::make_shared<std::atomic<std::uint64_t>>(0);
    Core core_;
    Ids ids_;
    Ids::Asker builder_;
    std::set<std::uint64_t> built_;  ///< and not used
    bool used_ = false;
    std::int64_t now_ns_ = 0, began_ns_ = 0;
    std::uint64_t inputs_ = 0;
    std::optional<Difference> difference_;
    SeenObjects nodes_, pods_;
    std::vector<std::unique_ptr<OfKind>> kinds_;
    std::mutex mutex_;  ///< of calls_
    std::condition_variable posted_;
    std::map<std::uint64_t, Call> calls_;
    std::map<std::uint64_t, Task> tasks_;
    std::map<std::uint64_t, std::function<void(env::ApiAnswer)>> requests_;
    std::map<std::uint64_t, Said> extenders_;
};

}  // namespace berth::record
