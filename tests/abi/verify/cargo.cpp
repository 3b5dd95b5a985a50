// SPDX-License-Identifier: Apache-2.0
// A plugin that looks at labels, annotations, columns, resources and custom resources. Each -DBUG_… breaks it where
// such a thing is met, and nowhere else: a cluster that lacks them says nothing.
#include <berth/plugin.hpp>

#include <string>

namespace {

class Cargo {
    const berth::Host &host_;
    berth::Kind depots_;
    std::uint32_t row_;
    mutable int calls_ = 0;

    /// Sound, or an answer that differs from call to call.
    bool differs() const { return ++calls_ % 2 == 0; }

public:
    static constexpr const char *watches[] = {"example.com/v1/depots"};

    Cargo(berth::Args, const berth::Host &host)
        : host_(host),
          depots_(host.kind("example.com", "v1", "depots")),
          row_(host.column(BERTH_COLUMN_NODE_LABEL, "cargo.example.com/row")) {}

    void declare(berth::Declare to) const { to.watch("example.com", "v1", "depots"); }

    berth::Verdict filter(berth::Pod pod, berth::Node node) const {
        [[maybe_unused]] bool wrong = false;
#ifdef BUG_annotation
        wrong |= pod.annotation("cargo.example.com/load").has_value();
#endif
#ifdef BUG_label
        wrong |= pod.label("cargo.example.com/fragile-goods").has_value();
#endif
#ifdef BUG_depot
        const auto depot = host_.get(depots_, pod.name_space(), pod.name());
        wrong |= depot && !depot.at("/spec/yard").is_null();
#endif
#ifdef BUG_node_depot
        const auto depot = host_.get(depots_, "", node.name());
        wrong |= static_cast<bool>(depot);
#endif
#ifdef BUG_ledger
        const auto ledger = host_.get(depots_, "port", "ledger");
        wrong |= static_cast<bool>(ledger);
#endif
#ifdef BUG_row
        wrong |= !node.at("/metadata/labels/cargo.example.com~1row").is_null();
#endif
#ifdef BUG_team
        const auto team = pod.label("team");
        wrong |= team && *team == "red";
#endif
        (void)pod, (void)node;
        return wrong && differs() ? berth::unschedulable("the goods are elsewhere") : berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Cargo, "Cargo", "0.1.0")
