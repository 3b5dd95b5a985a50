// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A minimal test framework: BERTH_TEST and BERTH_CHECK. Any other test library does as well.
///
///     BERTH_TEST("a full node is rejected") {
///         BERTH_CHECK_EQUAL(plugin.filter("web", "quay").code(), BERTH_STATUS_UNSCHEDULABLE);
///     }
///     BERTH_TEST_MAIN()

#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace berth::testing {

struct Test {
    const char *name;
    void (*run)();
};
inline std::vector<Test> &tests() {
    static std::vector<Test> all;
    return all;
}
struct Registered {
    Registered(const char *name, void (*run)()) { tests().push_back({name, run}); }
};
/// How many checks of the test at hand failed.
inline int &failures() {
    static int n = 0;
    return n;
}

template <class A, class B>
void check_equal(const A &found, const B &expected, const char *what, const char *file, int line) {
    if (found == expected) return;
    std::cout << file << ":" << line << ": " << what << ": expected " << expected << ", found " << found << '\n';
    ++failures();
}
inline void check(bool holds, const char *what, const char *file, int line) {
    if (holds) return;
    std::cout << file << ":" << line << ": this does not hold: " << what << '\n';
    ++failures();
}

/// Runs those whose name contains the first argument, or all. Prints a line before each and one after it, and
/// `N passed, N failed`; all is written at once, so that the last line before a crash names the test.
inline int run_tests(int argc, char **argv) {
    int passed = 0, failed = 0;
    std::cout << std::unitbuf;
    for (const auto &test : tests()) {
        if (argc > 1 && std::string(test.name).find(argv[1]) == std::string::npos) continue;
        failures() = 0;
        std::cout << "test  " << test.name << '\n';
        try {
            test.run();
        } catch (const std::exception &e) {
            std::cout << "an exception: " << e.what() << '\n';
            ++failures();
        }
        std::cout << (failures() ? "FAIL  " : "ok    ") << test.name << '\n';
        ++(failures() ? failed : passed);
    }
    std::cout << passed << " passed, " << failed << " failed\n";
    return failed || passed == 0 ? 1 : 0;
}

}  // namespace berth::testing

#define BERTH_DETAIL_JOIN2(a, b) a##b
#define BERTH_DETAIL_JOIN(a, b) BERTH_DETAIL_JOIN2(a, b)
#define BERTH_DETAIL_TEST(name, function)                                                               \
    static void function();                                                                             \
    static const ::berth::testing::Registered BERTH_DETAIL_JOIN(function, _registered)(name, function); \
    static void function()

/// A test: a sentence, and what shows it.
#define BERTH_TEST(name) BERTH_DETAIL_TEST(name, BERTH_DETAIL_JOIN(berth_test_, __LINE__))
#define BERTH_CHECK(condition) ::berth::testing::check(condition, #condition, __FILE__, __LINE__)
#define BERTH_CHECK_EQUAL(found, expected) ::berth::testing::check_equal(found, expected, #found, __FILE__, __LINE__)
#define BERTH_TEST_MAIN() \
    int main(int argc, char **argv) { return ::berth::testing::run_tests(argc, argv); }
