// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin NodeResourcesBalancedAllocation: an even use of a node's resources scores higher.

#include "scored_devices.h"
#include "wrapping.h"

#include <cmath>
#include <set>

namespace kubernetes {

/// PreScore, Score: prefers nodes where the pod evens out the use of the resources. 50 to 100; 75 changes nothing.
class NodeResourcesBalancedAllocation {
    struct Requests {
        std::vector<std::int64_t> pod;
        std::weak_ptr<const OwnColumns> of_devices;
    };
    std::vector<ScoredResource> resources_;
    std::unique_ptr<ScoredDevices> devices_;  ///< nullptr: none are scored
    berth::StateKey<Requests> state_;

    std::vector<std::int64_t> requests_of(berth::Pod pod) const {
        std::vector<std::int64_t> out;
        for (const auto &r : resources_) out.push_back(amount(pod.current_requests(), r));
        return out;
    }

    /// (1 − standard deviation of the used fractions) · 100, truncated (balanced_allocation.go balancedResourceScore).
    static std::int64_t balance(const std::vector<ResourceColumn> &columns, std::uint32_t slot, bool with_pod) {
        double fractions[16], total = 0;
        std::size_t n = 0;
        for (const auto &c : columns) {
            if (c.allocatable[slot] == 0 || n == std::size(fractions)) continue;
            const auto used = wrapping::plus(c.used[slot], with_pod ? c.pod : 0);
            double f = std::min(static_cast<double>(used) / static_cast<double>(c.allocatable[slot]), 1.0);
            total += f;
            fractions[n++] = f;
        }
        double deviation = 0;
        if (n == 2) {
            deviation = std::fabs((fractions[0] - fractions[1]) / 2);
        } else if (n > 2) {
            double mean = total / static_cast<double>(n), sum = 0;
            for (std::size_t i = 0; i < n; ++i) sum = sum + (fractions[i] - mean) * (fractions[i] - mean);
            deviation = std::sqrt(sum / static_cast<double>(n));
        }
        return static_cast<std::int64_t>((1 - deviation) * 100.0);
    }

public:
    static constexpr const char *description = "Prefers nodes where the pod evens out the use of resources";
    static constexpr std::array watches = ScoredDevices::watches;

    static void default_args(berth::ArgsReader &args) {
        std::set<std::string, std::less<>> seen;
        auto list = args.field("resources");
        if (list.size() > 16) args.error("resources", "at most 16 resources");
        args.set("resources",
                 default_resources(
                     list, "resources", args, [&](const std::string &at, std::string_view name, std::int64_t w) {
                         if (!seen.insert(std::string(name)).second)
                             args.error(at + ".name", "Duplicate value: " + berth::json_quote(name));
                         if (w != 1) args.error(at + ".weight", "Invalid value: " + std::to_string(w) + ": must be 1");
                     }));
    }

    NodeResourcesBalancedAllocation(berth::Args args, const berth::Host &host)
        : resources_(read_resources(args["resources"], host)),
          devices_(ScoredDevices::of(resources_, host)),
          state_(host.state_key<Requests>("PreScoreNodeResourcesBalancedAllocation")) {}

    void declare(berth::Declare d) const {
        if (devices_) devices_->declare(d);
    }

    berth::Verdict pre_score(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes,
                             berth::Slots slots) const {
        auto requests = requests_of(pod);
        // Pods without requests would otherwise all go to one node (kubernetes#129138).
        if (std::all_of(requests.begin(), requests.end(), [](auto r) { return r == 0; })) return berth::skip();
        std::weak_ptr<const OwnColumns> of_devices;
        if (devices_) of_devices = devices_->columns(resources_, requests, nodes, slots, call);
        state.put(state_, Requests{std::move(requests), std::move(of_devices)});
        return berth::ok;
    }

    void score(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto *kept = state.get(state_);
        auto requests = kept ? kept->pod : requests_of(pod);
        if (std::all_of(requests.begin(), requests.end(), [](auto r) { return r == 0; })) {
            std::fill(out.begin(), out.end(), 0);
            return;
        }
        const auto own = kept ? kept->of_devices.lock() : nullptr;
        std::vector<berth::Column> keep;
        auto columns = scored_columns(nodes, resources_, requests, false, own.get(), keep);
        for (std::size_t i : call.each(slots))
            out[i] = 50 + (50 + balance(columns, slots[i], true) - balance(columns, slots[i], false)) / 2;
    }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        if (devices_ && !devices_->sign(resources_, requests_of(pod), signature)) return false;
        signature.add(pod.current_requests());
        return true;
    }
};

}  // namespace kubernetes
