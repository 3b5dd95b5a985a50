// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A scenario of a cluster: its initial objects, a timeline, and the expected results.
///
///     apiVersion: berth/v1alpha1
///     kind: Scenario
///     metadata: {name: …, labels: {…}}
///     kubernetesVersion: "1.37"
///     featureGates: {SchedulerPopFromBackoffQ: false}
///     configuration: {apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, …}
///     objects: […]
///     timeline: [{at: 2s, apply: […], delete: […], patch: […], drain: […], finish: […]}]
///     expect: [{at: 4s, placed: {…}, pending: {…}, gone: […]}]
///
/// docs/simulate.md says what each field means. The same file is played in the simulated world and on a real cluster.

#include "config/feature_gates.h"
#include "config/release.h"
#include "decode/document.h"
#include "model/result.h"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace berth::sim {

/// A hundred years after its start everything has ended.
inline constexpr std::chrono::hours longest_scenario{100 * 365 * 24};

/// An object by its name, as a scenario writes it, and where it does.
struct Named {
    std::string kind, name_space, name;  ///< of a Node no namespace
    std::string where;                   ///< "file.yaml:7:11: timeline[0].delete[1]"

    std::string key() const { return name_space.empty() ? name : name_space + "/" + name; }
};

/// A JSON merge patch (RFC 7386) of an object.
struct NamedPatch {
    Named object;
    model::TreePtr patch;
};

/// What happens at one time, in this order.
struct Step {
    std::chrono::nanoseconds at{};        ///< from the start
    std::vector<decode::Document> apply;  ///< objects
    std::vector<Named> remove;            ///< `delete`
    std::vector<NamedPatch> patch;
    std::vector<Named> drain;   ///< nodes
    std::vector<Named> finish;  ///< pods
};

enum class Expected : std::uint8_t { Placed, Pending, Gone };

/// One line of what must have come about.
struct Expectation {
    std::optional<std::chrono::nanoseconds> at;  ///< nothing: at the end
    Expected what = Expected::Placed;
    Named pod;
    std::vector<std::string> nodes;      ///< Placed: one of them; empty: any
    std::optional<std::string> message;  ///< Pending: the condition's; nothing: any
};

struct Scenario {
    std::string name, description;
    std::map<std::string, std::string> labels;
    std::optional<config::Release> release;  ///< that decides; nothing: the usual one
    config::FileGates gates;
    std::optional<decode::Document> configuration;
    std::vector<decode::Document> objects;
    std::vector<Step> timeline;             ///< by time
    std::vector<Expectation> expectations;  ///< by time, those at the end last
};

/// "4s", "0.5s"
std::string duration_text(std::chrono::nanoseconds time);

/// Is this document a scenario of any version?
bool is_scenario(model::Value document);
/// The release that decides, unless somebody names another.
config::Release release_of(const std::optional<Scenario> &scenario);

/// Reads a scenario strictly; the error lists every fault with file, line, column and path. Its objects are not looked
/// into.
model::Result<Scenario> read_scenario(const decode::Document &document);

/// The scenario that a file holds, or nothing if it holds something else, or cannot be read at all (the next reader
/// reports that).
model::Result<std::optional<Scenario>> find_scenario(const std::string &path);

}  // namespace berth::sim
