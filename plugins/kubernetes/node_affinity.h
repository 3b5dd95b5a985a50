// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin NodeAffinity: spec.nodeSelector, required and preferred node affinity.

#include "label_remedy.h"
#include "required_node_affinity.h"

#include <set>
#include <stdexcept>

namespace kubernetes {

/// PreFilter, Filter: spec.nodeSelector and the required node affinity, and the one that the arguments add. PreScore,
/// Score: the weights of the preferred terms that match.
class NodeAffinity {
    static constexpr std::string_view preferred_pointer =
        "/spec/affinity/nodeAffinity/preferredDuringSchedulingIgnoredDuringExecution";

    using Required = RequiredNodeAffinity;
    struct Preferred {
        std::vector<PlacedTerm> terms;
        LabelColumns columns;
    };
    /// What hints ask again for every event. A pod that demands very much is read each time instead.
    struct Prepared {
        static constexpr std::size_t most = 256;
        std::optional<Required> need;
    };

    const berth::Host &host_;
    berth::StateKey<RequiredOfNodes> required_;
    berth::StateKey<Preferred> preferred_;
    std::optional<std::vector<NodeTerm>> added_;
    std::vector<PlacedTerm> added_terms_, added_preferred_;  ///< the former: of added_
    LabelColumns added_columns_;
    bool added_prefers_;  ///< the arguments list preferred terms, be they empty ones that are not in added_preferred_

    static std::vector<NodeTerm> read_preferred(berth::Pod pod) {
        auto terms = berth::parse_preferred_terms(pod.at(preferred_pointer), "");
        if (auto faults = berth::faults_of(terms); !faults.empty()) throw std::runtime_error(faults);
        return terms;
    }

    /// The node names that the terms allow, or nullopt if a term allows any.
    static std::optional<std::set<std::string_view>> names_allowed(berth::Value terms) {
        std::set<std::string_view> all;
        for (std::size_t i = 0; i < terms.size(); ++i) {
            std::optional<std::set<std::string_view>> of_term;
            auto fields = terms.at(i)["matchFields"];
            for (std::size_t k = 0; k < fields.size(); ++k) {
                auto f = fields.at(k);
                if (f["key"].string() != "metadata.name" || f["operator"].string() != "In") continue;
                std::set<std::string_view> names;
                for (std::size_t v = 0; v < f["values"].size(); ++v) names.insert(f["values"].at(v).string());
                if (of_term) std::erase_if(names, [&](auto n) { return !of_term->contains(n); });
                of_term = std::move(names);
            }
            if (!of_term) return std::nullopt;
            all.insert(of_term->begin(), of_term->end());
        }
        return all;
    }

public:
    static constexpr const char *description = "Honours node selectors and node affinity";
    static constexpr berth::Normalize normalize = berth::Normalize::Default;

    static void default_args(berth::ArgsReader &args) {
        auto added = args.field("addedAffinity");
        if (added.is_null()) return;
        if (!added.is_object())
            return args.error("addedAffinity", "expected an object, got " + std::string(berth::kind_name(added)));
        for (std::size_t i = 0; i < added.size(); ++i)
            if (!added.key(i).ends_with("DuringSchedulingIgnoredDuringExecution") ||
                (!added.key(i).starts_with("required") && !added.key(i).starts_with("preferred")))
                args.error("addedAffinity." + std::string(added.key(i)), "unknown field");
        auto report = [&](const std::vector<NodeTerm> &terms) {
            for (const auto &t : terms)
                for (const auto &f : t.faults) {
                    auto colon = f.find(": ");
                    args.error(f.substr(0, colon), f.substr(colon + 2));
                }
        };
        auto required = added["requiredDuringSchedulingIgnoredDuringExecution"];
        const std::string path = "addedAffinity.requiredDuringSchedulingIgnoredDuringExecution";
        if (!required.is_null() && required["nodeSelectorTerms"].size() == 0)
            args.error(path + ".nodeSelectorTerms", "Required value: must have at least one node selector term");
        report(berth::parse_node_selector(required, path));
        report(berth::parse_preferred_terms(added["preferredDuringSchedulingIgnoredDuringExecution"],
                                            "addedAffinity.preferredDuringSchedulingIgnoredDuringExecution"));
        args.set("addedAffinity", berth::json(added));
    }

    NodeAffinity(berth::Args args, const berth::Host &host)
        : host_(host),
          required_(host.state_key<RequiredOfNodes>("PreFilterNodeAffinity")),
          preferred_(host.state_key<Preferred>("PreScoreNodeAffinity")),
          added_prefers_(args["addedAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"].size() != 0) {
        auto added = args["addedAffinity"];
        if (auto r = added["requiredDuringSchedulingIgnoredDuringExecution"]; !r.is_null()) {
            added_ = berth::parse_node_selector(r, "addedAffinity");
            added_terms_ = added_columns_.declare(*added_, host);
        }
        added_preferred_ = added_columns_.declare(
            berth::parse_preferred_terms(added["preferredDuringSchedulingIgnoredDuringExecution"], "addedAffinity"),
            host);
    }

    Prepared prepare(berth::Object pod) const {
        if (Required::size_of(pod) > Prepared::most) return {};
        return {Required::read(pod)};
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes,
                              berth::Restrict restrict) const {
        auto required = pod.at(Required::pointer);
        if (required.is_null() && !added_ && pod.at("/spec/nodeSelector").is_null()) return berth::skip();
        const auto &known = host_.prepared<Prepared>(pod.raw()->obj);
        state.put(required_, RequiredOfNodes(known.need ? *known.need : Required::read(pod), host_, nodes));

        auto terms = required["nodeSelectorTerms"];
        if (terms.size() == 0) return berth::ok;
        auto names = names_allowed(terms);
        if (!names) return berth::ok;
        if (names->empty()) return berth::unresolvable("pod affinity terms conflict");
        std::vector<std::uint32_t> slots;
        std::vector<berth_str> absent;
        for (auto name : *names) {
            if (auto slot = nodes.find(name)) slots.push_back(*slot);
            else absent.push_back(berth::to_str(name));
        }
        restrict.slots(slots);
        restrict.names(absent);
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        std::optional<Required> own;  // where PreFilter is disabled, upstream reads the pod here
        const RequiredOfNodes *need = state.get(required_);
        if (!need) own = Required::read(pod);
        LabelReader added{nodes, added_columns_}, labels{nodes, need ? need->columns : LabelColumns{}};
        for (std::size_t i : call.each(slots)) {
            if (added_ && !added.matches_any(added_terms_, slots[i]))
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE,
                           call.reason("node(s) didn't match scheduler-enforced node affinity"));
            else if (need ? !need->matches(labels, slots[i]) : !own->matches(labels, slots[i]))
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE,
                           call.reason("node(s) didn't match Pod's node affinity/selector"));
            else out.accept(i);
        }
    }

    void remedy(berth::Call, berth::State, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Remedies out) const {
        if (!LabelRemedy::is_small(pod)) return;
        const auto need = Required::read(pod);
        const LabelRemedy remedy(need, added_ ? &*added_ : nullptr);
        for (std::size_t i = 0; i < slots.size(); ++i) out.add(i, remedy.of(nodes[slots[i]]));
    }

    berth::Verdict pre_score(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots) const {
        // A list that is there but empty does not skip; upstream looks at nil alone.
        if (pod.at(preferred_pointer).is_null() && !added_prefers_) return berth::skip();
        Preferred likes;
        likes.terms = PresentLabels(host_, nodes, likes.columns).keep(read_preferred(pod));
        state.put(preferred_, std::move(likes));
        return berth::ok;
    }

    void score(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        std::optional<Preferred> own;
        const Preferred *likes = state.get(preferred_);
        if (!likes) likes = &own.emplace(Preferred{placed(read_preferred(pod), [](const auto &) { return 0U; }), {}});
        LabelReader added{nodes, added_columns_}, labels{nodes, likes->columns};
        for (std::size_t i : call.each(slots)) {
            std::int64_t sum = 0;
            for (const auto &t : added_preferred_)
                if (added.matches(t, slots[i])) sum += t.weight;
            for (const auto &t : likes->terms)
                if (labels.matches(t, slots[i])) sum += t.weight;
            out[i] = sum;
        }
    }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        for (auto pointer : {"/spec/nodeSelector", "/spec/affinity/nodeAffinity"}) {
            auto rule = pod.at(pointer);
            signature.add(rule.is_null() ? std::string() : berth::json(rule));
        }
        return true;
    }

    void events(berth::Events on) const { on.add_hinted("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_LABEL); }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto after = event.new_nodes();
        if (!after) return berth::Hint::Skip;
        LabelReader added{*after, added_columns_}, now{*after};
        const auto &need = host_.prepared<Prepared>(pod.raw()->obj).need;
        auto matches = [&](LabelReader &labels) {
            return need ? need->matches(labels, 0) : Required::holds(pod, labels, 0);
        };
        auto fails = [&](LabelReader &labels) {
            return need ? need->fails(labels, 0) : Required::fails(pod, labels, 0);
        };
        if (added_ && !added.matches_any(added_terms_, 0)) return berth::Hint::Skip;
        if (fails(now)) return berth::Hint::Error;
        if (!matches(now)) return berth::Hint::Skip;
        if (auto before = event.old_nodes()) {
            LabelReader then{*before};
            if (fails(then)) return berth::Hint::Error;
            if (matches(then)) return berth::Hint::Skip;
        }
        return berth::Hint::Queue;
    }
};

}  // namespace kubernetes
