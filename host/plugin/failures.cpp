// SPDX-License-Identifier: Apache-2.0
#include "plugin/failures.h"

#include "plugin/profile.h"

#include <algorithm>

namespace berth::plugin {

void PluginFailures::pardon() {
    failing_.clear();
    recent_.clear();
}

std::vector<Quarantined> PluginFailures::quarantined() const {
    auto out = crashed_;
    out.insert(out.end(), failing_.begin(), failing_.end());
    return out;
}

model::Result<std::vector<Profile>> PluginFailures::build(const config::Configuration &configuration, Catalog &catalog,
                                                          const Services &services) const {
    const auto held = quarantined();
    if (held.empty()) return build_profiles(configuration, catalog, services);
    auto profiles = build_profiles(without(configuration, held), catalog, services);
    if (!profiles) {
        std::string text;
        for (const auto &one : held) text += one.why + "; ";
        return model::Error{text + "and without it: " + profiles.error().text};
    }
    hold(*profiles, configuration, held, policy_);
    return profiles;
}

void PluginFailures::misbehaved(const std::string &plugin, std::string_view point, std::string_view what) {
    {
        std::scoped_lock lock(mutex_);
        ++counts_[{plugin, std::string(point)}];
    }
    auto &recent = recent_[plugin];
    const auto now = clock_.monotonic_ns();
    recent.push_back(now);
    while (now - recent.front() > window_ns) recent.pop_front();
    const bool known = std::ranges::any_of(quarantined(), [&](const auto &one) { return one.plugin == plugin; });
    if (recent.size() < too_many || known || policy_ == OnFailure::FailPod) return;
    failing_.push_back({plugin, "plugin \"" + plugin + "\" is in quarantine: it failed " + std::to_string(too_many) +
                                    " times within a minute, the last time so: " + std::string(what)});
    log_.write(env::Severity::Error, 0, failing_.back().why);
    if (on_quarantine_) on_quarantine_();
}

PluginFailures::Counts PluginFailures::counts() const {
    std::scoped_lock lock(mutex_);
    return counts_;
}

}  // namespace berth::plugin
