// SPDX-License-Identifier: Apache-2.0

/// DiskType: pods that ask for a kind of disk go to the nodes that have it.

#include <berth/plugin.hpp>

#include <string>

namespace {

class DiskType {
    berth::StateKey<std::string> wanted_;
    std::uint32_t disks_;

public:
    explicit DiskType(const berth::Host &host)
        : wanted_(host.state_key<std::string>("DiskType")), disks_(host.column(BERTH_COLUMN_NODE_LABEL, "disktype")) {}

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        auto wanted = pod.at("/metadata/annotations")["example.com/disk"].string();
        if (wanted.empty()) return berth::skip();
        state.put(wanted_, std::string(wanted));
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        const auto &wanted = state.need(wanted_);
        auto disks = nodes.column(disks_);
        auto names = disks.dict<berth_str>();
        for (std::size_t i : call.each(slots)) {
            auto code = disks.code(slots[i]);
            if (code && berth::view(names[*code]) == wanted) out.accept(i);
            else out.set(i, berth::unresolvable("node(s) had another disk"));
        }
    }

    void events(berth::Events on) const { on.add("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_LABEL); }
};

}  // namespace

BERTH_PLUGIN(DiskType, "DiskType", "1.0.0")
