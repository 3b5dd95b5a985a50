// SPDX-License-Identifier: Apache-2.0
#include "config/feature_gates.h"

#include "config/defaults.h"
#include "config/defaults_file.h"
#include "config/gate_flags.h"
#include "config/mutable_tree.h"
#include "config/read.h"
#include "decode/did_you_mean.h"
#include "decode/fields.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>

namespace berth::config {
namespace {

constexpr std::string_view flag_name = "--feature-gates";
constexpr std::string_view all_alpha = "AllAlpha", all_beta = "AllBeta", pre_alpha = "PRE-ALPHA";

/// From a version on, which stage and default a gate has.
struct Stage {
    MinorVersion since;
    std::string name{pre_alpha};
    bool on = false, locked = false;
    std::optional<MinorVersion> compatible;  ///< only if every other component is at least that new
};

/// An argument of a plugin while a gate is off.
struct GateArgument {
    std::string plugin, argument, value, refusal;
};

struct KnownGate {
    std::vector<Stage> stages;  ///< by version
    std::vector<std::string> needs;
    GateTreatment treatment = GateTreatment::Ignored;
    std::string why = "it changes no decision of the scheduler";
    bool requested = false;  ///< by the code of kube-scheduler itself
    std::vector<GateArgument> when_off;

    /// In a version; one without a name of its own before the gate was known.
    Stage at(const Versions &versions) const {
        for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage)
            if (stage->since <= versions.emulated && (!stage->compatible || *stage->compatible <= versions.compatible))
                return *stage;
        return {};
    }
};

using KnownGates = std::map<std::string, KnownGate, std::less<>>;

/// Reads "1.36 BETA on locked compatible 1.36".
Stage stage_of(std::string_view text) {
    auto next = [&] {
        const auto end = std::min(text.find(' '), text.size());
        const auto word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        return word;
    };
    Stage out;
    out.since = minor_version(next());
    out.name = next();
    out.on = next() == "on";
    for (auto word = next(); !word.empty(); word = next()) {
        if (word == "locked") out.locked = true;
        if (word == "compatible") out.compatible = minor_version(next());
    }
    return out;
}

/// What Berth does with the gates, those of that release.
void read_treatments(Release of, KnownGates &gates) {
    const DefaultsFile file("gates");
    decode::FieldErrors errors;
    decode::Fields root(file.document(), errors);
    for (auto &fields : root.objects("gates")) {
        const auto name = fields.string("name").value_or("");
        const auto only = fields.string("release");
        KnownGate read;
        const auto what = fields.string("berth");
        if (what == "honoured") read.treatment = GateTreatment::Honoured;
        else if (what == "fixed") read.treatment = GateTreatment::Fixed;
        else if (what != "ignored") fields.error("berth", "expected honoured, ignored or fixed");
        read.why = fields.string("why").value_or("");
        for (auto &off : fields.objects("whenOff")) {
            read.when_off.push_back({off.string("plugin").value_or(""), off.string("argument").value_or(""),
                                     off.string("value").value_or(""), off.string("refusal").value_or("")});
            off.finish();
        }
        // A gate of another release is not in this one.
        const auto gate = gates.find(name);
        if (gate != gates.end() && (!only || *only == of.text())) {
            gate->second.treatment = read.treatment;
            gate->second.why = std::move(read.why);
            gate->second.when_off = std::move(read.when_off);
        }
        fields.finish();
    }
    root.finish();
    file.check(errors);
}

/// What the kube-scheduler of a release has, and what Berth does with it.
struct Table {
    KnownGates gates;
    std::string release;  ///< with its patch
    Versions own;         ///< what the release is without flags

    explicit Table(Release of) {
        const DefaultsFile file(of.text() + "/gates");
        decode::FieldErrors errors;
        decode::Fields root(file.document(), errors);
        release = root.string("release").value_or("");
        own = Versions::of(minor_version(release));
        for (auto &fields : root.objects("gates")) {
            auto &gate = gates[fields.string("name").value_or("")];
            for (const auto &text : fields.strings("stages")) gate.stages.push_back(stage_of(text));
            gate.needs = fields.strings("needs");
            gate.requested = fields.boolean("asked").value_or(false);
            fields.finish();
        }
        root.finish();
        file.check(errors);
        // An older version that is emulated may leave open what the release has locked.
        for (auto &[name, gate] : gates)
            if (gate.requested && gate.at(own).locked) {
                gate.treatment = GateTreatment::Fixed;
                gate.why = "kube-scheduler " + release + " has it locked";
            }
        read_treatments(of, gates);
    }
};

/// Made when its release is first wanted, for good. Any thread.
const Table &table(Release release) {
    static std::mutex mutex;
    static std::map<Release, Table> made;
    const std::lock_guard lock(mutex);
    const auto at = made.find(release);
    return at != made.end() ? at->second : made.try_emplace(release, release).first->second;
}

std::string text_of(bool value) { return value ? "true" : "false"; }

/// The gates that are set, as upstream's featureGate keeps them.
class Setting {
    const Table &table_;
    const KnownGates &gates_ = table_.gates;
    const Versions &versions_;
    std::map<std::string, bool, std::less<>> on_;

    bool enabled(const std::string &name) const {
        if (const auto at = on_.find(name); at != on_.end()) return at->second;
        return gates_.at(name).at(versions_).on;
    }

    void set_all(std::string_view stage, bool value) {
        for (const auto &[name, gate] : gates_)
            if (name != all_alpha && name != all_beta && gate.at(versions_).name == stage) on_.try_emplace(name, value);
    }

    std::string unknown(const std::string &name) const {
        std::vector<std::string> names;
        for (const auto &[known, gate] : gates_) names.push_back(known);
        const auto hint = decode::did_you_mean(name, names);
        return "unrecognized feature gate: " + name +
               (hint.empty() ? "; berth version --feature-gates lists those of kube-scheduler " + table_.release
                             : hint);
    }

    std::vector<std::string> broken_needs() const {
        std::vector<std::string> out;
        for (const auto &[name, gate] : gates_) {
            if (gate.needs.empty() || !enabled(name)) continue;
            std::string off;
            for (const auto &need : gate.needs)
                if (!enabled(need)) off += (off.empty() ? "" : " ") + need;
            if (!off.empty())
                out.push_back(name + " is enabled, but depends on features that are disabled: [" + off + "]");
        }
        return out;
    }

public:
    Setting(const Table &table, const Versions &versions) : table_(table), versions_(versions) {}

    /// What is wrong with these values; none: they are set.
    std::vector<std::string> set(const std::map<std::string, bool> &values) {
        for (const auto &[name, value] : values)
            if (!gates_.contains(name)) return {unknown(name)};
        std::vector<std::string> errors;
        for (const auto &[name, value] : values) {
            const auto stage = gates_.at(name).at(versions_);
            if (stage.locked && stage.on != value) {
                errors.push_back("cannot set feature gate " + name + " to " + text_of(value) +
                                 ", feature is locked to " + text_of(stage.on));
            } else if (name == all_alpha || name == all_beta) {
                // Those that are set by name come later, or are set already.
                set_all(name == all_alpha ? "ALPHA" : "BETA", value);
                on_[name] = value;
            } else if (stage.name == pre_alpha) {
                errors.push_back("cannot set feature gate " + name + " to " + text_of(value) +
                                 ", feature is PreAlpha at emulated version " + text(versions_.emulated) +
                                 ", min compatibility version " + text(versions_.compatible));
            } else {
                on_[name] = value;
            }
        }
        return errors.empty() ? broken_needs() : errors;
    }

    /// All gates, of which the flag sets some and the file others.
    std::vector<FeatureGate> all(const std::map<std::string, bool> &flag, const FileGates &file) const {
        auto place = [&](const std::string &name) {
            return flag.contains(name) ? std::string(flag_name) : file.values.contains(name) ? file.place : "";
        };
        std::vector<FeatureGate> out;
        for (const auto &[name, gate] : gates_) {
            const auto stage = gate.at(versions_);
            auto set_by = place(name);
            const bool given = !set_by.empty(), on = enabled(name);
            if (!given && on != stage.on) set_by = place(std::string(stage.name == "ALPHA" ? all_alpha : all_beta));
            out.push_back({name, on, stage.on, stage.name, stage.locked, given, gate.at(table_.own).on, gate.treatment,
                           gate.why, std::move(set_by)});
        }
        return out;
    }
};

/// What Berth says of a gate that it cannot honour.
std::string refusal(const FeatureGate &gate) {
    const auto value = gate.name + "=" + text_of(gate.on), usual = gate.name + "=" + text_of(gate.usual);
    const bool by_version = gate.set_by.empty();
    std::string out = by_version ? "--emulated-version: " + value + ", the default there," : gate.set_by + ": " + value;
    out += " is not supported: " + gate.why + "; ";
    // Left out, it has the default of the version that is emulated.
    if (gate.given) return out + (gate.by_default == gate.usual ? "leave it out" : "set " + usual);
    if (!by_version) return out + "add " + usual;
    return out +
           (gate.stage == pre_alpha || gate.locked ? "leave --emulated-version out" : "add --feature-gates=" + usual);
}

/// Gives the plugin that argument in every profile, unless the configuration has another one.
model::Result<void> set_argument(Configuration &configuration, const GateArgument &wanted) {
    const auto &[plugin, argument, value, refusal] = wanted;
    for (std::size_t i = 0; i < configuration.profiles.size(); ++i) {
        auto &entries = configuration.profiles[i].plugin_config;
        auto entry = std::ranges::find(entries, plugin, &PluginConfig::name);
        if (entry == entries.end()) entry = entries.insert(entries.end(), PluginConfig{plugin, nullptr, {}});
        auto args = entry->args ? MutableTree::of(entry->args->value(), {}) : MutableTree::object({});
        if (const auto *own = args.find(argument); own && !own->is_null() && own->text() != value)
            return model::Error{args_place(configuration, i, plugin, "/" + argument).text() + ": " + refusal +
                                "; remove it, or leave the gate on"};
        args.put(argument, MutableTree::text(value, {}));
        entry->args = args.tree();
    }
    return {};
}

/// Puts a plugin of the default profile behind the others of it, unless the profile has or disables it.
void add_default(Profile &profile, const PluginSet &defaults, const std::string &plugin) {
    PluginSet &set = profile.at(ExtensionPoint::MultiPoint);
    auto named = [](const std::string &name) {
        return [&name](const PluginEntry &entry) { return entry.name == name; };
    };
    if (set.disables("*") || set.disables(plugin) || std::ranges::any_of(set.enabled, named(plugin))) return;
    auto at = set.enabled.end();
    while (at != set.enabled.begin() && std::ranges::none_of(defaults.enabled, named(std::prev(at)->name))) --at;
    set.enabled.insert(at, {plugin, 0, {}});
}

}  // namespace

model::Result<FeatureGates> FeatureGates::read(const GateFlags &flags, Release release) {
    const auto &known = table(release);
    Versions versions = known.own;
    if (auto read = read_versions(flags, versions); !read) return read.error();
    auto faults = [&](const std::map<std::string, bool> &values) { return Setting(known, versions).set(values); };
    auto wrong = [](std::string_view place, const std::vector<std::string> &errors) {
        return model::Error{std::string(place) + ": " + aggregate(errors)};
    };
    if (const auto errors = faults({}); !errors.empty()) return wrong(flag_name, errors);
    const auto by_flag = read_gates(flags);
    if (!by_flag) return by_flag.error();
    auto values = *by_flag;
    values.insert(flags.file.values.begin(), flags.file.values.end());
    Setting setting(known, versions);
    if (const auto errors = setting.set(values); !errors.empty()) {
        const auto of_flag = faults(*by_flag);
        return of_flag.empty() ? wrong(flags.file.place, errors) : wrong(flag_name, of_flag);
    }
    if (auto good = check_range(flags, versions, known.release); !good) return good.error();
    FeatureGates out;
    out.release_ = release;
    out.all_ = setting.all(*by_flag, flags.file);
    return out;
}

bool FeatureGates::on(std::string_view name) const {
    const auto at = std::ranges::lower_bound(all_, name, {}, &FeatureGate::name);
    return at != all_.end() && at->name == name && at->on;
}

model::Result<void> FeatureGates::check() const {
    std::string refused;
    for (const auto &gate : all_)
        if (gate.treatment == GateTreatment::Fixed && gate.on != gate.usual)
            refused += (refused.empty() ? "" : "\n") + refusal(gate);
    if (!refused.empty()) return model::Error{std::move(refused)};
    return {};
}

model::Result<void> FeatureGates::apply(Configuration &configuration) const {
    std::string changed;
    for (const auto &gate : all_)
        if (gate.treatment == GateTreatment::Honoured && gate.on != gate.usual && gate.name != all_alpha &&
            gate.name != all_beta)
            changed += (changed.empty() ? "" : ",") + gate.name + "=" + text_of(gate.on);
    configuration.feature_gates = std::move(changed);
    configuration.pops_from_backoff = on("SchedulerPopFromBackoffQ");
    configuration.nominates_expected_node = on("NominatedNodeNameForExpectation");
    configuration.schedules_groups = on("GenericWorkload");
    const auto &defaults = defaults_v1(release_);
    for (const auto &gated : defaults.gated) {
        if (!on(gated.gate)) continue;
        for (auto &profile : configuration.profiles)
            for (const auto &plugin : gated.plugins)
                add_default(profile, defaults.at(ExtensionPoint::MultiPoint), plugin);
    }
    for (const auto &gate : all_) {
        if (gate.on) continue;
        for (const auto &off : table(release_).gates.at(gate.name).when_off)
            if (auto done = set_argument(configuration, off); !done) return done.error();
    }
    return {};
}

std::vector<FeatureGate> FeatureGates::without_effect() const {
    std::vector<FeatureGate> out;
    for (const auto &gate : all_)
        if (gate.given && gate.treatment == GateTreatment::Ignored && gate.on != gate.usual) out.push_back(gate);
    return out;
}

std::vector<std::string> FeatureGates::warnings() const {
    std::vector<std::string> out;
    for (const auto &gate : without_effect())
        out.push_back(gate.set_by + ": " + gate.name + " changes nothing: " + gate.why);
    return out;
}

std::optional<bool> gate_in(Release release, const std::string &changed, std::string_view name) {
    const auto &known = table(release);
    const auto at = known.gates.find(name);
    if (at == known.gates.end()) return std::nullopt;
    const auto all = ',' + changed + ',', entry = ',' + std::string(name) + '=';
    for (const bool value : {false, true})
        if (all.find(entry + text_of(value) + ',') != all.npos) return value;
    return at->second.at(known.own).on;
}

model::Result<void> apply_gates(const std::string &changed, Configuration &configuration) {
    if (changed.empty()) return {};
    const auto gates = honoured_gates({{changed}, {}, {}}, configuration.release);
    if (!gates) return gates.error();
    return (*gates)->apply(configuration);
}

model::Result<std::optional<FeatureGates>> honoured_gates(const GateFlags &flags, Release release) {
    if (!flags.given()) return std::optional<FeatureGates>{};
    auto gates = FeatureGates::read(flags, release);
    if (!gates) return gates.error();
    if (auto good = gates->check(); !good) return good.error();
    return std::optional(*std::move(gates));
}

model::Result<void> apply_gates(const std::optional<FeatureGates> &gates, Configuration &configuration) {
    if (!gates) return {};
    if (auto applied = gates->apply(configuration); !applied) return applied;
    std::ranges::move(gates->warnings(), std::back_inserter(configuration.warnings));
    return {};
}

}  // namespace berth::config
