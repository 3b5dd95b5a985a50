// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The differences between two configurations that may change decisions, each of which can be taken back alone.

#include "config/configuration.h"
#include "model/result.h"
#include "plugin/catalog.h"
#include "plugin/kubernetes.h"
#include "plugin/merged_config.h"
#include "plugin/profile.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace berth::plugin {

/// One difference. `before` and `after` are for people.
struct ConfigChange {
    enum class What : std::uint8_t {
        Enabled,    ///< at which extension points the plugin is called, and where among the others; unless only its
                    ///< release or a gate decides that
        Weight,     ///< of its scores
        Arguments,  ///< that the configurations give it; `before` and `after` have the members that differ
        Release,    ///< the release of Kubernetes as which it decides
        Gate,       ///< a feature gate that it asks for
        Sampling    ///< percentageOfNodesToScore; of no plugin
    };
    What what = What::Sampling;
    std::string plugin, gate;
    std::string before{}, after{};

    friend auto operator<=>(const ConfigChange &a, const ConfigChange &b) {
        return std::tie(a.plugin, a.what, a.gate) <=> std::tie(b.plugin, b.what, b.gate);
    }
    friend bool operator==(const ConfigChange &a, const ConfigChange &b) { return (a <=> b) == 0; }
};
/// "Enabled", "Weight", …
std::string_view name_of(ConfigChange::What what);

/// What the plugins of profiles asked of berth.host.kubernetes, by their names.
using KubernetesUses = std::map<std::string, std::shared_ptr<KubernetesUse>, std::less<>>;
KubernetesUses kubernetes_uses(std::span<const Profile> profiles);

/// Two configurations. Profiles are compared by schedulerName; what only one of them has is no change.
class ConfigPair {
    struct Side {
        config::Configuration written, named;  ///< as given, and with every plugin named where it is called
        Inspections inspections;               ///< of `written`
    };
    Side before_, after_;

    ConfigPair(Side before, Side after) : before_(std::move(before)), after_(std::move(after)) {}
    static model::Result<Side> side_of(const config::Configuration &configuration, Catalog &catalog);
    /// Of the profile of both.
    void add_changes(std::string_view profile, std::set<ConfigChange> &out) const;
    void take_back(std::span<const ConfigChange> changes, const config::Profile &was, config::Profile &is) const;
    /// Whether both give the plugin the same entries, so that what it is called at follows from its release.
    bool listed_alike(std::string_view profile, std::string_view plugin) const;

public:
    /// Loads the libraries that the profiles need. The error says which profile cannot be built, and why.
    static model::Result<ConfigPair> of(const config::Configuration &before, const config::Configuration &after,
                                        Catalog &catalog);

    /// The same configurations, with every plugin named at each extension point at which it is called.
    const config::Configuration &before() const { return before_.named; }
    const config::Configuration &after() const { return after_.named; }

    /// Sorted. `before` and `after` are what plugins of both asked.
    std::vector<ConfigChange> changes(const KubernetesUses &before, const KubernetesUses &after) const;
    /// `after` with these changes taken back.
    config::Configuration without(std::span<const ConfigChange> changes) const;
};

}  // namespace berth::plugin
