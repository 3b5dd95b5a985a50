// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `--record`: the recording of a live scheduler's inputs and decisions (docs/replay.md).

#include "config/configuration.h"
#include "model/result.h"
#include "plugin/profile.h"
#include "plugin/quarantine.h"
#include "record/journal.h"
#include "record/recorder.h"
#include "scheduler/scheduler.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth::live {

struct RecordOptions {
    std::string directory;           ///< empty: nothing is recorded
    std::uint64_t limit = 1u << 30;  ///< bytes that the recordings of the directory may take
};

/// How profiles were made.
struct BuildFacts {
    std::uint64_t seed = 0;
    plugin::Checks checks = plugin::Checks::Basic;
    queue::Settings queue;
    plugin::OnFailure on_failure = plugin::OnFailure::FailPod;
    std::vector<plugin::Quarantined> quarantined;
    std::uint64_t cycles = 0, decisions = 0;  ///< as of SchedulerSettings
};

/// Of profiles that were made under the configuration, for a scheduler that began with `begun`.
BuildFacts facts_of(const SchedulerSettings &begun, const config::Configuration &configuration, plugin::Checks checks,
                    plugin::OnFailure on_failure = plugin::OnFailure::FailPod,
                    std::vector<plugin::Quarantined> quarantined = {});

/// Where a plugin of the recorded profiles came from.
struct RecordedPlugin {
    std::string name, file, plugin, sha256;
};

/// The same as it is read again.
struct RecordedBuild {
    std::string berth;             ///< version
    model::TreePtr configuration;  ///< null: the built-in one
    config::Release release;       ///< as of Configuration
    std::string feature_gates;     ///< the same
    std::vector<RecordedPlugin> plugins;
    BuildFacts facts;
};
model::Result<RecordedBuild> read_build(const std::string &how);

/// Without --record it passes everything on and does nothing else. Loop only.
class Recording {
    class Sink;
    std::optional<record::JournalWriter> journal_;
    record::Recorder recorder_;
    std::unique_ptr<DecisionSink> sink_;
    bool end_logged_ = false;

public:
    Recording(std::optional<record::JournalWriter> journal, env::Clock &clock, env::Workers &workers,
              DecisionSink &sink);
    ~Recording();

    static model::Result<std::optional<record::JournalWriter>> open(const RecordOptions &options);

    record::Recorder &recorder() { return recorder_; }
    /// For the scheduler that is recorded.
    SchedulerSettings settings(SchedulerSettings of) {
        of.ids = &recorder_.ids();
        return of;
    }
    DecisionSink &sink() { return *sink_; }

    std::unique_ptr<record::Ids::As> building() { return recorder_.building(); }
    /// The number of the build, to be used() when it takes the place of the one before.
    std::uint64_t built(const config::Configuration &configuration, std::span<const plugin::Profile> profiles,
                        const BuildFacts &facts);
    Scheduler::Extenders extenders(Scheduler::Extenders world);

    const std::optional<record::JournalWriter> &journal() const { return journal_; }
    /// The recording has the whole cluster (record::JournalWriter::begun).
    void begun() {
        if (journal_) journal_->begun();
    }
    /// Another one goes on with the run.
    void close() {
        recorder_.close();
        if (journal_) journal_->flush();
    }
    /// Nothing became of it.
    void discard() {
        recorder_.close();
        if (journal_) journal_->discard();
    }

    /// What the one that was made last has not written yet, from a crash in a plugin:
    /// record::JournalWriter::last_words().
    static void last_words() noexcept;

    /// Before the loop sleeps: what happened is on its way to the disk. Says once in the log if recording has ended.
    void flush(env::Log &log);
};

}  // namespace berth::live
