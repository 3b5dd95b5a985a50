// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include "cli/answers.h"
#include "cli/config.h"
#include "cli/decision_log.h"
#include "cli/late_watch.h"
#include "env/loop.h"
#include "env/threads.h"
#include "kube/api.h"
#include "kube/beast_transport.h"
#include "kube/cpprest_transport.h"
#include "kube/http_extender.h"
#include "kube/reflector.h"
#include "plugin/profile.h"
#include "report/condition.h"
#include "report/events.h"
#include "report/log.h"
#include "scheduler.h"

#include <berth/version.h>

#include <unistd.h>
#include <iostream>
#include <random>

namespace berth::cli {
namespace {

std::string host_name() {
    char name[256] = {};
    return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::uint64_t some_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
}

class Sink : public DecisionSink {
    DecisionLog &log_;
    bool written_ = false;

public:
    explicit Sink(DecisionLog &log) : log_(log) {}
    model::Detail detail() const override { return log_.is_open() ? log_.detail() : model::Detail::Summary; }
    void decision(const model::Decision &d) override {
        log_.write(d);
        written_ = true;
    }
    void event(const model::DecisionEvent &e) override {
        log_.write(e);
        written_ = true;
    }
    /// Whoever follows the file sees everything as soon as there is time.
    model::Result<void> flush() {
        if (!std::exchange(written_, false)) return {};
        return log_.finish();
    }
};

/// Those for reading and for writing; maybe the same one.
struct Transports {
    std::shared_ptr<kube::Transport> reads, writes;
};

model::Result<Transports> make_transports(TransportKind kind, const kube::Credentials &credentials) {
    Transports out;
    if (kind != TransportKind::Beast) {
        auto made = kube::make_cpprest_transport(credentials);
        if (!made) return made.error();
        out.reads = out.writes = std::move(*made);
    }
    if (kind != TransportKind::Cpprest) {
        auto made = kube::make_beast_transport(credentials);
        if (!made) return made.error();
        out.writes = std::move(*made);
        if (!out.reads) out.reads = out.writes;
    }
    return out;
}

/// A kind that plugins watch and the API server does not show, and what to do about it.
std::string unwatchable(const plugin::Watched &watched, int status, const std::string &why) {
    constexpr int not_found = 404;
    const auto &kind = watched.kind;
    std::string names;
    for (const auto &name : watched.plugins) names += (names.empty() ? "" : ", ") + name;
    std::string text = (watched.plugins.size() == 1 ? "plugin " : "plugins ") + names + ": watching " + kind.text() +
                       ", as declared, is not possible: " + why + "; ";
    if (status == not_found && kind.custom)
        return text + "install the CustomResourceDefinition " + kind.resource + "." + kind.group + " with version " +
               kind.version;
    if (status == not_found) return text + "this API server does not serve that version";
    return text + "add to the scheduler's ClusterRole the rule {apiGroups: [\"" + kind.group + "\"], resources: [" +
           kind.resource + "], verbs: [list, watch]}";
}

/// A live cluster: the scheduler and what joins it to the API server.
class Live : plugin::EventRecorder {
    static constexpr std::size_t threads_max = 2;
    env::Loop loop_;
    env::Threads threads_{loop_, threads_max};  ///< for the plugins' tasks
    env::Log &log_;
    Sink &sink_;
    Scheduler scheduler_;
    Transports transports_;
    kube::Api api_;
    report::EventWriter events_;
    kube::Reflector nodes_, pods_;
    std::vector<std::unique_ptr<kube::Reflector>> objects_;  ///< one for each kind that plugins watch
    LateWatch late_watch_{loop_, log_, scheduler_};
    std::uint64_t seed_;
    std::size_t to_sync_ = 2;
    std::string failure_;
    bool stopping_ = false;

public:
    Live(env::Log &log, Sink &sink, SchedulerSettings settings, Transports transports)
        : log_(log),
          sink_(sink),
          scheduler_(loop_, &log, sink, settings),
          transports_(std::move(transports)),
          api_(*transports_.writes, loop_),
          events_(api_, loop_, &log, host_name()),
          nodes_(*transports_.reads, loop_, &log, kube::nodes_for(scheduler_), settings.seed),
          pods_(*transports_.reads, loop_, &log, kube::pods_for(scheduler_), settings.seed),
          seed_(settings.seed) {
        scheduler_.on_failure([this](const model::Pod &pod, const model::Decision &d) { tell_failure(pod, d); });
        scheduler_.on_delayed(
            [this](const model::Pod &pod) { patch(pod, report::nomination_patch(pod, pod.node_name())); });
        scheduler_.on_bound([this](const model::Pod &pod, const model::Decision &d) {
            events_.write(pod,
                          {false, "Scheduled", "Binding",
                           "Successfully assigned " + pod.key() + " to " + std::string(pod.node_name()), d.profile});
        });
    }

    ~Live() override {
        // Their callbacks reach everything else.
        transports_ = {};
    }

    Scheduler &scheduler() { return scheduler_; }
    env::Clock &clock() { return loop_; }
    plugin::Services services(std::uint64_t seed, plugin::Checks checks) {
        plugin::Services out;
        out.clock = &loop_;
        out.api = &api_;
        out.log = &log_;
        out.seed = seed;
        out.checks = checks;
        out.recorder = this;
        out.workers = &threads_;
        scheduler_.offer(out);
        return out;
    }

    /// The plugins see objects of these kinds; before run().
    void watch(const std::vector<plugin::Watched> &kinds) {
        for (const auto &watched : kinds) {
            auto collection = kube::objects_for(scheduler_, watched.kind);
            collection.refused = [this, watched](int status, const std::string &why) {
                if (failure_.empty()) failure_ = unwatchable(watched, status, why);
                loop_.stop();
            };
            objects_.push_back(
                std::make_unique<kube::Reflector>(*transports_.reads, loop_, &log_, std::move(collection), seed_));
        }
        to_sync_ += kinds.size();
    }

    /// Until it is stopped; or the error that it could not begin.
    model::Result<void> run() {
        loop_.on_signal([this] { stop(); });
        late_watch_.start();
        nodes_.start([this] { synced(); });
        pods_.start([this] { synced(); });
        for (auto &one : objects_) one->start([this] { synced(); });
        loop_.run([this] { return ready() && scheduler_.schedule_one(); },
                  [this] {
                      if (auto flushed = sink_.flush(); !flushed)
                          log_.write(env::Severity::Error, 0, "The decision log cannot be written",
                                     {{"err", flushed.error().text}});
                      return ready() ? scheduler_.next_wake() : std::nullopt;
                  });
        if (!failure_.empty()) return model::Error{failure_};
        return {};
    }

private:
    void event(const model::Object &regarding, const Event &e) override {
        events_.write(regarding, {e.warning, e.reason, e.action, std::string(e.note), e.profile});
    }

    bool ready() const { return to_sync_ == 0 && !stopping_; }

    void synced() {
        if (--to_sync_ == 0)
            log_.write(env::Severity::Info, 0, "Caches are synced; scheduling begins",
                       {{"nodes", std::to_string(nodes_.size())}, {"pods", std::to_string(pods_.size())}});
    }

    void tell_failure(const model::Pod &pod, const model::Decision &d) {
        events_.write(pod, {true, "FailedScheduling", "Scheduling", d.message, d.profile});
        patch(pod, report::condition_patch(pod, d, loop_.now_ns()));
    }

    void patch(const model::Pod &pod, std::optional<std::string> what) {
        if (!what) return;
        api_.send(report::status_request(pod, std::move(*what)), [this, key = pod.key()](const env::ApiAnswer &a) {
            constexpr int ok = 200, refused = 400, gone = 404;
            if ((a.http_status >= ok && a.http_status < refused) || a.http_status == gone) return;
            log_.write(env::Severity::Error, 0, "Error updating pod", {{"pod", key}, {"err", a.body}});
        });
    }

    /// Takes no new pods, and lets those that are on their way arrive.
    void stop() {
        constexpr int patience = 100;
        stopping_ = true;
        log_.write(env::Severity::Info, 0, "Stopping", {{"binding", std::to_string(scheduler_.binding())}});
        wind_down(patience);
    }

    void wind_down(int patience) {
        constexpr std::int64_t look_again_ns = 50'000'000;
        if (patience == 0 || (scheduler_.binding() == 0 && api_.outstanding() == 0)) {
            nodes_.stop();
            pods_.stop();
            for (auto &one : objects_) one->stop();
            return loop_.stop();
        }
        loop_.after(look_again_ns, [this, patience] { wind_down(patience - 1); });
    }
};

model::Result<kube::Credentials> credentials_for(const RunOptions &options, const config::Configuration &c) {
    const std::string &path = options.kubeconfig.empty() ? c.client_connection.kubeconfig : options.kubeconfig;
    return path.empty() ? kube::in_cluster() : kube::read_kubeconfig(path);
}

}  // namespace

int run(const RunOptions &options) {
    kube::prepare_process();
    auto configuration = read_config(options.config);
    if (!configuration) return refuse(configuration.error().text);
    auto catalog = open_catalog(options.plugins);
    if (!catalog) return refuse(catalog.error().text);
    if (!options.write_config_to.empty()) {
        warn(configuration->warnings);
        return write_config(*configuration, *catalog, options.write_config_to);
    }
    auto credentials = credentials_for(options, *configuration);
    if (!credentials) return refuse(credentials.error().text);
    auto transports = make_transports(options.transport, *credentials);
    if (!transports) return refuse(transports.error().text);
    DecisionLog decisions;
    if (auto opened = decisions.open(options.decisions, options.detail); !opened) return refuse(opened.error().text);

    report::KlogLog klog(options.verbosity);
    env::Log &log = klog;
    Sink sink(decisions);
    SchedulerSettings settings;
    settings.seed = options.seed ? *options.seed : some_seed();
    settings.queue.backoff.initial_ns = queue::wait_ns(configuration->pod_initial_backoff_seconds);
    settings.queue.backoff.max_ns = queue::wait_ns(configuration->pod_max_backoff_seconds);
    Live live(log, sink, settings, std::move(*transports));
    auto profiles =
        plugin::build_profiles(*configuration, *catalog, live.services(settings.seed, options.plugins.checks));
    auto warn = [&](const std::vector<std::string> &texts) {
        for (const auto &text : texts) log.write(env::Severity::Warning, 0, text);
    };
    warn(configuration->warnings);
    warn(catalog->warnings());
    if (!profiles) return refuse(profiles.error().text);
    auto extenders = kube::make_http_extenders(configuration->extenders, live.clock());
    if (!extenders) return refuse(extenders.error().text);
    std::string names;
    for (const auto &p : *profiles) names += (names.empty() ? "" : ",") + p.scheduler_name;
    live.watch(plugin::watched_kinds(*profiles));
    live.scheduler().use(std::move(*profiles), std::move(*extenders));

    log.write(env::Severity::Info, 0, "Starting Berth",
              {{"version", BERTH_VERSION},
               {"server", credentials->server},
               {"profiles", names},
               {"seed", std::to_string(settings.seed)}});
    if (configuration->leader_election.leader_elect)
        log.write(
            env::Severity::Warning, 0,
            "This version runs without leader election although leaderElection.leaderElect is true: make sure that "
            "only one instance runs");
    if (auto ran = live.run(); !ran) return refuse(ran.error().text);
    if (auto written = decisions.finish(); !written) return refuse(written.error().text);
    return done;
}

}  // namespace berth::cli
