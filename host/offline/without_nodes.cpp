// SPDX-License-Identifier: Apache-2.0
#include "offline/without_nodes.h"

#include "decode/did_you_mean.h"
#include "model/build.h"
#include "model/mirror_pod.h"
#include "sim/patch.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

namespace berth::offline {
namespace {

using model::ObjectBuilder;
using model::Value;
using Names = std::set<std::string_view>;

bool is_daemon(const model::Pod &pod) {
    const auto owners = pod.tree->value()["metadata"]["ownerReferences"];
    for (std::size_t i = 0; i < owners.size(); ++i)
        if (owners.at(i)["controller"].is_true() && owners.at(i)["kind"].string() == "DaemonSet") return true;
    return false;
}

/// The node that a DaemonSet's pod waits for; "" if it names none.
std::string_view awaited_node(const model::Pod &pod) {
    const auto affinity = pod.tree->value()["spec"]["affinity"]["nodeAffinity"];
    const auto terms = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
    for (std::size_t i = 0; i < terms.size(); ++i)
        for (std::size_t k = 0; k < terms.at(i)["matchFields"].size(); ++k)
            if (const auto field = terms.at(i)["matchFields"].at(k); field["key"].string() == "metadata.name")
                return field["values"].at(0).string();
    return {};
}

/// The pod as its owner makes it anew.
model::PodPtr unbound(const model::Pod &pod, model::Accounting accounting) {
    model::Arena arena;
    ObjectBuilder patch(arena), spec(arena), status(arena);
    for (const char *field : {"phase", "startTime", "nominatedNodeName", "conditions"})
        status.add(field, model::make_null());
    patch.add("spec", spec.add("nodeName", model::make_null())).add("status", status);
    const auto changes = patch.value();
    // It was read before without a fault.
    return model::read_pod_of(
        nullptr, sim::merged(pod.tree->value(), Value{&changes}),
        [](Value, const std::string &, const std::string &) {}, accounting);
}

}  // namespace

model::Result<void> take_nodes_away(sim::Input &input, std::span<const std::string> names,
                                    std::span<const std::string> profiles) {
    Names gone(names.begin(), names.end());
    std::vector<std::string> known;
    for (const auto &node : input.nodes) known.emplace_back(node->name);
    for (const auto &name : gone)
        if (!std::ranges::binary_search(known, name, {}, [](const std::string &one) { return std::string_view(one); }))
            return model::Error{"--without-nodes " + std::string(name) + ": the input has no such node" +
                                (known.empty() ? "" : decode::did_you_mean(name, known))};
    std::erase_if(input.nodes, [&](const auto &node) { return gone.contains(node->name); });
    std::erase_if(input.pods, [&](model::PodPtr &pod) {
        const bool daemon = is_daemon(*pod);
        const auto node = daemon && pod->node_name().empty() ? awaited_node(*pod) : pod->node_name();
        if (!gone.contains(node)) return false;
        const bool ours = std::ranges::find(profiles, pod->scheduler_name()) != profiles.end();
        if (daemon || !ours || pod->terminating() || model::is_mirror(*pod)) return true;
        pod = unbound(*pod, input.accounting);
        return !pod;
    });
    return {};
}

}  // namespace berth::offline
