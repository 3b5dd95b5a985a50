// SPDX-License-Identifier: Apache-2.0
#include "cli/replay.h"

#include "cli/exit_codes.h"
#include "decode/write.h"
#include "env/private_file.h"
#include "live/watchdog.h"
#include "model/build.h"
#include "model/time.h"
#include "offline/divergence.h"
#include "offline/replayed.h"
#include "report/decision_text.h"
#include "report/log.h"
#include "report/table.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <utility>

namespace berth::cli {
namespace {

/// Where a replay ends.
struct Until {
    std::optional<std::int64_t> time_ns;
    std::optional<std::uint64_t> cycle;

    bool reached(std::int64_t now_ns, std::uint64_t cycles) const {
        return (time_ns && now_ns > *time_ns) || (cycle && cycles >= *cycle);
    }
};

model::Result<Until> until_of(const std::string &text) {
    Until out;
    if (text.empty()) return out;
    std::uint64_t cycle = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cycle);
    if (error == std::errc{} && end == text.data() + text.size()) {
        out.cycle = cycle;
        return out;
    }
    out.time_ns = model::parse_time(text);
    if (!out.time_ns)
        return model::Error{"--until " + text +
                            ": expected a time such as 2026-01-01T00:00:00Z or the number of a scheduling cycle"};
    return out;
}

/// What came of one recording.
struct Result {
    std::string file, berth, torn;
    std::int64_t began_ns = 0, ended_ns = 0;
    std::uint64_t recorded = 0, decisions = 0, differing = 0;
    std::optional<record::Difference> difference;
    std::string besides;  ///< of decisions that end alike, what they differ in
    std::optional<offline::Divergence> divergence;
    std::vector<model::Decision> shown;  ///< of the requested pod
    model::TreePtr scenario;             ///< of its last decision, if that is wanted
};

bool is_pod(const std::string &wanted, const std::string &name_space, const std::string &name) {
    const auto slash = wanted.find('/');
    if (slash == std::string::npos) return wanted == name && name_space == "default";
    return wanted.substr(0, slash) == name_space && wanted.substr(slash + 1) == name;
}

const model::Decision *about(const record::Difference &difference) {
    if (difference.replayed) return &*difference.replayed;
    return difference.recorded ? &*difference.recorded : nullptr;
}

/// The decision as `instead` takes it, with its tables: the one about the pod of `wanted` after so many others.
model::Result<std::optional<model::Decision>> in_full(const record::Journal &journal, const offline::Instead &instead,
                                                      const model::Decision &wanted, std::uint64_t place,
                                                      std::vector<std::string> &filters) {
    std::optional<model::Decision> found;
    std::uint64_t seen = 0;
    offline::Replayed::Wishes wishes;
    wishes.tables = [&](const model::Pod &pod) { return pod.uid() == wanted.pod.uid; };
    wishes.go_on = [&](std::int64_t, std::uint64_t) { return seen < place; };
    wishes.decided = [&](const model::Decision &d) {
        if (++seen == place) found = d;
    };
    offline::Replayed replayed(journal, instead, std::move(wishes));
    if (auto run = replayed.run(); !run) return run.error();
    filters = replayed.filters();
    return found;
}

/// Both are decided once more, in full, in the world in which they first differ.
model::Result<std::optional<offline::Divergence>> who_made(const record::Difference &difference, std::uint64_t place,
                                                           const record::Journal &journal,
                                                           const offline::Instead &instead) {
    const auto *wanted = about(difference);
    // What was not decided then cannot be looked at again: perhaps the process ended in it.
    if (!wanted || !difference.recorded) return std::optional<offline::Divergence>();
    std::vector<std::string> filters;
    auto as_recorded = instead;
    as_recorded.as_then = true;
    as_recorded.config.clear();
    as_recorded.release.reset();
    auto then = in_full(journal, as_recorded, *wanted, place, filters);
    if (!then) {
        warn({"which plugin made the difference cannot be said: " + then.error().text});
        return std::optional<offline::Divergence>();
    }
    auto now = in_full(journal, instead, *wanted, place, filters);
    if (!now) return now.error();
    if (!*then || !*now) return std::optional<offline::Divergence>();
    return offline::find_divergence(**then, **now, filters);
}

std::string outcome(const std::optional<model::Decision> &d) {
    if (!d) return "no decision";
    std::string out(model::result_name(d->result));
    if (!d->node.empty()) out += " on " + d->node;
    return d->message.empty() ? out : out + ": " + d->message;
}

/// "evaluatedNodes was 4, now 5" of decisions that end alike; empty of others.
std::string differences(const model::Decision &then, const model::Decision &now) {
    if (report::printable(outcome(then)) != report::printable(outcome(now))) return {};
    std::string out;
    auto add = [&](std::string_view name, const std::string &was, const std::string &is) {
        if (was != is) out += (out.empty() ? "" : "; ") + std::string(name) + " was " + was + ", now " + is;
    };
    model::Arena arena;
    const auto one = model::to_value(arena, then, model::Detail::Summary);
    const auto other = model::to_value(arena, now, model::Detail::Summary);
    const model::Value was{&one}, is{&other};
    auto text = [](model::Value v) { return v ? decode::to_json(v) : std::string("absent"); };
    for (std::size_t i = 0; i < was.size(); ++i) add(was.key(i), text(was.member(i)), text(is[was.key(i)]));
    for (std::size_t i = 0; i < is.size(); ++i)
        if (!was[is.key(i)]) add(is.key(i), "absent", text(is.member(i)));
    auto quoted = [](const std::optional<std::string> &node) { return node ? '"' + *node + '"' : "none"; };
    add("the nomination that is written", quoted(then.nomination), quoted(now.nomination));
    return out;
}

model::Result<Result> play(const std::string &file, const ReplayOptions &options, const Until &until) {
    auto journal = record::read_journal(file);
    if (!journal) return journal.error();
    Result out;
    out.file = file;
    out.torn = journal->torn;
    const offline::Instead instead{options.plugins, options.config, options.release, options.allow_recorded_plugins,
                                   false};
    std::uint64_t place = 0;
    offline::Replayed::Wishes wishes;
    offline::Replayed *playing = nullptr;
    wishes.world = !options.save_scenario.empty();
    if (options.explain || wishes.world)
        wishes.tables = [&](const model::Pod &pod) {
            return is_pod(options.pod, std::string(pod.name_space()), std::string(pod.name()));
        };
    wishes.go_on = [&](std::int64_t now_ns, std::uint64_t cycle) { return !until.reached(now_ns, cycle); };
    wishes.decided = [&](const model::Decision &d) {
        if (!place && playing->player().apart()) place = playing->decisions();
        if (!is_pod(options.pod, d.pod.name_space, d.pod.name)) return;
        out.shown.push_back(d);
        if (!options.save_scenario.empty())
            out.scenario = playing->world().scenario(d, playing->configuration(), playing->decides_as());
    };
    offline::Replayed replayed(*journal, instead, std::move(wishes));
    playing = &replayed;
    auto run = replayed.run();
    for (const auto &line : replayed.other_libraries()) warn({line});
    if (!run) return run.error();
    out.berth = replayed.berth();
    out.began_ns = replayed.player().began_ns();
    out.ended_ns = replayed.now_ns();
    out.recorded = replayed.recorded();
    out.decisions = replayed.decisions();
    out.difference = replayed.player().difference();
    out.differing = std::max<std::uint64_t>(replayed.differing(), out.difference ? 1 : 0);
    if (out.difference && out.difference->recorded && out.difference->replayed)
        out.besides = differences(*out.difference->recorded, *out.difference->replayed);
    const bool wanted = !options.plugins.pins.empty() || !options.config.empty() || options.release;
    if (!out.difference || !wanted || !place) return out;
    auto found = who_made(*out.difference, place, *journal, instead);
    if (!found) return found.error();
    out.divergence = *std::move(found);
    return out;
}

std::string decisions_text(const std::vector<model::Decision> &decisions, bool all) {
    constexpr std::size_t longest = 100;
    report::Table table({"TIME", ">CYCLE", ">ATTEMPT", "RESULT", "NODE", "MESSAGE"});
    for (const auto &d : decisions) {
        auto text = report::printable(d.message);
        if (!all && text.size() > longest) text = text.substr(0, longest) + "...";
        table.add({model::format_time(d.time_ns), std::to_string(d.cycle), std::to_string(d.attempt),
                   std::string(model::result_name(d.result)), d.node, text});
    }
    return table.text();
}

std::string difference_text(const Result &result) {
    const auto &difference = *result.difference;
    std::string out = "\nThe first difference: ";
    if (const auto *d = about(difference)) {
        out += "pod " + d->pod.name_space + "/" + d->pod.name + ", attempt " + std::to_string(d->attempt) + ", cycle " +
               std::to_string(d->cycle) + ", " + model::format_time(d->time_ns) +
               "\n  then: " + report::printable(outcome(difference.recorded)) +
               "\n  now:  " + report::printable(outcome(difference.replayed)) + "\n";
        if (!result.besides.empty()) out += "  what differs: " + report::printable(result.besides) + "\n";
    } else {
        out += difference.what + "\n";
    }
    if (result.divergence)
        out += "  plugin " + result.divergence->plugin + " made the difference, at " + result.divergence->point + ": " +
               report::printable(result.divergence->text) + "\n";
    return out;
}

std::string text_of(const Result &result) {
    report::Table table({"RECORDING", "FROM", "TO", ">DECISIONS", ">DIFFERING"});
    table.add({std::filesystem::path(result.file).filename().string(), model::format_time(result.began_ns),
               model::format_time(result.ended_ns), report::grouped(result.recorded),
               report::grouped(result.differing)});
    return table.text() + (result.difference ? difference_text(result) : "");
}

berth_value value_of(model::Arena &arena, const Result &result, const ReplayOptions &options) {
    model::ObjectBuilder out(arena);
    out.add("recording", result.file).add("berth", result.berth);
    out.add("from", model::format_time(result.began_ns)).add("to", model::format_time(result.ended_ns));
    out.add("decisions", result.recorded).add("differing", result.differing);
    if (!result.torn.empty()) out.add("torn", result.torn);
    if (result.difference) {
        model::ObjectBuilder first(arena);
        const auto &what = result.difference->what.empty() ? result.besides : result.difference->what;
        if (!what.empty()) first.add("what", what);
        if (const auto &d = result.difference->recorded)
            first.add("then", model::to_value(arena, *d, model::Detail::Summary));
        if (const auto &d = result.difference->replayed)
            first.add("now", model::to_value(arena, *d, model::Detail::Summary));
        if (result.divergence)
            first.add("plugin", result.divergence->plugin)
                .add("point", result.divergence->point)
                .add("why", result.divergence->text);
        out.add("firstDifference", first);
    }
    if (!options.pod.empty()) {
        model::ArrayBuilder shown(arena);
        for (const auto &d : result.shown)
            shown.add(model::to_value(arena, d, options.explain ? model::Detail::Nodes : model::Detail::Summary));
        out.add("podDecisions", shown);
    }
    return out.value();
}

model::Result<std::vector<std::string>> files_of(const std::string &input) {
    std::error_code error;
    if (!std::filesystem::is_directory(input, error)) return std::vector<std::string>{input};
    auto journals = record::journals_in(input);
    if (journals && journals->empty())
        return model::Error{input +
                            ": holds no recording; expected files such as 000001.tape, which berth run "
                            "--record writes"};
    return journals;
}

model::Result<void> save(const model::Tree &scenario, const std::string &path) {
    auto file = env::open_private(path);
    if (!file) return model::Error{"--save-scenario " + path + ": cannot be written: " + file.error().text};
    *file << decode::to_yaml(scenario.value());
    file->flush();
    if (!*file) return model::Error{"--save-scenario " + path + ": could not be written to the end; is the disk full?"};
    return {};
}

bool holds_nothing(const std::string &file) {
    std::error_code error;
    return std::filesystem::file_size(file, error) == record::journal_magic.size();
}

}  // namespace

int replay(const ReplayOptions &options) {
    report::KlogLog log(0);
    const live::Watchdog watchdog(log);
    auto until = until_of(options.until);
    if (!until) return refuse(until.error().text);
    auto files = files_of(options.input);
    if (!files) return refuse(files.error().text);
    bool differs = false, shown = false;
    model::TreePtr scenario;
    model::Arena arena;
    model::ArrayBuilder values(arena);
    for (const auto &file : *files) {
        // A process that ended at once leaves such a one; by itself it is no answer.
        if (files->size() > 1 && holds_nothing(file)) {
            warn({file + ": ends before scheduling began"});
            continue;
        }
        auto result = play(file, options, *until);
        if (!result) return refuse(result.error().text);
        if (!result->torn.empty()) warn({result->torn});
        differs = differs || result->difference;
        shown = shown || !result->shown.empty();
        if (result->scenario) scenario = result->scenario;
        if (options.json) {
            values.add(value_of(arena, *result, options));
        } else if (options.explain) {
            for (const auto &d : result->shown) std::cout << report::explain(d, options.all) << '\n';
        } else {
            if (!options.pod.empty() && !result->shown.empty())
                std::cout << decisions_text(result->shown, options.all) << '\n';
            std::cout << text_of(*result);
        }
    }
    if (options.json) {
        const auto value = values.value();
        std::cout << decode::to_json(model::Value{&value}, 2) << '\n';
    }
    std::cout.flush();
    if (!std::cout) return refuse("the result could not be written to the end of standard output; is the disk full?");
    if (!options.pod.empty() && !shown)
        return refuse("--pod " + options.pod + ": nothing was decided about such a pod in what was replayed");
    if (scenario)
        if (auto saved = save(*scenario, options.save_scenario); !saved) return refuse(saved.error().text);
    return differs ? answer_is_no : done;
}

}  // namespace berth::cli
