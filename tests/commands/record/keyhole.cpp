// SPDX-License-Identifier: Apache-2.0

/// Keyhole: a plugin that looks at Secrets, and decides by their labels.

#include <berth/plugin.hpp>

#include <array>

namespace {

class Keyhole {
    const berth::Host &host_;
    berth::Kind secrets_;

public:
    static constexpr std::array watches{"v1/secrets"};

    explicit Keyhole(const berth::Host &host) : host_(host), secrets_(host.kind("", "v1", "secrets")) {}
    void declare(berth::Declare d) const { d.watch("", "v1", "secrets"); }

    berth::Verdict pre_filter(berth::Call, berth::State, berth::Pod pod, berth::Nodes, berth::Restrict) const {
        auto key = host_.get(secrets_, pod.name_space(), "key");
        if (!key || key.at("/metadata/labels/opens").string() != "all") return berth::unresolvable("no key opens");
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Keyhole, "Keyhole", "1.0.0")
