// SPDX-License-Identifier: Apache-2.0
#include "decode/document.h"
#include "decode/write.h"

#include "catch.h"

using namespace berth;

namespace {

/// The document as JSON, or its error.
std::string read(std::string_view text) {
    auto document = decode::read_document(text, "f.json");
    return document ? decode::to_json(document->value()) : document.error().text;
}

struct Case {
    const char *text, *error;
};

}  // namespace

TEST_CASE("json: values keep their kinds", "[decode]") {
    auto document = decode::read_document(
        R"({"i": 5, "d": 5.0, "u": 18446744073709551615, "s": "5", "n": null, "b": false})", "f.json");
    REQUIRE(document);
    auto root = document->value();
    CHECK(root["i"].integer() == 5);
    CHECK_FALSE(root["d"].integer());
    CHECK(root["d"].number() == 5.0);
    CHECK(root["u"].number() == 18446744073709551615.0);
    CHECK(root["s"].string() == "5");
    CHECK(root["n"].is_null());
    CHECK(root["n"]);
    CHECK(root["b"].boolean() == false);
}

TEST_CASE("json: escapes are read, surrogate pairs too", "[decode]") {
    CHECK(read(R"(["\ud83d\ude00\u00e9\n\/\"\\"])") == "[\"\U0001F600\u00e9\\n/\\\"\\\\\"]");
}

TEST_CASE("json: a value knows where it stands, in lines and bytes", "[decode]") {
    auto document = decode::read_document("\n{\"a\": [1,\n  {\"b\\\"c\" : \"x\"}], \"d\":\t-2 }\n", "f.json");
    REQUIRE(document);
    auto root = document->value();
    CHECK(document->where(root) == "f.json:2:1");
    CHECK(document->position(root["a"]) == decode::Position{2, 7});
    CHECK(document->position(root["a"].at(0)) == decode::Position{2, 8});
    CHECK(document->key_position(root["a"].at(1)) == decode::Position{3, 3});
    CHECK(document->position(root["a"].at(1)["b\"c"]) == decode::Position{3, 13});
    CHECK(document->key_position(root["a"].at(1)["b\"c"]) == decode::Position{3, 4});
    CHECK(document->position(root["d"]) == decode::Position{3, 25});
    CHECK(document->key_position(root["d"]) == decode::Position{3, 20});
}

TEST_CASE("json: what is wrong is said with its place", "[decode]") {
    auto c = GENERATE(values<Case>({
        {R"({"a": 1 "b": 2})", R"(f.json:1:9: expected ',' or '}' after a member, found """)"},
        {"{\"a\": 1,}", R"(f.json:1:9: expected a key in double quotes, found "}")"},
        {"{a: 1}", R"(f.json:1:2: expected a key in double quotes, found "a")"},
        {"{\"a\" 1}", R"(f.json:1:6: expected ':' after the key, found "1")"},
        {"{\"a\":\n  tru}", R"(f.json:2:3: expected a value, found "t")"},
        {"[1, 2", "f.json:1:6: expected ',' or ']' after an item, found the end of the text"},
        {"[1, 2,]", R"(f.json:1:7: expected another item after ',', found "]")"},
        {"[1] x", R"(f.json:1:5: expected nothing after the value, found "x")"},
        {"[01]", "f.json:1:2: a number does not begin with 0; write a string in quotes if it is one"},
        {"[1.]", R"(f.json:1:4: expected a digit after the decimal point, found "]")"},
        {"[1e+]", R"(f.json:1:5: expected a digit in the exponent, found "]")"},
        {"[-]", R"(f.json:1:3: expected a digit, found "]")"},
        {"[1e999]", "f.json:1:2: the number is out of range"},
        {"[99999999999999999999]", "f.json:1:2: the number is out of range"},
        {"[\"a]", "f.json:1:2: the string that begins here does not end"},
        {"[\"a\nb\"]", "f.json:1:4: a string does not go on in the next line; write \\n"},
        {"[\"a\tb\"]", "f.json:1:4: a control character in a string; write it as \\u00XX"},
        {R"(["\x41"])", "f.json:1:3: unknown escape sequence in a string"},
        {R"(["\u12G4"])", R"(f.json:1:7: expected four hexadecimal digits after \u, found "G")"},
        {R"(["\ud800"])", "f.json:1:3: half of a surrogate pair"},
        {"{\"a\": 1, \"\\u0061\": 2}", "f.json:1:10: the key \"a\" is repeated; it stands first at f.json:1:2"},
        {"{\"x\": [{\"b\": 1,\n \"b\": 2}]}", "f.json:2:2: the key \"b\" is repeated; it stands first at f.json:1:9"},
        {"[\"\xff\"]", "f.json:1:3: the text is not UTF-8 from here"},
        {"{\"a\": \x01}", "f.json:1:7: expected a value, found the control character 0x01"},
    }));
    CAPTURE(c.text);
    CHECK(read(c.text) == c.error);
}

TEST_CASE("json: text that is no JSON but a flow collection of YAML is YAML, unless its name says JSON", "[decode]") {
    auto yaml = decode::read_document("{a: b, c: [1,],}", "f.yaml");
    REQUIRE(yaml);
    CHECK(decode::to_json(yaml->value()) == R"({"a":"b","c":[1]})");
    CHECK(read("{a: b}") == R"(f.json:1:2: expected a key in double quotes, found "a")");
    // What is wrong in both languages is explained as JSON, what is wrong beyond the syntax is not tried again.
    CHECK(decode::read_document("{\"a\": [}", "f.yaml").error().text == R"(f.yaml:1:8: expected a value, found "}")");
    CHECK(decode::read_document("{\"a\": 1, \"a\": 2}", "f.yaml").error().text ==
          "f.yaml:1:10: the key \"a\" is repeated; it stands first at f.yaml:1:2");
    CHECK(decode::read_document("{a: b, a: c}", "f.yaml").error().text ==
          "f.yaml:1:8: the key \"a\" is repeated; it stands first at f.yaml:1:2");
}
