// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate.h"

#include "cli/answers.h"
#include "cli/awaited_extender.h"
#include "cli/show_simulation.h"
#include "cli/simulation_run.h"
#include "cli/sources.h"
#include "config/read.h"
#include "decode/write.h"
#include "plugin/profile.h"
#include "report/condition.h"
#include "report/explain.h"
#include "report/log.h"
#include "report/table.h"
#include "sim/input.h"
#include "sim/virtual_workers.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unordered_map>
#include <utility>

namespace berth::cli {
namespace {

report::Simulation summarize(const SimulateOptions &options, const sim::Input &input, const sim::World &world,
                             const std::vector<std::string> &profiles, const SimulationSink &sink) {
    report::Simulation s;
    s.profiles = profiles;
    s.seed = options.seed;
    s.finished_pods = input.finished_pods;
    s.attempts = sink.attempts();
    sink.fill(s, world);
    std::unordered_map<std::string_view, std::size_t> index;
    for (const auto &node : world.store().nodes()) {
        index.emplace(node->name, s.nodes.size());
        s.nodes.push_back({node, 0, 0, 0, {}});
    }
    for (const auto &pod : input.pods) {
        if (!pod->node_name().empty()) ++s.placed_before;
        else if (std::find(profiles.begin(), profiles.end(), pod->scheduler_name()) == profiles.end())
            ++s.other_scheduler;
        else if (pod->terminating()) ++s.deleted_pods;
        if (!pod->node_name().empty() && !world.pod(pod->key())) ++s.evicted_pods;
    }
    for (const auto &[key, now] : world.pods()) {
        if (now->node_name().empty() || now->finished()) continue;
        auto at = index.find(now->node_name());
        if (at == index.end()) continue;
        auto &use = s.nodes[at->second];
        ++use.pods;
        use.cpu += now->accounted.cpu;
        use.memory += now->accounted.memory;
        for (std::uint64_t i = 0; i < now->accounted.scalars_len; ++i)
            use.scalars[std::string(model::view(now->accounted.scalars[i].name))] += now->accounted.scalars[i].value;
    }
    return s;
}

int explain(const SimulateOptions &options, const sim::Input &input, const SimulationSink &sink) {
    for (const auto &d : sink.explained()) std::cout << report::explain(d, options.all) << '\n';
    if (!sink.explained().empty()) return done;
    for (const auto &pod : input.pods) {
        if (!sink.explains(pod->name_space(), pod->name())) continue;
        if (!pod->node_name().empty())
            std::cout << "Pod " << pod->key() << " is on node " << pod->node_name()
                      << " in the input: nothing was decided about it.\n";
        else if (pod->terminating())
            std::cout << "Pod " << pod->key() << " is being deleted: nothing was decided about it.\n";
        else
            std::cout << "Pod " << pod->key() << " asks for scheduler \"" << pod->scheduler_name()
                      << "\", which the configuration has no profile for: nothing was decided about it.\n";
        return done;
    }
    return refuse("--explain " + options.explain +
                  ": the input has no such pod, or it has finished; give namespace/name");
}

model::Result<sim::Input> read_cluster(const SimulateOptions &options, const std::vector<model::Kind> &kinds) {
    Progress progress;
    auto input = sim::read_input(
        options.inputs,
        [&](const std::string &path, std::uint64_t read, std::uint64_t total) {
            if (progress.due())
                progress.show("reading " + path + ": " + report::bytes_text(static_cast<std::int64_t>(read)) +
                              (total ? " of " + report::bytes_text(static_cast<std::int64_t>(total)) : ""));
        },
        kinds);
    if (input && input->nodes.empty() && input->pods.empty())
        return model::Error{
            "the input holds neither nodes nor pods; expected what kubectl get nodes,pods -A -o yaml prints"};
    return input;
}

/// The scenario that the command line names; nothing if it names objects.
model::Result<std::optional<sim::Scenario>> scenario_of(const SimulateOptions &options) {
    if (options.inputs.size() != 1) return std::optional<sim::Scenario>{};
    return sim::find_scenario(options.inputs.front());
}

model::Result<config::Configuration> configuration_of(const SimulateOptions &options,
                                                      const std::optional<sim::Scenario> &scenario) {
    if (options.config.empty() && scenario && scenario->configuration) return config::read(*scenario->configuration);
    return read_config(options.config);
}

model::Result<void> open_log(DecisionLog &log, const SimulateOptions &options) {
    for (const auto &path : options.inputs) {
        std::error_code none;  // whoever is not there is not the same
        if (path != "-" && std::filesystem::is_regular_file(path, none) &&
            std::filesystem::equivalent(path, options.decisions, none))
            return model::Error{"--decisions " + options.decisions +
                                ": is an input, too; give the decisions another file"};
    }
    return log.open(options.decisions, options.detail);
}

std::string print(const SimulateOptions &options, report::Simulation &result, SimulationSink &sink) {
    if (options.output == Output::Table) return report::to_text(result, options.all);
    result.decisions = std::move(sink.kept());
    auto tree = report::to_tree(result, options.detail);
    return options.output == Output::Json ? decode::to_json(tree->value(), 2) + "\n" : decode::to_yaml(tree->value());
}

}  // namespace

int simulate(const SimulateOptions &options) {
    const WebOptions pages{options.ui, options.web_dir};
    if (auto good = check(pages); !good) return refuse(good.error().text);
    auto scenario = scenario_of(options);
    if (!scenario) return refuse(scenario.error().text);
    auto configuration = configuration_of(options, *scenario);
    if (!configuration) return refuse(configuration.error().text);
    warn(configuration->warnings);
    auto catalog = open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);

    DecisionLog log;
    report::KlogLog klog(options.verbosity);
    sim::VirtualClock clock(simulated_start_ns);
    sim::World world(clock);
    SimulationSink sink(options, log);
    EventList events(clock);
    sim::VirtualWorkers workers(clock);
    SchedulerSettings settings;
    settings.seed = options.seed;
    settings.queue.backoff.initial_ns = queue::wait_ns(configuration->pod_initial_backoff_seconds);
    settings.queue.backoff.max_ns = queue::wait_ns(configuration->pod_max_backoff_seconds);
    std::optional<SchedulerMeter> meter;
    if (options.ui) meter.emplace();
    Scheduler scheduler(clock, &klog, sink, settings);
    plugin::Services services;
    services.clock = &clock;
    services.api = &world;
    services.log = &klog;
    services.seed = options.seed;
    services.checks = options.plugins.checks;
    services.recorder = &events;
    services.workers = &workers;
    scheduler.offer(services);
    auto profiles = plugin::build_profiles(*configuration, *catalog, services);
    warn(catalog->warnings());
    if (!profiles) return refuse(profiles.error().text);
    auto extenders = awaited_extenders(configuration->extenders);
    if (!extenders) return refuse(extenders.error().text);
    std::vector<std::string> names;
    for (const auto &p : *profiles) names.push_back(p.scheduler_name);
    std::vector<model::Kind> kinds;
    for (auto &watched : plugin::watched_kinds(*profiles)) kinds.push_back(std::move(watched.kind));
    if (*scenario && std::ranges::count(kinds, sim::DisruptionBudgets::kind()) == 0)
        kinds.push_back(sim::DisruptionBudgets::kind());
    scheduler.use(std::move(*profiles), std::move(*extenders));

    auto input = *scenario ? sim::read_objects((*scenario)->objects, kinds) : read_cluster(options, kinds);
    if (!input) return refuse(input.error().text);
    warn(input->warnings);
    if (auto opened = open_log(log, options); !opened) return refuse(opened.error().text);

    scheduler.on_failure([&](const model::Pod &pod, const model::Decision &d) {
        // Of what is said about pods that fail, only their nominations count for later decisions.
        if (!d.nomination || *d.nomination == pod.nominated_node()) return;
        if (auto patch = report::condition_patch(pod, d, clock.now_ns()))
            world.send(report::status_request(pod, std::move(*patch)), [](const env::ApiAnswer &) {});
    });
    Progress progress;
    SimulationRun run{scheduler, clock, world, sink, progress};
    std::vector<sim::Finding> findings;
    sim::Operations operations(world.store());
    std::optional<sim::Controllers> controllers;
    if (*scenario) {
        controllers.emplace(operations);
        sim::Timeline timeline(operations, *controllers);
        world.start(*input, scheduler);
        if (auto added = controllers->workloads().add(input->workloads, input->classes); !added)
            return refuse(added.error().text);
        auto played = run.play(**scenario, timeline);
        warn(timeline.warnings());
        if (!played) return refuse(played.error().text);
        findings = *std::move(played);
    } else {
        world.start(*input, scheduler);
        run.to_the_end();
    }
    progress.clear();
    warn(run.warnings);
    if (auto written = log.finish(); !written) return refuse(written.error().text);

    auto result = summarize(options, *input, world, names, sink);
    result.events = events.take();
    if (*scenario) result.scenario = (*scenario)->name;
    for (auto &f : findings) result.expectations.push_back({f.time, f.expected, f.found, f.where, f.holds});
    bool fails = std::ranges::any_of(findings, [](const sim::Finding &f) { return !f.holds; });
    int code = fails || (options.fail_on_pending && !result.pending.empty()) ? answer_is_no : done;
    if (options.decisions == "-") {
        // Nothing else is written there.
    } else if (!options.explain.empty() && options.output == Output::Table) {
        if (int explained = explain(options, *input, sink); explained != done) return explained;
    } else {
        std::cout << print(options, result, sink);
    }
    std::cout.flush();
    if (!std::cout) return refuse("the result could not be written to the end of standard output; is the disk full?");
    if (options.ui)
        if (auto shown = show_simulation({scheduler, clock, sink.last(), *meter, {options, *configuration, result}},
                                         options.ui_port, pages);
            !shown)
            return refuse(shown.error().text);
    return code;
}

}  // namespace berth::cli
