// SPDX-License-Identifier: Apache-2.0
#include "api/what_if.h"

#include "api/changed_config.h"
#include "api/query.h"
#include "config/dump.h"
#include "decode/document.h"
#include "env/command.h"
#include "env/memory.h"
#include "env/memory_end.h"
#include "report/answer_values.h"
#include "report/what_if.h"

#include <sys/resource.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <utility>

namespace berth::api {
namespace {

using model::ObjectBuilder;
using model::Value;
using Causes = std::vector<kube::Cause>;

constexpr int bad_request = 400, accepted = 202, too_many = 429, too_large = 413;
constexpr std::size_t largest = 64 << 10, most_output = std::size_t{1} << 30;
constexpr std::uint64_t largest_cluster = std::uint64_t{1} << 30;
constexpr std::uint64_t least_memory = 16 << 20;
constexpr std::chrono::hours patience{1};

std::vector<std::string> arguments(const plugin::PluginOptions &plugins, std::uint64_t seed,
                                   const WhatIf::Subject &subject) {
    // The option takes no larger ones; a live scheduler's own may be.
    const auto taken = std::to_string(seed & INT64_MAX);
    std::vector<std::string> out{
        "simulate", "--output", "json", "--seed", taken, "--kubernetes-version", subject.configuration->release.text()};
    for (const auto &directory : plugins.directories) out.insert(out.end(), {"--plugin-dir", directory});
    for (const auto &pin : plugins.pins) out.insert(out.end(), {"--plugin", pin});
    // As they were given: a scenario that is read again has gates of its own, and these win.
    const auto &[gates, emulated, compatible, file] = subject.gates;
    for (const auto &[flag, values] : {std::pair{"--feature-gates", &gates},
                                       {"--emulated-version", &emulated},
                                       {"--min-compatibility-version", &compatible}})
        for (const auto &value : *values)
            if (!value.empty()) out.insert(out.end(), {flag, value});
    if (plugins.insecure) out.emplace_back("--insecure-plugins");
    if (plugins.checks == plugin::Checks::Off) out.insert(out.end(), {"--plugin-checks", "off"});
    if (plugins.checks == plugin::Checks::Strict) out.insert(out.end(), {"--plugin-checks", "strict"});
    return out;
}

/// Bytes that a simulation may take: half of what is left to us, so that its end is not ours. Under cgroup v2 the
/// kernel may kill a whole group for one of its processes (memory.oom.group, which Kubernetes sets).
std::uint64_t memory_of_child() {
    const auto group = env::group_memory();
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    return (group ? group->free : static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page) / 2;
}

/// Why there is no result of a simulation that was allowed so many bytes.
std::string too_little(std::uint64_t allowed) {
    return "what-if needs more than " + std::to_string(allowed >> 20) +
           " MiB of memory, which is half of what the control group of Berth has left, or of the machine's; give Berth "
           "a larger limit, or a dump of the cluster to berth simulate elsewhere";
}

/// What a simulation complained of; its files have no names that anybody knows.
std::string complaint(const env::CommandEnd &end, const std::vector<std::string> &files) {
    auto text = end.complaints.empty() ? end.why : end.complaints;
    for (const auto &path : files)
        for (auto at = text.find(path); at != text.npos; at = text.find(path)) text.replace(at, path.size(), "changed");
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

/// Adds the causes of one part, or answers what the part became.
std::string part(std::variant<std::string, Causes> made, Causes &causes) {
    if (auto *text = std::get_if<std::string>(&made)) return std::move(*text);
    auto &more = std::get<Causes>(made);
    causes.insert(causes.end(), more.begin(), more.end());
    return {};
}

Placing placing_of(Value pods, bool live, Causes &causes) {
    if (!pods || (live && pods.string() == "Pending")) return Placing::Pending;
    if (live && pods.string() == "All") return Placing::All;
    causes.push_back(
        {"FieldValueInvalid",
         live ? "expected Pending or All" : "is for live clusters: a simulation places all of its pods anew", "pods"});
    return Placing::Pending;
}

/// The names of nodes of the cluster, or what is wrong with them.
std::vector<std::string> removed_nodes(Value wanted, const FindNode &find, Causes &causes) {
    std::vector<std::string> out;
    if (!wanted.is_array()) causes.push_back({"FieldValueInvalid", "expected a list of names of nodes", "removeNodes"});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        out.emplace_back(wanted.at(i).string());
        const auto field = "removeNodes[" + std::to_string(i) + "]";
        if (!wanted.at(i).is_string()) causes.push_back({"FieldValueInvalid", "expected the name of a node", field});
        else if (!find(out.back()))
            causes.push_back({"FieldValueInvalid", "the cluster has no node \"" + out.back() + "\"", field});
        else if (std::ranges::count(out, out.back()) > 1)
            causes.push_back({"FieldValueDuplicate", "Duplicate value: \"" + out.back() + "\"", field});
    }
    return out;
}

}  // namespace

/// What a simulation is of.
struct WhatIf::Nodes {
    std::vector<std::string> inputs, added;  ///< files
    std::vector<std::string> removed;        ///< names
};

/// What became of a simulation: its result, or why there is none.
struct WhatIf::Run {
    decode::Document result;
    std::string error;
};

WhatIf::~WhatIf() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
}

std::string WhatIf::answer(const char *state, const std::string &changes,
                           const std::function<void(model::Arena &, ObjectBuilder &)> &more) const {
    model::Arena arena;
    ObjectBuilder out(arena);
    out.add("kind", "WhatIf").add("apiVersion", report::explain_api).add("live", world_.live).add("state", state);
    if (auto request = decode::read_document(changes, "changes.json"); request && !changes.empty())
        out.add("changes", request->value());
    if (more) more(arena, out);
    return report::text_of(out);
}

void WhatIf::add_to(kube::Routes &routes, std::function<void(std::function<void()>)> post) {
    post_ = std::move(post);
    answer_ = answer("Idle", {});
    routes.add(explain_base + "whatif", [this](const kube::ServedRequest &request, const kube::Answering &done) {
        // Not POST: that a browser sends for another site's page without asking first.
        if (request.method == "PUT") return ask(request, done);
        if (is_method(request, "GET", done)) done({200, answer_, "application/json"});
    });
}

void WhatIf::ask(const kube::ServedRequest &request, const kube::Answering &done) {
    if (running_)
        return done(
            kube::status_answer(too_many, "TooManyRequests", "another simulation is running: wait for its end"));
    if (request.body.size() > largest)
        return done(kube::status_answer(too_large, "RequestEntityTooLarge",
                                        "Request entity too large: limit is " + std::to_string(largest)));
    // Never YAML, whose reader is slower; of 64 KiB of JSON whether it is right is known within a millisecond.
    const auto at = request.body.find_first_not_of(" \t\r\n");
    const bool object = at != std::string::npos && request.body[at] == '{';
    const auto changes = decode::read_document(object ? request.body : "{", "changes.json");
    if (!changes)
        return done(kube::status_answer(bad_request, "BadRequest",
                                        "expected an object as JSON" + (object ? ": " + changes.error().text : "")));
    running_ = true;
    world_.take([this, body = request.body,
                 done](const Subject &subject) { post_([this, body, done, subject] { begin(subject, body, done); }); },
                [this, done](const kube::ServedAnswer &refusal) {
                    post_([this, done, refusal] {
                        running_ = false;
                        done(refusal);
                    });
                });
}

void WhatIf::begin(Subject subject, std::string changes, kube::Answering done) {
    if (thread_.joinable()) thread_.join();  // the last one's has nothing left to do
    thread_ = std::thread([this, subject = std::move(subject), changes = std::move(changes), done = std::move(done)] {
        constexpr int low = 10;
        (void)!::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), low);
        auto wanted = judged(subject, changes);
        if (auto *causes = std::get_if<Causes>(&wanted))
            return post_([this, done, refusal = kube::invalid_answer("WhatIf", "changes", *causes)] {
                running_ = false;
                done(refusal);
            });
        post_([this, done, text = answer("Running", changes)] {
            answer_ = text;
            done({accepted, text, "application/json"});
        });
        post_([this, text = simulated(subject, std::get<Wanted>(wanted))]() mutable {
            answer_ = std::move(text);
            running_ = false;
        });
    });
}

/// Parses the request, or says what is wrong with it; on a thread of its own.
std::variant<WhatIf::Wanted, Causes> WhatIf::judged(const Subject &subject, const std::string &changes) const {
    const auto read = decode::read_document(changes, "changes.json");  // which ask() has found right
    const auto request = read->value();
    Causes causes;
    Wanted wanted;
    wanted.changes = changes;
    wanted.configuration = part(changed_config(*subject.configuration, request), causes);
    if (causes.empty())
        wanted.shown = part(changed_config(config::without_keys(*subject.configuration), request), causes);
    if (request["addNodes"]) wanted.nodes = part(added_nodes(request["addNodes"], subject.node, "addNodes"), causes);
    if (request["removeNodes"]) wanted.removed = removed_nodes(request["removeNodes"], subject.node, causes);
    wanted.placing = placing_of(request["pods"], world_.live, causes);
    if (!causes.empty()) return causes;
    return wanted;
}

WhatIf::Run WhatIf::simulate(const Subject &subject, const Nodes &nodes, const env::NamelessFile &config) const {
    env::Command command;
    command.low_priority = true;
    command.program = std::filesystem::read_symlink("/proc/self/exe").string();
    command.arguments = arguments(world_.plugins, world_.seed, subject);
    command.arguments.insert(command.arguments.end(), {"--config", config.path()});
    if (world_.skip_unknown) command.arguments.emplace_back("--skip-unknown");
    for (const auto &file : nodes.added) command.arguments.insert(command.arguments.end(), {"--add-nodes", file});
    for (const auto &name : nodes.removed) command.arguments.insert(command.arguments.end(), {"--without-nodes", name});
    const auto memory = memory_of_child();
    if (memory < least_memory) return {{}, too_little(memory)};
    command.arguments.insert(command.arguments.end(), {"--memory-limit", std::to_string(memory)});
    command.arguments.emplace_back("--");
    command.arguments.insert(command.arguments.end(), nodes.inputs.begin(), nodes.inputs.end());
    // What it says is ours to hold, beside it.
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(most_output, memory / 4));
    const auto end = env::run_command(command, patience, most, stop_);
    if (end.complaints.find(env::out_of_memory) != std::string::npos || end.output.size() > most)
        return {{}, too_little(memory)};
    // A scenario whose expectations do not hold ends with another code and has a result all the same.
    auto result = decode::read_document(end.output, "result.json");
    if (!end.output.empty() && result) return {*std::move(result), {}};
    std::vector<std::string> files{config.path()};
    for (const auto &some : {nodes.added, nodes.inputs})
        std::ranges::copy_if(some, std::back_inserter(files),
                             [](const auto &file) { return file.starts_with("/proc/"); });
    return {{}, complaint(end, files)};
}

/// Runs it to its end; the answer. On a thread of its own.
std::string WhatIf::simulated(const Subject &subject, const Wanted &wanted) const {
    auto failed = [&](const std::string &why) {
        return answer("Failed", wanted.changes,
                      [&](model::Arena &, ObjectBuilder &out) { out.add("error", std::string_view{why}); });
    };
    Nodes nodes{subject.inputs, subject.added, subject.removed};
    auto before = subject.before;
    env::NamelessFile cluster;
    if (subject.cluster) {
        std::uint64_t wrote = 0;
        write_cluster(*subject.cluster, *subject.configuration, wanted.placing, [&](std::string_view text) {
            wrote += text.size();
            if (wrote <= largest_cluster && !stop_) cluster.write(text);
        });
        if (cluster.size() != wrote)
            return failed("the cluster is too large to be simulated beside itself: " + std::to_string(wrote) +
                          " bytes as JSON, of which there may be " + std::to_string(largest_cluster));
        nodes.inputs = {cluster.path()};
        const env::NamelessFile present(std::get<std::string>(changed_config(*subject.configuration, {})));
        const auto run = simulate(subject, nodes, present);
        if (!run.error.empty()) return failed(run.error);
        before = std::make_shared<report::SimulationSummary>(report::summary_of(run.result.value()));
    }
    const env::NamelessFile config(wanted.configuration), added(wanted.nodes);
    if (!wanted.nodes.empty()) nodes.added.push_back(added.path());
    nodes.removed.insert(nodes.removed.end(), wanted.removed.begin(), wanted.removed.end());
    const auto run = simulate(subject, nodes, config);
    if (!run.error.empty()) return failed(run.error);
    return answer("Done", wanted.changes, [&](model::Arena &arena, ObjectBuilder &out) {
        out.add("configuration", std::string_view{wanted.shown});
        report::add_text(out, "nodes", wanted.nodes);
        report::add_comparison(arena, out, *before, report::summary_of(run.result.value()), most_differences);
    });
}

}  // namespace berth::api
