// SPDX-License-Identifier: Apache-2.0
#include "plugin/quarantine.h"

#include "model/build.h"
#include "plugin/given.h"

#include <algorithm>
#include <memory>

namespace berth::plugin {
namespace {

bool names(const config::Profile &profile, const std::string &plugin) {
    return std::ranges::any_of(profile.plugins, [&](const config::PluginSet &set) {
        return std::ranges::any_of(set.enabled, [&](const auto &entry) { return entry.name == plugin; });
    });
}

/// The instance that speaks for a plugin which is not there: its `args` are what it says.
std::string_view text_of(void *self) { return static_cast<Instance *>(self)->args->value().string(); }

void fail(void *self, const berth_call *, berth_state *, const berth_pod *, const berth_nodes *, berth_restrict *,
          berth_status *status) {
    status->code = BERTH_STATUS_ERROR;
    behind(*status).set_error(model::to_str(text_of(self)));
}

void refuse(void *self, const berth_call *, const berth_pod *, berth_status *status) {
    const auto text = model::to_str(text_of(self));
    status->code = BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE;
    behind(*status).set_reasons(&text, 1);
}

constexpr berth_plugin_pre_filter failing{sizeof(berth_plugin_pre_filter), 0, fail};
constexpr berth_plugin_pre_enqueue refusing{sizeof(berth_plugin_pre_enqueue), 0, refuse};

std::unique_ptr<Instance> stand_in(const Quarantined &one) {
    auto out = std::make_unique<Instance>();
    auto text = std::make_shared<model::Tree>();
    text->root = model::make_string(text->arena, one.why);
    out->name = one.plugin;
    out->self = out.get();
    out->args = text;
    return out;
}

}  // namespace

config::Configuration without(config::Configuration configuration, std::span<const Quarantined> quarantined) {
    for (auto &profile : configuration.profiles)
        for (const auto &one : quarantined) {
            if (!names(profile, one.plugin)) continue;
            for (auto &set : profile.plugins)
                std::erase_if(set.enabled, [&](const auto &entry) { return entry.name == one.plugin; });
            std::erase_if(profile.plugin_config, [&](const auto &entry) { return entry.name == one.plugin; });
        }
    return configuration;
}

void hold(std::vector<Profile> &profiles, const config::Configuration &configuration,
          std::span<const Quarantined> quarantined, OnFailure policy) {
    if (policy == OnFailure::SkipPlugin) return;
    for (auto &profile : profiles)
        for (const auto &one : quarantined) {
            const auto *wanted = configuration.profile(profile.scheduler_name);
            if (!wanted || !names(*wanted, one.plugin)) continue;
            // In front: the last one stands for the extenders.
            auto &speaker = **profile.instances.insert(profile.instances.begin(), stand_in(one));
            speaker.calls = profile.calls;
            if (policy == OnFailure::FailPod) {
                speaker.pre_filter = &failing;
                profile.pre_filter.insert(profile.pre_filter.begin(), &speaker);
            } else {
                speaker.pre_enqueue = &refusing;
                profile.pre_enqueue.insert(profile.pre_enqueue.begin(), &speaker);
            }
        }
}

}  // namespace berth::plugin
