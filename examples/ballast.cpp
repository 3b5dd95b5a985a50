// SPDX-License-Identifier: Apache-2.0

/// Ballast: pods with the label ballast=true only keep room for others. When a pod fits nowhere, PostFilter looks for
/// the node where the fewest of them have to go, deletes these and nominates the pod for the node.

#include <berth/plugin.hpp>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace {

class Ballast {
    const berth::Host &host_;

    static bool is_ballast(std::span<const berth_label> labels) {
        for (const auto &l : labels)
            if (berth::view(l.key) == "ballast" && berth::view(l.value) == "true") return true;
        return false;
    }

    /// Takes ballast off until the pod fits; nothing if it never does.
    std::vector<std::uint32_t> to_drop(berth::Trial &trial, berth::PlacedPods placed, std::uint32_t slot) const {
        std::vector<std::uint32_t> dropped;
        // Copied, because the node has fewer pods with each that is taken off.
        const auto there = placed.on(slot);
        for (std::uint32_t row : std::vector<std::uint32_t>(there.begin(), there.end())) {
            if (placed.terminating(row) || !is_ballast(placed[row].labels())) continue;
            if (trial.remove_pod(row).code() != BERTH_STATUS_SUCCESS) return {};
            dropped.push_back(row);
            if (trial.filter().code() == BERTH_STATUS_SUCCESS) return dropped;
        }
        return {};
    }

    void drop(berth::Pod pod) const {
        berth::Request request;
        request.verb = BERTH_VERB_DELETE;
        request.resource = "pods";
        request.name_space = pod.name_space();
        request.name = pod.name();
        host_.send(request, [this, name = std::string(pod.name())](int status, std::string_view text) {
            if (status >= 300 && status != 404) host_.warning("pod " + name + " was not deleted: " + std::string(text));
        });
    }

public:
    static constexpr const char *description = "Deletes pods that only keep room when another pod needs it";
    static constexpr std::array writes{"delete v1/pods"};

    explicit Ballast(const berth::Host &host) : host_(host) {}

    void declare(berth::Declare d) const { d.write(BERTH_VERB_DELETE, "", "v1", "pods"); }

    berth::Verdict post_filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes,
                               berth::Outcome outcome, berth::Nomination nomination) const {
        if (is_ballast(pod.labels())) return berth::unschedulable("ballast: keeps room for others only");
        auto placed = nodes.pods();
        // What was dropped for this pod may still be on its way out: then nothing more has to go.
        if (auto slot = nodes.find(pod.nominated_node()))
            for (std::uint32_t row : placed.on(*slot))
                if (placed.terminating(row) && is_ballast(placed[row].labels()))
                    return berth::unschedulable("ballast: waiting for pods to leave");
        std::vector<std::uint32_t> best;
        for (std::uint32_t slot : outcome.slots_with(BERTH_STATUS_UNSCHEDULABLE)) {
            berth::Trial trial(host_, call.raw(), state.raw(), pod.raw(), nodes.raw(), slot);
            auto found = to_drop(trial, placed, slot);
            if (!found.empty() && (best.empty() || found.size() < best.size())) best = std::move(found);
        }
        if (best.empty()) return berth::unschedulable("ballast: there is too little of it");
        nomination.nominate(nodes[placed.slot(best.front())].name());
        nomination.victims(best, "the fewest pods of ballast");  // for `berth explain`
        for (std::uint32_t row : best) drop(placed[row]);
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Ballast, "Ballast", "1.0.0")
