// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.hpp>

#include <algorithm>
#include <stdexcept>

namespace kubernetes {

/// Filter: the host ports that the pod asks for must be free on the node.
class NodePorts {
    struct Wanted {};  // that PreFilter ran: upstream's Filter fails without its state
    std::uint32_t ports_;
    berth::StateKey<Wanted> state_;

    /// 0.0.0.0 stands for every address.
    static bool conflict(const berth_host_port &a, const berth_host_port &b) {
        if (a.port != b.port || berth::view(a.protocol) != berth::view(b.protocol)) return false;
        auto a_ip = berth::view(a.ip), b_ip = berth::view(b.ip);
        return a_ip == b_ip || a_ip == "0.0.0.0" || b_ip == "0.0.0.0";
    }
    static bool conflicts(std::span<const berth_host_port> wanted, const berth_host_port &used) {
        return std::any_of(wanted.begin(), wanted.end(), [&](const auto &w) { return conflict(w, used); });
    }

public:
    static constexpr const char *description = "Requires that the pod's host ports are free on the node";

    explicit NodePorts(const berth::Host &host)
        : ports_(host.column(BERTH_NODE_PORTS)), state_(host.state_key<Wanted>("PreFilterNodePorts")) {}

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        if (pod.host_ports().empty()) return berth::skip();
        state.put(state_, Wanted{});
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        if (!state.get(state_)) throw std::runtime_error("reading \"PreFilterNodePorts\" from cycleState: not found");
        auto ports = nodes.column(ports_);
        auto dict = ports.dict<berth_host_port>();
        auto bad = call.scratch<std::uint8_t>(dict.size());
        for (std::size_t i = 0; i < dict.size(); ++i) bad[i] = conflicts(pod.host_ports(), dict[i]) ? 1 : 0;
        for (std::size_t i : call.each(slots)) {
            auto codes = ports.codes(slots[i]);
            if (std::none_of(codes.begin(), codes.end(), [&](std::uint32_t c) { return bad[c] != 0; })) out.accept(i);
            else
                out.reject(i, BERTH_UNSCHEDULABLE,
                           call.reason("node(s) didn't have free ports for the requested pod ports"));
        }
    }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        for (const auto &port : pod.host_ports()) signature.add(port);
        return true;
    }

    void events(berth::Events on) const {
        on.add_hinted("Pod", BERTH_DELETE);
        on.add("Node", BERTH_ADD);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto gone = event.old_pod();
        if (!gone || (gone->node_name().empty() && berth::view(gone->raw()->nominated_node).empty()))
            return berth::Hint::Skip;
        auto freed = gone->host_ports();
        bool helps = std::any_of(freed.begin(), freed.end(),
                                 [&](const auto &used) { return conflicts(pod.host_ports(), used); });
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes
