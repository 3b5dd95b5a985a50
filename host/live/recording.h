// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `--record`: what a scheduler is told and what it decides, written down as it happens (docs/replay.md).

#include "config/configuration.h"
#include "model/result.h"
#include "plugin/profile.h"
#include "plugin/quarantine.h"
#include "record/recorder.h"
#include "record/tape.h"
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
    std::uint64_t cycles = 0, told = 0;  ///< as of SchedulerSettings
};

/// Where a plugin of the recorded profiles came from.
struct RecordedPlugin {
    std::string name, file, plugin, sha256;
};

/// The same as it is read again.
struct RecordedBuild {
    std::string berth;             ///< version
    model::TreePtr configuration;  ///< null: the built-in one
    std::vector<RecordedPlugin> plugins;
    BuildFacts facts;
};
model::Result<RecordedBuild> read_build(const std::string &how);

/// Without --record it stands between and does nothing. Loop only.
class Recording {
    class Sink;
    std::optional<record::TapeWriter> tape_;
    record::Recorder doors_;
    std::unique_ptr<DecisionSink> sink_;
    bool told_ = false;

public:
    Recording(std::optional<record::TapeWriter> tape, env::Clock &clock, env::Workers &workers, DecisionSink &sink);
    ~Recording();

    static model::Result<std::optional<record::TapeWriter>> open(const RecordOptions &options);

    record::Recorder &doors() { return doors_; }
    DecisionSink &sink() { return *sink_; }

    std::unique_ptr<record::Ids::As> building() { return doors_.building(); }
    /// The number of the build, to be used() when it takes the place of the one before.
    std::uint64_t built(const config::Configuration &configuration, std::span<const plugin::Profile> profiles,
                        const BuildFacts &facts);
    Scheduler::Extenders extenders(Scheduler::Extenders world);

    const std::optional<record::TapeWriter> &tape() const { return tape_; }
    /// The cluster has been told (record::TapeWriter::begun).
    void begun() {
        if (tape_) tape_->begun();
    }
    /// Another one goes on with the run.
    void close() {
        doors_.close();
        if (tape_) tape_->flush();
    }
    /// Nothing became of it.
    void discard() {
        doors_.close();
        if (tape_) tape_->discard();
    }

    /// What the one that was made last has not written yet, from a crash in a plugin: record::TapeWriter::last_words().
    static void last_words() noexcept;

    /// Before the loop sleeps: what happened is on its way to the disk. Says once in the log if recording has ended.
    void flush(env::Log &log);
};

}  // namespace berth::live
