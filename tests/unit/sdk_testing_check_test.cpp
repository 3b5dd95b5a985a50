// SPDX-License-Identifier: Apache-2.0
// The test framework of the testing kit: what it prints, and when.
#include <berth/testing/check.hpp>

#include "catch.h"

namespace {

/// As a file that shows a text only once it is flushed.
class Flushed : public std::stringbuf {
    int sync() override {
        text = str();
        return 0;
    }

public:
    std::string text{};
};

Flushed *out = nullptr;
std::string before_check, after_check;

}  // namespace

TEST_CASE("sdk: what a test prints is written before it can crash, and its name first", "[sdk]") {
    Flushed buffer;
    out = &buffer;
    auto *const before = std::cout.rdbuf(&buffer);
    const auto flags = std::cout.flags();
    berth::testing::tests() = {{"a crane falls", [] {
                                    before_check = out->text;
                                    berth::testing::check_equal(1, 2, "cranes", "quay.cpp", 7);
                                    after_check = out->text;
                                }}};
    const int code = berth::testing::run_tests(0, nullptr);
    std::cout.rdbuf(before);
    std::cout.flags(flags);
    berth::testing::tests().clear();
    CHECK(code == 1);
    CHECK(before_check == "test  a crane falls\n");
    CHECK(after_check == "test  a crane falls\nquay.cpp:7: cranes: expected 2, found 1\n");
    CHECK(buffer.text == after_check + "FAIL  a crane falls\n0 passed, 1 failed\n");
}
