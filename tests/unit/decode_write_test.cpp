// SPDX-License-Identifier: Apache-2.0
#include "decode/write.h"

#include "decode/document.h"
#include "model/build.h"

#include "catch.h"

#include <limits>

using namespace berth;

namespace {

std::string json(const berth_value &v, int indent = 0) { return decode::to_json(model::Value{&v}, indent); }
std::string yaml(const berth_value &v) { return decode::to_yaml(model::Value{&v}); }

std::string json_text(std::string_view s) {
    model::Arena arena;
    return json(model::make_string(arena, s));
}

/// `s` as the value of a YAML member.
std::string yaml_text(std::string_view s) {
    model::Arena arena;
    return yaml(model::ObjectBuilder{arena}.add("k", s).value());
}

}  // namespace

TEST_CASE("write: JSON has its members in order, on one line or indented", "[decode]") {
    model::Arena arena;
    model::ObjectBuilder object{arena};
    object.add("z", 1).add("a", model::ArrayBuilder{arena}.add("x").add(true).add(model::make_null()));
    object.add("o", model::ObjectBuilder{arena}).add("l", model::ArrayBuilder{arena});
    CHECK(json(object.value()) == R"({"z":1,"a":["x",true,null],"o":{},"l":[]})");
    CHECK(json(object.value(), 2) ==
          "{\n  \"z\": 1,\n  \"a\": [\n    \"x\",\n    true,\n    null\n  ],\n  \"o\": {},\n  \"l\": []\n}");
}

TEST_CASE("write: JSON numbers are as short as they can be and exact", "[decode]") {
    CHECK(json(model::make_double(0.1)) == "0.1");
    CHECK(json(model::make_double(1e22)) == "1e+22");
    CHECK(json(model::make_double(-0.0)) == "-0");
    CHECK(json(model::make_double(1.0 / 3)) == "0.3333333333333333");
    CHECK(json(model::make_double(std::numeric_limits<double>::infinity())) == "null");
    CHECK(json(model::make_int(std::numeric_limits<std::int64_t>::min())) == "-9223372036854775808");
}

TEST_CASE("write: JSON strings are escaped and always UTF-8", "[decode]") {
    CHECK(json_text("\"\\\b\x01\n\r\t\x7f/") == "\"\\\"\\\\\\u0008\\u0001\\n\\r\\t\\u007f/\"");
    CHECK(json_text("POD\u6570\u91cf \U0001F600") == "\"POD\u6570\u91cf \U0001F600\"");
    CHECK(json_text("a\xff\x62\xc3") ==
          "\"a\uFFFD"
          "b\uFFFD\"");
    CHECK(json_text(std::string_view{"\0", 1}) == "\"\\u0000\"");
}

TEST_CASE("write: YAML is in kubectl's block style", "[decode]") {
    auto document = decode::read_document(
        R"({"kind":"Pod","metadata":{"labels":{},"name":"a"},"spec":{"c":[{"args":["x",["y",{"z":1}]],"n":null}],"t":[]},
            "text":"one\ntwo\n"})",
        "f");
    REQUIRE(document);
    CHECK(
        decode::to_yaml(document->value()) ==
        "kind: Pod\nmetadata:\n  labels: {}\n  name: a\nspec:\n  c:\n  - args:\n    - x\n    - - \"y\"\n      - z: 1\n"
        "    \"n\": null\n  t: []\ntext: |\n  one\n  two\n");
    CHECK(yaml(model::make_int(5)) == "5\n");
    model::Arena arena;
    CHECK(yaml(model::ArrayBuilder{arena}.add("a\nb").add(1e22).value()) == "- |-\n  a\n  b\n- 1.0e+22\n");
}

TEST_CASE("write: a YAML string is quoted when some reader could take it for something else", "[decode]") {
    for (std::string s :
         {"",     "null", "Null",  "~",        "true",       "True",      "yes",       "No",   "on",  "OFF",
          "y",    "N",    "1",     "-1",       "+1",         "1.5",       ".5",        "1e3",  "012", "0x1f",
          "0o17", "0b1",  "1_000", "12:30:45", "2026-01-01", ".inf",      "-.INF",     ".nan", "<<",  "=",
          "- a",  "-",    "? a",   ":a",       "a: b",       "a:",        "a #b",      "#a",   "&a",  "*a",
          "!a",   "|",    ">",     "'a'",      "\"a\"",      "%a",        "@a",        "`a",   "{a}", "[a]",
          ",a",   " a",   "a ",    "---",      "1Z",         "190:20:30", "0xdeadbeef"}) {
        CAPTURE(s);
        std::string quoted;
        decode::append_json_string(quoted, s);
        CHECK(yaml_text(s) == "k: " + quoted + "\n");
    }
    for (std::string s : {"web", "nginx:1.25", "a-b", "100m", "128Mi", "a, b", "it's", "say \"x\"", "kubernetes.io/os",
                          "a#b", "v1", "registry.example.org/x@sha256:00", "10.0.0.1/8", "POD\u6570\u91cf", "a{b}"}) {
        CAPTURE(s);
        CHECK(yaml_text(s) == "k: " + s + "\n");
    }
}

TEST_CASE("write: every string comes back from YAML and JSON as it was", "[decode]") {
    std::string long_key(2000, 'k');
    for (const std::string &s :
         {std::string{"a\nb"},       std::string{"a\nb\n"},      std::string{"a\n\n\n"},
          std::string{"\na"},        std::string{" a\nb"},       std::string{"a\n b\n  c"},
          std::string{"a\n\tb"},     std::string{"\ta"},         std::string{"a\r\nb"},
          std::string{"\n"},         std::string{"a\n  \nb"},    std::string{"a\n---\nb\n"},
          std::string{"a\n..."},     std::string{"\x01"},        std::string{"\u0085\u00a0\u2028\u2029\ufeff"},
          std::string{"\U0001F600"}, std::string("a\0b", 3),     std::string{"a \nb"},
          std::string{"# a\nb"},     std::string{"- a\n- b\n"},  long_key,
          std::string{"\x7f"},       std::string{"\uffff\ufffe"}}) {
        model::Arena arena;
        model::ObjectBuilder object{arena};
        object.add(s, s).add("list", model::ArrayBuilder{arena}.add(s).add(model::ArrayBuilder{arena}.add(s).value()));
        object.add("inner", model::ObjectBuilder{arena}.add(s, s)).add("after", true);
        auto v = object.value();
        for (const auto &text : {yaml(v), json(v), json(v, 2)}) {
            CAPTURE(text);
            auto back = decode::read_document(text, "f");
            REQUIRE(back);
            CHECK(model::equal(back->value(), model::Value{&v}));
        }
    }
}

TEST_CASE("build: builders copy what they are given", "[model]") {
    model::Tree tree;
    {
        std::string key = "key", text = "text";
        auto document = decode::read_document("{\"x\": [1, \"y\"]}", "f");
        REQUIRE(document);
        model::ObjectBuilder object{tree.arena};
        CHECK(object.empty());
        object.add(key, text).add("copy", document->value()).add("u", 7u).add("b", false).add("d", 2.5);
        tree.root = object.value();
        key = text = "gone";
    }
    CHECK(decode::to_json(tree.value()) == R"({"key":"text","copy":{"x":[1,"y"]},"u":7,"b":false,"d":2.5})");
}
