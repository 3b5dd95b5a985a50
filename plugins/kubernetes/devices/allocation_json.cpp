// SPDX-License-Identifier: Apache-2.0
// The allocation of a ResourceClaim as JSON.
#include "node_selector_json.h"

#include <map>

namespace kubernetes::devices {

namespace {

/// A list of JSON texts as JSON.
std::string list_json(const std::vector<std::string> &items) {
    std::string out;
    for (const auto &item : items) (out += out.empty() ? "" : ",") += item;
    return "[" + out + "]";
}

std::string result_json(const Chosen &chosen, const std::function<std::string()> &share_id) {
    std::string out = "{\"request\":" + berth::json_quote(chosen.request->full_name()) +
                      ",\"driver\":" + berth::json_quote(chosen.slice->driver) +
                      ",\"pool\":" + berth::json_quote(chosen.slice->pool) +
                      ",\"device\":" + berth::json_quote(chosen.device->name);
    if (chosen.request->admin_access) out += ",\"adminAccess\":true";
    auto add = [&](const char *name, berth::Value v) {
        if (v.size() > 0) out += std::string(",\"") + name + "\":" + berth::json(v);
    };
    add("tolerations", chosen.request->tolerations_source);
    add("bindingConditions", chosen.device->binding_conditions);
    add("bindingFailureConditions", chosen.device->binding_failure_conditions);
    if (chosen.shared) out += ",\"shareID\":" + berth::json_quote(share_id());
    std::string consumed;
    for (const auto &[name, amount] : chosen.consumed)
        (consumed += consumed.empty() ? "" : ",") += berth::json_quote(name) + ":" + berth::json_quote(amount.text);
    if (!consumed.empty()) out += ",\"consumedCapacity\":{" + consumed + "}";
    return out + "}";
}

/// The configuration of the devices for their drivers: from the classes of the requests, then from the claim.
class Configuration {
    struct Entry {
        const char *source;
        std::vector<std::string> requests;
        berth::Value config;

        bool concerns(const Claim::Demand &demand, std::size_t alternative) const {
            return std::any_of(requests.begin(), requests.end(), [&](const std::string &name) {
                return name == demand.name || name == demand.alternatives[alternative].full_name();
            });
        }
    };
    std::vector<Entry> entries_;

public:
    void of_classes(const Claim &claim, const ClaimDevices &chosen, const Allocator::FindClass &find_class) {
        std::map<std::string_view, std::pair<std::size_t, std::size_t>> places;  // of a class among the entries
        for (std::size_t i = 0; i < claim.demands.size(); ++i) {
            const auto &request = claim.demands[i].alternatives[chosen.alternatives[i]];
            auto [at, fresh] = places.try_emplace(request.device_class, entries_.size(), entries_.size());
            for (auto e = at->second.first; e < at->second.second; ++e)
                entries_[e].requests.push_back(request.full_name());
            const auto *c = fresh ? find_class(request.device_class) : nullptr;
            for (std::size_t k = 0; c && k < c->config.size(); ++k)
                entries_.push_back({"FromClass", {request.full_name()}, c->config.at(k)});
            if (fresh) at->second.second = entries_.size();
        }
    }
    /// Upstream repeated an entry for each request that it names.
    void of_claim(const Claim &claim, const ClaimDevices &chosen, bool once) {
        for (std::size_t k = 0; k < claim.config.size(); ++k) {
            auto config = claim.config.at(k);
            Entry entry{"FromClaim", {}, config};
            for (std::size_t i = 0; i < config["requests"].size(); ++i)
                entry.requests.emplace_back(config["requests"].at(i).string());
            if (entry.requests.empty()) entries_.push_back(entry);
            for (std::size_t i = 0; i < claim.demands.size() && !entry.requests.empty(); ++i) {
                if (!entry.concerns(claim.demands[i], chosen.alternatives[i])) continue;
                entries_.push_back(entry);
                if (once) break;
            }
        }
    }
    /// Lets the entries that are for all requests name none.
    void shorten(const Claim &claim, const ClaimDevices &chosen) {
        for (auto &entry : entries_) {
            std::size_t i = 0;
            while (i < claim.demands.size() && entry.concerns(claim.demands[i], chosen.alternatives[i])) ++i;
            if (i == claim.demands.size()) entry.requests.clear();
        }
    }
    std::string json() const {
        std::vector<std::string> items;
        for (const auto &e : entries_) {
            std::vector<std::string> names;
            for (const auto &name : e.requests) names.push_back(berth::json_quote(name));
            std::string item = std::string("{\"source\":\"") + e.source + "\"";
            if (!names.empty()) item += ",\"requests\":" + list_json(names);
            if (auto opaque = e.config["opaque"]; !opaque.is_null()) item += ",\"opaque\":" + berth::json(opaque);
            items.push_back(item + "}");
        }
        return items.empty() ? "" : list_json(items);
    }
};

}  // namespace

std::string allocation_json(const Claim &claim, const ClaimDevices &chosen, std::string_view node,
                            const Allocator::FindClass &find_class, const std::function<std::string()> &share_id,
                            const Rules &rules) {
    std::vector<std::string> results;
    for (const auto &c : chosen.devices) results.push_back(result_json(c, share_id));
    Configuration configuration;
    configuration.of_classes(claim, chosen, find_class);
    configuration.of_claim(claim, chosen, rules.config_of_all_is_bare);
    if (rules.config_of_all_is_bare) configuration.shorten(claim, chosen);
    std::string devices, out;
    if (!results.empty()) devices += "\"results\":" + list_json(results);
    if (auto config = configuration.json(); !config.empty())
        (devices += devices.empty() ? "" : ",") += "\"config\":" + config;
    out = "{\"devices\":{" + devices + "}";
    if (auto selector = node_selector_json(claim, chosen, node); !selector.empty())
        out += ",\"nodeSelector\":" + selector;
    return out + "}";
}

}  // namespace kubernetes::devices
