// SPDX-License-Identifier: Apache-2.0
#include "api/added_nodes.h"

#include "decode/write.h"
#include "model/build.h"
#include "sim/patch.h"

#include <algorithm>
#include <array>
#include <map>

namespace berth::api {
namespace {

using model::ObjectBuilder;
using model::Value;

class Adder {
    const FindNode &find_;
    std::vector<kube::Cause> causes_;
    std::map<std::string, std::int64_t> next_;  ///< number to try, by what comes before it
    std::int64_t count_ = 0;
    std::string text_;

    void wrong(const std::string &field, const std::string &what) {
        causes_.push_back({"FieldValueInvalid", what, field});
    }

    /// "n17-new-1", or the next unused number.
    std::string name(const std::string &like) {
        const auto before = like.empty() ? "new-" : like + "-new-";
        for (auto &next = next_[before];;)
            if (auto out = before + std::to_string(++next); !find_(out)) return out;
    }

    /// Whether a node can be made of it and read; reports a missing resource and goes on with the others.
    bool has_shape(Value one, const std::string &field) {
        static constexpr std::array known{"like", "count", "allocatable", "labels", "taints"};
        const auto before = causes_.size();
        if (!one.is_object()) return wrong(field, "expected an object with like or allocatable, and count"), false;
        for (std::size_t i = 0; i < one.size(); ++i)
            if (std::ranges::find(known, one.key(i)) == known.end())
                wrong(field + "." + std::string(one.key(i)),
                      "expected one of like, count, allocatable, labels, taints");
        for (const char *map : {"allocatable", "labels"})
            if (one[map] && !one[map].is_object()) wrong(field + "." + map, "expected an object");
        if (one["taints"] && !one["taints"].is_array()) wrong(field + ".taints", "expected a list of taints");
        if (const auto like = one["like"]; like && (!like.is_string() || !find_(like.string())))
            wrong(field + ".like", "the cluster has no node \"" + std::string(like.string()) + "\"");
        const auto count = one["count"].integer();
        if (!count || *count < 1 || *count > most_added_nodes - count_)
            wrong(field + ".count",
                  "expected a whole number from 1, and " + std::to_string(most_added_nodes) + " nodes in all at most");
        else count_ += *count;
        const bool shaped = causes_.size() == before;
        if (!one["like"])
            for (const char *resource : {"cpu", "memory", "pods"})
                if (!one["allocatable"][resource])
                    wrong(field + ".allocatable." + resource,
                          "expected a quantity, as there is no node that it is like");
        return shaped;
    }

    model::TreePtr node(Value one, const std::string &name) {
        model::Arena arena;
        ObjectBuilder patch(arena), metadata(arena), labels(arena), spec(arena), status(arena);
        for (const char *field : {"uid", "annotations", "creationTimestamp", "resourceVersion", "managedFields",
                                  "ownerReferences", "finalizers", "deletionTimestamp", "generation"})
            metadata.add(field, model::make_null());
        labels.add("kubernetes.io/hostname", std::string_view{name});
        for (std::size_t i = 0; i < one["labels"].size(); ++i)
            labels.add(one["labels"].key(i), one["labels"].member(i));
        metadata.add("name", std::string_view{name}).add("labels", labels);
        for (const char *field : {"unschedulable", "providerID", "podCIDR", "podCIDRs"})
            spec.add(field, model::make_null());
        if (one["taints"]) spec.add("taints", one["taints"]);
        for (const char *field : {"conditions", "images", "addresses", "nodeInfo", "volumesInUse", "volumesAttached"})
            status.add(field, model::make_null());
        if (const auto has = one["allocatable"]) status.add("allocatable", has).add("capacity", has);
        patch.add("apiVersion", "v1").add("kind", "Node");
        patch.add("metadata", metadata).add("spec", spec).add("status", status);
        const auto changes = patch.value(), nothing = ObjectBuilder(arena).value();
        const auto like = find_(one["like"].string());
        return sim::merged(like ? like->tree->value() : Value{&nothing}, Value{&changes});
    }

    void add(Value one, const std::string &field) {
        const auto before = causes_.size();
        if (!has_shape(one, field)) return;
        const std::string like(one["like"].string());
        for (std::int64_t i = 0; i < *one["count"].integer(); ++i) {
            const auto tree = node(one, name(like));
            (void)model::read_node(tree, [&](Value, const std::string &path, const std::string &what) {
                const auto part = path.find('.');
                const auto of = path.starts_with("status.capacity") ? std::string() : path.substr(part + 1);
                if (!of.empty()) wrong(field + "." + of, what);
            });
            if (causes_.size() != before) return;
            text_ += "---\n" + decode::to_yaml(tree->value());
            if (text_.size() > most_added_text)
                return wrong(field, "the nodes to add take more than " + std::to_string(most_added_text >> 20) +
                                        " MiB of YAML; expected fewer of them, or shorter labels and taints");
        }
    }

public:
    explicit Adder(const FindNode &find) : find_(find) {}

    std::variant<std::string, std::vector<kube::Cause>> added(Value wanted, const std::string &field) {
        if (!wanted.is_array()) wrong(field, "expected a list of nodes to add");
        for (std::size_t i = 0; i < wanted.size(); ++i) add(wanted.at(i), field + "[" + std::to_string(i) + "]");
        if (!causes_.empty()) return std::move(causes_);
        return std::move(text_);
    }
};

}  // namespace

std::variant<std::string, std::vector<kube::Cause>> added_nodes(Value wanted, const FindNode &find,
                                                                const std::string &field) {
    return Adder(find).added(wanted, field);
}

}  // namespace berth::api
