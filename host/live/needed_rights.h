// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The rights that Berth and its plugins need, and which of them needs each.

#include "config/configuration.h"
#include "kube/rights.h"
#include "plugin/profile.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::live {

/// What needs a right: a plugin, or a part of Berth.
struct Needer {
    bool is_plugin = false;
    std::string name;
    auto operator<=>(const Needer &) const = default;
};
using NeededRights = std::map<kube::Right, std::set<Needer>>;

/// "the scheduler; plugins A, B".
std::string names_of(const std::set<Needer> &who);

inline constexpr std::string_view serving_part = "serving";

NeededRights needed_rights(const config::Configuration &configuration, std::span<const plugin::Profile> profiles);

/// The rights alone.
std::vector<kube::Right> rights_of(const NeededRights &needed);

/// What is missing and what to do about it, a text for each resource, in their order: "plugin A may not patch pods: add
/// to the scheduler's ClusterRole the rule {…}".
std::vector<std::string> missing_texts(const NeededRights &needed, const std::vector<kube::Right> &missing);

/// "add to the scheduler's ClusterRole the rule {…}".
std::string rule_to_add(const kube::Right &of, const std::set<std::string> &verbs);

}  // namespace berth::live
