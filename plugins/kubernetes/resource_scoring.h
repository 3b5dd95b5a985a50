// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The resources and columns of resource scores (upstream: resourceAllocationScorer).

#include "resource_names.h"
#include "scalars.h"

#include <berth/plugin.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace kubernetes {

/// A resource that a scorer looks at, with where its numbers stand.
struct ScoredResource {
    std::string name;
    std::int64_t weight = 1;
    std::uint32_t allocatable_column = 0, requested_column = 0;  ///< of a scalar; 0 for cpu, memory, ephemeral-storage
    enum class Kind { Cpu, Memory, Ephemeral, Scalar } kind = Kind::Scalar;
};

/// Reads `[{name, weight}]`, defaulted to cpu and memory.
inline std::vector<ScoredResource> read_resources(berth::Value list, const berth::Host &host) {
    std::vector<ScoredResource> out;
    for (std::size_t i = 0; i < list.size(); ++i) {
        ScoredResource r;
        r.name = list.at(i)["name"].string();
        r.weight = list.at(i)["weight"].integer().value_or(1);
        if (r.name == "cpu") r.kind = ScoredResource::Kind::Cpu;
        else if (r.name == "memory") r.kind = ScoredResource::Kind::Memory;
        else if (r.name == "ephemeral-storage") r.kind = ScoredResource::Kind::Ephemeral;
        else {
            r.allocatable_column = host.column(BERTH_COLUMN_NODE_ALLOCATABLE, r.name);
            r.requested_column = host.column(BERTH_COLUMN_NODE_REQUESTED, r.name);
        }
        out.push_back(std::move(r));
    }
    return out;
}

/// What a pod requests of a resource.
inline std::int64_t amount(const berth_resources &of, const ScoredResource &r) {
    switch (r.kind) {
        case ScoredResource::Kind::Cpu: return of.cpu;
        case ScoredResource::Kind::Memory: return of.memory;
        case ScoredResource::Kind::Ephemeral: return of.ephemeral;
        default: return scalar_of(of, r.name);
    }
}

/// One resource's numbers over all slots: what nodes have and what is taken of it.
struct ResourceColumn {
    const std::int64_t *allocatable = nullptr;
    const std::int64_t *used = nullptr;
    std::int64_t pod = 0;  ///< what the current pod adds
    std::int64_t weight = 1;
};

/// Numbers of a resource that are not the cluster's columns, by slot; empty: the columns hold.
struct OwnColumn {
    std::vector<std::int64_t> allocatable, used;
};
using OwnColumns = std::vector<OwnColumn>;  ///< by resource

/// The columns to score, in the order of `resources`. A scalar that the pod does not request is left out, as upstream
/// bypasses it; `nonzero` takes requests with defaults for cpu and memory. `own` takes the place of a scalar's columns;
/// it may be null.
inline std::vector<ResourceColumn> scored_columns(berth::Nodes nodes, const std::vector<ScoredResource> &resources,
                                                  const std::vector<std::int64_t> &pod_requests, bool nonzero,
                                                  const OwnColumns *own, std::vector<berth::Column> &keep) {
    const auto *n = nodes.raw();
    std::vector<ResourceColumn> out;
    keep.reserve(resources.size() * 2);
    for (std::size_t i = 0; i < resources.size(); ++i) {
        const auto &r = resources[i];
        ResourceColumn c;
        c.pod = pod_requests[i];
        c.weight = r.weight;
        switch (r.kind) {
            case ScoredResource::Kind::Cpu:
                c.allocatable = n->allocatable_cpu;
                c.used = nonzero ? n->requested_cpu_nonzero : n->requested_cpu;
                break;
            case ScoredResource::Kind::Memory:
                c.allocatable = n->allocatable_memory;
                c.used = nonzero ? n->requested_memory_nonzero : n->requested_memory;
                break;
            case ScoredResource::Kind::Ephemeral:
                c.allocatable = n->allocatable_ephemeral;
                c.used = n->requested_ephemeral;
                break;
            default: {
                if (c.pod == 0 || !is_scalar_resource(r.name)) continue;
                if (own && !(*own)[i].allocatable.empty()) {
                    c.allocatable = (*own)[i].allocatable.data();
                    c.used = (*own)[i].used.data();
                    break;
                }
                keep.push_back(nodes.column(r.allocatable_column));
                c.allocatable = static_cast<const std::int64_t *>(keep.back().raw()->data);
                keep.push_back(nodes.column(r.requested_column));
                c.used = static_cast<const std::int64_t *>(keep.back().raw()->data);
            }
        }
        out.push_back(c);
    }
    return out;
}

/// Defaults a `resources` list: absent or empty is cpu and memory, weight 0 is 1. `check(path, name, weight)` validates
/// each; returns the JSON text.
template <class Check>
std::string default_resources(berth::Value list, const std::string &path, berth::ArgsReader &args, Check check) {
    std::string out = "[";
    if (!list.is_null() && !list.is_array())
        args.error(path, "expected a list, got " + std::string(berth::kind_name(list)));
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto item = list.at(i);
        auto at = path + "[" + std::to_string(i) + "]";
        if (!item.is_object()) args.error(at, "expected an object, got " + std::string(berth::kind_name(item)));
        for (std::size_t k = 0; k < item.size(); ++k)
            if (item.key(k) != "name" && item.key(k) != "weight")
                args.error(at + "." + std::string(item.key(k)), "unknown field; the fields are name, weight");
        if (!item["weight"].is_null() && !item["weight"].integer())
            args.error(at + ".weight", "expected a whole number, got " + std::string(berth::kind_name(item["weight"])));
        if (!item["name"].is_null() && !item["name"].is_string())
            args.error(at + ".name", "expected a string, got " + std::string(berth::kind_name(item["name"])));
        auto weight = item["weight"].integer().value_or(1);
        if (weight == 0) weight = 1;
        check(at, item["name"].string(), weight);
        out += (i ? ",{\"name\":" : "{\"name\":") + berth::json_quote(item["name"].string()) +
               ",\"weight\":" + std::to_string(weight) + "}";
    }
    if (list.size() == 0) out += R"({"name":"cpu","weight":1},{"name":"memory","weight":1})";
    return out + "]";
}

}  // namespace kubernetes
