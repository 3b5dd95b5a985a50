// SPDX-License-Identifier: Apache-2.0
#include "catch.h"

#include "../../../plugins/kubernetes/natural_log.h"

#include <bit>
#include <cmath>
#include <cstdint>

TEST_CASE("natural_log: the number is the C library's to the last bit or the one before", "[sim]") {
    for (double x = 1; x <= 20000; ++x) {
        const double exact = std::log(x);
        CHECK(kubernetes::natural_log(x) >= std::nextafter(exact, 0));
        CHECK(kubernetes::natural_log(x) <= std::nextafter(exact, 100));
    }
}

TEST_CASE("natural_log: rounded as Go rounds it", "[sim]") {
    // Of these, the C library rounds the first and the second in another way.
    for (auto [n, bits] : {std::pair(3, 0x3ff193ea7aad030a), {14, 0x40051cca16d7bba8}, {4, 0x3ff62e42fefa39ef}})
        CHECK(std::bit_cast<std::int64_t>(kubernetes::natural_log(n)) == bits);
}
