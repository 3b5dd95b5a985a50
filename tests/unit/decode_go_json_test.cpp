// SPDX-License-Identifier: Apache-2.0
// What Kubernetes' decoder makes of strange JSON. tests/oracle/json compares random texts with the decoder itself.
#include "decode/go_json.h"

#include "catch.h"
#include "decode/wire.h"
#include "decode/write.h"
#include "small_stack.h"

#include <limits>

using namespace berth;

namespace {

/// Read as an API server's answer and by the slow reader alone, which must agree; written as JSON, or the fault.
std::string read(std::string_view text) {
    model::Tree slow;
    const auto fault = decode::read_go_json(text, {}, slow.arena, slow.root);
    const auto both = decode::read_api_json(text);
    CHECK(both.ok() == !fault);
    if (fault) return "fault: " + fault->text;
    CHECK(model::equal((*both)->value(), slow.value()));
    return decode::to_json(slow.value());
}

}  // namespace

TEST_CASE("go json: of a repeated key the last value counts", "[decode]") {
    CHECK(read(R"({"a":1,"b":2,"a":{"x":1},"a":{"y":2}})") == R"({"b":2,"a":{"y":2}})");
    CHECK(read(R"({"a":1,"A":2,"\u0061":3})") == R"({"A":2,"a":3})");
    std::string many = "{", last = "{";
    for (int i = 0; i < 100; ++i) {
        many += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + (i < 99 ? "," : "}");
        if (i >= 50) last += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + (i < 99 ? "," : "}");
    }
    CHECK(read(many) == last);
}

TEST_CASE("go json: keys that are alike once they are repaired are one", "[decode]") {
    CHECK(read("{\"\xff\":1,\"\xfe\":2,\"\\ud800\":3}") == "{\"\uFFFD\":3}");
}

TEST_CASE("go json: a number is an int64 if it can be, else a double", "[decode]") {
    CHECK(read("[9223372036854775807,-9223372036854775808]") == "[9223372036854775807,-9223372036854775808]");
    CHECK(read("[9223372036854775808,18446744073709551615,18446744073709551616]") ==
          "[9223372036854775808,18446744073709551616,18446744073709551616]");
    CHECK(read("[100000000000000000000,-100000000000000000000,1e20,1.5]") == "[1e+20,-1e+20,1e+20,1.5]");
    CHECK(read("[-0,-0.0,0e5,1e-400,-1e-400]") == "[0,-0,0,0,-0]");
    model::Tree tree;
    REQUIRE_FALSE(decode::read_go_json("[1.0,-0,1" + std::string(400, '0') + "]", {}, tree.arena, tree.root));
    CHECK_FALSE(tree.value().at(0).integer());
    CHECK(tree.value().at(1).integer() == 0);
    INFO("which Go takes only as long as nobody looks: what no double can hold");
    CHECK(tree.value().at(2).number() == std::numeric_limits<double>::max());
    CHECK(read("[1e999,-1e999,1e99999999999999999999,0e999,0.1e-99999999999999999999]") ==
          "[1.7976931348623157e+308,-1.7976931348623157e+308,1.7976931348623157e+308,0,0]");
}

TEST_CASE("go json: bytes that are no UTF-8 and halves of surrogate pairs are U+FFFD", "[decode]") {
    CHECK(read("[\"a\xff\xfe"
               "b\"]") == "[\"a\uFFFD\uFFFDb\"]");
    CHECK(read("[\"\xe2\x82\",\"\xed\xa0\x80\",\"\xf4\x90\x80\x80\",\"\xc0\xaf\"]") ==
          "[\"\uFFFD\uFFFD\",\"\uFFFD\uFFFD\uFFFD\",\"\uFFFD\uFFFD\uFFFD\uFFFD\",\"\uFFFD\uFFFD\"]");
    CHECK(read(R"(["\ud800","\ud800x","\udc00\ud800","\ud800\ud83d\ude00","\ud83d\n"])") ==
          "[\"\uFFFD\",\"\uFFFDx\",\"\uFFFD\uFFFD\",\"\uFFFD\U0001F600\",\"\uFFFD\\n\"]");
    CHECK(read("[\"a\\u0000b\",\"\x7f\"]") == "[\"a\\u0000b\",\"\\u007f\"]");
    CHECK(read("[\"\u20ac\U0001F600\xff\"]") == "[\"\u20ac\U0001F600\uFFFD\"]");
}

TEST_CASE("go json: 10,000 levels are read, one more is a fault", "[decode]") {
    for (auto levels : {std::size_t{1'000}, std::size_t{1'024}, std::size_t{1'025}, deep_levels}) {
        const auto text = deep_json(levels);
        CHECK(read(text) == text);
    }
    CHECK(read(deep_json(deep_levels + 1)) == "fault: nested more than 10000 levels deep");
    CHECK(read(std::string(1'000'000, '[')) == "fault: nested more than 10000 levels deep");
}

TEST_CASE("go json: what Go refuses is refused", "[decode]") {
    for (const char *text : {"",
                             " ",
                             "{",
                             "[1,]",
                             "{\"a\":1,}",
                             "{\"a\"}",
                             "{a:1}",
                             "[01]",
                             "[+1]",
                             "[.5]",
                             "[1.]",
                             "[1e]",
                             "[tru]",
                             "[nul",
                             "[\"\n\"]",
                             "[\"\\x\"]",
                             "[\"\\u12\"]",
                             "[\"\\u12g4\"]",
                             "[\"a]",
                             "[1]x",
                             "[1] [2]",
                             "{\"a\":1 \"b\":2}",
                             "[1 2]",
                             "[NaN]",
                             "[-]",
                             "[1,,2]",
                             "{,}",
                             "[\v1]",
                             "\xEF\xBB\xBF[1]",
                             "[1}",
                             "{]",
                             "[\"\\"}) {
        INFO(text);
        CHECK(read(text).starts_with("fault: "));
    }
    CHECK(read("[tru]") == "fault: expected a value, found \"t\"");
    CHECK(read("{\"a\":1 \"b\":2}") == "fault: expected ',' or '}' after a member, found \"\"\"");
}

TEST_CASE("go json: a path is left out, and nothing else of that name", "[decode]") {
    constexpr std::string_view path[] = {"metadata", "managedFields"};
    model::Tree tree;
    REQUIRE_FALSE(
        decode::read_go_json(R"({"metadata":{"managedFields":[{"a":"\ud800"}],"name":"n"},"managedFields":1,)"
                             R"("spec":{"metadata":{"managedFields":2}},"metadata":{"managedFields":3,"x":1}})",
                             path, tree.arena, tree.root));
    CHECK(decode::to_json(tree.value()) ==
          R"({"managedFields":1,"spec":{"metadata":{"managedFields":2}},"metadata":{"x":1}})");
}

TEST_CASE("go json: an object is cut into its members, whatever is in them", "[decode]") {
    std::string said;
    CHECK(decode::cut_object(R"( {"a" : {"]":[1,"}"]} , "b":tru,"c":"\"" } )",
                             [&](std::string_view key, std::string_view text) {
                                 (said += key) += '=';
                                 (said += text) += ';';
                             }));
    CHECK(said == R"("a"={"]":[1,"}"]};"b"=tru;"c"="\"";)");
    for (const char *text :
         {"{\"a\":1", "{\"a\":[1}", "{\"a\" 1}", "[1]", "{\"a\":1}x", "{\"a\":\"}", "{\"a\":}", "{1:2}"}) {
        INFO(text);
        CHECK_FALSE(decode::cut_object(text, [](std::string_view, std::string_view) {}));
    }
}

TEST_CASE("go json: no depth takes stack", "[decode]") {
    on_small_stack([] {
        const auto text = deep_json();
        const auto object = deep_json(deep_levels - 1);
        const auto tree = decode::read_api_json(text);
        REQUIRE(tree);
        CHECK(decode::to_json((*tree)->value()) == text);
        CHECK(decode::to_json((*tree)->value(), 1).size() > text.size());
        CHECK_FALSE(decode::to_yaml((*tree)->value()).empty());
        const auto event = decode::WireReader().watch_event(R"({"type":"ADDED","object":)" + object + "}");
        REQUIRE(event);
        CHECK(decode::to_json(event->object.tree->value()) == object);
        CHECK_FALSE(decode::read_api_json(deep_json(deep_levels + 1)));
    });
}
