// SPDX-License-Identifier: Apache-2.0
#include "decode/fields.h"

#include "catch.h"

#include <chrono>

using namespace berth;
using namespace std::chrono_literals;

namespace {

decode::Document parse(std::string_view text) {
    auto document = decode::read_document(text, "c.yaml");
    REQUIRE(document);
    return *document;
}

/// What `use` finds wrong with the root of `text`.
template <class Use>
std::string wrong(std::string_view text, Use use) {
    auto document = parse(text);
    decode::FieldErrors errors;
    decode::Fields fields{document, errors};
    use(fields);
    return decode::messages(errors);
}

}  // namespace

TEST_CASE("fields: what is there and right is read", "[decode]") {
    auto document = parse(
        "s: x\nb: false\ni: -5\nbig: 9007199254740993\nd: 1.5\nt: 1m30s\nl: [a, b]\nm: {k: v}\n"
        "o: {n: 1}\nos: [{n: 1}, {n: 2}]\nany: [1, x]\n");
    decode::FieldErrors errors;
    decode::Fields f{document, errors};
    CHECK(f.string("s") == "x");
    CHECK(f.boolean("b") == false);
    CHECK(f.int32("i") == -5);
    CHECK(f.int64("big") == 9007199254740993);
    CHECK(f.number("d") == 1.5);
    CHECK(f.number("i") == -5.0);
    CHECK(f.duration("t") == 90s);
    CHECK(f.strings("l") == std::vector<std::string>{"a", "b"});
    CHECK(f.string_map("m") == std::map<std::string, std::string>{{"k", "v"}});
    auto o = f.object("o");
    REQUIRE(o);
    CHECK(o->int32("n") == 1);
    CHECK(o->path_of("n") == "o.n");
    auto os = f.objects("os");
    REQUIRE(os.size() == 2);
    CHECK(os[1].int32("n") == 2);
    CHECK(os[1].path() == "os[1]");
    CHECK(f.list("any").size() == 2);
    f.finish();
    o->finish();
    CHECK(decode::messages(errors).empty());
}

TEST_CASE("fields: what is absent or null is nothing and no error", "[decode]") {
    auto document = parse("s: null\nb: ~\ni:\nt: null\nl: null\nm: null\no: null\n");
    decode::FieldErrors errors;
    decode::Fields f{document, errors};
    CHECK_FALSE(f.has("s"));
    CHECK_FALSE(f.has("absent"));
    CHECK_FALSE(f.string("s"));
    CHECK_FALSE(f.boolean("b"));
    CHECK_FALSE(f.int32("i"));
    CHECK_FALSE(f.duration("t"));
    CHECK(f.strings("l").empty());
    CHECK_FALSE(f.string_map("m"));
    CHECK_FALSE(f.object("o"));
    CHECK(f.objects("l").empty());
    CHECK(f.any("o").is_null());
    CHECK(f.any("o"));
    CHECK_FALSE(f.any("absent"));
    f.finish();
    CHECK(errors.empty());
}

TEST_CASE("fields: a value of another kind is said with place and path", "[decode]") {
    auto text = wrong("profiles:\n- schedulerName: 5\n  on: yes\n  n: x\n  t: 15\n  m: {a: 1}\n  l: [a, {}]\n  o: []\n",
                      [](decode::Fields &f) {
                          auto profiles = f.objects("profiles");
                          auto &p = profiles.at(0);
                          CHECK_FALSE(p.string("schedulerName"));
                          CHECK_FALSE(p.boolean("on"));
                          CHECK_FALSE(p.int32("n"));
                          CHECK_FALSE(p.duration("t"));
                          CHECK(p.string_map("m")->empty());
                          CHECK(p.strings("l") == std::vector<std::string>{"a"});
                          CHECK_FALSE(p.object("o"));
                      });
    CHECK(text ==
          "c.yaml:2:18: profiles[0].schedulerName: expected a string, got a number\n"
          "c.yaml:3:7: profiles[0].on: expected true or false, got a string\n"
          "c.yaml:4:6: profiles[0].n: expected an integer, got a string\n"
          "c.yaml:5:6: profiles[0].t: expected a duration such as \"15s\" or \"1m30s\", got a number\n"
          "c.yaml:6:10: profiles[0].m.a: expected a string, got a number\n"
          "c.yaml:7:10: profiles[0].l[1]: expected a string, got an object\n"
          "c.yaml:8:6: profiles[0].o: expected an object, got a list");
}

TEST_CASE("fields: a number out of range or with a fraction is refused", "[decode]") {
    CHECK(wrong("a: 2147483648", [](auto &f) { CHECK_FALSE(f.int32("a")); }) ==
          "c.yaml:1:4: a: expected an integer from -2147483648 to 2147483647, got 2147483648");
    CHECK(wrong("a: -2147483649", [](auto &f) { CHECK_FALSE(f.int32("a")); }) ==
          "c.yaml:1:4: a: expected an integer from -2147483648 to 2147483647, got -2147483649");
    CHECK(wrong("a: 1e30", [](auto &f) { CHECK_FALSE(f.int64("a")); }) ==
          "c.yaml:1:4: a: expected an integer from -9223372036854775808 to 9223372036854775807, got a larger number");
    CHECK(wrong("a: 1.5", [](auto &f) { CHECK_FALSE(f.int32("a")); }) ==
          "c.yaml:1:4: a: expected an integer, got a number with a fraction");
    CHECK(wrong("a: 2147483647", [](auto &f) { CHECK(f.int32("a") == 2147483647); }).empty());
    CHECK(wrong("a: 1e3", [](auto &f) { CHECK(f.int32("a") == 1000); }).empty());
}

TEST_CASE("fields: a field nobody asked for is an error at its key", "[decode]") {
    auto known = [](decode::Fields &f) {
        f.has("plugins");
        f.has("schedulerName");
        f.has("pluginConfig");
        f.finish();
    };
    CHECK(wrong("plugins: {}\npluginz: 1\n", known) == "c.yaml:2:1: pluginz: unknown field; did you mean \"plugins\"?");
    CHECK(wrong("SchedulerName: x\n", known) ==
          "c.yaml:1:1: SchedulerName: unknown field; did you mean \"schedulerName\"?");
    CHECK(wrong("  zebra: 1\n", known) ==
          "c.yaml:1:3: zebra: unknown field; expected one of plugins, schedulerName, pluginConfig");
    CHECK(wrong("a: 1\n", [](auto &f) { f.finish(); }) == "c.yaml:1:1: a: unknown field; no fields are expected here");
    CHECK(wrong("a: 1\n", [](auto &f) { f.has("zebra"), f.finish(); }) ==
          "c.yaml:1:1: a: unknown field; expected zebra");
    const auto ten_known = [](auto &f) {
        for (char c = 'a'; c < 'k'; ++c) f.has(std::string(3, c));
        f.finish();
    };
    CHECK(wrong("unlike: 1\n", ten_known) == "c.yaml:1:1: unlike: unknown field");
    CHECK(wrong("o: {x: 1}\n", [](auto &f) {
              auto o = f.object("o");
              o->has("y");
              o->finish();
          }) == "c.yaml:1:5: o.x: unknown field; did you mean \"y\"?");
}

TEST_CASE("fields: a root that is no object is an error, an empty one is not", "[decode]") {
    CHECK(wrong("[1]", [](auto &f) { f.has("a"), f.finish(); }) == "c.yaml:1:1: expected an object, got a list");
    CHECK(wrong("{}", [](auto &f) { f.has("a"), f.finish(); }).empty());
}

TEST_CASE("fields: errors found by the caller stand at the member, or at the object that lacks it", "[decode]") {
    CHECK(wrong("o:\n  a: 1\n", [](auto &f) {
              auto o = f.object("o");
              o->error("a", "is too small");
              o->error("b", "is required");
              f.error("", "is not enough");
          }) == "c.yaml:1:1: is not enough\nc.yaml:2:3: o.b: is required\nc.yaml:2:6: o.a: is too small");
}

TEST_CASE("fields: durations are read as Go reads them", "[decode]") {
    using decode::parse_duration;
    CHECK(parse_duration("0") == 0ns);
    CHECK(parse_duration("15s") == 15s);
    CHECK(parse_duration("1h2m3s4ms5us6ns") == 1h + 2min + 3s + 4ms + 5us + 6ns);
    CHECK(parse_duration("1.5h") == 90min);
    CHECK(parse_duration(".5s") == 500ms);
    CHECK(parse_duration("1.s") == 1s);
    CHECK(parse_duration("-1m") == -1min);
    CHECK(parse_duration("+1m") == 1min);
    CHECK(parse_duration("1\u00B5s") == 1us);
    CHECK(parse_duration("1\u03BCs") == 1us);
    CHECK(parse_duration("0.3333333333333333333h") == 1'199'999'999'999ns);
    CHECK(parse_duration("9223372036854775807ns") == std::chrono::nanoseconds::max());
    CHECK(parse_duration("-9223372036854775808ns") == std::chrono::nanoseconds::min());
    for (auto bad : {"", "5", "s", "1", "-", "1x", "1 s", "1s ", ".s", "1d", "9223372036854775808ns", "3000000h",
                     "99999999999999999999999999999999999s", "1..5s", "--1s"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_duration(bad));
    }
    CHECK(wrong("t: 15sec", [](auto &f) { f.duration("t"); }) ==
          "c.yaml:1:4: t: expected a duration such as \"15s\" or \"1m30s\", got \"15sec\"");
}
