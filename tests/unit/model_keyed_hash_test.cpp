// SPDX-License-Identifier: Apache-2.0
#include "model/keyed_hash.h"

#include "catch.h"

#include <utility>

using namespace berth::model;

// The right answers come from Rust's std::hash::DefaultHasher, which is SipHash-1-3 with a key of zeros.
TEST_CASE("model: the keyed hash is SipHash-1-3", "[model]") {
    constexpr std::pair<std::string_view, std::uint64_t> known[] = {
        {"", 0xd1fba762150c532c},
        {"a", 0x407448d2b89b1813},
        {"pod-a01", 0xe085248ea7c1583b},
        {"pod-a012", 0x5cd685ccba4c9706},
        {"pod-a0123", 0xcfc3153b67332cae},
        {"topology.kubernetes.io/zone", 0x2b851d0216846d2a},
        {{"\xc3\xbf\0x", 4}, 0xf4d1940695c33867},
    };
    for (const auto &[text, hash] : known) {
        INFO("of '" << text << "'");
        CHECK(sip_hash({0, 0}, text) == hash);
    }
}

TEST_CASE("model: a hash depends on each half of its key", "[model]") {
    CHECK(sip_hash({1, 0}, "pod") != sip_hash({0, 0}, "pod"));
    CHECK(sip_hash({0, 1}, "pod") != sip_hash({0, 0}, "pod"));
    CHECK(keyed_hash("pod") == keyed_hash("pod"));
    CHECK(keyed_hash("pod") != sip_hash({0, 0}, "pod"));
}
