// SPDX-License-Identifier: Apache-2.0
#include "decode/stream.h"
#include "decode/write.h"

#include "catch.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

using namespace berth;

namespace {

using Lines = std::vector<std::string>;

/// Each object as "place JSON"; last the error, if any.
Lines read(const std::string &text, const std::string &file = "f") {
    Lines lines;
    std::istringstream in{text};
    auto result = decode::read_stream(in, file, [&](const decode::Document &d) {
        lines.push_back(d.where(d.value()) + " " + decode::to_json(d.value()));
        return model::Result<void>{};
    });
    if (!result) lines.push_back(result.error().text);
    else CHECK(*result == lines.size());
    return lines;
}

}  // namespace

TEST_CASE("stream: the items of a YAML list come one by one", "[decode]") {
    CHECK(read("apiVersion: v1\nitems:\n- kind: Pod\n  n: 1\n- kind: Node\nkind: List\n") ==
          Lines{R"(f:3:3 {"kind":"Pod","n":1})", R"(f:5:3 {"kind":"Node"})"});
    CHECK(read("kind: List\nitems: []\n").empty());
    CHECK(read("kind: PodList\nitems: null\n").empty());
    CHECK(read("kind: List\n").empty());
}

TEST_CASE("stream: the items of a JSON list come one by one, whatever stands before and after them", "[decode]") {
    CHECK(read("{\"apiVersion\": \"v1\",\n \"items\": [\n  {\"kind\": \"Pod\", \"s\": \"]},{\\\"\"},\n  {}],\n "
               "\"kind\": \"List\"}\n") == Lines{R"(f:3:3 {"kind":"Pod","s":"]},{\""})", "f:4:3 {}"});
    CHECK(read(R"({"items": [ ], "kind": "List"})").empty());
    CHECK(read(R"({"kind": "PodList", "items": null})").empty());
    CHECK(read(R"({"kind": "List"})").empty());
}

TEST_CASE("stream: a list in a list is taken apart too", "[decode]") {
    CHECK(read("kind: List\nitems:\n- kind: List\n  items:\n  - {kind: Pod, n: 1}\n  - kind: List\n    items:\n    - "
               "{n: 2}\n"
               "- {kind: List}\n- {kind: NodeList, apiVersion: v1, items: [{n: 3}]}\n- {kind: GuestList}\n") ==
          Lines{R"(f:5:5 {"kind":"Pod","n":1})", R"(f:6:5 {"n":2})",
                R"(f:10:44 {"apiVersion":"v1","kind":"Node","n":3})", R"(f:11:3 {"kind":"GuestList"})"});
    CHECK(read("{\"items\": [\n {\"kind\": \"List\", \"items\": [\n  {\"n\": 1}]}]}") == Lines{R"(f:3:3 {"n":1})"});
}

TEST_CASE("stream: a compressed file is told from a broken one", "[decode]") {
    CHECK(read("\x1F\x8B\x08\x01\x02").back() == "f:1:1: the file is compressed with gzip; unpack it first");
}

TEST_CASE("stream: items of a typed list get their type from it, as far as they lack it", "[decode]") {
    Lines expected{R"({"apiVersion":"v1","kind":"Pod","n":1})", R"({"apiVersion":"v2","kind":"Pod"})",
                   R"({"apiVersion":"v1","kind":"X"})"};
    for (std::string text :
         {R"({"kind":"PodList","apiVersion":"v1","items":[{"n":1},{"apiVersion":"v2"},{"kind":"X"}]})",
          "kind: PodList\napiVersion: v1\nitems: [{n: 1}, {apiVersion: v2}, {kind: X}]\n"}) {
        std::istringstream in{text};
        Lines found, places;
        auto result = decode::read_stream(in, "f", [&](const decode::Document &d) {
            auto v = d.value();
            found.push_back(decode::to_json(v["apiVersion"]) + decode::to_json(v["kind"]) + decode::to_json(v["n"]));
            if (v["n"]) places.push_back(d.where(v["n"]) + " " + d.where(v["kind"]));
            return model::Result<void>{};
        });
        REQUIRE(result);
        CHECK(found == Lines{R"("v1""Pod"1)", R"("v2""Pod"null)", R"("v1""X"null)"});
        REQUIRE(places.size() == 1);
        CHECK(places[0] == (text.front() == '{' ? "f:1:51 f" : "f:3:13 f"));
    }
    CHECK(read(R"({"kind":"List","apiVersion":"v1","items":[{}]})") == Lines{"f:1:43 {}"});
}

TEST_CASE("stream: documents divided by --- come in their order, empty ones do not come", "[decode]") {
    CHECK(read("---\n---\na: 1\n---\n# nothing\n---\nb: 2\n...\n---\n- 3\n- x: 4\n") ==
          Lines{R"(f:3:1 {"a":1})", R"(f:7:1 {"b":2})", "f:10:3 3", R"(f:11:3 {"x":4})"});
    CHECK(read("").empty());
    CHECK(read("# only a comment\n").empty());
    CHECK(read(" \n\t\n").size() <= 1);
}

TEST_CASE("stream: JSON objects come one after another, with or without lines or --- between them", "[decode]") {
    CHECK(read("{\"a\":1}\n{\"a\":2}{\"a\":3}\n---\n{\"a\":4}\n[{\"a\":5},{\"a\":6}]") ==
          Lines{R"(f:1:1 {"a":1})", R"(f:2:1 {"a":2})", R"(f:2:8 {"a":3})", R"(f:4:1 {"a":4})", R"(f:5:2 {"a":5})",
                R"(f:5:10 {"a":6})"});
    CHECK(read("\xEF\xBB\xBF{\"a\":1}") == Lines{R"(f:1:1 {"a":1})"});
}

TEST_CASE("stream: what is wrong in a JSON list is said with its place", "[decode]") {
    auto last = [](const std::string &text) { return read(text, "f.json").back(); };
    CHECK(last("{\"items\": [{},\n {\"a\": 1,}]}") == R"(f.json:2:10: expected a key in double quotes, found "}")");
    CHECK(last("{\"items\": [{} {}]}") == R"(f.json:1:15: expected ',' or ']' after an item, found "{")");
    CHECK(last("{\"items\": [{},]}") == R"(f.json:1:15: expected an item, found "]")");
    CHECK(last("{\"items\": [{}") == "f.json:1:14: expected ',' or ']' after an item, found the end of the text");
    CHECK(last("{\"items\": [{\"a\"") == "f.json:1:16: expected ':' after the key, found the end of the text");
    CHECK(last("{\"items\": [{}]") == "f.json:1:15: expected ',' or '}' after a member, found the end of the text");
    CHECK(last("{\"items\": [{}],}") == R"(f.json:1:16: expected a key in double quotes, found "}")");
    CHECK(last("{\"items\": [{}], \"kind\": List}") == R"(f.json:1:25: expected a value, found "L")");
    CHECK(last("{\"kind\": \"List\",\n\"items\": [{}],\n\"kind\": \"List\"}") ==
          "f.json:3:1: the key \"kind\" is repeated; it stands first at f.json:1:2");
    CHECK(last("{\"items\": [{}],\n\"items\": [{}]}") ==
          "f.json:2:1: the key \"items\" is repeated; it stands first at f.json:1:2");
    CHECK(last("{, \"items\": [{}]}") == R"(f.json:1:2: expected a key in double quotes, found ",")");
    CHECK(last("{\"kind\": \"PodList\",\n\"items\": {}}") == "f.json:2:10: items: expected a list, written out");
    CHECK(last("{\"a\": 1}\nxyz") == R"(f.json:2:1: expected another JSON object, found "x")");
    CHECK(last("{\"a\": 1}\n\xc3\xa9") == "f.json:2:1: expected another JSON object, found \"\u00e9\"");
}

TEST_CASE("stream: what is wrong in a YAML list is said with its place", "[decode]") {
    auto last = [](const std::string &text) { return read(text).back(); };
    CHECK(last("kind: PodList\nitems: {}\n") == "f:2:8: items: expected a list, written out");
    CHECK(last("a: &a [{}]\nitems: *a\nkind: List\n") == "f:1:4: items: expected a list, written out");
    CHECK(last("items:\n- a: 1\n- b: 1\n  b: 2\n") == "f:4:3: the key \"b\" is repeated; it stands first at f:3:3");
    CHECK(last("items:\n- a: 1\nitems:\n- b: 1\n") == "f:3:1: the key \"items\" is repeated; it stands first at f:1:1");
}

TEST_CASE("stream: an item may use an anchor of an item before", "[decode]") {
    CHECK(read("items:\n- &a {x: [1]}\n- {y: *a}\n- {<<: *a, z: *a}\n") ==
          Lines{R"(f:2:3 {"x":[1]})", R"(f:3:3 {"y":{"x":[1]}})", R"(f:4:3 {"z":{"x":[1]},"x":[1]})"});
}

TEST_CASE("stream: what is no YAML or JSON is told from what is wrong in it", "[decode]") {
    const auto syntax = [](const std::string &text, const std::string &file = "f") {
        std::istringstream in{text};
        bool out = false;
        CHECK(!decode::read_stream(
            in, file, [](const decode::Document &) { return model::Result<void>{}; }, {}, 0, &out));
        return out;
    };
    for (const auto *text : {"a: {{ .Values.a }}\n", "{{- if .a }}\na: 1\n", "a: [\n", "a: 1\n b: 2\n", "{\"a\": 1"}) {
        INFO(text);
        CHECK(syntax(text));
    }
    CHECK(syntax("{\"a\": }", "f.json"));
    for (const auto *text :
         {"a: 1\na: 2\n", "a: \xff\n", "kind: PodList\nitems: {}\n", "a: !x 1\n", "{\"a\": 1, \"a\": 2}"}) {
        INFO(text);
        CHECK(!syntax(text));
    }
    CHECK(!syntax("a: " + std::string(300, '[') + std::string(300, ']')));
    CHECK(!syntax("[" + std::string(300, '[') + std::string(300, ']') + "]", "f.json"));
}

TEST_CASE("stream: a file that ends in an error of the disk is not taken for one without syntax", "[decode]") {
    struct Broken : std::stringbuf {
        using std::stringbuf::stringbuf;
        std::streamsize xsgetn(char *to, std::streamsize n) override {
            if (in_avail() < n) throw std::runtime_error("EIO");
            return std::stringbuf::xsgetn(to, n);
        }
    };
    constexpr std::size_t read_at_once = 256 << 10;
    for (std::string text : {"a: [\n", "{\"a\": ", "a: 1\n"}) {
        INFO(text);
        text.resize(read_at_once, ' ');
        Broken broken(text, std::ios::in);
        std::istream in{&broken};
        bool syntax = true;
        const auto read = decode::read_stream(
            in, "f", [](const decode::Document &) { return model::Result<void>{}; }, {}, 0, &syntax);
        REQUIRE(!read);
        CHECK(read.error().text == "f: cannot be read to its end");
        CHECK(!syntax);
    }
}

TEST_CASE("stream: a receiver that refuses an object ends the reading with its error", "[decode]") {
    for (std::string text : {"items: [{a: 1}, {a: 2}, {a: 3}]", R"({"items": [{"a": 1}, {"a": 2}, {"a": 3}]})",
                             "{\"a\": 1}\n{\"a\": 2}\n", "a: 1\n---\na: 2\n---\na: 3\n"}) {
        std::istringstream in{text};
        int count = 0;
        auto result = decode::read_stream(in, "f", [&](const decode::Document &) -> model::Result<void> {
            if (++count == 2) return model::Error{"enough"};
            return {};
        });
        REQUIRE_FALSE(result);
        CHECK(result.error().text == "enough");
        CHECK(count == 2);
    }
}

TEST_CASE("stream: an object that was handed over is whole after the stream has gone", "[decode]") {
    std::vector<decode::Document> kept;
    for (bool json : {true, false}) {
        std::string text = json ? "{\"items\":[" : "items:\n";
        for (int i = 0; i < 30'000; ++i) {
            auto n = std::to_string(i);
            text += json ? (i ? ",\n" : "") + ("{\"name\": \"pod-" + n + "\", \"n\": [" + n + ", \"\\\\\"]}")
                         : "- name: pod-" + n + "\n  n: [" + n + "]\n";
        }
        if (json) text += "]}";
        std::istringstream in{text};
        auto result = decode::read_stream(in, "f", [&](decode::Document d) {
            kept.push_back(std::move(d));
            return model::Result<void>{};
        });
        REQUIRE(result);
        REQUIRE(*result == 30'000);
    }
    for (std::size_t i : {0u, 1u, 9'999u, 29'999u}) {
        CHECK(kept[i].value()["name"].string() == "pod-" + std::to_string(i));
        CHECK(kept[i].where(kept[i].value()["n"].at(0)).starts_with("f:" + std::to_string(i + 1) + ":"));
        CHECK(kept[30'000 + i].value()["n"].at(0).integer() == static_cast<std::int64_t>(i));
        CHECK(kept[30'000 + i]
                  .where(kept[30'000 + i].value()["n"].at(0))
                  .starts_with("f:" + std::to_string(2 * i + 3) + ":7"));
    }
}

TEST_CASE("stream: small text that is no JSON is tried as YAML, unless its name says JSON", "[decode]") {
    CHECK(read("{a: 1, items: [{b: 2}]}") == Lines{R"(f:1:16 {"b":2})"});
    CHECK(read("[{a: 1}]") == Lines{R"(f:1:2 {"a":1})"});
    CHECK(read("{a: 1}", "f.json") == Lines{R"(f.json:1:2: expected a key in double quotes, found "a")"});
    CHECK(read("{\"a\": [}") == Lines{R"(f:1:8: expected a value, found "}")"});
}

TEST_CASE("stream: progress grows to the size of the input", "[decode]") {
    std::string text;
    for (int i = 0; i < 400'000; ++i) text += "{\"a\": 1234567890}\n";
    std::istringstream in{text};
    std::vector<std::uint64_t> told;
    auto result = decode::read_stream(
        in, "f", [](const decode::Document &) { return model::Result<void>{}; },
        [&](std::uint64_t done, std::uint64_t total) {
            CHECK(total == 42);
            told.push_back(done);
        },
        42);
    REQUIRE(result);
    REQUIRE(told.size() > 3);
    CHECK(std::is_sorted(told.begin(), told.end()));
    CHECK(told.back() == text.size());
}

TEST_CASE("stream: a file that cannot be read says why", "[decode]") {
    auto none = [](const decode::Document &) { return model::Result<void>{}; };
    CHECK(decode::read_file("/nonexistent/x.yaml", none).error().text ==
          "/nonexistent/x.yaml: cannot be read: No such file or directory");
    CHECK(decode::read_file("/tmp", none).error().text == "/tmp: cannot be read: it is a directory");
    CHECK(decode::read_file("/dev/null", none));
}

// promise(editor): Berth reads an unusual object in a dump of a cluster as it would in a live cluster, and the object
// does not affect others.
TEST_CASE("stream: objects of an API server are read as Kubernetes reads them; hand-written ones get errors",
          "[decode]") {
    const std::string strange[] = {R"("a":1,"a":2)", R"("a":100000000000000000000)", "\"a\":\"\xff\"",
                                   R"("a":"\ud800")", R"("a":)" + std::string(5000, '[') + std::string(5000, ']')};
    const std::string plain = R"({"kind":"B","metadata":{"name":"b"}})";
    for (const auto &value : strange) {
        const auto by_hand = R"({"kind":"A","metadata":{"name":"a"},"spec":{)" + value + "}}";
        const auto dumped =
            R"({"kind":"A","metadata":{"name":"a","uid":"u","resourceVersion":"7"},"spec":{)" + value + "}}";
        for (const auto &[before, after] : {std::pair{R"({"kind":"List","items":[)", "]}"}, {"[", "]"}}) {
            const auto objects = read(before + plain + ",\n" + dumped + "," + plain + after, "f.json");
            REQUIRE(objects.size() == 3);
            CHECK(objects[1].starts_with(R"(f.json:2:1 {"kind":"A")"));
            CHECK(objects[1].find("\"spec\":{\"a\":") != std::string::npos);
            CHECK(read(before + plain + "," + by_hand + after, "f.json").back().starts_with("f.json:1:"));
        }
    }
    INFO("what is no JSON is none");
    CHECK(read(R"({"metadata":{"uid":"u","resourceVersion":"7"},"a":tru})", "f.json").back().starts_with("f.json:1:"));
}
