// SPDX-License-Identifier: Apache-2.0
#include "cli/live_what_if.h"

#include <algorithm>
#include <memory>

namespace berth::cli {
namespace {

/// An extender that binds would bind in the live cluster.
std::shared_ptr<const config::Configuration> without_binding(const config::Configuration &configuration) {
    auto out = std::make_shared<config::Configuration>(configuration);
    for (auto &extender : out->extenders) extender.bind_verb.clear();
    return out;
}

}  // namespace

WhatIf::World present_world(Live &live, const ReloadStatus &status, Questions &questions, const PluginOptions &plugins,
                            std::uint64_t seed) {
    return {
        plugins, seed, true,
        [&live, &status, &questions](const std::function<void(WhatIf::Subject)> &then, const kube::Answering &refused) {
            questions.ask(
                [&live, &status, then] {
                    WhatIf::Subject subject;
                    subject.configuration = without_binding(*status.get().configuration);
                    subject.cluster = std::make_shared<PresentCluster>(present_cluster(live.scheduler()));
                    subject.node = [cluster = subject.cluster](std::string_view name) -> model::NodePtr {
                        const auto at =
                            std::ranges::find(cluster->nodes, name, [](const auto &node) { return node->name; });
                        return at == cluster->nodes.end() ? nullptr : *at;
                    };
                    then(std::move(subject));
                },
                refused);
        }};
}

}  // namespace berth::cli
