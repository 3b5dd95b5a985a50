// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A pod's extended resources as device requests of a ResourceClaim (upstream: createRequestsAndMappings).

#include "devices/request.h"
#include "extended_resources.h"

#include <map>
#include <memory>
#include <mutex>

namespace kubernetes {

/// A container that has devices of a claim's request for one of its extended resources.
struct RequestMapping {
    std::string container, resource, request;
};

/// What the claim for a pod's extended resources is on nodes where those at `places` have to be devices.
struct ExtendedClaim {
    ExtendedResources::Places places;
    devices::Claim claim;
};

/// Turns the extended resources of a pod's containers into requests of a claim (createRequestsAndMappings). Containers
/// that last have requests of their own. Init containers that end before use these, in turn; of what they need beyond
/// that there is one request for all of them. Thread: any, but for the constructor.
class ExtendedRequests {
    struct Wanted {
        std::size_t index;  ///< among the names of all that the container requests
        std::int64_t count;
    };
    struct Container {
        std::string name;
        bool ends;  ///< before the next one begins
        std::map<std::string, Wanted, std::less<>> of_devices;
    };
    struct Request {
        std::size_t container;
        std::string name;
        std::int64_t count;
    };
    std::string name_space_;
    std::vector<ExtendedResources::Resource> resources_;
    bool limit_by_request_;
    std::vector<Container> containers_;
    mutable std::mutex mutex_;
    mutable std::map<ExtendedResources::Places, std::unique_ptr<ExtendedClaim>> claims_;

    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

    /// A file may leave requests out where there are limits; the API server fills them in.
    static Container read(berth::Value container, bool init,
                          const std::vector<ExtendedResources::Resource> &resources) {
        Container out{
            std::string(container["name"].string()), init && container["restartPolicy"].string() != "Always", {}};
        std::map<std::string_view, berth::Value> all;
        for (const auto *list : {"requests", "limits"}) {
            auto amounts = container["resources"][list];
            for (std::size_t i = 0; i < amounts.size(); ++i) all.emplace(amounts.key(i), amounts.member(i));
        }
        for (const auto &resource : resources) {
            auto at = all.find(resource.name);
            if (at == all.end()) continue;
            const auto amount = berth::Quantity::read(at->second);
            const auto count = amount ? amount->value() : 0;
            // What is no int64 counts for nothing.
            if (count <= 0 || !(*amount == berth::Quantity::of(count))) continue;
            out.of_devices.emplace(resource.name,
                                   Wanted{static_cast<std::size_t>(std::distance(all.begin(), at)), count});
        }
        return out;
    }

    Request request(std::size_t container, const Wanted &wanted, std::int64_t count) const {
        return {container, "container-" + std::to_string(container) + "-request-" + std::to_string(wanted.index),
                count};
    }
    const Wanted *wanted(std::size_t container, std::string_view resource) const {
        auto at = containers_[container].of_devices.find(resource);
        return at == containers_[container].of_devices.end() ? nullptr : &at->second;
    }

    void demand(const Request &request, const ExtendedResources::Resource &resource, devices::Claim &claim) const {
        devices::Request one;
        one.name = request.name;
        one.stands_for = "resource " + resource.name + " of container " + containers_[request.container].name;
        one.device_class = resource.device_class;
        one.mode_text = "ExactCount";
        one.count = request.count;
        claim.demands.push_back({request.name, false, {std::move(one)}});
    }

    /// A pod may have thousands of requests. If they ask for more devices than a claim may have, the search refuses the
    /// request that exceeds the limit, or their sum, on every node.
    void bound(devices::Claim &claim) const {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < claim.demands.size(); ++i) {
            const auto count = claim.demands[i].alternatives.front().count;
            sum = count > most - sum ? most : sum + count;
            if (limit_by_request_ && sum > devices::results_at_most) return claim.demands.resize(i + 1);
        }
        if (sum <= devices::results_at_most) return;
        claim.demands.resize(1);
        claim.demands.front().alternatives.front().count = sum;
    }

    /// `mappings` may be null: they are many more than the requests.
    void add(const ExtendedResources::Resource &resource, devices::Claim &out,
             std::vector<RequestMapping> *mappings) const {
        auto map = [&](std::size_t container, std::string request) {
            if (mappings) mappings->push_back({containers_[container].name, resource.name, std::move(request)});
        };
        std::vector<Request> lasting;
        std::vector<std::int64_t> from(containers_.size() + 1);  // devices of containers from there on that last
        for (std::size_t i = 0; i < containers_.size(); ++i)
            if (const auto *w = containers_[i].ends ? nullptr : wanted(i, resource.name)) {
                lasting.push_back(request(i, *w, w->count));
                map(i, lasting.back().name);
                from[i] = w->count;
            }
        for (auto i = containers_.size(); i-- > 0;)
            from[i] = from[i] > most - from[i + 1] ? most : from[i] + from[i + 1];

        std::optional<Request> largest;
        for (std::size_t i = 0; i < containers_.size(); ++i) {
            const auto *w = containers_[i].ends ? wanted(i, resource.name) : nullptr;
            if (!w || w->count <= from[i]) continue;
            const auto left = w->count - from[i];
            if (!largest || largest->count < left) largest = request(i, *w, left);
        }
        for (std::size_t i = 0; mappings && i < containers_.size(); ++i) {
            const auto *w = containers_[i].ends ? wanted(i, resource.name) : nullptr;
            if (!w) continue;
            auto left = w->count;
            for (auto at = lasting.begin(); at != lasting.end() && left > 0; ++at) {
                if (at->container < i) continue;
                map(i, at->name);
                left -= at->count;
            }
            if (left > 0) map(i, largest->name);
        }
        if (largest) demand(*largest, resource, out);
        for (const auto &r : lasting) demand(r, resource, out);
    }

public:
    /// No claim of a cluster is called so: it is not made yet.
    static constexpr const char *claim_name = "<extended-resources>";

    ExtendedRequests(berth::Pod pod, const ExtendedResources &extended, const devices::Rules &rules)
        : name_space_(pod.name_space()),
          resources_(extended.resources()),
          limit_by_request_(rules.claim_limit_by_request) {
        for (const auto *list : {"/spec/initContainers", "/spec/containers"}) {
            auto containers = pod.at(list);
            for (std::size_t i = 0; i < containers.size(); ++i)
                containers_.push_back(
                    read(containers.at(i), std::string_view(list) == "/spec/initContainers", resources_));
        }
    }
    ExtendedRequests(const ExtendedRequests &) = delete;
    ExtendedRequests &operator=(const ExtendedRequests &) = delete;

    /// The claim on nodes where the resources at `places` have to be devices. Lives as long as this.
    const ExtendedClaim &claim(const ExtendedResources::Places &places) const {
        const std::lock_guard lock(mutex_);
        auto &known = claims_[places];
        if (known) return *known;
        known = std::make_unique<ExtendedClaim>(ExtendedClaim{places, {name_space_, claim_name, {}, {}, {}}});
        for (auto place : places) add(resources_[place], known->claim, nullptr);
        std::ranges::sort(known->claim.demands, {}, &devices::Claim::Demand::name);
        bound(known->claim);
        return *known;
    }

    /// Of a claim that has its devices: no container has more of them than a claim may have.
    std::vector<RequestMapping> mappings(const ExtendedClaim &of) const {
        std::vector<RequestMapping> out;
        devices::Claim again;
        for (auto place : of.places) add(resources_[place], again, &out);
        return out;
    }
};

/// The spec of the claim, as the API server wants it.
inline std::string spec_json(const devices::Claim &claim) {
    std::string requests;
    for (const auto &demand : claim.demands) {
        const auto &request = demand.alternatives.front();
        (requests += requests.empty() ? "" : ",") +=
            "{\"name\":" + berth::json_quote(request.name) +
            ",\"exactly\":{\"deviceClassName\":" + berth::json_quote(request.device_class) +
            R"(,"allocationMode":"ExactCount","count":)" + std::to_string(request.count) + "}}";
    }
    return R"({"devices":{"requests":[)" + requests + "]}}";
}
/// As they stand in a pod's status.
inline std::string mappings_json(const std::vector<RequestMapping> &mappings) {
    std::string out;
    for (const auto &m : mappings)
        (out += out.empty() ? "" : ",") += "{\"containerName\":" + berth::json_quote(m.container) +
                                           ",\"resourceName\":" + berth::json_quote(m.resource) +
                                           ",\"requestName\":" + berth::json_quote(m.request) + "}";
    return "[" + out + "]";
}

}  // namespace kubernetes
