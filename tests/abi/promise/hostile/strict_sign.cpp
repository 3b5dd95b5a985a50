// SPDX-License-Identifier: Apache-2.0
// One library per case about signatures: case_name says what it does.
#include "case_name.h"

#include <berth/plugin.hpp>

namespace {

/// Looks at the pod's name.
bool odd(berth::Pod pod) { return pod.name().back() % 2 != 0; }

class Strict {
public:
    bool sign(berth::Pod pod, berth::Nodes, berth::Signature signature) const {
        if (is("sign_throws")) throw std::runtime_error("no");
        if (is("sign_sound")) signature.add(odd(pod));
        return true;
    }
    berth::Verdict filter(berth::Pod pod, berth::Node node) const {
        if (is("sign_forgets_in_score") || node.name() == "n2" || !odd(pod)) return berth::ok;
        return berth::unschedulable("no tea");
    }
    std::int64_t score(berth::Pod pod, berth::Node) const { return odd(pod) && !is("sign_forgets_in_filter") ? 7 : 5; }
};

}  // namespace

BERTH_PLUGIN(Strict, "Strict", "1.0.0")
