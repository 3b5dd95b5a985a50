// SPDX-License-Identifier: Apache-2.0
#include "live/profile_builder.h"

#include "kube/http_extender.h"

#include <set>
#include <string>

namespace berth::live {

plugin::Services ProfileBuilder::services(LiveCore &core) const {
    auto out = live_.services(core, settings_.seed, settings_.checks);
    out.misbehaviour = &failures_;
    return out;
}

model::Result<std::vector<plugin::Profile>> ProfileBuilder::profiles(LiveCore &core,
                                                                     const config::Configuration &configuration,
                                                                     plugin::Catalog &catalog) const {
    const auto building = core.recording.building();
    return failures_.build(configuration, catalog, services(core));
}

model::Result<Scheduler::Extenders> ProfileBuilder::extenders(LiveCore &core,
                                                              const config::Configuration &configuration) const {
    for (const auto &extender : configuration.extenders)
        if (kube::is_unverified(extender) && extender.url_prefix.starts_with("https://"))
            log_.write(env::Severity::Warning, 0,
                       "An extender is not verified, so an impostor could answer for it; name tlsConfig.caFile",
                       {{"url", extender.url_prefix}, {"from", extender.where}});
    auto made = kube::make_http_extenders(configuration.extenders, live_.clock());
    if (!made) return made.error();
    return core.recording.extenders(live_.guarded(std::move(*made)));
}

std::uint64_t ProfileBuilder::built(LiveCore &core, const config::Configuration &configuration,
                                    std::span<const plugin::Profile> profiles) const {
    return core.recording.built(
        configuration, profiles,
        facts_of(core.begun_with, configuration, settings_.checks, settings_.on_failure, failures_.quarantined()));
}

NeededRights ProfileBuilder::rights(const config::Configuration &configuration,
                                    std::span<const plugin::Profile> profiles) const {
    const auto &serving = settings_.serving;
    auto out = needed_rights(configuration, profiles);
    std::erase_if(out, [&](const auto &one) {
        const auto &[right, who] = one;
        if (who != std::set<Needer>{{false, std::string(serving_part)}}) return false;
        const bool asks_who = right.resource != "subjectaccessreviews";
        return serving.secure_port == 0 || (right.resource == "configmaps" && serving.skip_lookup) ||
               !(asks_who ? serving.authentication_kubeconfig : serving.authorization_kubeconfig).empty();
    });
    return out;
}

}  // namespace berth::live
