// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate.h"

#include "cli/comparison.h"
#include "cli/exit_codes.h"
#include "cli/explain_simulated.h"
#include "decode/write.h"
#include "env/memory_end.h"
#include "live/crash_record.h"
#include "live/watchdog.h"
#include "offline/dashboard.h"
#include "offline/plot_file.h"
#include "offline/simulated.h"
#include "plugin/sources.h"
#include "report/input_report.h"
#include "report/log.h"

#include <algorithm>
#include <iostream>
#include <utility>

namespace berth::cli {
namespace {

std::string print(const offline::SimulateOptions &options, report::Simulation &result, offline::Simulated &simulated) {
    if (options.output == offline::Output::Table)
        return report::to_text(result, options.all,
                               [&](const model::PodRef &pod) { return what_would_help(simulated.scheduler(), pod); });
    result.decisions = std::move(simulated.sink().kept());
    auto tree = report::to_tree(result, options.detail);
    return options.output == offline::Output::Json ? decode::to_json(tree->value(), 2) + "\n"
                                                   : decode::to_yaml(tree->value());
}

}  // namespace

int simulate(const offline::SimulateOptions &options) {
    report::KlogLog log(options.verbosity);
    const live::Watchdog watchdog(log);
    if (auto good = env::end_without_memory(options.memory_limit, live::add_call); !good)
        return refuse("--memory-limit: " + good.error().text);
    const api::WebOptions pages{options.ui, options.web_dir};
    if (auto good = api::check(pages); !good) return refuse(good.error().text);
    offline::PlotFile plot;
    if (auto good = plot.set(options); !good) return refuse(good.error().text);
    auto scenario = offline::scenario_of(options);
    if (!scenario) return refuse(scenario.error().text);
    const auto gates = offline::gates_of(options, *scenario);
    if (!gates) return refuse(gates.error().text);
    if (options.configs.size() > 1) return compare(options, *scenario, *gates, plot);
    auto configuration =
        offline::configuration_of(options, options.configs.empty() ? "" : options.configs.front(), *scenario, *gates);
    if (!configuration) return refuse(configuration.error().text);
    warn(configuration->warnings);
    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);

    auto journal = live::Recording::open(options.record);
    if (!journal) return refuse(journal.error().text);
    offline::Simulated simulated(options, *scenario, *configuration, warn, std::move(*journal));
    plot.watch(simulated);
    if (auto ready = simulated.prepare(*catalog); !ready) return refuse(ready.error().text);
    if (auto ready = simulated.prepare_shadow(); !ready) return refuse(ready.error().text);
    auto result = simulated.run();
    if (!result) return refuse(result.error().text);
    plot.take(simulated, names_of(options, *scenario).front());
    if (auto written = plot.write(*scenario); !written) return refuse(written.error().text);

    bool fails = std::ranges::any_of(result->expectations, [](const auto &e) { return !e.holds; });
    int code = fails || (options.fail_on_pending && result->pods_without_place() > 0) ? answer_is_no : done;
    const bool only_decisions = options.decisions == "-";
    const bool only_explained = !only_decisions && !options.explain.empty();
    if (only_decisions || only_explained) std::cerr << report::missing_text(result->input);
    if (only_explained) {
        if (int explained = explain(options, simulated); explained != done) return explained;
    } else if (!only_decisions) {
        std::cout << print(options, *result, simulated);
    }
    std::cout.flush();
    if (!std::cout) return refuse("the result could not be written to the end of standard output; is the disk full?");
    if (options.ui)
        if (auto shown = offline::show_simulation({simulated.scheduler(), simulated.clock(), simulated.sink().last(),
                                                   simulated.meter(), options, *configuration, *result},
                                                  options.ui_port, pages);
            !shown)
            return refuse(shown.error().text);
    return code;
}

}  // namespace berth::cli
