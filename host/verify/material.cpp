// SPDX-License-Identifier: Apache-2.0
#include "verify/material.h"

#include "config/rules.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

namespace berth::verify {
namespace {

/// The first object of each name: what the timeline applies later changes it.
std::vector<decode::Document> all_objects(const sim::Scenario &scenario) {
    std::vector<decode::Document> out;
    std::set<std::tuple<std::string, std::string, std::string, std::string>> known;
    const auto add = [&](const std::vector<decode::Document> &documents) {
        for (const auto &document : documents) {
            const auto object = document.value(), meta = object["metadata"];
            if (known
                    .emplace(object["apiVersion"].string(), object["kind"].string(), meta["namespace"].string(),
                             meta["name"].string())
                    .second)
                out.push_back(document);
        }
    };
    add(scenario.objects);
    for (const auto &step : scenario.timeline) add(step.apply);
    return out;
}

/// Workloads of a scenario get their pods while it is played; here they are there from the start.
model::Result<void> add_pods_of_workloads(sim::Input &input) {
    std::string faults;
    const auto fault = [&](const std::string &where, const std::string &text) {
        faults += (faults.empty() ? "" : "\n") + where + ": " + text;
    };
    for (auto &tree : sim::expand(input.workloads, input.pods, input.nodes, fault))
        if (auto pod = model::read_pod(std::move(tree), [&](model::Value, const std::string &path,
                                                            const std::string &text) { fault(path, text); }))
            input.pods.push_back(std::move(pod));
    if (!faults.empty()) return model::Error{faults};
    return {};
}

}  // namespace

model::Result<std::optional<sim::Scenario>> ClusterFiles::read_scenario() const {
    if (scenario.empty()) return std::optional<sim::Scenario>{};
    auto found = sim::find_scenario(scenario);
    if (found && !*found)
        return model::Error{
            "--scenario " + scenario +
            ": is no scenario; expected a file with kind: Scenario (a cluster is given with --cluster)"};
    return found;
}

model::Result<sim::Input> ClusterFiles::read(std::span<const model::Kind> kinds) const {
    auto played = read_scenario();
    if (!played) return played.error();
    const auto accounting = config::Rules(release.value_or(sim::release_of(*played))).accounting;
    for (const auto &path : clusters) {
        if (path == "-")
            return model::Error{
                "--cluster -: standard input can be read once, and each test reads the cluster; "
                "give a file"};
        if (auto found = sim::find_scenario(path); found && *found)
            return model::Error{"--cluster " + path + ": is a scenario; give it with --scenario"};
    }
    auto out = *played ? sim::read_objects(all_objects(**played), kinds, {}, accounting)
                       : sim::read_input(clusters, {}, kinds, accounting);
    if (!out) return out;
    if (*played)
        if (auto added = add_pods_of_workloads(*out); !added) return added.error();
    if (out->nodes.empty())
        return model::Error{(*played ? "--scenario " + scenario : "--cluster " + clusters.front()) +
                            ": holds no nodes, so no plugin would be asked about one; expected what kubectl get "
                            "nodes,pods -A -o yaml prints"};
    std::erase_if(out->pods, [](const model::PodPtr &pod) { return pod->finished() || pod->terminating(); });
    return out;
}

}  // namespace berth::verify
