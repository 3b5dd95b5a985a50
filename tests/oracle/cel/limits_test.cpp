// SPDX-License-Identifier: Apache-2.0
#include "catch.h"

#include <cel/selector.h>

#include <malloc.h>
#include <cstdint>
#include <string>
#include <vector>

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

// promise(editor): One evaluation of a device's CEL selector takes a bounded number of steps. Operations that cost
// nothing by Kubernetes' own cost limit count as steps, too.
TEST_CASE("cel: what costs nothing upstream counts as work", "[cel]") {
    const auto often = [](const std::string &predicate) {
        return run("lists.range(900000).exists_one(x, " + predicate + ")").error;
    };
    CHECK(often(repeated("true && ", 50) + "false") == exceeded);
    CHECK(often(repeated("(true ? ", 50) + "false" + repeated(" : false)", 50)) == exceeded);
    CHECK(often("optional.none()" + repeated(".or(optional.none())", 50) + ".orValue(false)") == exceeded);
    CHECK(often(repeated("cel.bind(y, true, ", 50) + "false" + repeated(")", 50)) == exceeded);
}

TEST_CASE("cel: each element that is compared counts", "[cel]") {
    CHECK(run("cel.bind(n, lists.range(3000).map(x, null), cel.bind(v, lists.range(3000).map(x, n), v == v))").error ==
          exceeded);
    // Two and a half millions of comparisons; the cost of the sort is known behind it.
    CHECK(run("cel.bind(v, lists.range(200000), v.sort() == v)").work > 2'000'000);
    CHECK(run("cel.bind(v, lists.range(20000), v.isSorted() && v.min() == 0)").work > 60'000);
    // Quantities have up to 37 digits.
    CHECK(run("cel.bind(q, quantity('1'), lists.range(20000).all(x, q.compareTo(q) == 0))").work > 120'000);
}

TEST_CASE("cel: a version counts by its length", "[cel]") {
    const auto versions = [](const std::string &predicate) {
        const auto text = "'1.0.0-" + repeated("a.", 20'000) + "a'";
        return run("cel.bind(s, semver(" + text + "), lists.range(500).all(x, " + predicate + "))").error;
    };
    CHECK(versions("s.compareTo(s) == 0") == exceeded);
    CHECK(versions("!s.isLessThan(s)") == exceeded);
    CHECK(versions("!s.isGreaterThan(s)") == exceeded);
    CHECK(versions("s == s") == exceeded);
    CHECK(versions("[?dyn(s)] == [] || true") == exceeded);
}

TEST_CASE("cel: a text that is read as a number counts by its length", "[cel]") {
    for (const std::string type : {"double", "int", "uint"}) {
        const auto text = "cel.bind(t, '" + repeated("1", 50'000) + "', ";
        CHECK(run(text + "lists.range(400).all(x, dyn(" + type + "(t)) == 0 || true))").error == exceeded);
    }
}

TEST_CASE("cel: a search counts both of its texts", "[cel]") {
    const auto searched = [](const std::string &predicate) {
        return run("cel.bind(long, '" + repeated("a", 50'000) + "', lists.range(1000).all(x, " + predicate + "))").work;
    };
    CHECK(searched("'a'.replace(long, 'b') == 'a'") > 3'000'000);
    CHECK(searched("'a'.split(long).size() == 1") > 3'000'000);
    CHECK(searched("!'a'.contains(long)") > 1'000'000);
    // An empty text stands before each character, and a text that is not there stands nowhere.
    CHECK(run("'äb'.replace('', '-') == '-ä-b-' && 'ab'.split('') == ['a', 'b'] && 'a'.contains('') && ''.contains('')")
              .matches);
    CHECK(run("''.split('a') == [''] && ''.replace('a', 'b') == '' && !''.contains('a') && 'aab'.contains('ab')")
              .matches);
    CHECK(run("'aaab'.replace('ab', 'c') == 'aac' && 'aXXbXX'.split('XX') == ['a', 'b', '']").matches);
    // Each part is an object.
    CHECK(run("cel.bind(t, '" + repeated("a", 50'000) + "', t.split('').size() == 50000)").work > 200'000);
}

TEST_CASE("cel: a quantity of 37 digits is printed with zeros that do not fit", "[cel]") {
    const std::string digits = "9999999999999999999999999999999999999";
    const std::string begin = "cannot initialize optional list element from non-optional value ";
    const auto printed = [](const std::string &quantity) {
        return run("cel.bind(q, quantity('" + quantity + "'), [?dyn(q)].size() == 0)").error;
    };
    CHECK(printed(digits + "e2") == begin + digits + "00");
    CHECK(printed("-" + digits + "e5") == begin + "-" + digits + "00e3");
    CHECK(printed(digits + "e1") == begin + digits + "0");
    CHECK(printed(digits + "e3") == begin + digits + "e3");
    CHECK(printed("1200e1") == begin + "12e3");
}

TEST_CASE("cel: the memory of a program is known", "[cel]") {
    const std::string name = repeated("n", 9000);
    std::string conditions = "device.attributes['a'].n", matches = "true";
    for (int i = 0; i < 9; ++i) conditions = "(device.driver == 'a' ? " + conditions + " : " + conditions + ").n";
    for (int i = 0; i < 50; ++i) matches += " && device.driver.matches('a{" + std::to_string(i + 1) + "}')";
    std::string doubled = "optional.of(device.driver)";
    for (int i = 0; i < 12; ++i) doubled += ".optMap(x, x)";
    const std::string texts[] = {
        "true",
        "device.driver == 'gpu.example.com' && device.attributes['example.com'].model.startsWith('A')",
        doubled + ".hasValue()",
        conditions + " == 1",
        matches,
        "1 in [" + repeated("1, 2, 3, ", 4000) + "0]",
        "{" + repeated("1: [1, 2], ", 500) + "2: []}.size() == 2",
        repeated("[", 200) + "'" + repeated("a", 50'000) + "'" + repeated("]", 200) + ".size() == 1",
        repeated("lists.range(2000).size() == lists.range(2000).size() && ", 30) + "true",
        "lists.range(9) == [] || " + repeated("dyn(lists.range(9000)) == device.driver || ", 40) + "true",
        "bytes('" + repeated("\xff", 30'000) + "').size() > 1",
    };
    for (const auto &text : texts) {
        INFO(text.substr(0, 100));
        REQUIRE(compile(text).program);  // what is made once
        const auto before = ::mallinfo2().uordblks;
        const auto compiled = compile(text);
        const auto after = ::mallinfo2().uordblks;
        // A sanitizer's heap says nothing.
        const auto taken = after > before ? after - before : 0;
        INFO(compiled.error.substr(0, 200));
        REQUIRE(compiled.program);
        INFO(taken << " bytes are taken");
        CHECK(compiled.bytes + 1000 > taken);
        CHECK(compiled.bytes < (std::size_t{64} << 20));
    }
    // Where a macro copies, the names count.
    CHECK(compile_error("optional.of(device.attributes['a']." + name + ")" + repeated(".optMap(x, x)", 12) +
                        ".hasValue()")
              .find("not supported: ") != std::string::npos);
}

TEST_CASE("cel: the types of an expression are bounded, and what is said of them", "[cel]") {
    // Each mention of v makes a type of 200 parts, or an error that shows it.
    const auto many = [&](const std::string &mention, int times) {
        return compile_error("cel.bind(v, " + repeated("[", 200) + repeated("]", 200) + ", " +
                             repeated(mention, times) + "v == v)");
    };
    CHECK(many("[v] == [] || ", 100).empty());
    CHECK(many("[v] == [] || ", 7000).find("not supported: ") != std::string::npos);
    CHECK(many("v || ", 100).find("expected type 'bool' but found 'list(list(") != std::string::npos);
    CHECK(many("v || ", 18'000).find("not supported: ") != std::string::npos);
}

TEST_CASE("cel: since 1.37 attributes are dynamic", "[cel][release]") {
    auto error = [](const std::string &text, bool since_1_37) { return compile(text, Rules(since_1_37)).error; };
    const std::string attribute = "device.attributes['a'].b";
    CHECK(error(attribute, false).empty());
    CHECK(error(attribute, true).empty());
    for (const auto &text : std::vector<std::string>{attribute + ".exists(x, true)", "dyn(device.driver)"})
        CHECK(error(text, true).empty());
    CHECK(error(attribute + ".exists(x, true)", false).find("expression of type 'any' cannot be range") !=
          std::string::npos);
    CHECK(error("dyn(device.driver)", false) == "must evaluate to bool or the unknown type, not dyn");
    CHECK(error("device.attributes['a'].?b", false).ends_with("not optional_type(google.protobuf.Any)"));
    CHECK(error("device.attributes['a'].?b", true).ends_with("not optional_type(dyn)"));
}
