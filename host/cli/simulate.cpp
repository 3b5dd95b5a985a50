// SPDX-License-Identifier: Apache-2.0
#include "cli/simulate.h"

#include "cli/answers.h"
#include "cli/decision_log.h"
#include "cli/progress.h"
#include "cli/sources.h"
#include "decode/write.h"
#include "plugin/profile.h"
#include "report/condition.h"
#include "report/events.h"
#include "report/explain.h"
#include "report/log.h"
#include "report/simulation.h"
#include "report/table.h"
#include "scheduler.h"
#include "sim/input.h"
#include "sim/virtual_clock.h"
#include "sim/world.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <unordered_map>
#include <utility>

namespace berth::cli {
namespace {

// 2026-01-01T00:00:00Z: simulated time begins there, so that the same input gives the same bytes on any day.
constexpr std::int64_t simulated_start_ns = 1767225600LL * 1'000'000'000;
// A hundred years later everything has ended.
constexpr std::int64_t simulated_end_ns = simulated_start_ns + 100LL * 365 * 24 * 3600 * 1'000'000'000;

/// Keeps what the result needs of the decisions, and writes the log.
class Sink : public DecisionSink {
    const SimulateOptions &options_;
    DecisionLog &log_;
    std::unordered_map<std::string, std::size_t> last_;  ///< by pod, index in order_
    struct Last {
        model::PodRef pod;
        model::AttemptResult result;
        std::string node, message;
    };
    std::vector<Last> order_;
    std::vector<model::Decision> kept_, explained_;
    std::uint64_t attempts_ = 0;

public:
    Sink(const SimulateOptions &options, DecisionLog &log) : options_(options), log_(log) {}

    bool explains(std::string_view name_space, std::string_view name) const {
        std::string_view wanted = options_.explain;
        if (auto slash = wanted.find('/'); slash != std::string_view::npos)
            return wanted.substr(0, slash) == name_space && wanted.substr(slash + 1) == name;
        return !wanted.empty() && wanted == name;
    }

    model::Detail detail() const override {
        bool read = log_.is_open() || options_.output != Output::Table;
        return read ? options_.detail : model::Detail::Summary;
    }
    model::Detail detail_of(const model::Pod &pod) const override {
        return explains(pod.name_space(), pod.name()) ? std::max(detail(), model::Detail::Nodes) : detail();
    }

    void decision(const model::Decision &d) override {
        log_.write(d);
        if (d.result != model::AttemptResult::Gated) ++attempts_;
        if (options_.output != Output::Table) kept_.push_back(d);
        if (explains(d.pod.name_space, d.pod.name)) explained_.push_back(d);
        auto [at, fresh] = last_.emplace(d.pod.name_space + "/" + d.pod.name, order_.size());
        Last last{d.pod, d.result, d.node, d.message};
        if (fresh) order_.push_back(std::move(last));
        else order_[at->second] = std::move(last);
    }

    void event(const model::DecisionEvent &e) override { log_.write(e); }

    std::uint64_t attempts() const { return attempts_; }
    std::vector<model::Decision> &kept() { return kept_; }
    const std::vector<model::Decision> &explained() const { return explained_; }

    void fill(report::Simulation &s, const sim::World &world) const {
        for (const auto &last : order_) {
            auto pod = world.pod(last.pod.name_space + "/" + last.pod.name);
            if (!pod) {  // it is gone again
                s.evicted_pods += last.result == model::AttemptResult::Scheduled ? 1 : 0;
                continue;
            }
            bool bound = !pod->node_name().empty();
            if (last.result == model::AttemptResult::Waiting)
                s.pending.push_back({last.pod, last.result, "waits in Permit for node " + last.node});
            else if (last.result != model::AttemptResult::Scheduled)
                s.pending.push_back({last.pod, last.result, last.message});
            else if (bound) s.placements.push_back({last.pod, last.node});
            else
                s.pending.push_back({last.pod, model::AttemptResult::Waiting,
                                     "was given node " + last.node +
                                         ", but no plugin bound it there: PreBind or Bind has not ended, or Bind "
                                         "answered Success without a Binding"});
        }
    }
};

/// Keeps what plugins write as Kubernetes Events.
class EventList : public plugin::EventRecorder {
    const env::Clock &clock_;
    std::vector<report::WrittenEvent> events_;

public:
    explicit EventList(const env::Clock &clock) : clock_(clock) {}
    void event(const model::Object &regarding, const Event &e) override {
        const auto meta = regarding.meta();
        auto text = [](auto view) { return std::string(view); };
        events_.push_back({clock_.now_ns(), e.warning, text(e.reason), text(e.action), report::cut_note(text(e.note)),
                           text(e.profile), text(regarding.tree->value()["kind"].string()),
                           text(model::view(meta.namespace_)), text(model::view(meta.name))});
    }
    std::vector<report::WrittenEvent> take() { return std::move(events_); }
};

/// Says when what goes on has become endless. Pods may fail again and again, wake each other, or a plugin's timer start
/// itself anew: in a world in which no pod is bound any more, some more tries than a person would make are enough.
class Patience {
    static constexpr std::uint64_t tries_max = 8, waits_max = 100'000;
    const sim::World &world_;
    const Sink &sink_;
    std::uint64_t tries_max_, bindings_ = 0, attempts_ = 0, waits_ = 0, seen_attempts_ = 0;

public:
    Patience(const sim::World &world, const Sink &sink, std::size_t pods)
        : world_(world), sink_(sink), tries_max_(tries_max * (pods + 1)) {}

    /// After an attempt: are there too many that placed nothing?
    bool tried() {
        if (world_.bindings() != bindings_) {
            bindings_ = world_.bindings();
            attempts_ = sink_.attempts();
        }
        return sink_.attempts() - attempts_ > tries_max_;
    }
    /// When time passes: did it pass too often without an attempt?
    bool waited() {
        if (std::exchange(seen_attempts_, sink_.attempts()) != sink_.attempts()) waits_ = 0;
        return ++waits_ > waits_max;
    }
};

/// Runs until nothing can change any more: no pod is ready, none is being bound, and every wait that a change began is
/// over. The retry of pods that waited five minutes without a reason is left out: nothing has changed for them.
void run(Scheduler &scheduler, sim::VirtualClock &clock, const sim::World &world, const Sink &sink, Progress &progress,
         std::size_t pods) {
    Patience patience(world, sink, pods);
    for (;;) {
        bool any = clock.run();
        while (scheduler.schedule_one()) {
            any = true;
            clock.run();
            if (progress.due())
                progress.show("scheduling: " + report::grouped(sink.attempts()) + " attempts, " +
                              report::grouped(pods) + " pods");
            if (!patience.tried()) continue;
            progress.clear();
            return warn({"stopped after " + report::grouped(sink.attempts()) +
                         " attempts: pods are tried again and again, and none is placed"});
        }
        if (any) continue;
        auto next = scheduler.next_ready();
        auto timer = clock.next_timer();
        if ((!next && !timer) || patience.waited()) return;
        auto when = std::min(next.value_or(INT64_MAX), timer.value_or(INT64_MAX));
        if (when > simulated_end_ns) return;
        clock.advance_to(when);
    }
}

report::Simulation summarize(const SimulateOptions &options, const sim::Input &input, const sim::World &world,
                             const std::vector<std::string> &profiles, const Sink &sink) {
    report::Simulation s;
    s.profiles = profiles;
    s.seed = options.seed;
    s.finished_pods = input.finished_pods;
    s.attempts = sink.attempts();
    sink.fill(s, world);
    std::unordered_map<std::string_view, std::size_t> index;
    for (const auto &node : input.nodes) {
        index.emplace(node->name, s.nodes.size());
        s.nodes.push_back({node, 0, 0, 0, {}});
    }
    for (const auto &pod : input.pods) {
        if (!pod->node_name().empty()) ++s.placed_before;
        else if (std::find(profiles.begin(), profiles.end(), pod->scheduler_name()) == profiles.end())
            ++s.other_scheduler;
        else if (pod->terminating()) ++s.deleted_pods;
        auto now = world.pod(pod->key());
        if (!now && !pod->node_name().empty()) ++s.evicted_pods;
        if (!now || now->node_name().empty()) continue;
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

int explain(const SimulateOptions &options, const sim::Input &input, const Sink &sink) {
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

}  // namespace

int simulate(const SimulateOptions &options) {
    auto configuration = read_config(options.config);
    if (!configuration) return refuse(configuration.error().text);
    warn(configuration->warnings);
    auto catalog = open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);

    DecisionLog log;
    report::KlogLog klog(options.verbosity);
    sim::VirtualClock clock(simulated_start_ns);
    sim::World world(clock);
    Sink sink(options, log);
    EventList events(clock);
    SchedulerSettings settings;
    settings.seed = options.seed;
    settings.queue.backoff.initial_ns = queue::wait_ns(configuration->pod_initial_backoff_seconds);
    settings.queue.backoff.max_ns = queue::wait_ns(configuration->pod_max_backoff_seconds);
    Scheduler scheduler(clock, &klog, sink, settings);
    plugin::Services services;
    services.clock = &clock;
    services.api = &world;
    services.log = &klog;
    services.seed = options.seed;
    services.checks = options.plugins.checks;
    services.recorder = &events;
    scheduler.offer(services);
    auto profiles = plugin::build_profiles(*configuration, *catalog, services);
    warn(catalog->warnings());
    if (!profiles) return refuse(profiles.error().text);
    std::vector<std::string> names;
    for (const auto &p : *profiles) names.push_back(p.scheduler_name);
    std::vector<model::Kind> kinds;
    for (auto &watched : plugin::watched_kinds(*profiles)) kinds.push_back(std::move(watched.kind));
    scheduler.use(std::move(*profiles));

    Progress progress;
    auto input = sim::read_input(
        options.inputs,
        [&](const std::string &path, std::uint64_t read, std::uint64_t total) {
            if (progress.due())
                progress.show("reading " + path + ": " + report::bytes_text(static_cast<std::int64_t>(read)) +
                              (total ? " of " + report::bytes_text(static_cast<std::int64_t>(total)) : ""));
        },
        kinds);
    progress.clear();
    if (!input) return refuse(input.error().text);
    warn(input->warnings);
    if (input->nodes.empty() && input->pods.empty())
        return refuse("the input holds neither nodes nor pods; expected what kubectl get nodes,pods -A -o yaml prints");

    for (const auto &path : options.inputs) {
        std::error_code none;  // whoever is not there is not the same
        if (path != "-" && std::filesystem::is_regular_file(path, none) &&
            std::filesystem::equivalent(path, options.decisions, none))
            return refuse("--decisions " + options.decisions + ": is an input, too; give the decisions another file");
    }
    if (auto opened = log.open(options.decisions, options.detail); !opened) return refuse(opened.error().text);

    scheduler.on_failure([&](const model::Pod &pod, const model::Decision &d) {
        // Of what is said about pods that fail, only their nominations count for later decisions.
        if (!d.nomination || *d.nomination == pod.nominated_node()) return;
        if (auto patch = report::condition_patch(pod, d, clock.now_ns()))
            world.send(report::status_request(pod, std::move(*patch)), [](const env::ApiAnswer &) {});
    });
    world.start(*input, scheduler);
    run(scheduler, clock, world, sink, progress, input->pods.size());
    progress.clear();
    if (auto written = log.finish(); !written) return refuse(written.error().text);

    auto result = summarize(options, *input, world, names, sink);
    int code = options.fail_on_pending && !result.pending.empty() ? answer_is_no : done;
    if (options.decisions == "-") return code;
    if (!options.explain.empty() && options.output == Output::Table) {
        if (int explained = explain(options, *input, sink); explained != done) return explained;
    } else if (options.output == Output::Table) {
        std::cout << report::to_text(result, options.all);
    } else {
        result.decisions = std::move(sink.kept());
        result.events = events.take();
        auto tree = report::to_tree(result, options.detail);
        std::cout << (options.output == Output::Json ? decode::to_json(tree->value(), 2) + "\n"
                                                     : decode::to_yaml(tree->value()));
    }
    std::cout.flush();
    if (!std::cout) return refuse("the result could not be written to the end of standard output; is the disk full?");
    return code;
}

}  // namespace berth::cli
