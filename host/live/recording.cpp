// SPDX-License-Identifier: Apache-2.0
#include "live/recording.h"

#include "config/mutable_tree.h"
#include "decode/document.h"
#include "decode/write.h"
#include "env/sha256.h"
#include "model/build.h"
#include "plugin/loaded.h"

#include <berth/version.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <utility>

namespace berth::live {
namespace {

/// What profiles are made of, without credentials.
config::MutableTree without_secrets(const decode::Document &source) {
    auto out = config::MutableTree::of(source);
    for (const char *field : {"clientConnection", "leaderElection"}) out.take(field);
    if (auto *extenders = out.find("extenders"))
        for (auto &one : extenders->items()) one.take("tlsConfig");
    return out;
}

/// Each plugin of the profiles once.
std::map<std::string, RecordedPlugin> plugins_of(std::span<const plugin::Profile> profiles) {
    std::map<std::string, RecordedPlugin> out;
    std::map<std::string, std::string> digests;  // of a library there are many plugins
    for (const auto &profile : profiles)
        for (const auto &instance : profile.instances) {
            if (!instance->plugin || out.contains(instance->name)) continue;
            const auto from = plugin::loaded_from(instance->plugin);
            if (!from) continue;
            auto &digest = digests[from->file];
            if (digest.empty())
                if (auto sum = env::sha256_of(from->fd)) digest = *sum;
            out[instance->name] = {instance->name, from->file, std::string(model::view(instance->plugin->name)),
                                   digest};
        }
    return out;
}

/// Read by the handler of a crash.
std::atomic<const record::JournalWriter *> in_progress{nullptr};

std::int64_t number(model::Value v, std::int64_t otherwise = 0) { return v.integer().value_or(otherwise); }

/// Whether the number is one of an enumeration's; then it is that.
template <class T>
bool take(model::Value v, T last, T &out) {
    const auto n = number(v);
    if (n < 0 || n > static_cast<std::int64_t>(last)) return false;
    out = static_cast<T>(n);
    return true;
}

/// No time that is added to another one leaves the clock.
std::int64_t wait(model::Value v, std::int64_t otherwise) {
    return std::clamp<std::int64_t>(number(v, otherwise), 0, INT64_MAX / 4);
}

}  // namespace

BuildFacts facts_of(const SchedulerSettings &begun, const config::Configuration &configuration, plugin::Checks checks,
                    plugin::OnFailure on_failure, std::vector<plugin::Quarantined> quarantined) {
    return {begun.seed,   checks,         queue::Settings(configuration), on_failure, std::move(quarantined),
            begun.cycles, begun.decisions};
}

/// Passes decisions to the recorder, too.
class Recording::Sink final : public DecisionSink {
    DecisionSink &inner_;
    record::Recorder &recorder_;

public:
    Sink(DecisionSink &inner, record::Recorder &recorder) : inner_(inner), recorder_(recorder) {}
    model::Detail detail() const override { return inner_.detail(); }
    model::Detail detail_of(const model::Pod &pod) const override { return inner_.detail_of(pod); }
    void decision(const model::Decision &decision) override {
        recorder_.decision(decision);
        inner_.decision(decision);
    }
    void event(const model::DecisionEvent &event) override { inner_.event(event); }
    bool wants_shadow(const model::Pod &pod) const override { return inner_.wants_shadow(pod); }
    void shadow_decision(const model::Decision &decision) override { inner_.shadow_decision(decision); }
};

Recording::Recording(std::optional<record::JournalWriter> journal, env::Clock &clock, env::Workers &workers,
                     DecisionSink &sink)
    : journal_(std::move(journal)),
      recorder_(journal_ ? &*journal_ : nullptr, clock, workers),
      sink_(std::make_unique<Sink>(sink, recorder_)) {
    if (journal_) in_progress.store(&*journal_);
}

Recording::~Recording() {
    const record::JournalWriter *own = journal_ ? &*journal_ : nullptr;
    in_progress.compare_exchange_strong(own, nullptr);
}

void Recording::last_words() noexcept {
    if (const auto *journal = in_progress.load()) journal->last_words();
}

model::Result<std::optional<record::JournalWriter>> Recording::open(const RecordOptions &options) {
    if (options.directory.empty()) return std::optional<record::JournalWriter>();
    auto journal = record::JournalWriter::open(options.directory, options.limit);
    if (!journal) return journal.error();
    return std::optional(std::move(*journal));
}

std::uint64_t Recording::built(const config::Configuration &configuration, std::span<const plugin::Profile> profiles,
                               const BuildFacts &facts) {
    if (!recorder_.on()) return recorder_.built({});
    model::Arena arena;
    model::ObjectBuilder out(arena), queue(arena);
    model::ArrayBuilder plugins(arena), quarantine(arena);
    for (const auto &[name, one] : plugins_of(profiles)) {
        model::ObjectBuilder entry(arena);
        entry.add("name", one.name).add("file", one.file).add("plugin", one.plugin).add("sha256", one.sha256);
        plugins.add(entry.value());
    }
    for (const auto &one : facts.quarantined) {
        model::ObjectBuilder entry(arena);
        quarantine.add(entry.add("plugin", one.plugin).add("why", one.why).value());
    }
    out.add("berth", BERTH_VERSION);
    // A number of JSON is not large enough.
    out.add("seed", std::to_string(facts.seed));
    out.add("cycles", std::to_string(facts.cycles)).add("told", std::to_string(facts.decisions));
    out.add("checks", static_cast<int>(facts.checks)).add("onPluginFailure", static_cast<int>(facts.on_failure));
    const auto &backoff = facts.queue.backoff;
    queue.add("initialNs", backoff.initial_ns).add("maxNs", backoff.max_ns).add("early", backoff.early);
    out.add("queue", queue.add("longestNs", facts.queue.longest_unschedulable_ns));
    out.add("plugins", plugins).add("quarantine", quarantine);
    out.add("kubernetes", configuration.release.text());
    if (!configuration.feature_gates.empty()) out.add("featureGates", configuration.feature_gates);
    if (configuration.source) out.add("configuration", without_secrets(*configuration.source).tree()->value());
    const auto value = out.value();
    return recorder_.built(decode::to_json(model::Value{&value}));
}

Scheduler::Extenders Recording::extenders(Scheduler::Extenders world) {
    for (auto &one : world) one = recorder_.extender(std::move(one));
    return world;
}

void Recording::flush(env::Log &log) {
    if (!journal_) return;
    // Another one may have been made to go on with the run, and nothing came of it.
    in_progress.store(&*journal_, std::memory_order_relaxed);
    journal_->flush();
    if (journal_->recording() || std::exchange(end_logged_, true)) return;
    log.write(env::Severity::Warning, 0, "Nothing is recorded any more", {{"reason", journal_->ended()}});
}

model::Result<RecordedBuild> read_build(const std::string &how) {
    auto read = decode::read_document(how, "how the profiles were made");
    if (!read) return read.error();
    const auto v = read->value();
    RecordedBuild out;
    out.berth = v["berth"].string();
    for (std::size_t i = 0; i < v["plugins"].size(); ++i) {
        const auto one = v["plugins"].at(i);
        auto text = [&](const char *name) { return std::string(one[name].string()); };
        out.plugins.push_back({text("name"), text("file"), text("plugin"), text("sha256")});
    }
    for (std::size_t i = 0; i < v["quarantine"].size(); ++i) {
        const auto one = v["quarantine"].at(i);
        out.facts.quarantined.push_back({std::string(one["plugin"].string()), std::string(one["why"].string())});
    }
    auto whole = [&](const char *name) { return std::strtoull(std::string(v[name].string()).c_str(), nullptr, 10); };
    out.facts.seed = whole("seed");
    out.facts.cycles = whole("cycles");
    out.facts.decisions = whole("told");
    if (!take(v["checks"], plugin::Checks::Strict, out.facts.checks) ||
        !take(v["onPluginFailure"], plugin::OnFailure::StopProfile, out.facts.on_failure))
        return model::Error{"how the profiles were made: checks or onPluginFailure is none that berth run writes"};
    auto &queue = out.facts.queue;
    queue.backoff.initial_ns = wait(v["queue"]["initialNs"], queue.backoff.initial_ns);
    queue.backoff.max_ns = wait(v["queue"]["maxNs"], queue.backoff.max_ns);
    if (v["queue"]["early"]) queue.backoff.early = v["queue"]["early"].is_true();
    queue.longest_unschedulable_ns = wait(v["queue"]["longestNs"], queue.longest_unschedulable_ns);
    if (v["kubernetes"]) {
        const std::string name(v["kubernetes"].string());
        const auto release = config::Release::of(name);
        if (!release)
            return model::Error{"how the profiles were made: kubernetes is \"" + name + "\", expected " +
                                config::Release::names() + "; a later Berth may have recorded it"};
        out.release = *release;
    }
    queue.rules = config::Rules(out.release);
    out.feature_gates = v["featureGates"].string();
    if (v["configuration"]) {
        auto tree = std::make_shared<model::Tree>();
        tree->root = model::copy(tree->arena, v["configuration"]);
        out.configuration = std::move(tree);
    }
    return out;
}

}  // namespace berth::live
