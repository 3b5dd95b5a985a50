// SPDX-License-Identifier: Apache-2.0
#include "cli/comparison.h"

#include "cli/exit_codes.h"
#include "decode/write.h"
#include "offline/simulated.h"
#include "plugin/sources.h"
#include "report/comparison.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace berth::cli {
namespace {

/// The option that does not work with several simulations; "" if none.
std::string asks_too_much(const offline::SimulateOptions &options) {
    for (const auto &[given, option] : {std::pair{!options.explain.empty(), "--explain"},
                                        {!options.decisions.empty(), "--decisions"},
                                        {!options.record.directory.empty(), "--record"},
                                        {!options.shadow.config.empty(), "--shadow"},
                                        {options.ui, "--ui"}})
        if (given) return std::string(option) + " shows one simulation; give one --config";
    if (std::ranges::count(options.inputs, "-") > 0)
        return "several --config read the cluster once each, which standard input cannot be; give a file";
    return "";
}

/// The text, with the configuration that it is about.
std::string about(const std::string &config, const std::string &text) {
    return text.starts_with(config) ? text : config + ": " + text;
}

}  // namespace

int compare(const offline::SimulateOptions &options, const std::optional<sim::Scenario> &scenario,
            const std::optional<config::FeatureGates> &gates, offline::PlotFile &plot) {
    if (auto wrong = asks_too_much(options); !wrong.empty()) return refuse(wrong);
    // What is wrong with one is said before another is simulated.
    std::vector<config::Configuration> configurations;
    for (const auto &path : options.configs) {
        auto read = offline::configuration_of(options, path, scenario, gates);
        if (!read) return refuse(about(path, read.error().text));
        configurations.push_back(*std::move(read));
    }
    auto catalog = plugin::open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);

    std::set<std::string> said;
    auto once = [&](const std::vector<std::string> &texts) {
        for (const auto &text : texts)
            if (said.insert(text).second) warn({text});
    };
    auto each = options;
    each.output = offline::Output::Table;  // of no decision anything is kept
    const auto names = names_of(options, scenario);
    std::vector<report::Compared> compared;
    int code = done;
    for (std::size_t i = 0; i < configurations.size(); ++i) {
        once(configurations[i].warnings);
        offline::Simulated simulated(each, scenario, configurations[i], once);
        plot.watch(simulated);
        if (auto ready = simulated.prepare(*catalog); !ready)
            return refuse(about(options.configs[i], ready.error().text));
        auto result = simulated.run();
        if (!result) return refuse(result.error().text);
        plot.take(simulated, names[i]);
        if (options.fail_on_pending && result->pods_without_place() > 0) code = answer_is_no;
        if (std::ranges::any_of(result->expectations, [](const auto &e) { return !e.holds; })) code = answer_is_no;
        compared.push_back(report::compared(names[i], *result));
    }
    if (auto written = plot.write(scenario); !written) return refuse(written.error().text);
    if (options.output == offline::Output::Table) {
        std::cout << report::to_text(compared);
    } else {
        const auto tree = report::to_tree(compared);
        std::cout << (options.output == offline::Output::Json ? decode::to_json(tree->value(), 2) + "\n"
                                                              : decode::to_yaml(tree->value()));
    }
    std::cout.flush();
    if (!std::cout) return refuse("the result could not be written to the end of standard output; is the disk full?");
    return code;
}

}  // namespace berth::cli
