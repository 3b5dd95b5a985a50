// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The cluster files of a simulation, read and sorted.
///
/// Read are `kubectl get … -o yaml|json` Lists, several YAML documents, JSON objects, directories of such files and
/// standard input. What is found is brought into an order of its own (nodes by name, pods by creation time and then by
/// name), so that the same objects give the same cluster however they were divided into files.

#include "decode/document.h"
#include "model/any_object.h"
#include "model/input_report.h"
#include "model/node.h"
#include "model/result.h"
#include "sim/priority_classes.h"
#include "sim/workloads.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace berth::sim {

struct InputObject {
    model::Kind kind;
    model::AnyPtr object;
};

/// Everything a simulation starts from.
struct Input {
    std::vector<model::NodePtr> nodes;   ///< by name
    std::vector<model::PodPtr> pods;     ///< by creation time, then namespace and name; finished ones left out
    std::vector<model::Kind> kinds;      ///< the requested ones
    std::vector<model::Kind> only_read;  ///< of these, the ones that a plugin reads and none watches
    std::vector<InputObject> objects;    ///< of the requested kinds, by kind, namespace and name
    std::vector<Workload> workloads;
    PriorityClasses classes;
    std::map<std::string, std::string> finished_pods;     ///< the uids of those left out, by "namespace/name"
    std::map<std::string, std::uint64_t> passed_over;     ///< objects of other kinds, by "group/version/kind"
    std::set<std::string, std::less<>> added_namespaces;  ///< whose objects the files lack
    bool has_definitions = false;                         ///< of requested custom kinds
    model::SkippedInput skipped;
    std::vector<std::string> warnings;
    model::Accounting accounting = model::Accounting::PerContainer;  ///< of the pods

    bool watches(const model::Kind &kind) const {
        return std::ranges::count(kinds, kind) > 0 && std::ranges::count(only_read, kind) == 0;
    }
};

/// Progress of the reading: the path, bytes read, bytes in all (0: unknown).
using ReadProgress = std::function<void(const std::string &path, std::uint64_t read, std::uint64_t total)>;

/// What a reader does with what is no Kubernetes object.
enum class Unknown { Refuse, Skip };

/// Reads `paths` (files, directories, "-" for standard input): nodes, pods, what makes pods, and objects of `kinds`.
/// Every fault of every object is reported, at most 50 of them; with one fault nothing is returned. `unknown`:
/// what in a directory is no Kubernetes object is a fault, or is left out and counted; so is a file there that is
/// neither YAML nor JSON, such as a template.
model::Result<Input> read_input(const std::vector<std::string> &paths, const ReadProgress &progress = {},
                                std::span<const model::Kind> kinds = {},
                                model::Accounting accounting = model::Accounting::PerContainer,
                                Unknown unknown = Unknown::Refuse);

/// The same for objects that were read already, such as a scenario's, except that workloads make no pods. `classes` are
/// known to them beside their own.
model::Result<Input> read_objects(std::span<const decode::Document> objects, std::span<const model::Kind> kinds,
                                  const PriorityClasses &classes = {},
                                  model::Accounting accounting = model::Accounting::PerContainer);

}  // namespace berth::sim
