// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The comparison of the decisions of a shadow (another configuration for the same pods) with the real ones.

#include "model/decision.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::model {

/// What a shadow would do with a pod, beside what was done.
enum class Agreement : std::uint8_t {
    Same,          ///< the same node; or none, for the same reasons
    OtherNode,     ///< another node
    OnlyReal,      ///< no node, where there is one
    OnlyShadow,    ///< a node, where there is none
    OtherReasons,  ///< no node either, for other reasons
    Error,         ///< its attempt would fail: one of its plugins failed or misbehaved
    Skipped,       ///< it was not called: its budget was used up
};
constexpr std::size_t agreements = 7;
/// "same", "other_node", …
std::string_view agreement_name(Agreement agreement);

/// An attempt that a shadow would have ended otherwise. Of both sides it is what PreFilter to Score came to: what came
/// after that, as Reserve's word, is in neither.
struct Difference {
    struct Side {
        std::string node;  ///< empty: none, and then why
        std::string phase, message;
        std::vector<std::string> rejected_by;
    };
    PodRef pod;
    std::string profile;
    std::uint32_t attempt = 0;
    std::int64_t time_ns = 0;
    Agreement agreement = Agreement::OtherNode;
    Side real, shadow;
};

struct ShadowCounts {
    std::array<std::uint64_t, agreements> attempts{};  ///< by agreement
    std::int64_t real_ns = 0, shadow_ns = 0;           ///< on the scheduler's thread: real attempts, and the shadow's

    std::uint64_t of(Agreement agreement) const { return attempts[static_cast<std::size_t>(agreement)]; }
    std::uint64_t compared() const;
    std::uint64_t differing() const { return compared() - of(Agreement::Same); }
};

}  // namespace berth::model
