// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parsed DeviceClasses, ResourceClaims and their device requests.

#include "amount.h"

#include <berth/plugin.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubernetes::devices {

/// CEL selectors of a class or a request; absent: of a kind that is not known.
using SelectorTexts = std::vector<std::optional<std::string>>;

inline SelectorTexts read_selectors(berth::Value list) {
    SelectorTexts out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto cel = list.at(i)["cel"];
        out.push_back(cel.is_null() ? std::nullopt : std::optional(std::string(cel["expression"].string())));
    }
    return out;
}

/// A DeviceClass. The object that it was read from must outlive it.
struct Class {
    std::string name;
    SelectorTexts selectors;
    berth::Value config;

    static Class read(std::string_view name, berth::Value spec) {
        return {std::string(name), read_selectors(spec["selectors"]), spec["config"]};
    }
};

/// What a claim requests, or one of the alternatives of such a request.
struct Request {
    enum class Mode { ExactCount, All, Unknown };
    std::string name;
    std::string parent;      ///< the request whose alternative this is; empty: of none
    std::string stands_for;  ///< what people know it by, if they did not write it; or empty
    std::string device_class;
    Mode mode = Mode::ExactCount;
    std::string mode_text;
    std::int64_t count = 1;
    bool admin_access = false;
    bool derives_attributes = false;
    SelectorTexts selectors;
    std::vector<berth_toleration> tolerations;  ///< their texts are the object's
    berth::Value tolerations_source;
    std::vector<std::pair<std::string, Amount>> capacities;

    std::string full_name() const { return parent.empty() ? name : parent + "/" + name; }

    static Request read(std::string_view name, std::string_view parent, berth::Value v) {
        Request out;
        out.name = name;
        out.parent = parent;
        out.device_class = v["deviceClassName"].string();
        out.mode_text = v["allocationMode"].string();
        if (out.mode_text.empty()) out.mode_text = "ExactCount";  // the API's default, and so is one device
        if (out.mode_text == "All") out.mode = Mode::All;
        else if (out.mode_text != "ExactCount") out.mode = Mode::Unknown;
        out.count = v["count"].integer().value_or(1);
        out.admin_access = v["adminAccess"].is_true();
        out.derives_attributes = v["derivedAttributes"].size() > 0;
        out.selectors = read_selectors(v["selectors"]);
        out.tolerations_source = v["tolerations"];
        for (std::size_t i = 0; i < out.tolerations_source.size(); ++i) {
            auto t = out.tolerations_source.at(i);
            out.tolerations.push_back({berth::to_str(t["key"].string()), berth::to_str(t["operator"].string()),
                                       berth::to_str(t["value"].string()), berth::to_str(t["effect"].string())});
        }
        auto capacities = v["capacity"]["requests"];
        for (std::size_t i = 0; i < capacities.size(); ++i)
            out.capacities.emplace_back(capacities.key(i), Amount::read(capacities.member(i)));
        return out;
    }
};

/// How many devices a claim may have, as the API allows.
constexpr std::int64_t results_at_most = 32;

/// A claim's demand for devices. The object that it was read from must outlive it.
struct Claim {
    struct Demand {
        std::string name;
        bool prioritized = false;           ///< the alternatives are subrequests, of which the first possible is taken
        std::vector<Request> alternatives;  ///< otherwise one
    };
    struct Constraint {
        std::vector<std::string> requests;  ///< none: all
        std::optional<std::string> match_attribute, distinct_attribute;
    };
    std::string name_space, name;
    std::vector<Demand> demands;
    std::vector<Constraint> constraints;
    berth::Value config;
    berth::Value source = {};  ///< spec.devices; absent: it was not read from an object

    std::string full_name() const { return name_space.empty() ? name : name_space + "/" + name; }

    static Claim read(std::string_view name_space, std::string_view name, berth::Value spec) {
        Claim out{std::string(name_space), std::string(name), {}, {}, {}};
        auto devices = spec["devices"], requests = devices["requests"], constraints = devices["constraints"];
        for (std::size_t i = 0; i < requests.size(); ++i) {
            auto r = requests.at(i), first = r["firstAvailable"];
            Demand demand{std::string(r["name"].string()), first.size() > 0, {}};
            for (std::size_t k = 0; k < first.size(); ++k)
                demand.alternatives.push_back(Request::read(first.at(k)["name"].string(), demand.name, first.at(k)));
            if (!demand.prioritized) demand.alternatives.push_back(Request::read(demand.name, "", r["exactly"]));
            out.demands.push_back(std::move(demand));
        }
        for (std::size_t i = 0; i < constraints.size(); ++i) {
            auto c = constraints.at(i);
            Constraint one;
            for (std::size_t k = 0; k < c["requests"].size(); ++k)
                one.requests.emplace_back(c["requests"].at(k).string());
            if (auto a = c["matchAttribute"]; a.is_string()) one.match_attribute = std::string(a.string());
            if (auto a = c["distinctAttribute"]; a.is_string()) one.distinct_attribute = std::string(a.string());
            out.constraints.push_back(std::move(one));
        }
        out.config = devices["config"];
        out.source = devices;
        return out;
    }
};

}  // namespace kubernetes::devices
