// SPDX-License-Identifier: Apache-2.0
// A plugin of later headers: what came with minor 7 is compiled only where it is called.
#include <berth/plugin.hpp>

namespace {

template <std::uint32_t Minor = 7>
bool new_thing() {
    berth::detail::uses<Minor>();
    return true;
}

class Uses {
public:
    berth::Verdict filter(berth::Pod, berth::Node) const {
#ifdef HOSTILE_uses_minor_7
        if (!new_thing()) return berth::unschedulable("no new thing");
#endif
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Uses, "Uses", "1.0.0")
