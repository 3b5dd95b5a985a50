// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin/arguments.h"

TEST_CASE("arguments: a path of an error is a pointer into the arguments", "[plugin]") {
    using berth::plugin::pointer_of;
    CHECK(pointer_of("") == "");
    CHECK(pointer_of("weight") == "/weight");
    CHECK(pointer_of("scoringStrategy.resources[0].weight") == "/scoringStrategy/resources/0/weight");
    CHECK(pointer_of("matrix[1][2]") == "/matrix/1/2");
    CHECK(pointer_of("a/b.c~d") == "/a~1b/c~0d");
    CHECK(pointer_of(R"(limits["nvidia.com/gpu"])") == "/limits/nvidia.com~1gpu");
    CHECK(pointer_of(R"(limits["a.b"].max[0])") == "/limits/a.b/max/0");
    CHECK(pointer_of(R"(["a[0]"])") == "/a[0]");
    CHECK(pointer_of(R"(["say \"\\\""].x)") == "/say \"\\\"/x");
    CHECK(pointer_of(R"([""])") == "/");
    // No error of the plugin's makes this fail.
    CHECK(pointer_of(R"(limits["open)") == "/limits/open");
    CHECK(pointer_of(R"(limits["open\)") == "/limits/open\\");
    CHECK(pointer_of("]][") == "");
    CHECK(pointer_of(R"(a"b)") == "/a\"b");
}
