// SPDX-License-Identifier: Apache-2.0
#include "offline/simulated.h"

#include "config/file.h"
#include "config/read.h"
#include "config/rules.h"
#include "kube/awaited_extender.h"
#include "offline/without_nodes.h"
#include "plugin/profile.h"
#include "plugin/sources.h"
#include "plugin/violations.h"
#include "report/condition.h"
#include "report/table.h"
#include "sim/input.h"
#include "sim/missing_objects.h"
#include "sim/timeline.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace berth::offline {
namespace {

sim::Unknown unknown(const SimulateOptions &options) {
    return options.skip_unknown ? sim::Unknown::Skip : sim::Unknown::Refuse;
}

model::Result<sim::Input> read_cluster(const SimulateOptions &options, const std::vector<model::Kind> &kinds,
                                       model::Accounting accounting) {
    Progress progress;
    auto input = sim::read_input(
        options.inputs,
        [&](const std::string &path, std::uint64_t read, std::uint64_t total) {
            if (progress.due())
                progress.show("reading " + path + ": " + report::bytes_text(static_cast<std::int64_t>(read)) +
                              (total ? " of " + report::bytes_text(static_cast<std::int64_t>(total)) : ""));
        },
        kinds, accounting, unknown(options));
    if (input && input->nodes.empty() && input->pods.empty())
        return model::Error{
            "the input holds neither nodes nor pods; expected what kubectl get nodes,pods -A -o yaml prints" +
            std::string(input->skipped.first.empty() ? "" : ", but --skip-unknown left out all that is there")};
    return input;
}

model::Result<void> open_log(report::DecisionLog &log, const SimulateOptions &options) {
    if (is_input(options, options.decisions))
        return model::Error{"--decisions " + options.decisions + ": is an input, too; give the decisions another file"};
    return log.open(options.decisions, options.detail);
}

/// Adds the nodes of a file to those of the input.
model::Result<void> add_nodes(sim::Input &input, const std::string &file, const SimulateOptions &options,
                              model::Accounting accounting) {
    auto more = sim::read_input({file}, {}, {}, accounting, unknown(options));
    if (!more) return more.error();
    if (more->nodes.empty() || !more->pods.empty())
        return model::Error{"--add-nodes " + file + ": expected nodes and nothing else, got " +
                            std::to_string(more->nodes.size()) + " nodes and " + std::to_string(more->pods.size()) +
                            " pods; give the others with the cluster"};
    for (auto &node : more->nodes) {
        if (std::ranges::find(input.nodes, node->name, [](const auto &one) { return one->name; }) != input.nodes.end())
            return model::Error{"--add-nodes " + file + ": node \"" + std::string(node->name) +
                                "\" is in the input already; give it another name"};
        input.nodes.push_back(std::move(node));
    }
    std::ranges::sort(input.nodes, {}, [](const auto &node) { return node->name; });
    std::ranges::move(more->warnings, std::back_inserter(input.warnings));
    input.skipped.documents += more->skipped.documents;
    input.skipped.files += more->skipped.files;
    for (auto &where : more->skipped.first)
        if (input.skipped.first.size() < model::SkippedInput::most) input.skipped.first.push_back(std::move(where));
    return {};
}

}  // namespace

model::Result<std::optional<sim::Scenario>> scenario_of(const SimulateOptions &options) {
    if (options.inputs.size() != 1) return std::optional<sim::Scenario>{};
    return sim::find_scenario(options.inputs.front());
}

config::Release release_of(const SimulateOptions &options, const std::optional<sim::Scenario> &scenario) {
    return options.release.value_or(sim::release_of(scenario));
}

model::Result<std::optional<config::FeatureGates>> gates_of(const SimulateOptions &options,
                                                            const std::optional<sim::Scenario> &scenario) {
    auto flags = options.gates;
    if (scenario) flags.file = scenario->gates;
    return config::honoured_gates(flags, release_of(options, scenario));
}

model::Result<config::Configuration> configuration_of(const SimulateOptions &options, const std::string &path,
                                                      const std::optional<sim::Scenario> &scenario,
                                                      const std::optional<config::FeatureGates> &gates) {
    const auto release = release_of(options, scenario);
    auto out = path.empty() && scenario && scenario->configuration ? config::read(*scenario->configuration, release)
                                                                   : config::read_config(path, release);
    if (!out) return out;
    if (auto applied = config::apply_gates(gates, *out); !applied) return applied.error();
    return out;
}

bool is_input(const SimulateOptions &options, const std::string &path) {
    std::error_code none;  // a missing file is not the same
    return std::ranges::any_of(options.inputs, [&](const std::string &input) {
        return input != "-" && std::filesystem::is_regular_file(input, none) &&
               std::filesystem::equivalent(input, path, none);
    });
}

Simulated::Simulated(const SimulateOptions &options, const Scenario &scenario,
                     const config::Configuration &configuration, Warn warn,
                     std::optional<record::JournalWriter> journal)
    : options_(options),
      scenario_(scenario),
      configuration_(configuration),
      warn_(std::move(warn)),
      klog_(options.verbosity),
      sink_(options, log_),
      meter_(options.ui ? std::make_optional<report::SchedulerMetrics>() : std::nullopt),
      settings_{.seed = options.seed, .queue = queue::Settings(configuration), .meter = meter_ ? &*meter_ : nullptr},
      recording_(std::move(journal), clock_, workers_, sink_),
      scheduler_(recording_.recorder().clock(), &klog_, recording_.sink(), recording_.settings(settings_)) {}

plugin::Services Simulated::services() {
    plugin::Services services;
    services.clock = &recording_.recorder().clock();
    services.api = &recording_.recorder().api(world_);
    services.log = &klog_;
    services.seed = options_.seed;
    services.checks = options_.plugins.checks;
    services.recorder = &events_;
    services.workers = &recording_.recorder().workers();
    scheduler_.offer(services);
    return services;
}

model::Result<void> Simulated::prepare(plugin::Catalog &catalog) {
    auto building = recording_.building();
    auto profiles = plugin::build_profiles(configuration_, catalog, services());
    building.reset();
    warn_(catalog.warnings());
    if (!profiles) return profiles.error();
    auto extenders = kube::awaited_extenders(configuration_.extenders);
    if (!extenders) return extenders.error();
    for (const auto &p : *profiles) profiles_.push_back(p.scheduler_name);
    for (auto &watched : plugin::watched_kinds(*profiles)) kinds_.push_back(std::move(watched.kind));
    used_ = plugin::used_kinds(*profiles);
    if (configuration_.schedules_groups)
        for (const auto &kind : {model::pod_group_kind(), model::kind_of("scheduling.k8s.io", "v1beta1", "workloads")})
            if (std::ranges::count(kinds_, kind) == 0) kinds_.push_back(kind);
    if (scenario_ && std::ranges::count(kinds_, sim::DisruptionBudgets::kind()) == 0)
        kinds_.push_back(sim::DisruptionBudgets::kind());
    recording_.recorder().used(recording_.built(configuration_, *profiles,
                                                live::facts_of(settings_, configuration_, options_.plugins.checks)));
    scheduler_.use(std::move(*profiles), recording_.extenders(std::move(*extenders)));
    return {};
}

model::Result<void> Simulated::prepare_shadow() {
    if (options_.shadow.config.empty()) return {};
    auto configuration = live::read_shadow(options_.shadow, configuration_);
    if (!configuration) return configuration.error();
    auto catalog = plugin::open_catalog(live::shadow_plugins(options_.shadow, options_.plugins));
    if (!catalog) return model::Error{"--shadow: " + catalog.error().text};
    constexpr std::size_t kept = 100'000;
    if (auto made = prepare_shadow(*configuration, *catalog, kept); !made)
        return model::Error{"--shadow: " + made.error().text};
    warn_(live::shadow_warnings(*configuration, configuration_));
    return {};
}

model::Result<void> Simulated::prepare_shadow(const config::Configuration &configuration, plugin::Catalog &catalog,
                                              std::size_t kept) {
    auto unrecorded = live::shadow_services(services(), shadow_log_);
    unrecorded.clock = &clock_;
    unrecorded.workers = &workers_;
    auto profiles = plugin::build_profiles(configuration, catalog, unrecorded);
    if (!profiles) return profiles.error();
    for (auto &watched : plugin::watched_kinds(*profiles))
        if (std::ranges::find(kinds_, watched.kind) == kinds_.end()) kinds_.push_back(std::move(watched.kind));
    scheduler_.use_shadow(std::move(*profiles), {.budget_percent = std::nullopt, .kept = kept});
    return {};
}

/// Passes the input to the scheduler, and then drops the pods that will be decided.
void Simulated::start(env::Observer &observer) {
    auto has_node = [this](const model::Pod &pod) {
        const auto name = [](const model::NodePtr &node) { return node->name; };
        return scenario_ || std::ranges::binary_search(input_->nodes, pod.node_name(), {}, name);
    };
    world_.start(*input_, observer);
    std::erase_if(input_->pods, [&](const model::PodPtr &pod) {
        if (!pod->node_name().empty()) ++(has_node(*pod) ? before_.placed : before_.without_node);
        else if (std::ranges::find(profiles_, pod->scheduler_name()) == profiles_.end()) ++before_.other_scheduler;
        else if (pod->terminating()) ++before_.deleted;
        else return true;
        return false;
    });
    input_->pods.shrink_to_fit();
}

/// From the input to the end; what a scenario expects and what is.
model::Result<std::vector<sim::Finding>> Simulated::play() {
    Progress progress;
    SimulationRun run{scheduler_, clock_, world_, sink_, recording_.recorder(), progress};
    auto &observer = recording_.recorder().observer(scheduler_.observer());
    std::vector<sim::Finding> findings;
    if (scenario_) {
        controllers_.emplace(operations_);  // which listen from the start
        sim::Timeline timeline(operations_, *controllers_);
        start(observer);
        if (auto added = controllers_->workloads().add(input_->workloads, input_->classes); !added)
            return added.error();
        auto played = run.play(*scenario_, timeline);
        warn_(timeline.warnings());
        if (!played) return played;
        findings = *std::move(played);
    } else {
        start(observer);
        run.to_the_end();
    }
    progress.clear();
    recording_.flush(klog_);
    warn_(run.warnings);
    // The strict checks count them by themselves, when the instances end.
    if (options_.plugins.checks != plugin::Checks::Strict)
        for (const auto &text : run.unended) plugin::count_violation(text);
    return findings;
}

model::Result<report::Simulation> Simulated::run() {
    sim::ClaimController::add_templates(kinds_);
    std::vector<model::Kind> only_read;
    for (const auto &kind : used_)
        if (std::ranges::count(kinds_, kind) == 0) only_read.push_back(kind);
    kinds_.insert(kinds_.end(), only_read.begin(), only_read.end());
    const auto accounting = config::Rules(configuration_.release).accounting;
    auto input = scenario_ ? sim::read_objects(scenario_->objects, kinds_, {}, accounting)
                           : read_cluster(options_, kinds_, accounting);
    if (!input) return input.error();
    input->only_read = std::move(only_read);
    for (const auto &file : options_.add_nodes)
        if (auto added = add_nodes(*input, file, options_, accounting); !added) return added.error();
    if (auto taken = take_nodes_away(*input, options_.without_nodes, profiles_); !taken) return taken.error();
    input_ = *std::move(input);
    report_.skipped = input_->skipped;
    if (!scenario_) report_.missing = sim::missing_objects(*input_, profiles_);
    warn_(input_->warnings);
    if (auto opened = open_log(log_, options_); !opened) return opened.error();
    scheduler_.on_failure([this](const model::Pod &pod, const model::Decision &d) {
        // Of what is said about pods that fail, only their nominations count for later decisions.
        if (!d.nomination || *d.nomination == pod.nominated_node()) return;
        if (auto patch = report::condition_patch(pod, d, clock_.now_ns()))
            world_.send(report::status_request(pod, std::move(*patch)), [](const env::ApiAnswer &) {});
    });
    scheduler_.on_group([this](const model::PodGroup &group, const model::GroupCondition &condition) {
        world_.send(report::group_request(group, condition, clock_.now_ns()), [](const env::ApiAnswer &) {});
    });
    auto findings = play();
    if (!findings) return findings.error();
    if (auto written = log_.finish(); !written) return written.error();
    auto result = summarize();
    if (auto budgets = sim::missing_budgets(*input_, result.evicted_pods); budgets && !scenario_)
        report_.missing.push_back(*std::move(budgets));
    if (!report_.missing.empty()) report_.command = sim::dump_command(*input_, report_.missing);
    result.input = report_;
    result.events = events_.take();
    if (scenario_) result.scenario = scenario_->name;
    if (const auto *shadow = scheduler_.shadow())
        result.shadow = {options_.shadow.config, live::other_release(options_.shadow), shadow->counts(),
                         shadow->newest(SIZE_MAX)};
    for (auto &f : *findings) result.expectations.push_back({f.time, f.expected, f.found, f.where, f.holds});
    return result;
}

report::Simulation Simulated::summarize() const {
    report::Simulation s;
    s.profiles = profiles_;
    s.seed = options_.seed;
    s.kubernetes_version = configuration_.release.text();
    s.finished_pods = input_->finished_pods.size();
    s.attempts = sink_.attempts();
    sink_.fill(s, world_);
    std::unordered_map<std::string_view, std::size_t> index;
    s.nodes.reserve(world_.store().nodes().size());
    for (const auto &node : world_.store().nodes()) {
        index.emplace(node->name, s.nodes.size());
        s.nodes.push_back({node, 0, 0, 0, {}});
    }
    auto all_of = [&](const char *resource) {
        return world_.store().list(model::kind_of("resource.k8s.io", "v1", resource));
    };
    s.devices = report::device_use(all_of("resourceslices"), all_of("resourceclaims"));
    s.placed_before = before_.placed;
    s.without_node = before_.without_node;
    s.other_scheduler = before_.other_scheduler;
    s.deleted_pods = before_.deleted;
    for (const auto &pod : input_->pods)
        if (!pod->node_name().empty() && !world_.pod(pod->key())) ++s.evicted_pods;
    for (const auto &[key, now] : world_.pods()) {
        if (now->finished()) continue;
        for (std::uint64_t i = 0; i < now->effective().scalars_len; ++i)
            if (now->effective().scalars[i].value > 0)
                s.requested_scalars.emplace(model::view(now->effective().scalars[i].name));
        if (now->node_name().empty()) continue;
        auto at = index.find(now->node_name());
        if (at == index.end()) continue;
        auto &use = s.nodes[at->second];
        ++use.pods;
        use.cpu += now->effective().cpu;
        use.memory += now->effective().memory;
        for (std::uint64_t i = 0; i < now->effective().scalars_len; ++i)
            use.scalars[std::string(model::view(now->effective().scalars[i].name))] +=
                now->effective().scalars[i].value;
    }
    return s;
}

}  // namespace berth::offline
