// SPDX-License-Identifier: Apache-2.0
// One library per case about remedies: case_name says what it does.
#include "case_name.h"

#include <berth/plugin.hpp>

namespace {

class Strict {
public:
    berth::Verdict filter(berth::Pod, berth::Node) const { return berth::unschedulable("no tea"); }
    void remedy(berth::Call, berth::State, berth::Pod, berth::Nodes, berth::Slots slots, berth::Remedies out) const {
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (is("remedy_throws") && i > 0) throw std::runtime_error("no");
            if (is("remedy_place")) out.add(i + slots.size(), {berth::Change::uncordon()});
            if (is("remedy_long")) out.add(i, berth::Remedy(65, berth::Change::uncordon()));
            if (is("remedy_kind")) out.add(i, {berth::Change(berth_change{99, 0, BERTH_STR("tea"), {}, {}, 1})});
            if (is("remedy_amount")) out.add(i, {berth::Change::resource("tea", 0)});
            if (is("remedy_name")) out.add(i, {berth::Change::label("", "hot")});
            if (is("remedy_throws") || is("remedy_sound")) out.add(i, {berth::Change::label("tea", "hot")});
        }
    }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
