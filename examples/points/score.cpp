// SPDX-License-Identifier: Apache-2.0

/// ShortWay: pods with the label from=east like nodes whose label east (a distance in miles) is small.

#include <berth/plugin.hpp>

#include <algorithm>
#include <charconv>
#include <string>

namespace {

class ShortWay {
    berth::StateKey<std::string> from_;

public:
    explicit ShortWay(const berth::Host &host) : from_(host.state_key<std::string>("ShortWay")) {}

    // Once for the pod, with the nodes that may be scored: works out what score needs.
    berth::Verdict pre_score(berth::Call, berth::State state, berth::Pod pod, berth::Nodes, berth::Slots) const {
        auto from = pod.at("/metadata/labels/from").string();
        if (from.empty()) return berth::skip();  // then score is not called for this pod
        state.put(from_, std::string(from));
        return berth::ok;
    }

    // Any number, because normalize comes after it. Without normalize 0 to 100.
    std::int64_t score(berth::Call, berth::State state, berth::Pod, berth::Node node) const {
        auto text = node.label(state.need(from_));
        std::int64_t miles = 1000;
        std::from_chars(text.data(), text.data() + text.size(), miles);
        return miles;
    }

    // Changes all scores of this plugin for the pod in place: the longest distance gets 0, a distance of 0 gets 100.
    void normalize(berth::Scores scores) const {
        const auto longest = *std::max_element(scores.begin(), scores.end());
        for (auto &score : scores) score = longest == 0 ? 100 : 100 - 100 * score / longest;
    }
};

}  // namespace

BERTH_PLUGIN(ShortWay, "ShortWay", "1.0.0")
