// SPDX-License-Identifier: Apache-2.0
// A plugin of later headers: what came with minor 7 is compiled only where it is called. Or one whose exception the
// wrapper makes an answer of.
#include <berth/plugin.hpp>

#include <stdexcept>

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
#ifdef HOSTILE_throws_wrapped
        throw std::runtime_error("no tea");
#endif
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Uses, "Uses", "1.0.0")
