// SPDX-License-Identifier: Apache-2.0
#include "decode/document.h"
#include "decode/stream.h"

#include "catch.h"

#include <random>
#include <sstream>

using namespace berth;

namespace {

/// What the reader of one document says.
std::string refusal(const std::string &text) {
    auto document = decode::read_document(text, "f");
    REQUIRE_FALSE(document);
    return document.error().text;
}

/// What the reader of a stream says.
std::string stream_refusal(const std::string &text) {
    std::istringstream in{text};
    auto objects = decode::read_stream(in, "f", [](const decode::Document &) { return model::Result<void>{}; });
    REQUIRE_FALSE(objects);
    return objects.error().text;
}

std::string repeated(std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
}

struct Case {
    const char *text, *error;
};

}  // namespace

TEST_CASE("hostile: a million open brackets are refused at level 201", "[decode]") {
    constexpr int many = 1'000'000;
    CHECK(refusal(repeated("[", many)) == "f:1:201: nested more than 200 levels deep");
    CHECK(refusal(repeated("{\"a\":", many)) == "f:1:1001: nested more than 200 levels deep");
    CHECK(refusal("x: " + repeated("[", many)) ==
          "f:1:5: a list or a mapping cannot be a key; is a ':' missing, or a bracket not closed?");
    CHECK(refusal(repeated("- ", many)) == "f:1:401: nested more than 200 levels deep");
    CHECK(refusal(repeated("? ", many)) ==
          "f:1:3: a list or a mapping cannot be a key; is a ':' missing, or a bracket not closed?");
    CHECK(refusal("x: " + repeated("{a: ", many)) == "f:1:800: nested more than 200 levels deep");
}

// promise(admin): Berth refuses a YAML flow collection (`[…]` or `{…}`) of megabytes before it fills the memory.
TEST_CASE("hostile: a flow collection of megabytes is refused before it fills the memory", "[decode]") {
    auto text = refusal("- [" + repeated("a,", 3'000'000));
    CHECK(text.ends_with(
        "more than 1048576 brackets and commas in one flow collection; write it as JSON or in block style"));
}

TEST_CASE("hostile: 200 levels are read and 201 are not", "[decode]") {
    auto nested = [](int levels) { return repeated("[", levels) + repeated("]", levels); };
    CHECK(decode::read_document(nested(200), "f"));
    CHECK(refusal(nested(201)) == "f:1:201: nested more than 200 levels deep");
    CHECK(decode::read_document("a: " + nested(199), "f"));
    CHECK(refusal("a: " + nested(200)) == "f:1:203: nested more than 200 levels deep");
    // Each alias adds a level without being deep in the text.
    std::string chain = "a0: &a0 []\n";
    for (int i = 1; i <= 250; ++i) {
        auto n = std::to_string(i);
        chain += "a" + n + ": &a" + n + " [*a" + std::to_string(i - 1) + "]\n";
    }
    CHECK(refusal(chain) == "f:200:14: nested more than 200 levels deep by the alias *a198");
}

// promise(editor): If YAML aliases multiply, Berth refuses the document before they fill the memory.
TEST_CASE("hostile: aliases that multiply are refused", "[decode]") {
    std::string text = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
    for (char c = 'b'; c <= 'i'; ++c) {
        std::string before(1, static_cast<char>(c - 1)), name(1, c);
        text += name + ": &" + name + " [" + repeated("*" + before + ", ", 10) + "]\n";
    }
    CHECK(refusal(text) ==
          "f:6:36: the aliases of this document stand for more than 1000000 values; write out what is meant");
    // The same across the items of a list, whose trees are apart.
    std::string items = "items:\n- &a [x,x,x,x,x,x,x,x,x,x]\n";
    for (char c = 'b'; c <= 'i'; ++c) {
        std::string before(1, static_cast<char>(c - 1)), name(1, c);
        items += "- &" + name + " [" + repeated("*" + before + ", ", 10) + "]\n";
    }
    CHECK(stream_refusal(items).ends_with(
        "the aliases of this document stand for more than 1000000 values; write out what is meant"));
}

TEST_CASE("hostile: bytes that are no text are refused with their line", "[decode]") {
    CHECK(refusal(std::string("a: 1\nb: \0", 9)) == "f:2:4: the control character 0x00 is not allowed in YAML");
    CHECK(refusal("a: 1\n\x04\nb: 2\n") == "f:2:1: the control character 0x04 is not allowed in YAML");
    CHECK(refusal("a: \x7f") == "f:1:4: the control character 0x7f is not allowed in YAML");
    CHECK(refusal("a: \xff\xfe") == "f:1:4: the text is not UTF-8 from here");
    CHECK(refusal("a: \xc3") == "f:1:4: the text is not UTF-8 from here");
    CHECK(refusal("a: \xed\xa0\x80") == "f:1:4: the text is not UTF-8 from here");
    CHECK(refusal("\xff\xfe"
                  "a") == "f:1:1: the text is UTF-16; save it as UTF-8");
    CHECK(stream_refusal(repeated("ok: \xc3\xa9\n---\n", 20'000) + "bad: \x80\n") ==
          "f:40001:6: the text is not UTF-8 from here");
}

TEST_CASE("hostile: a character cut by a buffer's end is whole again", "[decode]") {
    for (std::size_t shift = 0; shift < 4; ++shift) {
        std::string text = "k: \"" + std::string(shift, 'x') + repeated("\u20ac\U0001F600", 20'000) + "\"\n";
        auto document = decode::read_document(text, "f");
        REQUIRE(document);
        CHECK(document->value()["k"].string().size() == shift + 7 * 20'000);
    }
}

TEST_CASE("hostile: ten megabytes of garbage are refused with one message", "[decode]") {
    std::mt19937 random{1};
    std::string bytes, letters;
    for (int i = 0; i < 10'000'000; ++i) {
        bytes += static_cast<char>(random());
        letters += static_cast<char>('a' + random() % 26);
    }
    CHECK(refusal(bytes).find("f:1:") == 0);
    CHECK(refusal(letters).ends_with("no value ends in the last 4 MiB; a single value may not be that long"));
}

TEST_CASE("hostile: text that goes on where its document ended is refused", "[decode]") {
    auto c = GENERATE(values<Case>({
        {"  a: 1\nb: 2\n", "f:2:1: this does not belong to the document above; check the indentation"},
        {", b\n", "f:1:1: this does not belong to the document above; check the indentation"},
        {"a: 1\n b: 2\n",
         "f:2:3: a ':' is not expected here; check the indentation, or put a text with ': ' in quotes"},
        {"a: b: c\n", "f:1:5: a ':' is not expected here; check the indentation, or put a text with ': ' in quotes"},
        {"a:\n- b\n c: d\n",
         "f:3:3: a ':' is not expected here; check the indentation, or put a text with ': ' in quotes"},
        {"- a\nb: c\n", "f:2:1: this does not belong to the document above; check the indentation"},
        {"a: 1\n- b\n", "f:2:1: this does not belong to the mapping above; check the indentation"},
        {"a:\n\tb: 1\n", "f:2:3: a ':' is not expected here; check the indentation, or put a text with ': ' in quotes"},
        {"a: ]\n", "f:1:4: a closing bracket without its opening one; put a text with brackets in quotes"},
        {"a: {b: 1\n", "f:2:1: expected ',' or '}' in a mapping that began with '{'"},
        {"a: [b\n", "f:2:1: expected ',' or ']' in a list that began with '['"},
        {"a: \"b\n", "f:2:1: a quoted string does not end before its document does"},
        {"a: \"b", "f:1:6: the text ends inside a quoted string"},
        {"a: \"b\n  ", "f:3:1: a quoted string does not end before its document does"},
        {"a: 'b\n---\n", "f:2:1: a quoted string does not end before its document does"},
        {"a: @b\n", "f:1:4: this character cannot begin a value; put the text in quotes"},
        {"a: \"\\q\"\n", "f:1:7: not YAML: unknown escape character: q"},
        {"a: &b &c d\n", "f:1:7: not YAML: cannot assign multiple anchors to the same node"},
        {"a: *\n", "f:1:5: a '*' without the name of an anchor; put a text that begins with '*' in quotes"},
        {"%YAML 9.0\n---\na: 1\n", "f:1:1: not YAML: YAML major version too large"},
    }));
    CAPTURE(c.text);
    CHECK(refusal(c.text) == c.error);
    CHECK(stream_refusal(c.text) == c.error);
}

// promise(admin): Berth reads or refuses a truncated file, wherever it was cut, and does not crash.
TEST_CASE("hostile: a file cut anywhere is read or refused", "[decode]") {
    std::string yaml =
        "apiVersion: v1\nitems:\n- &a {x: \"y\\n\", z: [1, 2]}\n- |\n  text\n- !!str 1\n- {<<: *a}\nkind: List\n";
    std::string json = R"({"items": [{"a": "\u00e9", "b": [1.5e3, true, null]}, {}], "kind": "List"})";
    std::size_t read = 0;
    for (const auto &text : {yaml, json}) {
        for (std::size_t n = 0; n <= text.size(); ++n) {
            std::istringstream in{text.substr(0, n)};
            auto result =
                decode::read_stream(in, "f.json", [](const decode::Document &) { return model::Result<void>{}; });
            if (result) ++read;
            else CHECK(result.error().text.starts_with("f.json:"));
        }
    }
    // JSON is whole or it is not, except before its beginning.
    CHECK(read > 2);
    CHECK(read < yaml.size());
}
