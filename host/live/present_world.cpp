// SPDX-License-Identifier: Apache-2.0
#include "live/present_world.h"

#include <memory>
#include <string_view>
#include <unordered_map>

namespace berth::live {
namespace {

/// An extender that binds would bind in the live cluster.
std::shared_ptr<const config::Configuration> without_binding(const config::Configuration &configuration) {
    auto out = std::make_shared<config::Configuration>(configuration);
    for (auto &extender : out->extenders) extender.bind_verb.clear();
    return out;
}

/// Makes its table at the first question, which does not come on the loop.
api::FindNode nodes_of(std::shared_ptr<const api::PresentCluster> cluster) {
    auto by_name = std::make_shared<std::unordered_map<std::string_view, model::NodePtr>>();
    return [cluster = std::move(cluster), by_name](std::string_view name) -> model::NodePtr {
        if (by_name->empty())
            for (const auto &node : cluster->nodes) by_name->emplace(node->name, node);
        const auto at = by_name->find(name);
        return at == by_name->end() ? nullptr : at->second;
    };
}

}  // namespace

api::WhatIf::World present_world(Live &live, const ReloadStatus &status, api::Questions &questions,
                                 const plugin::PluginOptions &plugins, std::uint64_t seed) {
    return {plugins, seed, true,
            [&live, &status, &questions](const std::function<void(api::WhatIf::Subject)> &then,
                                         const kube::Answering &refused) {
                questions.ask(
                    [&live, &status, then] {
                        api::WhatIf::Subject subject;
                        subject.configuration = without_binding(*status.get().configuration);
                        subject.gates.gates = {subject.configuration->feature_gates};
                        subject.cluster = std::make_shared<api::PresentCluster>(api::present_cluster(live.scheduler()));
                        subject.node = nodes_of(subject.cluster);
                        then(std::move(subject));
                    },
                    refused);
            }};
}

}  // namespace berth::live
