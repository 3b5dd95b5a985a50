// SPDX-License-Identifier: Apache-2.0
#include "model/quantity.h"
#include "model/value.h"

#include "catch.h"

#include <limits>
#include <string>

using namespace berth::model;

namespace {

Quantity quantity(std::string_view text) {
    INFO("quantity " << text);
    auto q = Quantity::parse(text);
    REQUIRE(q);
    return *q;
}

struct Example {
    std::string_view text;
    std::int64_t value, milli;
};

}  // namespace

TEST_CASE("quantity: every suffix and form has the value that upstream gives it", "[model]") {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const auto &[text, value, milli] : {
             Example{"0", 0, 0},
             {"1", 1, 1000},
             {"500m", 1, 500},
             {"2Gi", 2147483648, 2147483648000},
             {"1.", 1, 1000},
             {".5", 1, 500},
             {"+1", 1, 1000},
             {"007", 7, 7000},
             {"0.5m", 1, 1},
             {"1.0001", 2, 1001},
             {"1n", 1, 1},
             {"1500u", 1, 2},
             {"0.1Ki", 103, 102400},
             {"1.5Gi", 1610612736, 1610612736000},
             {"1e3", 1000, 1000000},
             {"1E3", 1000, 1000000},
             {"1k", 1000, 1000000},
             {"1e-1", 1, 100},
             {"1e+2", 100, 100000},
             {"3M", 3000000, 3000000000},
             {"3G", 3000000000, 3000000000000},
             {"3T", 3000000000000, 3000000000000000},
             {"3P", 3000000000000000, 3000000000000000000},
             {"1Mi", 1048576, 1048576000},
             {"1Ti", 1099511627776, 1099511627776000},
             {"1Pi", 1125899906842624, 1125899906842624000},
             {"1E", 1000000000000000000, 0},
             {"8Ei", most, -1000},
             {"9Ei", most, -1000},
             {"9223372036854775808", -most - 1, 0},
             {"1e30", 0, 0},
             {"1e2147483647", 0, 0},
             {"1e-2147483648", 1, 1},
             {"0e2147483647", 0, 0},
         }) {
        INFO("quantity " << text);
        CHECK(quantity(text).value() == value);
        CHECK(quantity(text).milli_value() == milli);
    }
}

TEST_CASE("quantity: a fraction of a negative number is rounded away from zero", "[model]") {
    CHECK(quantity("-1.5").value() == -2);
    CHECK(quantity("-0.5").value() == -1);
    CHECK(quantity("-1.5").milli_value() == -1500);
    CHECK(quantity("-2Ki").value() == -2048);
    CHECK(quantity("-1n").negative());
    CHECK_FALSE(quantity("-0").negative());
}

TEST_CASE("quantity: what is not a quantity is refused", "[model]") {
    for (std::string_view text : {"",
                                  "+",
                                  "-",
                                  ".",
                                  "m",
                                  "Ki",
                                  "1K",
                                  "5mi",
                                  "1Kim",
                                  "0x1",
                                  "5x",
                                  "1e",
                                  "1E+",
                                  "1e1.5",
                                  "1e3m",
                                  "1 ",
                                  " 1",
                                  "1 Gi",
                                  "1,5",
                                  "1.2.3",
                                  "--1",
                                  "+-1",
                                  "1e99999999999999999999",
                                  "nan",
                                  "inf",
                                  "1\n",
                                  "½"}) {
        INFO("quantity \"" << text << '"');
        CHECK_FALSE(Quantity::parse(text));
    }
    CHECK_FALSE(Quantity::parse(std::string_view{"1\0", 2}));
}

TEST_CASE("quantity: what is smaller than a nano counts as one", "[model]") {
    CHECK(quantity("0.0000000001") == quantity("1n"));
    CHECK(quantity("0.1n") == quantity("1n"));
    CHECK(quantity("-0.1n") == quantity("-1n"));
    CHECK(quantity("1.0000000001") == quantity("1000000001n"));
    CHECK(quantity("0.0000000000000000000000000000000000001Ki") == quantity("1n"));
    CHECK(quantity("0.0000000000") == Quantity{});
    CHECK(quantity("0.000000001Ki") == quantity("1024n"));
}

TEST_CASE("quantity: comparison is exact, not of the rounded values", "[model]") {
    CHECK(quantity("1.0001") < quantity("1.0002"));
    CHECK(quantity("1.0001").milli_value() == quantity("1.0002").milli_value());
    CHECK(quantity("1Gi") > quantity("1G"));
    CHECK(quantity("1024Mi") == quantity("1Gi"));
    CHECK(quantity("1000m") == quantity("1"));
    CHECK(quantity("-1") < quantity("0"));
    CHECK(quantity("1.5").whole() == false);
    CHECK(quantity("1500m").whole() == false);
    CHECK(quantity("2000m").whole());
}

TEST_CASE("quantity: sums are exact and rounded once", "[model]") {
    auto sum = quantity("0.5m");
    sum += quantity("0.5m");
    CHECK(sum.milli_value() == 1);
    sum = quantity("0.1Ki");
    for (int i = 0; i < 9; ++i) sum += quantity("0.1Ki");
    CHECK(sum.value() == 1024);
    sum = Quantity{};
    sum += quantity("250m");
    CHECK(sum == quantity("250m"));
}

TEST_CASE("quantity: a difference is exact, and may be negative", "[model]") {
    auto q = *Quantity::parse("1Gi");
    q -= *Quantity::parse("1500m");
    CHECK(q == *Quantity::parse("1073741822500m"));
    q -= *Quantity::parse("2Gi");
    CHECK(q.negative());
    CHECK(-q == *Quantity::parse("1073741825500m"));
}

TEST_CASE("quantity: sums beyond 64 bits overflow as upstream's do", "[model]") {
    auto sum = quantity("9Ei");
    sum += quantity("1");
    CHECK(sum.value() == std::numeric_limits<std::int64_t>::min());
    CHECK(sum > quantity("9Ei"));
    sum = quantity("9E");
    sum += quantity("9E");
    CHECK(sum.value() == 0);
    sum += quantity("1");
    CHECK(sum.value() == -446744073709551615);
}

// promise(tenant): A quantity of any size is clamped to a bound.
TEST_CASE("quantity: however large, a number is held at a bound", "[model]") {
    const std::string nines(100'000, '9');
    auto huge = quantity(nines);
    CHECK(huge > quantity("1e28"));
    huge += huge;
    CHECK(huge == quantity(nines + "e5"));
    CHECK(quantity("-" + nines) < quantity("-1e28"));
    CHECK(quantity(nines + "Gi").value() == std::numeric_limits<std::int64_t>::max());
    CHECK(quantity("0." + nines + "Ki").value() == 1024);
    CHECK(quantity("0." + nines).value() == 1);
}

TEST_CASE("quantity: in a document it is a string, blanks trimmed, or a number, or null", "[model]") {
    Arena arena;
    auto read = [](berth_value v) { return Quantity::read(Value{&v}); };
    CHECK(read(make_string(arena, " 2Gi\n")) == quantity("2Gi"));
    CHECK(read(make_int(2)) == quantity("2"));
    CHECK(read(make_int(std::numeric_limits<std::int64_t>::min()))->value() ==
          std::numeric_limits<std::int64_t>::min());
    CHECK(read(make_double(0.1)) == quantity("0.1"));
    CHECK(read(make_double(1e21)) == quantity("1e21"));
    CHECK(read(make_double(2.5e-7)) == quantity("250n"));
    CHECK(read(make_null()) == Quantity{});
    CHECK_FALSE(read(make_double(std::numeric_limits<double>::infinity())));
    CHECK_FALSE(read(make_double(std::numeric_limits<double>::quiet_NaN())));
    CHECK_FALSE(read(make_bool(true)));
    CHECK_FALSE(read(make_string(arena, "")));
    CHECK_FALSE(read(make_string(arena, "2 Gi")));
    CHECK_FALSE(read(make_array(arena, {})));
    CHECK_FALSE(read(make_object(arena, {})));
}

TEST_CASE("quantity: whole and thousandth units are made without text", "[model]") {
    CHECK(Quantity::of(3) == quantity("3"));
    CHECK(Quantity::of_milli(100) == quantity("100m"));
    CHECK(Quantity::of(std::numeric_limits<std::int64_t>::max()).value() == std::numeric_limits<std::int64_t>::max());
}
