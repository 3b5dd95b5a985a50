// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "resource_scoring.h"

#include <berth/label_syntax.hpp>

#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>

namespace kubernetes {

/// PreFilter, Filter: the node has what the pod requests. Score: how full the node would be, by one of three
/// strategies.
class NodeResourcesFit {
    struct Point {
        std::int64_t utilization, score;
    };
    struct Scalar {
        std::string name;
        std::int64_t request;
        std::uint32_t allocatable_column, requested_column;
    };
    struct Wanted {
        std::vector<Scalar> scalars;  ///< those that are checked: requested, and not ignored
    };
    struct ScoreRequests {
        std::vector<std::int64_t> pod;
    };
    enum class Strategy { LeastAllocated, MostAllocated, RequestedToCapacityRatio };

    const berth::Host &host_;
    std::set<std::string, std::less<>> ignored_, ignored_groups_;
    Strategy strategy_ = Strategy::LeastAllocated;
    std::vector<ScoredResource> resources_;
    std::vector<Point> shape_;
    berth::StateKey<Wanted> wanted_;
    berth::StateKey<ScoreRequests> score_requests_;

    bool is_ignored(std::string_view name) const {
        if (!is_extended_resource(name)) return false;
        return ignored_.contains(name) || ignored_groups_.contains(name.substr(0, name.find('/')));
    }

    /// Piecewise linear in integers (helper/shape_score.go).
    std::int64_t on_shape(std::int64_t u) const {
        for (std::size_t i = 0; i < shape_.size(); ++i) {
            if (u > shape_[i].utilization) continue;
            if (i == 0) return shape_[0].score;
            const auto &a = shape_[i - 1], &b = shape_[i];
            return a.score + (b.score - a.score) * (u - a.utilization) / (b.utilization - a.utilization);
        }
        return shape_.back().score;
    }

    /// One resource's score and whether it counts.
    std::optional<std::int64_t> score_one(std::int64_t requested, std::int64_t allocatable) const {
        if (allocatable == 0) return std::nullopt;
        switch (strategy_) {
            case Strategy::LeastAllocated:
                return requested > allocatable ? 0 : (allocatable - requested) * 100 / allocatable;
            case Strategy::MostAllocated: return std::min(requested, allocatable) * 100 / allocatable;
            default: {
                auto r = on_shape(requested > allocatable ? 100 : requested * 100 / allocatable);
                return r > 0 ? std::optional(r) : std::nullopt;
            }
        }
    }

    std::vector<std::int64_t> score_requests_of(berth::Pod pod) const {
        std::vector<std::int64_t> out;
        // Upstream's flags for pod-level and status resources are never set on this scorer: kept so.
        for (const auto &r : resources_) out.push_back(amount(pod.plain_nonzero(), r));
        return out;
    }

    static void check_shape(berth::Value shape, berth::ArgsReader &args, std::string &out);
    static void check_names(berth::ArgsReader &args, std::string_view field, bool groups);

public:
    static constexpr const char *description = "Requires that the node has what the pod requests; scores by use";

    static void default_args(berth::ArgsReader &args);

    NodeResourcesFit(berth::Args args, const berth::Host &host)
        : host_(host),
          wanted_(host.state_key<Wanted>("PreFilterNodeResourcesFit")),
          score_requests_(host.state_key<ScoreRequests>("PreScoreNodeResourcesFit")) {
        auto strings = [](berth::Value list, auto &into) {
            for (std::size_t i = 0; i < list.size(); ++i) into.emplace(list.at(i).string());
        };
        strings(args["ignoredResources"], ignored_);
        strings(args["ignoredResourceGroups"], ignored_groups_);
        auto strategy = args["scoringStrategy"];
        auto type = strategy["type"].string();
        if (type == "MostAllocated") strategy_ = Strategy::MostAllocated;
        if (type == "RequestedToCapacityRatio") strategy_ = Strategy::RequestedToCapacityRatio;
        resources_ = read_resources(strategy["resources"], host);
        auto shape = strategy["requestedToCapacityRatio"]["shape"];
        // The points' scores go to 10, the framework's to 100.
        for (std::size_t i = 0; i < shape.size(); ++i)
            shape_.push_back(
                {shape.at(i)["utilization"].integer().value_or(0), shape.at(i)["score"].integer().value_or(0) * 10});
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        Wanted wanted;
        const auto &r = pod.requests();
        for (std::uint64_t i = 0; i < r.scalars_len; ++i) {
            auto name = berth::view(r.scalars[i].name);
            if (r.scalars[i].value == 0 || is_ignored(name)) continue;
            wanted.scalars.push_back({std::string(name), r.scalars[i].value, host_.column(BERTH_NODE_ALLOCATABLE, name),
                                      host_.column(BERTH_NODE_REQUESTED, name)});
        }
        state.put(wanted_, std::move(wanted));
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto *wanted = state.get(wanted_);
        if (!wanted) throw std::runtime_error("error reading \"PreFilterNodeResourcesFit\" from cycleState: not found");
        const auto *n = nodes.raw();
        const auto &want = pod.requests();
        std::vector<std::pair<berth::Column, berth::Column>> scalars;
        for (const auto &s : wanted->scalars)
            scalars.emplace_back(nodes.column(s.allocatable_column), nodes.column(s.requested_column));

        std::vector<std::string> reasons;
        std::vector<berth_str> texts;
        for (std::size_t i = 0; i < slots.size(); ++i) {
            auto s = slots[i];
            bool unresolvable = false;
            reasons.clear();
            if (static_cast<std::int64_t>(n->pod_count[s]) + 1 > n->allocatable_pods[s])
                reasons.emplace_back("Too many pods");
            auto check = [&](std::int64_t request, std::int64_t allocatable, std::int64_t used, std::string_view name) {
                if (request <= 0 || request <= allocatable - used) return;
                reasons.emplace_back("Insufficient ").append(name);
                unresolvable = unresolvable || request > allocatable;
            };
            check(want.cpu, n->allocatable_cpu[s], n->requested_cpu[s], "cpu");
            check(want.memory, n->allocatable_memory[s], n->requested_memory[s], "memory");
            check(want.ephemeral, n->allocatable_ephemeral[s], n->requested_ephemeral[s], "ephemeral-storage");
            for (std::size_t k = 0; k < scalars.size(); ++k)
                check(wanted->scalars[k].request, scalars[k].first.int64(s), scalars[k].second.int64(s),
                      wanted->scalars[k].name);
            if (reasons.empty()) {
                out.accept(i);
                continue;
            }
            texts.clear();
            for (const auto &text : reasons) texts.push_back(berth::to_str(text));
            out.reject(i, unresolvable ? BERTH_UNSCHEDULABLE_AND_UNRESOLVABLE : BERTH_UNSCHEDULABLE,
                       call.reasons(texts));
        }
    }

    berth::Verdict pre_score(berth::Call, berth::State state, berth::Pod pod, berth::Nodes, berth::Slots) const {
        state.put(score_requests_, ScoreRequests{score_requests_of(pod)});
        return berth::ok;
    }

    void score(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto *kept = state.get(score_requests_);
        auto requests = kept ? kept->pod : score_requests_of(pod);
        std::vector<berth::Column> keep;
        auto columns = scored_columns(nodes, resources_, requests, true, keep);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            std::int64_t sum = 0, weights = 0;
            for (const auto &c : columns) {
                auto r = score_one(c.used[slots[i]] + c.pod, c.allocatable[slots[i]]);
                if (!r) continue;
                sum += *r * c.weight;
                weights += c.weight;
            }
            if (weights == 0) out[i] = 0;
            else if (strategy_ == Strategy::RequestedToCapacityRatio)
                out[i] = static_cast<std::int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
            else out[i] = sum / weights;
        }
    }

    void events(berth::Events on) const {
        on.add_hinted("Pod", BERTH_DELETE | BERTH_UPDATE_POD_SCALE_DOWN);
        on.add_hinted("Node", BERTH_ADD | BERTH_UPDATE_NODE_ALLOCATABLE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        bool helps = event.resource() == "Node" ? node_helps(event, pod) : pod_helps(event, pod);
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }

private:
    /// What an empty node has of a scalar; the node object is read, because no column need be declared for it.
    std::int64_t allocatable(berth::Nodes one_node, std::string_view name) const {
        auto id = host_.column(BERTH_NODE_ALLOCATABLE, name);
        return one_node.column(id).int64(0);
    }

    bool node_helps(berth::Event event, berth::Pod pod) const {
        auto now = event.new_nodes();
        if (!now) return false;
        const auto &want = pod.requests();
        const auto *n = now->raw();
        // Would it fit the node if that were empty? Ignored resources count here, as upstream.
        if (n->allocatable_pods[0] < 1 || want.cpu > n->allocatable_cpu[0] || want.memory > n->allocatable_memory[0] ||
            want.ephemeral > n->allocatable_ephemeral[0])
            return false;
        for (std::uint64_t i = 0; i < want.scalars_len; ++i)
            if (want.scalars[i].value > allocatable(*now, berth::view(want.scalars[i].name))) return false;
        auto then = event.old_nodes();
        if (!then) return true;
        const auto *o = then->raw();
        if (n->allocatable_pods[0] > o->allocatable_pods[0] ||
            (want.cpu > 0 && n->allocatable_cpu[0] > o->allocatable_cpu[0]) ||
            (want.memory > 0 && n->allocatable_memory[0] > o->allocatable_memory[0]) ||
            (want.ephemeral > 0 && n->allocatable_ephemeral[0] > o->allocatable_ephemeral[0]))
            return true;
        for (std::uint64_t i = 0; i < want.scalars_len; ++i) {
            auto name = berth::view(want.scalars[i].name);
            if (want.scalars[i].value != 0 && allocatable(*now, name) > allocatable(*then, name)) return true;
        }
        return false;
    }

    static std::int64_t scalar_of(const berth_resources &r, std::string_view name) {
        for (std::uint64_t i = 0; i < r.scalars_len; ++i)
            if (berth::view(r.scalars[i].name) == name) return r.scalars[i].value;
        return 0;
    }

    static bool pod_helps(berth::Event event, berth::Pod pod) {
        auto before = event.old_pod(), after = event.new_pod();
        if (!after)  // deleted: any pod that held or was promised a place
            return before && (!before->node_name().empty() || !berth::view(before->raw()->nominated_node).empty());
        if (after->uid() == pod.uid()) return true;
        if (after->node_name().empty() || !before) return false;
        const auto &want = pod.accounted(), &was = before->accounted(), &is = after->accounted();
        if ((want.cpu != 0 && was.cpu > is.cpu) || (want.memory != 0 && was.memory > is.memory) ||
            (want.ephemeral != 0 && was.ephemeral > is.ephemeral))
            return true;
        for (std::uint64_t i = 0; i < want.scalars_len; ++i) {
            auto name = berth::view(want.scalars[i].name);
            if (want.scalars[i].value != 0 && scalar_of(was, name) > scalar_of(is, name)) return true;
        }
        return false;
    }
};

inline void NodeResourcesFit::check_names(berth::ArgsReader &args, std::string_view field, bool groups) {
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

inline void NodeResourcesFit::check_shape(berth::Value ratio, berth::ArgsReader &args, std::string &out) {
    const std::string parent = "scoringStrategy.requestedToCapacityRatio", path = parent + ".shape";
    auto wrong = [&](const std::string &at, const char *expected, berth::Value got) {
        args.error(at, std::string("expected ") + expected + ", got " + std::string(berth::kind_name(got)));
    };
    if (!ratio.is_object()) return wrong(parent, "an object", ratio);
    for (std::size_t i = 0; i < ratio.size(); ++i)
        if (ratio.key(i) != "shape")
            args.error(parent + "." + std::string(ratio.key(i)), "unknown field; the only field is shape");
    auto shape = ratio["shape"];
    if (!shape.is_null() && !shape.is_array()) return wrong(path, "a list", shape);
    if (shape.size() == 0) args.error(path, "Required value: at least one point must be specified");
    for (std::size_t i = 0; i < shape.size(); ++i) {
        auto at = path + "[" + std::to_string(i) + "]";
        auto p = shape.at(i);
        if (!p.is_object()) {
            wrong(at, "an object", p);
            continue;
        }
        for (auto field : {"utilization", "score"})
            if (!p[field].is_null() && !p[field].integer()) wrong(at + "." + field, "a whole number", p[field]);
        for (std::size_t k = 0; k < p.size(); ++k)
            if (p.key(k) != "utilization" && p.key(k) != "score")
                args.error(at + "." + std::string(p.key(k)), "unknown field; the fields are utilization, score");
        auto u = p["utilization"].integer().value_or(0), s = p["score"].integer().value_or(0);
        if (u < 0 || u > 100)
            args.error(at + ".utilization", "Invalid value: " + std::to_string(u) + ": not in valid range [0, 100]");
        if (s < 0 || s > 10)
            args.error(at + ".score", "Invalid value: " + std::to_string(s) + ": not in valid range [0, 10]");
        if (i && shape.at(i - 1)["utilization"].integer().value_or(0) >= u)
            args.error(at + ".utilization",
                       "Invalid value: " + std::to_string(u) + ": values must be sorted in increasing order");
    }
    out += ",\"requestedToCapacityRatio\":{\"shape\":" + berth::json(shape) + "}";
}

inline void NodeResourcesFit::default_args(berth::ArgsReader &args) {
    check_names(args, "ignoredResources", false);
    // What the extenders look after takes the place of what the arguments say.
    if (auto resources = args.extender_resources(); !resources.empty()) {
        std::string list;
        for (const auto &name : resources) list += (list.empty() ? "[" : ",") + berth::json_quote(berth::view(name));
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

}  // namespace kubernetes
