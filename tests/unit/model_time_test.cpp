// SPDX-License-Identifier: Apache-2.0
#include "model/time.h"

#include "catch.h"

using namespace berth::model;

TEST_CASE("time: RFC 3339 is counted in nanoseconds since the epoch", "[model]") {
    CHECK(parse_time("1970-01-01T00:00:00Z") == 0);
    CHECK(parse_time("2026-01-01T00:00:00Z") == 1767225600'000000000);
    CHECK(parse_time("2024-02-29T12:34:56Z") == 1709210096'000000000);
    CHECK(parse_time("1969-12-31T23:59:59Z") == -1'000000000);
    CHECK(parse_time("2026-01-01T01:00:00+01:00") == 1767225600'000000000);
    CHECK(parse_time("2025-12-31T18:30:00-05:30") == 1767225600'000000000);
    CHECK(parse_time("2026-01-01T00:00:00.25Z") == 1767225600'250000000);
    CHECK(parse_time("2026-01-01T00:00:00.1234567899Z") == 1767225600'123456789);
}

TEST_CASE("time: what is no time is refused", "[model]") {
    for (std::string_view text :
         {"", "2026", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-13-01T00:00:00Z",
          "2025-02-29T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z",
          "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+1:00", "9999-01-01T00:00:00Z",
          "1600-01-01T00:00:00Z", "-026-01-01T00:00:00Z"}) {
        INFO("time \"" << text << '"');
        CHECK_FALSE(parse_time(text));
    }
}

TEST_CASE("time: is written with microseconds", "[model]") {
    CHECK(format_time(0) == "1970-01-01T00:00:00.000000Z");
    CHECK(format_time(1767225600'000000000) == "2026-01-01T00:00:00.000000Z");
    CHECK(format_time(1709210096'123456789) == "2024-02-29T12:34:56.123456Z");
    CHECK(format_time(-1) == "1969-12-31T23:59:59.999999Z");
}
