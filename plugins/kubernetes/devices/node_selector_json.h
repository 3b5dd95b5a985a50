// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The NodeSelector of an allocation, as JSON.

#include "allocator.h"

#include <set>

namespace kubernetes::devices {

/// The nodes that can use all of the devices together, as a NodeSelector in JSON; empty: every node. Throws Fatal.
inline std::string node_selector_json(const Claim &claim, const ClaimDevices &chosen, std::string_view node) {
    struct Requirements {
        std::vector<berth::Value> list;

        static bool alike(berth::Value a, berth::Value b) {
            auto values = [](berth::Value v) {
                std::set<std::string_view> out;
                for (std::size_t i = 0; i < v["values"].size(); ++i) out.insert(v["values"].at(i).string());
                return out;
            };
            return a["key"].string() == b["key"].string() && a["operator"].string() == b["operator"].string() &&
                   values(a) == values(b);
        }
        void add(berth::Value more) {
            for (std::size_t i = 0; i < more.size(); ++i)
                if (std::none_of(list.begin(), list.end(), [&](auto has) { return alike(has, more.at(i)); }))
                    list.push_back(more.at(i));
        }
        std::string json() const {
            std::string out;
            for (auto r : list) out += (out.empty() ? "" : ",") + berth::json(r);
            return "[" + out + "]";
        }
    };
    Requirements fields, expressions;
    for (const auto &c : chosen.devices) {
        const auto &nodes = c.slice->per_device_nodes ? c.device->nodes : c.slice->nodes;
        if (nodes.node_name || c.device->binds_to_node)
            return R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":[)" +
                   berth::json_quote(node) + "]}]}]}";
        auto terms = nodes.selector["nodeSelectorTerms"];
        if (terms.size() > 1)
            throw Fatal{"create NodeSelector for claim " + claim.name +
                        ": unsupported ResourceSlice.NodeSelector with " + std::to_string(terms.size()) + " terms"};
        fields.add(terms.at(0)["matchFields"]);
        expressions.add(terms.at(0)["matchExpressions"]);
    }
    if (fields.list.empty() && expressions.list.empty()) return {};
    std::string term;
    if (!fields.list.empty()) term += "\"matchFields\":" + fields.json();
    if (!expressions.list.empty()) (term += term.empty() ? "" : ",") += "\"matchExpressions\":" + expressions.json();
    return "{\"nodeSelectorTerms\":[{" + term + "}]}";
}

}  // namespace kubernetes::devices
