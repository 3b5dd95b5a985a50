// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario.h"

#include "decode/fields.h"
#include "decode/stream.h"
#include "model/kind.h"

#include <algorithm>
#include <filesystem>

namespace berth::sim {
namespace {

constexpr std::string_view api_version = "berth/v1alpha1";

/// Reads with all faults in one list.
class Reader {
    const decode::Document &document_;
    decode::FieldErrors errors_;

public:
    explicit Reader(const decode::Document &document) : document_(document) {}

    model::Result<Scenario> read() {
        Scenario out;
        decode::Fields root(document_, errors_);
        root.any("kind");
        if (auto version = root.string("apiVersion").value_or(""); version != api_version)
            root.error("apiVersion", "expected " + std::string(api_version) + ", got \"" + version + '"');
        if (auto metadata = root.object("metadata")) {
            out.name = metadata->string("name").value_or("");
            out.labels = metadata->string_map("labels").value_or(std::map<std::string, std::string>{});
            metadata->finish();
        }
        if (out.name.empty())
            root.error("metadata", "expected the scenario's name, as in metadata: {name: preemption}");
        out.description = root.string("description").value_or("");
        if (auto version = root.string("kubernetesVersion")) {
            out.release = config::Release::of(*version);
            if (!out.release)
                root.error("kubernetesVersion",
                           "expected " + config::Release::names() + " in quotes, got \"" + *version + '"');
        }
        out.gates = gates(root, "featureGates");
        if (root.object("configuration"))
            out.configuration = decode::parts(document_, root.value()["configuration"]).front();
        out.objects = objects(root, "objects");
        for (auto &step : root.objects("timeline")) read_step(step, out.timeline);
        for (auto &expectation : root.objects("expect")) read_expectation(expectation, out.expectations);
        root.finish();
        if (!errors_.empty()) return model::Error{decode::messages(std::move(errors_))};
        auto by_time = [](const auto &a, const auto &b) { return a.at < b.at; };
        std::stable_sort(out.timeline.begin(), out.timeline.end(), by_time);
        std::stable_sort(out.expectations.begin(), out.expectations.end(), [](const auto &a, const auto &b) {
            constexpr auto end = std::chrono::nanoseconds::max();
            return a.at.value_or(end) < b.at.value_or(end);
        });
        return out;
    }

private:
    config::FileGates gates(decode::Fields &from, std::string_view name) {
        auto values = from.bool_map(name);
        if (!values) return {};
        const auto all = from.value()[name];
        auto in_name = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        };
        for (std::size_t i = 0; i < all.size(); ++i)
            if (const auto key = all.key(i); key.empty() || !std::ranges::all_of(key, in_name))
                errors_.push_back(
                    {document_.file, document_.key_position(all.member(i)), from.path_of(name),
                     "expected the name of a feature gate, of letters and digits, got \"" + std::string(key) + '"'});
        return {*std::move(values), document_.where(all) + ": " + std::string(name)};
    }

    std::vector<decode::Document> objects(decode::Fields &from, std::string_view name) {
        if (from.objects(name).empty()) return {};
        return decode::parts(document_, from.value()[name]);
    }

    std::optional<std::chrono::nanoseconds> time(decode::Fields &from) {
        auto at = from.duration("at");
        if (at && (at->count() < 0 || *at > longest_scenario))
            from.error("at", "expected a time from the start, such as \"5s\", of at most " +
                                 std::to_string(longest_scenario.count()) + "h");
        return at;
    }

    Named named(model::Value at, const std::string &path, std::string kind, std::string_view key) {
        auto slash = key.find('/');
        Named out{std::move(kind), "default", std::string(key), {}};
        if (out.kind == "Node") out.name_space.clear();
        else if (slash != std::string_view::npos) {
            out.name_space = key.substr(0, slash);
            out.name = key.substr(slash + 1);
        }
        if (out.name.empty() || out.name.find('/') != std::string::npos || (slash == 0))
            errors_.push_back(
                {document_.file, document_.position(at), path,
                 out.kind == "Node" ? "expected a node's name" : "expected a pod's name, or namespace/name"});
        out.where = document_.where(at) + ": " + path;
        return out;
    }

    std::vector<Named> names(decode::Fields &from, std::string_view name, const std::string &kind) {
        std::vector<Named> out;
        auto texts = from.strings(name);  // has reported whatever is no string
        auto items = from.value()[name];
        for (std::size_t i = 0; i < items.size(); ++i)
            if (items.at(i).is_string())
                out.push_back(
                    named(items.at(i), from.path_of(name) + '[' + std::to_string(i) + ']', kind, items.at(i).string()));
        return out;
    }

    /// `{kind, namespace, name}`; the caller reads what else there is.
    Named reference(decode::Fields &from) {
        Named out{from.string("kind").value_or(""), from.string("namespace").value_or(""),
                  from.string("name").value_or(""), document_.where(from.value()) + ": " + from.path()};
        if (out.kind.empty()) from.error("", "expected a kind, such as kind: Pod");
        if (out.name.empty()) from.error("", "expected a name");
        const bool of_cluster = std::ranges::any_of(model::built_in_kinds(), [&](const model::BuiltInKind &kind) {
            return kind.name == out.kind && kind.scope == model::Scope::Cluster;
        });
        if (of_cluster && !out.name_space.empty()) from.error("namespace", "a " + out.kind + " has no namespace");
        if (!of_cluster && out.name_space.empty()) out.name_space = "default";
        return out;
    }

    void read_step(decode::Fields &from, std::vector<Step> &into) {
        Step step;
        auto at = time(from);
        if (!from.has("at")) from.error("", "expected a time, such as at: 5s");
        step.at = at.value_or(std::chrono::nanoseconds{});
        step.apply = objects(from, "apply");
        for (auto &one : from.objects("delete")) {
            step.remove.push_back(reference(one));
            one.finish();
        }
        for (auto &one : from.objects("patch")) {
            auto object = reference(one);
            if (!one.object("patch")) one.error("", "expected a patch, such as patch: {spec: {unschedulable: true}}");
            else step.patch.push_back({std::move(object), decode::parts(document_, one.value()["patch"]).front().tree});
            one.finish();
        }
        step.drain = names(from, "drain", "Node");
        step.finish = names(from, "finish", "Pod");
        from.finish();
        into.push_back(std::move(step));
    }

    void read_expectation(decode::Fields &from, std::vector<Expectation> &into) {
        const auto at = time(from);
        auto begin = [&](std::string_view list, model::Value value, std::string_view pod, Expected what) {
            Expectation out;
            out.at = at;
            out.what = what;
            out.pod = named(value, from.path_of(list) + '.' + std::string(pod), "Pod", pod);
            return out;
        };
        auto wrong = [&](const Expectation &e, model::Value value, const char *expected) {
            errors_.push_back({document_.file, document_.position(value),
                               e.pod.where.substr(e.pod.where.find(": ") + 2),
                               "expected " + std::string(expected) + ", got " + std::string(decode::kind_name(value))});
        };
        if (auto placed = from.object("placed"))
            for (std::size_t i = 0; i < placed->value().size(); ++i) {
                auto value = placed->value().member(i);
                auto e = begin("placed", value, placed->value().key(i), Expected::Placed);
                if (value.is_string()) e.nodes.emplace_back(value.string());
                bool right = value.is_string() || value.is_null() || (value.is_array() && value.size() > 0);
                for (std::size_t k = 0; value.is_array() && k < value.size(); ++k) {
                    right = right && value.at(k).is_string();
                    e.nodes.emplace_back(value.at(k).string());
                }
                if (!right) wrong(e, value, "a node's name, a list of them, or null for any");
                into.push_back(std::move(e));
            }
        if (auto pending = from.object("pending"))
            for (std::size_t i = 0; i < pending->value().size(); ++i) {
                auto value = pending->value().member(i);
                auto e = begin("pending", value, pending->value().key(i), Expected::Pending);
                if (value.is_string()) e.message = value.string();
                else if (!value.is_null()) wrong(e, value, "the condition's message, or null for any");
                into.push_back(std::move(e));
            }
        for (auto &pod : names(from, "gone", "Pod")) {
            Expectation e;
            e.at = at;
            e.what = Expected::Gone;
            e.pod = std::move(pod);
            into.push_back(std::move(e));
        }
        from.finish();
    }
};

}  // namespace

std::string duration_text(std::chrono::nanoseconds time) {
    constexpr std::int64_t second = 1'000'000'000;
    constexpr std::size_t digits = 9;
    auto text = std::to_string(time.count() / second);
    if (auto part = std::to_string(time.count() % second); part != "0") {
        text += '.' + std::string(digits - part.size(), '0') + part;
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text + 's';
}

bool is_scenario(model::Value document) {
    auto version = document["apiVersion"].string();
    return document["kind"].string() == "Scenario" && (version.empty() || version.starts_with("berth/"));
}

config::Release release_of(const std::optional<Scenario> &scenario) {
    return scenario && scenario->release ? *scenario->release : config::Release();
}

model::Result<Scenario> read_scenario(const decode::Document &document) { return Reader(document).read(); }

model::Result<std::optional<Scenario>> find_scenario(const std::string &path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return std::optional<Scenario>{};
    std::optional<decode::Document> found;
    std::string second;
    auto read = decode::read_file(path, [&](decode::Document document) -> model::Result<void> {
        if (document.value().is_null()) return {};
        if (!found && !is_scenario(document.value())) return model::Error{""};
        if (found) {
            second = document.where(document.value());
            return model::Error{""};
        }
        found = std::move(document);
        return {};
    });
    if (!second.empty())
        return model::Error{second + ": a scenario stands alone in its file: put other objects under its `objects`"};
    if (!found) return std::optional<Scenario>{};
    if (!read) return read.error();
    auto scenario = read_scenario(*found);
    if (!scenario) return scenario.error();
    return std::optional(*std::move(scenario));
}

}  // namespace berth::sim
