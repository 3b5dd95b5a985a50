// SPDX-License-Identifier: Apache-2.0

/// RandomScore: a uniform score. See README.md.

#include <berth/plugin.hpp>

#include <limits>

namespace {

class RandomScore {
    const berth::Host &host_;
    std::uint64_t seed_;
    std::uint64_t choices_;  ///< how many different scores there are

public:
    static constexpr const char *description = "Gives each node a uniformly random score";

    static void default_args(berth::ArgsReader &args) {
        args.integer("max", 100, 0, 100);
        args.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max());
    }

    RandomScore(berth::Args args, const berth::Host &host)
        : host_(host),
          seed_(static_cast<std::uint64_t>(args.integer<std::int64_t>("seed", 0))),
          choices_(static_cast<std::uint64_t>(args.integer<std::int64_t>("max", 100)) + 1) {}

    void score(berth::Call call, berth::State, berth::Pod, berth::Nodes, berth::Slots slots, berth::Scores out) const {
        // The upper half of the bits, scaled: 0 to max come out equally often (the bias is below 2^-25).
        for (std::size_t i : call.each(slots)) {
            out[i] = static_cast<std::int64_t>(((host_.random(call.raw(), slots[i], seed_) >> 32) * choices_) >> 32);
        }
    }
};

}  // namespace

BERTH_PLUGIN(RandomScore, "RandomScore", "0.1.0")
