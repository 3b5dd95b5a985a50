// SPDX-License-Identifier: Apache-2.0
#include "offline/replay_comparison.h"

#include "offline/divergence.h"
#include "offline/replayed.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace berth::offline {
namespace {

using Warn = std::function<void(const std::vector<std::string> &)>;

bool is_pod(const std::string &wanted, std::string_view name_space, std::string_view name) {
    const auto slash = wanted.find('/');
    if (slash == std::string::npos) return wanted == name && name_space == "default";
    return wanted.substr(0, slash) == name_space && wanted.substr(slash + 1) == name;
}

/// The decision as `instead` takes it, with its tables: the one about the pod of `wanted` after so many others.
model::Result<std::optional<model::Decision>> in_full(const record::Journal &journal, const Instead &instead,
                                                      const model::Decision &wanted, std::uint64_t place,
                                                      std::vector<std::string> &filters) {
    std::optional<model::Decision> found;
    std::uint64_t seen = 0;
    Replayed::Wishes wishes;
    wishes.tables = [&](const model::Pod &pod) { return pod.uid() == wanted.pod.uid; };
    wishes.go_on = [&](std::int64_t, std::uint64_t) { return seen < place; };
    wishes.decided = [&](const model::Decision &d) {
        if (++seen == place) found = d;
    };
    Replayed replayed(journal, instead, std::move(wishes));
    if (auto run = replayed.run(); !run) return run.error();
    filters = replayed.filters();
    return found;
}

/// Both are decided once more, in full, in the world in which they first differ.
model::Result<std::optional<report::Divergence>> who_made(const report::FirstDifference &difference,
                                                          std::uint64_t place, const record::Journal &journal,
                                                          const Instead &instead, const Warn &warn) {
    const auto *wanted = report::about(difference);
    // What was not decided then cannot be looked at again: perhaps the process ended in it.
    if (!wanted || !difference.recorded) return std::optional<report::Divergence>();
    std::vector<std::string> filters;
    auto as_recorded = instead;
    as_recorded.as_then = true;
    as_recorded.config.clear();
    as_recorded.release.reset();
    auto then = in_full(journal, as_recorded, *wanted, place, filters);
    if (!then) {
        warn({"which plugin made the difference cannot be said: " + then.error().text});
        return std::optional<report::Divergence>();
    }
    auto now = in_full(journal, instead, *wanted, place, filters);
    if (!now) return now.error();
    if (!*then || !*now) return std::optional<report::Divergence>();
    return find_divergence(**then, **now, filters);
}

}  // namespace

model::Result<ReplayComparison> compare_replay(const std::string &file, const ReplayOptions &options,
                                               const Until &until, const Warn &warn) {
    auto journal = record::read_journal(file);
    if (!journal) return journal.error();
    ReplayComparison out;
    out.result.file = file;
    out.result.torn = journal->torn;
    const Instead instead{options.plugins, options.config, options.release, options.allow_recorded_plugins, false};
    std::uint64_t place = 0;
    Replayed::Wishes wishes;
    Replayed *playing = nullptr;
    wishes.world = !options.save_scenario.empty();
    if (options.explain || wishes.world)
        wishes.tables = [&](const model::Pod &pod) { return is_pod(options.pod, pod.name_space(), pod.name()); };
    wishes.go_on = [&](std::int64_t now_ns, std::uint64_t cycle) { return !until.reached(now_ns, cycle); };
    wishes.decided = [&](const model::Decision &d) {
        if (!place && playing->player().apart()) place = playing->decisions();
        if (!is_pod(options.pod, d.pod.name_space, d.pod.name)) return;
        out.result.shown.push_back(d);
        if (!options.save_scenario.empty())
            out.scenario = playing->world().scenario(d, playing->configuration(), playing->decides_as());
    };
    Replayed replayed(*journal, instead, std::move(wishes));
    playing = &replayed;
    auto run = replayed.run();
    for (const auto &line : replayed.other_libraries()) warn({line});
    if (!run) return run.error();
    out.result.berth = replayed.berth();
    out.result.began_ns = replayed.player().began_ns();
    out.result.ended_ns = replayed.now_ns();
    out.result.recorded = replayed.recorded();
    out.result.differing = replayed.differing();
    const auto &difference = replayed.player().difference();
    if (!difference) return out;
    out.result.differing = std::max<std::uint64_t>(out.result.differing, 1);
    auto &first = out.result.difference.emplace();
    first.recorded = difference->recorded;
    first.replayed = difference->replayed;
    first.what = difference->what;
    const bool wanted = !options.plugins.pins.empty() || !options.config.empty() || options.release;
    if (!wanted || !place) return out;
    auto found = who_made(first, place, *journal, instead, warn);
    if (!found) return found.error();
    first.divergence = *std::move(found);
    return out;
}

model::Result<std::vector<std::string>> recordings_of(const std::string &input) {
    std::error_code error;
    if (!std::filesystem::is_directory(input, error)) return std::vector<std::string>{input};
    auto journals = record::journals_in(input);
    if (journals && journals->empty())
        return model::Error{input +
                            ": holds no recording; expected files such as 000001.tape, which berth run "
                            "--record writes"};
    return journals;
}

bool holds_nothing(const std::string &file) {
    std::error_code error;
    return std::filesystem::file_size(file, error) == record::journal_magic.size();
}

}  // namespace berth::offline
