// SPDX-License-Identifier: Apache-2.0
#include "cli/replay.h"

#include "cli/exit_codes.h"
#include "decode/write.h"
#include "env/private_file.h"
#include "live/watchdog.h"
#include "model/build.h"
#include "model/time.h"
#include "offline/replay_comparison.h"
#include "report/decision_text.h"
#include "report/log.h"

#include <charconv>
#include <iostream>

namespace berth::cli {
namespace {

model::Result<offline::Until> until_of(const std::string &text) {
    offline::Until out;
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

void print(const report::Replay &result, const offline::ReplayOptions &options) {
    if (options.explain) {
        for (const auto &d : result.shown) std::cout << report::explain(d, options.all) << '\n';
        return;
    }
    if (!options.pod.empty() && !result.shown.empty()) std::cout << report::decisions_text(result, options.all) << '\n';
    std::cout << report::to_text(result);
}

model::Result<void> save(const model::Tree &scenario, const std::string &path) {
    auto file = env::open_private(path);
    if (!file) return model::Error{"--save-scenario " + path + ": cannot be written: " + file.error().text};
    *file << decode::to_yaml(scenario.value());
    file->flush();
    if (!*file) return model::Error{"--save-scenario " + path + ": could not be written to the end; is the disk full?"};
    return {};
}

}  // namespace

int replay(const offline::ReplayOptions &options) {
    report::KlogLog log(0);
    const live::Watchdog watchdog(log);
    auto until = until_of(options.until);
    if (!until) return refuse(until.error().text);
    auto files = offline::recordings_of(options.input);
    if (!files) return refuse(files.error().text);
    std::optional<model::Detail> shown_in;
    if (!options.pod.empty()) shown_in = options.explain ? model::Detail::Nodes : model::Detail::Summary;
    bool differs = false, shown = false;
    model::TreePtr scenario;
    model::Arena arena;
    model::ArrayBuilder values(arena);
    for (const auto &file : *files) {
        // By itself it is no answer.
        if (files->size() > 1 && offline::holds_nothing(file)) {
            warn({file + ": ends before scheduling began"});
            continue;
        }
        auto played = offline::compare_replay(file, options, *until, warn);
        if (!played) return refuse(played.error().text);
        const report::Replay &result = played->result;
        if (!result.torn.empty()) warn({result.torn});
        differs = differs || result.difference;
        shown = shown || !result.shown.empty();
        if (played->scenario) scenario = played->scenario;
        if (options.json) values.add(report::replay_value(arena, result, shown_in));
        else print(result, options);
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
