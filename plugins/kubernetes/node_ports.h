// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin NodePorts: free host ports on the node.

#include <berth/plugin.hpp>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <vector>

namespace kubernetes {

/// Filter: the host ports that the pod asks for must be free on the node.
class NodePorts {
    struct Preceded {};  // that PreFilter ran: upstream's Filter fails without its state
    std::uint32_t ports_;
    berth::StateKey<Preceded> state_;

    /// A pod's ports in order, so that each of the cluster's is looked up among them.
    class Wanted {
        using Port = std::tuple<std::int32_t, std::string_view, std::string_view>;  // number, protocol, address
        static constexpr std::string_view every = "0.0.0.0";                        // stands for every address
        std::vector<Port> ports_;

        bool has(const Port &port) const { return std::binary_search(ports_.begin(), ports_.end(), port); }

    public:
        explicit Wanted(std::span<const berth_port> ports) {
            for (const auto &p : ports) ports_.emplace_back(p.port, berth::view(p.protocol), berth::view(p.ip));
            std::sort(ports_.begin(), ports_.end());
        }
        bool conflicts(const berth_port &used) const {
            const auto protocol = berth::view(used.protocol), ip = berth::view(used.ip);
            if (ip != every) return has({used.port, protocol, ip}) || has({used.port, protocol, every});
            auto at = std::lower_bound(ports_.begin(), ports_.end(), Port{used.port, protocol, {}});
            return at != ports_.end() && std::get<0>(*at) == used.port && std::get<1>(*at) == protocol;
        }
    };

public:
    static constexpr const char *description = "Requires that the pod's host ports are free on the node";

    explicit NodePorts(const berth::Host &host)
        : ports_(host.column(BERTH_COLUMN_NODE_PORTS)), state_(host.state_key<Preceded>("PreFilterNodePorts")) {}

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes) const {
        if (pod.host_ports().empty()) return berth::skip();
        state.put(state_, Preceded{});
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        if (!state.get(state_)) throw std::runtime_error("reading \"PreFilterNodePorts\" from cycleState: not found");
        auto ports = nodes.column(ports_);
        auto dict = ports.dict<berth_port>();
        auto bad = call.scratch<std::uint8_t>(dict.size());
        const Wanted wanted(pod.host_ports());
        for (std::size_t i = 0; i < dict.size(); ++i) bad[i] = wanted.conflicts(dict[i]) ? 1 : 0;
        for (std::size_t i : call.each(slots)) {
            auto codes = ports.codes(slots[i]);
            if (std::none_of(codes.begin(), codes.end(), [&](std::uint32_t c) { return bad[c] != 0; })) out.accept(i);
            else
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE,
                           call.reason("node(s) didn't have free ports for the requested pod ports"));
        }
    }

    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        for (const auto &port : pod.host_ports()) signature.add(port);
        return true;
    }

    void events(berth::Events on) const {
        on.add_hinted("Pod", BERTH_EVENT_DELETE);
        on.add("Node", BERTH_EVENT_ADD);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto gone = event.old_pod();
        if (!gone || (gone->node_name().empty() && berth::view(gone->raw()->nominated_node).empty()))
            return berth::Hint::Skip;
        auto freed = gone->host_ports();
        if (freed.empty()) return berth::Hint::Skip;
        const Wanted wanted(pod.host_ports());
        bool helps = std::any_of(freed.begin(), freed.end(), [&](const auto &used) { return wanted.conflicts(used); });
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes
