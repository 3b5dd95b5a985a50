// SPDX-License-Identifier: Apache-2.0

/// Mooring: a pod with the label mooring=NAME goes only to the nodes that the custom resource Mooring of that name
/// lists.

#include <berth/plugin.hpp>

#include <array>
#include <string>
#include <vector>

namespace {

class Mooring {
    static constexpr const char *group = "example.com", *version = "v1", *resource = "moorings";

    const berth::Host &host_;
    berth::Kind moorings_;

    static std::string_view mooring(berth::Pod pod) {
        for (const auto &l : pod.labels())
            if (berth::view(l.key) == "mooring") return berth::view(l.value);
        return {};
    }

public:
    static constexpr const char *description = "Places pods on the nodes that their Mooring lists";
    static constexpr std::array watches{"example.com/v1/moorings"};

    explicit Mooring(const berth::Host &host) : host_(host), moorings_(host.kind(group, version, resource)) {}

    void declare(berth::Declare d) const { d.watch(group, version, resource); }

    berth::Verdict pre_filter(berth::Call, berth::State, berth::Pod pod, berth::Nodes, berth::Restrict only) const {
        auto name = mooring(pod);
        if (name.empty()) return berth::skip();
        auto object = host_.get(moorings_, pod.name_space(), name);
        if (!object) return berth::unresolvable("mooring \"" + std::string(name) + "\" not found");
        auto nodes = object.at("/spec/nodes");
        std::vector<berth_str> names;
        for (std::size_t i = 0; i < nodes.size(); ++i) names.push_back(berth::to_str(nodes.at(i).string()));
        only.names(names);
        return berth::ok;
    }

    // A node that is listed may come later, too.
    void events(berth::Events on) const {
        on.add_hinted("moorings.v1.example.com", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        on.add("Node", BERTH_EVENT_ADD);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        auto object = event.new_object();
        return object && object.name_space() == pod.name_space() && object.name() == mooring(pod) ? berth::Hint::Queue
                                                                                                  : berth::Hint::Skip;
    }
};

}  // namespace

BERTH_PLUGIN(Mooring, "Mooring", "1.0.0")
