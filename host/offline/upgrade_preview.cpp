// SPDX-License-Identifier: Apache-2.0
#include "offline/upgrade_preview.h"

#include "config/file.h"
#include "live/shadow_source.h"
#include "offline/profiles.h"
#include "offline/replay_comparison.h"
#include "offline/replayed.h"
#include "offline/simulated.h"
#include "plugin/config_changes.h"
#include "plugin/quarantine.h"
#include "report/table.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace berth::offline {
namespace {

using model::Agreement;
using plugin::ConfigChange;
using plugin::ConfigPair;
using Warn = std::function<void(const std::vector<std::string> &)>;
using Changes = std::vector<ConfigChange>;
using Attempt = std::tuple<std::string, std::string, std::string, std::uint32_t>;  ///< recording, pod, uid, number

/// Enough for any input that somebody reads the result of, and no more memory than it is worth.
constexpr std::size_t most_differences = 250'000;

/// All attempts, decided as today, and as after the upgrade without some of its changes.
struct Pass {
    bool possible = true;  ///< else there is no configuration with these changes taken back alone
    model::ShadowCounts counts;
    std::vector<report::UpgradeDifference> differences;

    std::set<Attempt> attempts() const {
        std::set<Attempt> out;
        for (const auto &one : differences) out.insert(attempt_of(one));
        return out;
    }
    static Attempt attempt_of(const report::UpgradeDifference &one) {
        const auto &d = *one.decision;
        return {one.recording, d.pod.name_space + "/" + d.pod.name, d.pod.uid, d.attempt};
    }
};

/// The decisions of the input.
class Source {
public:
    virtual ~Source() = default;
    /// `found` gets the changes of the upgrade, those that are taken back too.
    virtual model::Result<Pass> pass(const Changes &taken_back, std::set<ConfigChange> &found) = 0;
    virtual model::Result<std::optional<report::UpgradeOutcome>> outcome() = 0;
    virtual report::UpgradeSide from() const = 0;
    virtual report::UpgradeSide to() const = 0;
};

report::UpgradeSide side_of(const config::Configuration &configuration, const std::string &file) {
    return {configuration.release.text(), file, configuration.feature_gates};
}

model::Error too_many() {
    return model::Error{"more than " + report::grouped(most_differences) +
                        " decisions would differ, which is more than can be compared; give a part of the cluster, or "
                        "take back some of the changes"};
}

/// Makes every plugin of the configuration in an empty cluster, to see what it asks of Kubernetes.
model::Result<plugin::KubernetesUses> kubernetes_uses_of(const config::Configuration &configuration,
                                                         plugin::Catalog &catalog, plugin::Checks checks) {
    Offline empty;
    auto profiles = empty.profiles(configuration, catalog, checks);
    if (!profiles) return profiles.error();
    return plugin::kubernetes_uses(*profiles);
}

/// The configuration after the upgrade without the changes that are taken back. Some cannot be taken back alone, such
/// as a feature gate that arguments need.
model::Result<config::Configuration> shadow_of(const config::Configuration &from, const config::Configuration &to,
                                               plugin::Catalog &catalog, plugin::Checks checks,
                                               const Changes &taken_back, std::set<ConfigChange> &found, Pass &out) {
    auto both = ConfigPair::of(from, to, catalog);
    if (!both) return both.error();
    auto before = kubernetes_uses_of(both->before(), catalog, checks);
    if (!before) return before.error();
    auto after = kubernetes_uses_of(both->after(), catalog, checks);
    if (!after) return after.error();
    const auto all = both->changes(*before, *after);
    found.insert(all.begin(), all.end());
    auto without = both->without(taken_back);
    if (taken_back.empty() || kubernetes_uses_of(without, catalog, checks)) return without;
    out.possible = false;
    return both->after();
}

/// What both sides lack of each other, for people.
std::vector<std::string> unshared_profiles(const config::Configuration &from, const config::Configuration &to) {
    std::vector<std::string> out;
    for (const auto &profile : from.profiles)
        if (!to.profile(profile.scheduler_name))
            out.push_back("profile \"" + profile.scheduler_name +
                          "\" is not in the new configuration, so that no decision about its pods is compared");
    for (const auto &profile : to.profiles)
        if (!from.profile(profile.scheduler_name))
            out.push_back("profile \"" + profile.scheduler_name +
                          "\" is in the new configuration alone, so that no decision about its pods is compared");
    return out;
}

class Simulations final : public Source {
    const UpgradeOptions &options_;
    Warn warn_;
    std::set<std::string> warned_;
    std::optional<sim::Scenario> scenario_;
    SimulateOptions from_, to_;
    std::optional<config::Configuration> before_, after_;
    std::optional<plugin::Catalog> catalog_;
    std::optional<report::SimulationSummary> today_;

    void warn_once(const std::vector<std::string> &texts) {
        for (const auto &text : texts)
            if (warned_.insert(text).second) warn_({text});
    }

    model::Result<report::Simulation> simulate(const SimulateOptions &options,
                                               const config::Configuration &configuration,
                                               const config::Configuration *shadow) {
        Simulated simulated(options, scenario_, configuration, [this](const auto &texts) { warn_once(texts); });
        if (auto ready = simulated.prepare(*catalog_); !ready) return ready.error();
        if (shadow)
            if (auto ready = simulated.prepare_shadow(*shadow, *catalog_, most_differences); !ready)
                return ready.error();
        return simulated.run();
    }

    model::Result<config::Configuration> configuration(const SimulateOptions &options, const std::string &path) {
        // Gates of today's scenario are none of those that are given for afterwards.
        const bool others = &options == &to_ && !options_.to_gates.empty();
        const auto gates = gates_of(options, others ? std::nullopt : scenario_);
        if (!gates) return gates.error();
        return configuration_of(options, path, scenario_, *gates);
    }

public:
    Simulations(const UpgradeOptions &options, Warn warn) : options_(options), warn_(std::move(warn)) {}

    model::Result<void> open() {
        from_.inputs = options_.inputs;
        from_.plugins = options_.plugins;
        from_.seed = options_.seed;
        from_.skip_unknown = options_.skip_unknown;
        from_.gates.gates = options_.gates;
        to_ = from_;
        if (std::ranges::count(options_.inputs, "-") > 0)
            return model::Error{"the cluster is read several times, which standard input cannot be; give a file"};
        auto scenario = scenario_of(from_);
        if (!scenario) return scenario.error();
        scenario_ = *std::move(scenario);
        from_.release = options_.from;
        from_.release = release_of(from_, scenario_);
        const bool same_release = !options_.to_config.empty() || !options_.to_gates.empty();
        to_.release = options_.to.value_or(same_release ? *from_.release : config::Release::all().back());
        if (!options_.to_gates.empty()) to_.gates.gates = options_.to_gates;
        if (from_.release == to_.release && !same_release)
            return model::Error{"both sides decide as Kubernetes " + to_.release->text() +
                                " with one configuration; give another one: --to, --to-config or --to-feature-gates"};
        auto before = configuration(from_, options_.config);
        if (!before) return before.error();
        auto after = configuration(to_, options_.to_config.empty() ? options_.config : options_.to_config);
        if (!after) return after.error();
        before_ = *std::move(before), after_ = *std::move(after);
        auto catalog = plugin::open_catalog(options_.plugins);
        if (!catalog) return catalog.error();
        catalog_.emplace(*std::move(catalog));
        warn_once(before_->warnings);
        warn_once(after_->warnings);
        warn_once(unshared_profiles(*before_, *after_));
        if (!before_->extenders.empty() || !after_->extenders.empty())
            warn_once({"extenders are called as today alone: where they decide, decisions count as differing"});
        return {};
    }

    model::Result<Pass> pass(const Changes &taken_back, std::set<ConfigChange> &found) override {
        Pass out;
        auto shadow = shadow_of(*before_, *after_, *catalog_, options_.plugins.checks, taken_back, found, out);
        if (!shadow) return shadow.error();
        if (!out.possible) return out;
        auto result = simulate(from_, *before_, &*shadow);
        if (!result) return result.error();
        if (!today_) today_ = report::summary_of(report::to_tree(*result, model::Detail::Summary)->value());
        out.counts = result->shadow->counts;
        auto &newest = result->shadow->differences;
        for (auto one = newest.rbegin(); one != newest.rend(); ++one) out.differences.push_back({*one, {}, {}});
        return out;
    }

    model::Result<std::optional<report::UpgradeOutcome>> outcome() override {
        auto result = simulate(to_, *after_, nullptr);
        if (!result) return result.error();
        auto after = report::summary_of(report::to_tree(*result, model::Detail::Summary)->value());
        return std::optional(report::UpgradeOutcome{*today_, std::move(after)});
    }

    report::UpgradeSide from() const override { return side_of(*before_, options_.config); }
    report::UpgradeSide to() const override {
        return side_of(*after_, options_.to_config.empty() ? options_.config : options_.to_config);
    }
};

class Recordings final : public Source {
    const UpgradeOptions &options_;
    Warn warn_;
    std::set<std::string> warned_;
    std::vector<std::string> files_;
    config::Release release_;
    report::UpgradeSide from_, to_;

    void warn_once(const std::string &text) {
        if (warned_.insert(text).second) warn_({text});
    }

    model::Result<config::Configuration> after(const live::RecordedBuild &build) const {
        Instead instead;
        instead.config = options_.to_config;
        instead.release = release_;
        auto changed = build;
        if (!options_.to_gates.empty()) changed.feature_gates.clear();
        auto out = configuration_of(changed, instead);
        if (!out) return out;
        const auto gates = config::honoured_gates({options_.to_gates, {}, {}}, release_);
        if (!gates) return gates.error();
        if (auto applied = config::apply_gates(*gates, *out); !applied) return applied.error();
        return out;
    }

    model::Result<void> play(const std::string &file, const Changes &taken_back, std::set<ConfigChange> &found,
                             Pass &out) {
        auto journal = record::read_journal(file);
        if (!journal) return journal.error();
        if (!journal->torn.empty()) warn_once(journal->torn);
        const Instead instead{options_.plugins, {}, {}, options_.allow_recorded_plugins, true};
        Replayed::Wishes wishes;
        wishes.most_differences = most_differences;
        wishes.shadow = [&](const live::RecordedBuild &build, const config::Configuration &real,
                            plugin::Catalog &catalog) -> model::Result<config::Configuration> {
            auto to = after(build);
            if (!to) return to;
            for (const auto &text : to->warnings) warn_once(text);
            for (const auto &text : unshared_profiles(real, *to)) warn_once(text);
            if (!real.extenders.empty() || !to->extenders.empty())
                warn_once("extenders are called as recorded alone: where they decided, decisions count as differing");
            from_ = side_of(real, file);
            to_ = side_of(*to, options_.to_config.empty() ? file : options_.to_config);
            return shadow_of(real, plugin::without(*to, build.facts.quarantined), catalog, build.facts.checks,
                             taken_back, found, out);
        };
        Replayed replayed(*journal, instead, std::move(wishes));
        if (auto run = replayed.run(); !run) return run;
        for (const auto &line : replayed.other_libraries()) warn_once(line);
        if (replayed.player().apart())
            warn_once(
                file + ": today's decisions are not those of the recording: berth replay " + file +
                " says where they part; from there on both sides are compared in a cluster that was not recorded");
        const auto &counts = replayed.shadow_counts();
        for (std::size_t i = 0; i < counts.attempts.size(); ++i) out.counts.attempts[i] += counts.attempts[i];
        out.counts.real_ns += counts.real_ns;
        out.counts.shadow_ns += counts.shadow_ns;
        for (const auto &one : replayed.shadow_differences()) out.differences.push_back({one, file, {}});
        return {};
    }

public:
    Recordings(const UpgradeOptions &options, Warn warn) : options_(options), warn_(std::move(warn)) {}

    model::Result<void> open() {
        for (const auto &[given, option] : {std::pair{options_.from.has_value(), "--from"},
                                            {!options_.config.empty(), "--config"},
                                            {!options_.gates.empty(), "--feature-gates"}})
            if (given)
                return model::Error{options_.inputs.front() + ": is a recording, which says itself what decided; " +
                                    option + " is for other input"};
        auto files = recordings_of(options_.inputs.front());
        if (!files) return files.error();
        for (auto &file : *files) {
            if (files->size() == 1 || !holds_nothing(file)) files_.push_back(std::move(file));
            else warn_once(file + ": ends before scheduling began");
        }
        std::optional<config::Release> recorded;
        for (const auto &file : files_) {
            auto journal = record::read_journal(file);
            if (!journal) return journal.error();
            auto build = first_build(*journal);
            if (!build) return build.error();
            if (recorded && *recorded != build->release)
                return model::Error{options_.inputs.front() + ": has recordings of Kubernetes " + recorded->text() +
                                    " and " + build->release.text() + "; give those of one release, file by file"};
            recorded = build->release;
        }
        if (!recorded) return model::Error{options_.inputs.front() + ": nothing was decided in it"};
        const bool same_release = !options_.to_config.empty() || !options_.to_gates.empty();
        release_ = options_.to.value_or(same_release ? *recorded : config::Release::all().back());
        if (release_ == *recorded && !same_release)
            return model::Error{"the recording was decided as Kubernetes " + release_.text() +
                                ", too; say what changes: --to, --to-config or --to-feature-gates"};
        return {};
    }

    model::Result<Pass> pass(const Changes &taken_back, std::set<ConfigChange> &found) override {
        Pass out;
        for (const auto &file : files_)
            if (auto played = play(file, taken_back, found, out); !played) return played.error();
        return out;
    }

    /// The recorded cluster is what today's decisions made of it, so there is no other.
    model::Result<std::optional<report::UpgradeOutcome>> outcome() override {
        return std::optional<report::UpgradeOutcome>();
    }
    report::UpgradeSide from() const override { return from_; }
    report::UpgradeSide to() const override { return to_; }
};

/// Takes back one change after the other, then all of each plugin, for what it takes more than one of.
class Causes {
    Source &source_;
    report::Upgrade &upgrade_;
    std::map<Attempt, std::size_t> index_;
    bool possible_ = true;  ///< the last attempt to take something back

    /// Which decisions are as today again.
    model::Result<std::vector<std::size_t>> alike_without(const Changes &changes) {
        std::set<ConfigChange> found;
        auto pass = source_.pass(changes, found);
        if (!pass) return pass.error();
        if (pass->differences.size() >= most_differences) return too_many();
        std::vector<std::size_t> out;
        possible_ = pass->possible;
        if (!possible_) return out;
        const auto left = pass->attempts();
        for (const auto &[attempt, i] : index_)
            if (!left.contains(attempt)) out.push_back(i);
        return out;
    }

    model::Result<void> try_without(const Changes &taken_back, report::UpgradeChange change, bool only_unexplained) {
        auto alike = alike_without(taken_back);
        if (!alike) return alike.error();
        std::vector<std::size_t> theirs;
        for (const auto i : *alike)
            if (!only_unexplained || upgrade_.differences[i].causes.empty()) theirs.push_back(i);
        change.tried = possible_;
        change.decisions = theirs.size();
        if (only_unexplained && theirs.empty()) return {};
        for (const auto i : theirs) upgrade_.differences[i].causes.push_back(upgrade_.changes.size());
        upgrade_.changes.push_back(std::move(change));
        return {};
    }

public:
    Causes(Source &source, report::Upgrade &upgrade) : source_(source), upgrade_(upgrade) {
        for (std::size_t i = 0; i < upgrade.differences.size(); ++i)
            index_.emplace(Pass::attempt_of(upgrade.differences[i]), i);
    }

    model::Result<void> find(const std::set<ConfigChange> &changes) {
        std::map<std::string, Changes> by_plugin;
        for (const auto &one : changes) {
            report::UpgradeChange change{std::string(name_of(one.what)), one.plugin, one.gate, one.before, one.after};
            by_plugin[one.plugin].push_back(one);
            if (index_.empty()) upgrade_.changes.push_back(std::move(change));
            else if (auto done = try_without({one}, std::move(change), false); !done) return done;
        }
        for (const auto &[plugin, all] : by_plugin) {
            if (all.size() < 2 || plugin.empty()) continue;
            const bool unexplained =
                std::ranges::any_of(upgrade_.differences, [](const auto &one) { return one.causes.empty(); });
            if (!unexplained) break;
            report::UpgradeChange change{"Together", plugin, {}, {}, {}};
            for (const auto &one : all)
                change.after +=
                    (change.after.empty() ? "" : ", ") + (one.gate.empty() ? std::string(name_of(one.what)) : one.gate);
            if (auto done = try_without(all, std::move(change), true); !done) return done;
        }
        return {};
    }
};

/// A shadow reads nothing from the API and reserves nothing. Where a plugin decides by that, both sides differ although
/// nothing changes: such decisions say nothing of the upgrade.
model::Result<void> leave_out_incomparable(Source &source, const std::set<ConfigChange> &changes, report::Upgrade &out,
                                           const Warn &warn) {
    if (out.differences.empty()) return {};
    std::set<ConfigChange> found;
    auto pass = source.pass({changes.begin(), changes.end()}, found);
    if (!pass) return pass.error();
    if (!pass->possible) return {};
    const auto apart = pass->attempts();
    auto left = std::erase_if(out.differences, [&](const auto &one) {
        if (!apart.contains(Pass::attempt_of(one))) return false;
        --out.counts.attempts[static_cast<std::size_t>(one.decision->agreement)];
        return true;
    });
    if (left > 0)
        warn({report::plural(left, "decision") + " cannot be compared and " + (left == 1 ? "is" : "are") +
              " left out: evaluated once more without any change, the result is another one, for instance because a "
              "plugin reads from the API"});
    return {};
}

/// Whether it is a recording, or a directory of some.
bool is_recorded(const std::string &input) {
    std::error_code error;
    if (std::filesystem::is_directory(input, error)) {
        const auto journals = record::journals_in(input);
        return journals && !journals->empty();
    }
    const auto common = record::journal_magic.substr(0, record::journal_magic.find_last_of(' '));
    std::string first(common.size(), '\0');
    std::ifstream file(input, std::ios::binary);
    file.read(first.data(), static_cast<std::streamsize>(first.size()));
    return file.gcount() == static_cast<std::streamsize>(common.size()) && first == common;
}

template <class Of>
model::Result<std::unique_ptr<Source>> opened(const UpgradeOptions &options, const Warn &warn) {
    auto out = std::make_unique<Of>(options, warn);
    if (auto good = out->open(); !good) return good.error();
    return std::unique_ptr<Source>(std::move(out));
}

model::Result<std::unique_ptr<Source>> source_of(const UpgradeOptions &options, const Warn &warn) {
    for (const auto &input : options.inputs) {
        std::error_code error;
        const auto status = std::filesystem::status(input, error);
        if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
            !std::filesystem::is_directory(status))
            return model::Error{input + ": is read several times, which only a file or a directory can be; give one"};
    }
    const auto recorded = std::ranges::find_if(options.inputs, is_recorded);
    if (recorded == options.inputs.end()) return opened<Simulations>(options, warn);
    if (options.inputs.size() > 1)
        return model::Error{*recorded + ": is a recording; give it alone, or a directory of recordings"};
    return opened<Recordings>(options, warn);
}

}  // namespace

model::Result<report::Upgrade> preview_upgrade(const UpgradeOptions &options, const Warn &warn) {
    auto source = source_of(options, warn);
    if (!source) return source.error();
    std::set<ConfigChange> changes;
    auto pass = (*source)->pass({}, changes);
    if (!pass) return pass.error();
    if (pass->differences.size() >= most_differences) return too_many();
    report::Upgrade out;
    out.inputs = options.inputs;
    out.from = (*source)->from();
    out.to = (*source)->to();
    out.counts = pass->counts;
    out.differences = std::move(pass->differences);
    if (auto done = leave_out_incomparable(**source, changes, out, warn); !done) return done.error();
    if (auto found = Causes(**source, out).find(changes); !found) return found.error();
    auto outcome = (*source)->outcome();
    if (!outcome) return outcome.error();
    out.outcome = *std::move(outcome);
    return out;
}

}  // namespace berth::offline
