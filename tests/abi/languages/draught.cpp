// SPDX-License-Identifier: Apache-2.0
/// The rule that every language of tests/abi/languages has: a node is as deep as its label says, a pod needs so much,
/// and the shallowest that will do is best. What is no number is an exception.
#include <berth/plugin.hpp>

#include <algorithm>
#include <iostream>
#include <locale>
#include <sstream>

namespace {

std::int64_t number_of(std::string_view text) {
    // A stream, so that the C++ library's own locales and static initialization are part of the matter.
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    std::int64_t n = 0;
    if (!(in >> n) || !in.eof()) throw std::invalid_argument("draught: not a number: " + std::string(text));
    return n;
}

struct Need {
    std::int64_t draught;
};

class Draught {
    berth::StateKey<Need> need_;
    std::uint32_t depth_;
    std::int64_t spare_;

    std::int64_t depth(const berth::Column &depths, std::uint32_t slot) const {
        auto code = depths.code(slot);
        return code ? number_of(berth::view(depths.dict<berth_str>()[*code])) : 0;
    }

public:
    Draught(berth::Args args, const berth::Host &host)
        : need_(host.state_key<Need>("Draught/need")),
          depth_(host.column(BERTH_COLUMN_NODE_LABEL, "depth")),
          spare_(args.integer("spare", 0)) {
        host.info(4, "Keeps a spare", {{"depth", spare_}});
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        std::int64_t draught = 0;
        for (const auto &label : pod.labels())
            if (berth::view(label.key) == "draught") draught = number_of(berth::view(label.value));
        state.put(need_, Need{draught + spare_});
        return berth::ok;
    }
    void filter(berth::Call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto &need = *state.get(need_);
        auto depths = nodes.column(depth_);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (depth(depths, slots[i]) < need.draught) out.set(i, berth::unschedulable("node(s) were too shallow"));
            else out.accept(i);
        }
    }
    void score(berth::Call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto &need = *state.get(need_);
        auto depths = nodes.column(depth_);
        for (std::size_t i = 0; i < slots.size(); ++i)
            out[i] = std::clamp<std::int64_t>(100 - (depth(depths, slots[i]) - need.draught), 0, 100);
    }
};

}  // namespace

BERTH_PLUGIN(Draught, "Draught", "1.0.0")
