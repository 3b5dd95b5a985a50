// SPDX-License-Identifier: Apache-2.0
#include "decode/document.h"
#include "decode/write.h"

#include "catch.h"

using namespace berth;

namespace {

/// The document as JSON, or its error.
std::string read(std::string_view text) {
    auto document = decode::read_document(text, "f.yaml");
    return document ? decode::to_json(document->value()) : document.error().text;
}

struct Case {
    const char *yaml, *json;
};

}  // namespace

TEST_CASE("yaml: plain scalars are read by the core schema of YAML 1.2", "[decode]") {
    auto c = GENERATE(values<Case>({
        {"null", "null"},
        {"~", "null"},
        {"Null", "null"},
        {"nULL", R"("nULL")"},
        {"true", "true"},
        {"True", "true"},
        {"FALSE", "false"},
        {"tRUE", R"("tRUE")"},
        {"yes", R"("yes")"},
        {"on", R"("on")"},
        {"n", R"("n")"},
        {"0", "0"},
        {"012", "12"},
        {"-7", "-7"},
        {"+7", "7"},
        {"0x1F", "31"},
        {"0o17", "15"},
        {"0b1", R"("0b1")"},
        {"-0x1", R"("-0x1")"},
        {"0x", R"("0x")"},
        {"0o8", R"("0o8")"},
        {"1_000", R"("1_000")"},
        {"1.5", "1.5"},
        {".5", "0.5"},
        {"5.", "5"},
        {"1e3", "1000"},
        {"-1.5E-3", "-0.0015"},
        {"+1.5", "1.5"},
        {"1e", R"("1e")"},
        {".", R"(".")"},
        {"-1", "-1"},
        {"+", R"("+")"},
        {"--1", R"("--1")"},
        {"+-1", R"("+-1")"},
        {"1.2.3", R"("1.2.3")"},
        {"12:30:45", R"("12:30:45")"},
        {"2026-01-01", R"("2026-01-01")"},
        {"100m", R"("100m")"},
        {"1Gi", R"("1Gi")"},
        {"9223372036854775807", "9223372036854775807"},
        {"9223372036854775808", "9223372036854775808"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"1e-999", "0"},
        {"0xFFFFFFFFFFFFFFFF", "18446744073709551616"},
    }));
    CAPTURE(c.yaml);
    CHECK(read("k: " + std::string{c.yaml}) == "{\"k\":" + std::string{c.json} + "}");
}

TEST_CASE("yaml: a quoted scalar is a string whatever it looks like", "[decode]") {
    CHECK(read(R"(["true", '12', "", "a\tb\u00e9\x41", 'it''s'])") ==
          "[\"true\",\"12\",\"\",\"a\\tb\u00e9A\",\"it's\"]");
    CHECK(read("a: |\n  1\n  2\nb: >-\n  x\n  y\n") == R"({"a":"1\n2\n","b":"x y"})");
}

TEST_CASE("yaml: a tag of the core schema is honoured", "[decode]") {
    auto c = GENERATE(values<Case>({
        {"!!str 12", R"("12")"},
        {"!!str true", R"("true")"},
        {"!!str", R"("")"},
        {"! 12", R"("12")"},
        {"!!int \"12\"", "12"},
        {"!!float 2", "2"},
        {"!!float 2.5", "2.5"},
        {"!!bool \"true\"", "true"},
        {"!!null \"\"", "null"},
        {"!!map {}", "{}"},
        {"!!seq []", "[]"},
        {"!<tag:yaml.org,2002:str> 1", R"("1")"},
    }));
    CAPTURE(c.yaml);
    CHECK(read("- " + std::string{c.yaml}) == "[" + std::string{c.json} + "]");
}

TEST_CASE("yaml: a tag that is unknown or does not fit is refused", "[decode]") {
    CHECK(
        read("a: !secret x") ==
        "f.yaml:1:4: unknown tag !secret; only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq are understood");
    CHECK(
        read("a: !!binary eA==") ==
        "f.yaml:1:4: unknown tag !!binary; only !!str, !!int, !!float, !!bool, !!null, !!map and !!seq are understood");
    CHECK(read("a: !!int 1.5") == "f.yaml:1:4: \"1.5\" is no integer, as its tag !!int says");
    CHECK(read("a: !!bool yes") == "f.yaml:1:4: \"yes\" is no boolean, as its tag !!bool says");
    CHECK(read("a: !!null x") == "f.yaml:1:4: \"x\" is no null, as its tag !!null says");
    CHECK(read("a: !!float x") == "f.yaml:1:4: \"x\" is no number, as its tag !!float says");
    CHECK(read("a: !!map x") == "f.yaml:1:4: a scalar has the tag !!map of a collection");
    CHECK(read("a: !!set {x}") == "f.yaml:1:4: a mapping has the unknown tag !!set");
    CHECK(read("a: !!map [x]") == "f.yaml:1:4: a list has the unknown tag !!map");
}

TEST_CASE("yaml: what no JSON number can say is refused", "[decode]") {
    CHECK(read("a: .inf") == "f.yaml:1:4: .inf is no number that JSON knows; write it in quotes if it is a text");
    CHECK(read("a: -.INF") == "f.yaml:1:4: -.INF is no number that JSON knows; write it in quotes if it is a text");
    CHECK(read("a: .nan") == "f.yaml:1:4: .nan is no number that JSON knows; write it in quotes if it is a text");
    CHECK(read("a: 1e999") == "f.yaml:1:4: the number 1e999 is out of range");
    CHECK(read("a: '.inf'") == R"({"a":".inf"})");
}

TEST_CASE("yaml: keys are the strings that are written", "[decode]") {
    CHECK(read("1: a\ntrue: b\n1.50: c\n'q': d\n") == R"({"1":"a","true":"b","1.50":"c","q":"d"})");
    CHECK(read("~: a") == "f.yaml:1:1: a key is missing or null; a key is a string");
    CHECK(read(": a") == "f.yaml:1:1: a key is missing or null; a key is a string");
    CHECK(read("? [a]\n: b") ==
          "f.yaml:1:3: a list or a mapping cannot be a key; is a ':' missing, or a bracket not closed?");
    CHECK(read("{{ name }}: x") ==
          "f.yaml:1:1: a list or a mapping cannot be a key; is a ':' missing, or a bracket not closed?");
    CHECK(read("? &k key\n: *k") == R"({"key":"key"})");
    CHECK(read("a: &k 1\n*k : 2") == "f.yaml:2:1: the alias *k is a key, but names no string");
}

TEST_CASE("yaml: a repeated key is refused at every depth with both places", "[decode]") {
    CHECK(read("a: 1\nb: 2\na: 3\n") == "f.yaml:3:1: the key \"a\" is repeated; it stands first at f.yaml:1:1");
    CHECK(read("x:\n- b: 1\n  \"b\": 2\n") == "f.yaml:3:3: the key \"b\" is repeated; it stands first at f.yaml:2:3");
    CHECK(read("{a: 1, b: {c: 1, c: 2}}") == "f.yaml:1:18: the key \"c\" is repeated; it stands first at f.yaml:1:12");
    std::string many;
    for (int i = 0; i < 100; ++i) many += "k" + std::to_string(i) + ": 0\n";
    CHECK(read(many + "k50: 0\nk7: 0\n") ==
          "f.yaml:101:1: the key \"k50\" is repeated; it stands first at f.yaml:51:1");
}

TEST_CASE("yaml: an alias stands for the value of its anchor", "[decode]") {
    CHECK(read("a: &x {k: [1, 2]}\nb: *x\nc: [*x, *x]\n") ==
          R"({"a":{"k":[1,2]},"b":{"k":[1,2]},"c":[{"k":[1,2]},{"k":[1,2]}]})");
    CHECK(read("a: &x 1\nb: &x 2\nc: *x\n") == R"({"a":1,"b":2,"c":2})");
    CHECK(read("a: &x\nb: *x\n") == R"({"a":null,"b":null})");
    CHECK(read("a: *x\n") == "f.yaml:1:4: an alias names an anchor that is not defined above");
    CHECK(read("a: &x [1, *x]\n") ==
          "f.yaml:1:11: the alias *x stands inside the value that it names, which has no end");
    CHECK(read("a: &x {b: {c: *x}}\n") ==
          "f.yaml:1:15: the alias *x stands inside the value that it names, which has no end");
}

TEST_CASE("yaml: merge keys are applied, and a mapping's own members win", "[decode]") {
    CHECK(read("b: &b {x: 1, y: 2}\nc:\n  y: 3\n  <<: *b\n  z: 4\n") ==
          R"({"b":{"x":1,"y":2},"c":{"y":3,"z":4,"x":1}})");
    CHECK(read("- &a {x: 1, y: 1}\n- &b {x: 2, z: [2]}\n- {<<: [*a, *b], w: 0}\n") ==
          R"([{"x":1,"y":1},{"x":2,"z":[2]},{"w":0,"x":1,"y":1,"z":[2]}])");
    CHECK(read("'<<': 1") == R"({"<<":1})");
    constexpr auto help =
        ": a merge key (<<) takes an alias of a mapping or a list of such aliases; write << in quotes if it is a text";
    CHECK(read("a:\n  <<: 1\n") == "f.yaml:2:7" + std::string{help});
    CHECK(read("- &a {x: 1}\n- {<<: [*a, 2]}\n") == "f.yaml:2:13" + std::string{help});
    CHECK(read("- &a {x: 1}\n- {<<: *a, <<: *a}\n") ==
          "f.yaml:2:12: the key \"<<\" is repeated; it stands first at f.yaml:2:4");
}

TEST_CASE("yaml: every value knows where it stands", "[decode]") {
    auto document =
        decode::read_document("a: 1\nbase: &b\n  x: [1, {y: two}]\n  z: 3\nuse:\n  <<: *b\n  z: 4\n", "f.yaml");
    REQUIRE(document);
    auto root = document->value();
    CHECK(document->where(root) == "f.yaml:1:1");
    CHECK(document->position(root["a"]) == decode::Position{1, 4});
    CHECK(document->key_position(root["base"]["z"]) == decode::Position{4, 3});
    CHECK(document->position(root["base"]["z"]) == decode::Position{4, 6});
    auto two = root["base"]["x"].at(1)["y"];
    CHECK(document->where(two) == "f.yaml:3:14");
    CHECK(document->key_position(root["base"]["x"].at(1)) == decode::Position{3, 10});
    // What came by a merge stands where it was written.
    CHECK(document->position(root["use"]["z"]) == decode::Position{7, 6});
    CHECK(document->key_position(root["use"]["z"]) == decode::Position{7, 3});
    REQUIRE(root["use"].key(1) == "x");
    CHECK(document->position(root["use"]["x"]) == decode::Position{3, 6});
    CHECK(document->key_position(root["use"]["x"]) == decode::Position{3, 3});
    CHECK(document->where(model::Value{}) == "f.yaml");
}

TEST_CASE("yaml: a byte order mark, directives and document markers are no content", "[decode]") {
    CHECK(read("\xEF\xBB\xBF"
               "a: 1") == R"({"a":1})");
    CHECK(read("%YAML 1.2\n---\na: 1\n...\n") == R"({"a":1})");
    CHECK(read("--- {a: 1}\n---\n") == R"({"a":1})");
    CHECK(read("# nothing\n---\na: \"---\"\n") == R"({"a":"---"})");
}

TEST_CASE("yaml: lines may end in CR LF", "[decode]") {
    CHECK(read("a: 1\r\nb:\r\n- x\r\n") == R"({"a":1,"b":["x"]})");
}
