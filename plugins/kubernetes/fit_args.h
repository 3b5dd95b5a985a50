// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The arguments of NodeResourcesFit, defaulted and validated.

#include "resource_scoring.h"
#include "shape.h"

#include <berth/label_syntax.hpp>

namespace kubernetes {

/// The arguments of NodeResourcesFit: checks them and fills in what they leave out.
class FitArgs {
    static void check_names(berth::ArgsReader &args, std::string_view field, bool groups) {
        auto list = args.field(field);
        if (list.is_null()) return;
        if (!list.is_array()) return args.error(field, "expected a list, got " + std::string(berth::kind_name(list)));
        for (std::size_t i = 0; i < list.size(); ++i) {
            auto at = std::string(field) + "[" + std::to_string(i) + "]";
            auto name = list.at(i).string();
            if (!list.at(i).is_string())
                args.error(at, "expected a string, got " + std::string(berth::kind_name(list.at(i))));
            else if (groups && name.find('/') != std::string_view::npos)
                args.error(at, "Invalid value: " + berth::json_quote(name) + ": resource group name can't contain '/'");
            else if (auto fault = berth::label_key_fault(name); !fault.empty())
                args.error(at, "Invalid value: " + berth::json_quote(name) + ": " + fault);
        }
        if (groups || args.extender_resources().empty()) args.set(field, berth::json(list));
    }

    static void check_shape(berth::Value ratio, berth::ArgsReader &args, std::string &out) {
        const std::string parent = "scoringStrategy.requestedToCapacityRatio";
        if (!ratio.is_object())
            return args.error(parent, "expected an object, got " + std::string(berth::kind_name(ratio)));
        for (std::size_t i = 0; i < ratio.size(); ++i)
            if (ratio.key(i) != "shape")
                args.error(parent + "." + std::string(ratio.key(i)), "unknown field; the only field is shape");
        auto shape = ratio["shape"];
        Shape::check(shape, parent + ".shape", args);
        out += ",\"requestedToCapacityRatio\":{\"shape\":" + berth::json(shape) + "}";
    }

public:
    static void check(berth::ArgsReader &args) {
        check_names(args, "ignoredResources", false);
        // What the extenders look after takes the place of what the arguments say.
        if (auto resources = args.extender_resources(); !resources.empty()) {
            std::string list;
            for (const auto &name : resources)
                list += (list.empty() ? "[" : ",") + berth::json_quote(berth::view(name));
            args.set("ignoredResources", list + "]");
        }
        check_names(args, "ignoredResourceGroups", true);
        auto strategy = args.field("scoringStrategy");
        if (strategy.is_null()) {
            args.set("scoringStrategy", R"({"type":"LeastAllocated","resources":[{"name":"cpu","weight":1},)"
                                        R"({"name":"memory","weight":1}]})");
            return;
        }
        if (!strategy.is_object())
            return args.error("scoringStrategy", "expected an object, got " + std::string(berth::kind_name(strategy)));
        for (std::size_t i = 0; i < strategy.size(); ++i)
            if (strategy.key(i) != "type" && strategy.key(i) != "resources" &&
                strategy.key(i) != "requestedToCapacityRatio")
                args.error("scoringStrategy." + std::string(strategy.key(i)),
                           "unknown field; the fields are type, resources, requestedToCapacityRatio");
        auto type = strategy["type"].string();
        // Upstream does not default the type once a strategy is given.
        if (type != "LeastAllocated" && type != "MostAllocated" && type != "RequestedToCapacityRatio")
            args.error("scoringStrategy.type",
                       "Unsupported value: " + berth::json_quote(type) +
                           ": supported values: \"LeastAllocated\", \"MostAllocated\", \"RequestedToCapacityRatio\"");
        std::string out = "{\"type\":" + berth::json_quote(type);
        out += ",\"resources\":" +
               default_resources(strategy["resources"], "scoringStrategy.resources", args,
                                 [&](const std::string &at, std::string_view name, std::int64_t w) {
                                     if (w < 1 || w > 100)
                                         args.error(at + ".weight", "Invalid value: " + std::to_string(w) +
                                                                        ": resource weight of " + std::string(name) +
                                                                        " not in valid range (0, 100]");
                                 });
        auto ratio = strategy["requestedToCapacityRatio"];
        if (type == "RequestedToCapacityRatio") {
            if (ratio.is_null())
                args.error("scoringStrategy.requestedToCapacityRatio",
                           "Required value: must be specified when type is RequestedToCapacityRatio");
            else check_shape(ratio, args, out);
        } else if (!ratio.is_null()) {
            args.error("scoringStrategy.requestedToCapacityRatio",
                       "Forbidden: must be nil when type is not RequestedToCapacityRatio");
        }
        args.set("scoringStrategy", out + "}");
    }
};

}  // namespace kubernetes
