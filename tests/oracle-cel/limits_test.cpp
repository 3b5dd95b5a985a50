// SPDX-License-Identifier: Apache-2.0
#include "catch.h"

#include <cel/selector.h>

#include <string>

using namespace kubernetes::cel;

namespace {

Result run(const std::string &text) {
    const auto compiled = compile(text);
    INFO(text.substr(0, 200));
    INFO(compiled.error.substr(0, 500));
    REQUIRE(compiled.program);
    return evaluate(*compiled.program, Input{Device{}});
}

std::string compile_error(const std::string &text) { return compile(text).error.substr(0, 500); }

std::string repeated(const std::string &text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
}

/// Each of `levels` names holds the one before twice; `last` is evaluated with the last name, v<levels>.
std::string doubled(int levels, const std::string &last) {
    std::string text = "cel.bind(v0, [1, 1], ";
    for (int i = 1; i <= levels; ++i) {
        const auto before = "v" + std::to_string(i - 1);
        text += "cel.bind(v" + std::to_string(i) + ", [dyn(" + before + "), dyn(" + before + ")], ";
    }
    return text + last + repeated(")", levels + 1);
}

constexpr const char *exceeded = "operation cancelled: actual cost limit exceeded";

}  // namespace

TEST_CASE("cel: a list does not contain itself", "[cel]") {
    CHECK_FALSE(run("cel.bind(x, [], x + [dyn(x)] == x)").matches);
    CHECK(run("cel.bind(x, [], (x + [1]).size() == 1 && x.size() == 0)").matches);
    CHECK(run("cel.bind(x, [1], [x + [2], x + [3]] == [[1, 2], [1, 3]])").matches);
    CHECK(run("[1, 2].map(x, [x]).map(y, y + [0]) == [[1, 0], [2, 0]]").matches);
}

TEST_CASE("cel: lists that hold one another twice do not take 2^n steps", "[cel]") {
    CHECK(run(doubled(60, "v60 == v60")).error == exceeded);
    CHECK(run(doubled(60, "v60.indexOf(1) == 0")).error == exceeded);
    CHECK(run(doubled(60, "v60.flatten(60).size() == 0")).error == exceeded);
    CHECK(run(doubled(60, "(['a'] + [dyn(v60)]).join() == ''")).error == exceeded);
    CHECK(run(doubled(5, "v5 == v5")).matches);
    // A map of maps whose type doubles with each level.
    std::string text = "cel.bind(v0, {'a': 1}, ";
    for (int i = 1; i <= 60; ++i) {
        const auto before = "v" + std::to_string(i - 1);
        text += "cel.bind(v" + std::to_string(i) + ", {" + before + ": " + before + "}, ";
    }
    CHECK(compile_error(text + "true" + repeated(")", 61)).find("not supported: ") != std::string::npos);
}

TEST_CASE("cel: macros that copy do not double an expression with each", "[cel]") {
    const std::string each = ".optMap(x, x + 1)";
    CHECK(run("optional.of(1)" + repeated(each, 5) + " == optional.of(6)").matches);
    CHECK(compile_error("optional.of(1)" + repeated(each, 60) + ".hasValue()").find("not supported: ") !=
          std::string::npos);
}

TEST_CASE("cel: what is nested too deeply is an error", "[cel]") {
    CHECK(compile_error(repeated("(", 300) + "1" + repeated(")", 300)).find("recursion limit exceeded: 250") !=
          std::string::npos);
    CHECK(compile_error(repeated("[", 300) + repeated("]", 300)).find("recursion limit exceeded") != std::string::npos);
    CHECK(compile_error("1" + repeated(" + 1", 300) + " == 1").find("recursion limit exceeded") != std::string::npos);
    CHECK(compile_error("a" + repeated(".a", 300)).find("recursion limit exceeded") != std::string::npos);
    CHECK(compile_error("true ? true" + repeated(" : true ? true", 300) + " : true").find("recursion") !=
          std::string::npos);
    CHECK(run("true" + repeated(" && true", 5000)).matches);
    // Each name nests the one before in 100 lists.
    std::string text = "cel.bind(v0, [1], ";
    for (int i = 1; i <= 20; ++i)
        text += "cel.bind(v" + std::to_string(i) + ", dyn(" + repeated("[", 100) + "v" + std::to_string(i - 1) +
                repeated("]", 100) + "), ";
    CHECK(run(text + "v20 == v20" + repeated(")", 21)).error.find("nested more than 500 deep") != std::string::npos);
}

TEST_CASE("cel: an expression is at most 100,000 characters long", "[cel]") {
    CHECK(compile_error("'" + repeated("a", 100'000) + "' == ''") ==
          "compilation failed: ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100008, limit "
          "100000");
    CHECK(compile_error(repeated("x + ", 24'000) + "1").size() > 10);
    CHECK(compile_error(repeated("[1, ", 20'000)).size() > 10);
}

TEST_CASE("cel: what is copied counts, and memory is bounded", "[cel]") {
    // Each level joins the text before with itself.
    std::string text = "cel.bind(v0, 'aaaaaaaaaaaaaaaa', ";
    std::string list = "cel.bind(v0, [1, 2, 3, 4], ";
    for (int i = 1; i <= 60; ++i) {
        const auto before = "v" + std::to_string(i - 1);
        text += "cel.bind(v" + std::to_string(i) + ", " + before + " + " + before + ", ";
        list += "cel.bind(v" + std::to_string(i) + ", " + before + " + " + before + ", ";
    }
    CHECK(run(text + "v60 == ''" + repeated(")", 61)).error == exceeded);
    CHECK(run(list + "v60 == []" + repeated(")", 61)).error == exceeded);
    CHECK(run("lists.range(100000000).size() > 0").error == exceeded);
    CHECK(run("lists.range(3000).map(x, lists.range(3000)).size() > 0").error == exceeded);
    CHECK(run("lists.range(500000).map(x, x).size() > 0").error == exceeded);
    CHECK(run("lists.range(1000).map(x, x).size() == 1000").matches);
    CHECK(run("'a'.replace('', 'b').replace('', 'c').size() > 0").matches);
}

TEST_CASE("cel: regular expressions are bounded", "[cel]") {
    CHECK(compile_error("'a'.matches('" + repeated("a", 5000) + "')").find("not supported: ") != std::string::npos);
    CHECK(compile_error("'a'.matches('((a{1000}){1000})')").find("invalid matches argument") != std::string::npos);
    CHECK_FALSE(run("'" + repeated("a", 20'000) + "'.matches('(a|aa)*b')").matches);
    CHECK(run("lists.range(100000).all(x, 'a'.matches('a' + string(x)) || true)").error == exceeded);
    // A few characters may take as long as megabytes: to compile, as a constant, and to search.
    const std::string large = "'\\\\pL{30}'", counted = "'c.{900}b'";
    CHECK(run("lists.range(400).all(x, 'a'.matches(" + large + " + string(x)) || true)").error == exceeded);
    CHECK(run("lists.range(400).all(x, ('" + repeated("acca", 250) + "' + string(x)).matches(" + counted + ") || true)")
              .error == exceeded);
    CHECK(compile_error("true" + repeated(" && 'a'.matches(" + large + ")", 30)).find("takes too long to compile") !=
          std::string::npos);
    CHECK(run("'a'.matches(" + large + ") == false && 'ab'.matches('^\\\\pL{2}$')").matches);
    CHECK(compile_error("'a'.find('[a') == ''") ==
          "program instantiation failed: error parsing regexp: missing closing ]: `[a`");
}
