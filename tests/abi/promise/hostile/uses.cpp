// SPDX-License-Identifier: Apache-2.0
// A plugin of later headers: what came with minor 7 is compiled only where it is called. Or one that uses drafts, or
// whose exception the wrapper makes an answer of.
#include <berth/plugin.hpp>

#include <stdexcept>

namespace {

template <std::uint32_t Minor = 7>
bool new_thing() {
    berth::detail::uses<Minor>();
    return true;
}

class Uses {
#ifdef HOSTILE_uses_drafts
    const berth::Host &host_;
    berth::Counter counter_;

public:
    Uses(berth::Args, const berth::Host &host) : host_(host), counter_(host.counter("uses_nodes_total", "Nodes.")) {}
#endif

public:
    berth::Verdict filter(berth::Pod, berth::Node) const {
#ifdef HOSTILE_uses_minor_7
        if (!new_thing()) return berth::unschedulable("no new thing");
#endif
#ifdef HOSTILE_uses_draft_9
        BERTH_USES_DRAFT("berth.host.tea/draft9");
#endif
#ifdef HOSTILE_uses_drafts
        host_.warning("Counted a node", {{"n", 1}});
        counter_.add();
#endif
#ifdef HOSTILE_throws_wrapped
        throw std::runtime_error("no tea");
#endif
        return berth::ok;
    }
};

}  // namespace

BERTH_PLUGIN(Uses, "Uses", "1.0.0")
