// SPDX-License-Identifier: Apache-2.0
#include "live/live.h"

#include "env/host_name.h"
#include "live/guarded_extender.h"

#include <algorithm>

namespace berth::live {

Live::Live(env::Loop &loop, env::Log &log, LiveSink &sink, SchedulerSettings settings, Transports transports,
           std::optional<record::JournalWriter> journal)
    : loop_(loop),
      log_(log),
      sink_(sink),
      core_(std::make_unique<LiveCore>(std::move(journal), loop_, threads_, sink, log, settings)),
      transports_(std::move(transports)),
      api_(*transports_.writes, loop_),
      events_(api_, loop_, &log, env::host_name()),
      statuses_(api_, loop_, &log),
      rights_(*transports_.writes, loop_),
      nodes_(*transports_.reads, loop_, &log, refusable(kube::nodes_for(observer_), "nodes"), settings.seed, left_out_),
      // Nearly every event is a pod's, so they come by what costs less where there are two.
      pods_(*transports_.writes, loop_, &log,
            refusable(after_nodes_.hold(kube::pods_for(observer_, settings.queue.rules.accounting)), "pods"),
            settings.seed, left_out_),
      watches_(
          *transports_.reads, loop_, log, observer_, [this](const model::Kind &kind) { observer_.forget(kind); },
          settings.seed, left_out_) {
    api_.repeat_failed_bindings(settings.queue.rules.binding_repeats_after_500);
    listen_to(core_->scheduler);
}

void Live::listen_to(Scheduler &scheduler) {
    scheduler.on_failure([this](const model::Pod &pod, const model::Decision &d) { report_failure(pod, d); });
    scheduler.on_group([this](const model::PodGroup &group, const model::GroupCondition &condition) {
        statuses_.group(group, condition);
    });
    scheduler.on_delayed([this](const model::Pod &pod) {
        if (nominates_) statuses_.nominate(pod);
    });
    scheduler.on_bound([this](const model::Pod &pod, const model::Decision &d) {
        statuses_.bound(pod);
        events_.write(pod,
                      {false, "Scheduled", "Binding",
                       "Successfully assigned " + pod.key() + " to " + std::string(pod.node_name()), d.profile, true});
    });
}

Live::~Live() {
    // Their callbacks reach everything else; those of the transports read the leadership, on threads of their own.
    transports_ = {};
    leadership_.reset();
}

plugin::Services Live::services(LiveCore &core, std::uint64_t seed, plugin::Checks checks) {
    plugin::Services out;
    auto &recorder = core.recording.recorder();
    out.clock = &recorder.clock();
    out.api = &recorder.api(*writes_);
    out.log = &log_;
    out.seed = seed;
    out.checks = checks;
    out.recorder = this;
    out.workers = &recorder.workers();
    out.metrics = &plugin_metrics_;
    core.scheduler.offer(out);
    return out;
}

plugin::Services Live::unrecorded(plugin::Services services) {
    services.clock = &loop_;
    services.workers = &threads_;
    return services;
}

void Live::connect(const config::ClientConnection &client) {
    api_.limit(client.qps, client.burst);
    // As client-go: contentType is also what is accepted, unless acceptContentTypes is set.
    const auto &accepted = client.accept_content_types.empty() ? client.content_type : client.accept_content_types;
    if (accepted.find("application/vnd.kubernetes.protobuf") != accepted.npos) return;
    nodes_.speak_json();
    pods_.speak_json();
    watches_.speak_json();
}

void Live::elect(std::unique_ptr<Leadership> leadership, bool delay_cache) {
    leadership_ = std::move(leadership);
    delay_cache_ = delay_cache;
    leads_ = false;
    api_.guard([this] { return leadership_->why_not_write(); });
}

Scheduler::Extenders Live::guarded(Scheduler::Extenders extenders) const {
    if (leadership_)
        for (auto &extender : extenders)
            extender =
                std::make_unique<GuardedExtender>(std::move(extender), [this] { return leadership_->why_not_write(); });
    return extenders;
}

model::Result<void> Live::run() {
    loop_.on_signal([this] { stop(); });
    loop_.on_user_signal([this] { cache_debugger_.log_state(); });
    late_watch_.start();
    if (delay_cache_) stand_for_election();
    else follow();
    auto work = [this] {
        look();
        return ready() && schedule_one();
    };
    auto next_work = [this] { return ready() ? scheduler().next_wake() : std::nullopt; };
    auto flush = [this] {
        core_->recording.flush(log_);
        if (auto flushed = sink_.flush(); !flushed)
            log_.write(env::Severity::Error, 0, "The decision log cannot be written", {{"err", flushed.error().text}});
    };
    // The answer that a suspended attempt waits for is posted; all other pods wait for it.
    auto may_rest = [this] { return scheduler().between_cycles(); };
    loop_.run({.work = work, .next_work = next_work, .before_sleep = flush, .may_rest = may_rest});
    if (!failure_.empty()) return model::Error{failure_};
    return {};
}

std::vector<report::MemoryKind> Live::with_own(std::vector<report::MemoryKind> owned) const {
    owned.push_back({"watches", nodes_.bytes() + pods_.bytes() + watches_.bytes()});
    owned.push_back({"events", events_.bytes()});
    return owned;
}

bool Live::schedule_one() {
    core_->recording.recorder().schedule_one();
    return scheduler().schedule_one();
}

void Live::look() {
    if (ended_ && ended_->scheduler.wind_down()) ended_.reset();
    if (!synced_ || stopping_) return;
    for (const auto &callback : between_) callback();
}

std::unique_ptr<LiveCore> Live::next_core(record::JournalWriter journal) {
    auto settings = core_->scheduler.settings();
    return std::make_unique<LiveCore>(std::move(journal), loop_, threads_, sink_, log_, settings);
}

bool Live::quiescent() const { return core_->scheduler.quiescent() && api_.writing() == 0 && !ended_; }

void Live::replace(std::unique_ptr<LiveCore> core) {
    core_->recording.close();
    listen_to(core->scheduler);
    ended_ = std::exchange(core_, std::move(core));
    // In the order of the start.
    nodes_.resync();
    watches_.resync();
    pods_.resync();
    core_->recording.begun();
}

void Live::event(const model::Object &regarding, const Event &e) {
    events_.write(regarding, {e.warning, e.reason, e.action, std::string(e.note), e.profile});
}

/// What every scheduler watches.
kube::Collection Live::refusable(kube::Collection collection, const char *resource) {
    collection.refused = [this, kind = model::kind_of("", "v1", resource)](int status, const std::string &why) {
        start_faults_.unwatchable({unwatchable({kind, {}}, status, why)});
    };
    return collection;
}

void Live::follow() {
    constexpr std::size_t sources = 4;
    start_faults_.expect(sources);
    nodes_.start([this] {
        after_nodes_.release();
        synced();
    });
    pods_.start([this] { synced(); });
    auto kinds = scheduler().watched_kinds();
    watches_.follow(kinds, [this](const std::vector<Unwatchable> &refused) {
        if (refused.empty()) synced();
        else start_faults_.unwatchable(refused);
    });
    for (const char *resource : {"nodes", "pods"}) kinds.push_back({model::kind_of("", "v1", resource), {}});
    rights_.ask(rights_of(needed_), [this, kinds = std::move(kinds)](const std::vector<kube::Right> &missing) {
        start_faults_.missing(needed_, missing, [&](const kube::Right &one) {
            return std::ranges::any_of(kinds, [&](const plugin::Watched &watched) {
                return watched.kind.group == one.group && watched.kind.resource == one.resource &&
                       one.name == watched.part.name() && one.name_space == watched.part.name_space();
            });
        });
    });
}

void Live::look_for(NeededRights rights) {
    auto request = rights_of(rights);
    rights_.ask(std::move(request), [this, rights = std::move(rights)](const std::vector<kube::Right> &missing) {
        log_missing(log_, rights, missing);
    });
}

void Live::cannot_begin(std::string text) {
    if (stopping_) return;
    failure_ = std::move(text);
    stopping_ = true;
    loop_.after(0, [this] { wound_down(); });
}

void Live::synced() {
    start_faults_.well();
    if (--to_sync_ > 0) return;
    synced_ = true;
    loop_.coalesce_when_busy();
    core_->recording.begun();
    report_ready();
    // As kube-scheduler: an instance that cannot schedule yet leaves the lease to one that can.
    if (leadership_ && !delay_cache_ && !stopping_) stand_for_election();
}

void Live::stand_for_election() {
    stands_ = true;
    leadership_->start([this] { lead(); }, [this] { lose(); });
}

void Live::report_ready() {
    log_.write(env::Severity::Info, 0,
               leads_ ? "Caches are synced; scheduling begins"
                      : "Caches are synced; scheduling waits until this instance leads",
               {{"nodes", std::to_string(nodes_.size())}, {"pods", std::to_string(pods_.size())}});
}

void Live::lead() {
    leads_ = true;
    if (stopping_) return;
    if (delay_cache_) return follow();
    // The previous leader may have bound pods that the watch has not delivered, because it ended or stalls; their
    // nodes' resources would be assigned twice.
    fresh_ = false;
    pods_.refresh([this] {
        fresh_ = true;
        report_ready();
    });
}

void Live::lose() {
    lost_ = !stopping_;
    loop_.stop();
}

void Live::report_failure(const model::Pod &pod, const model::Decision &d) {
    events_.write(pod, {true, "FailedScheduling", "Scheduling", d.message, d.profile});
    statuses_.failed(pod, d);
}

void Live::stop() {
    constexpr int patience = 100;
    stopping_ = true;
    log_.write(env::Severity::Info, 0, "Stopping", {{"binding", std::to_string(scheduler().binding())}});
    wind_down(patience);
}

void Live::wind_down(int patience) {
    constexpr std::int64_t look_again_ns = 50'000'000;
    constexpr int for_responses = 40;
    if (scheduler().binding() == 0 && api_.outstanding() == 0) return wound_down();
    // Then nothing more is sent, and what was sent has two seconds to be answered.
    if (patience == 0) api_.guard([] { return "Berth is ending"; });
    if (patience <= 0 && (api_.writing() == 0 || patience < -for_responses)) return wound_down();
    loop_.after(look_again_ns, [this, patience] { wind_down(patience - 1); });
}

void Live::wound_down() {
    nodes_.stop();
    pods_.stop();
    watches_.stop();
    // While a write may still be carried out, no other instance may lead: then the lease runs out by itself.
    if (!stands_ || api_.writing() > 0) return loop_.stop();
    leadership_->release([this] { loop_.stop(); });
}

}  // namespace berth::live
