// SPDX-License-Identifier: Apache-2.0
#include "decode/wire.h"

#include "catch.h"
#include "decode/write.h"

using namespace berth;

TEST_CASE("wire: a page of a list, its items completed and apart", "[decode]") {
    auto page = decode::WireReader().list_page(
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12","continue":"abc"},)"
        R"("items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"kind":"Pod","apiVersion":"v1"}]})",
        "v1", "Pod");
    REQUIRE(page);
    CHECK(page->resource_version == "12");
    CHECK(page->next == "abc");
    REQUIRE(page->items.size() == 2);
    CHECK(decode::to_json(page->items[0].tree->value()) ==
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
    CHECK(page->items[1].tree->value()["metadata"]["name"].string() == "b");
}

TEST_CASE("wire: an empty list says null", "[decode]") {
    auto page = decode::WireReader().list_page(R"({"metadata":{"resourceVersion":"1"},"items":null})", "v1", "Pod");
    REQUIRE(page);
    CHECK(page->items.empty());
    CHECK(page->next.empty());
}

TEST_CASE("wire: an event's object has a tree of its own", "[decode]") {
    auto event = decode::WireReader().watch_event(R"({"type":"ADDED","object":{"kind":"Pod","spec":{"list":[1,2]}}})");
    REQUIRE(event);
    CHECK(event->type == "ADDED");
    CHECK(decode::to_json(event->object.tree->value()) == R"({"kind":"Pod","spec":{"list":[1,2]}})");
}

TEST_CASE("wire: managedFields are left out, and nothing else of that name", "[decode]") {
    const std::string object =
        R"({"metadata":{"name":"a","managedFields":[{"manager":"m"}],"labels":{"managedFields":"x"}},)"
        R"("managedFields":1,"spec":{"metadata":{"managedFields":2}}})";
    const std::string kept = R"("metadata":{"name":"a","labels":{"managedFields":"x"}},"managedFields":1,)"
                             R"("spec":{"metadata":{"managedFields":2}}})";
    auto event = decode::WireReader().watch_event(R"({"type":"ADDED","object":)" + object + "}");
    REQUIRE(event);
    CHECK(decode::to_json(event->object.tree->value()) == "{" + kept);
    auto page =
        decode::WireReader().list_page(R"({"metadata":{"resourceVersion":"1"},"items":[)" + object + "]}", "v1", "Pod");
    REQUIRE(page);
    CHECK(decode::to_json(page->items[0].tree->value()) == R"({"apiVersion":"v1","kind":"Pod",)" + kept);
}

TEST_CASE("wire: what is neither is refused", "[decode]") {
    CHECK(decode::WireReader().list_page(R"({"items":[]})", "v1", "Pod").error().text ==
          "the API server's answer is no list: it has no metadata.resourceVersion");
    CHECK(decode::WireReader().watch_event(R"({"type":"ADDED"})").error().text ==
          "the API server's answer is no watch event: it has no type or no object");
    for (const char *text : {"", "nonsense", "[1]", R"({"type":"ADDED","object":{)", R"({"object":{"a":1}})",
                             R"({"type":"ADDED","object":{}}x)", R"({"type":"ADDED","object":{"a":"}})"}) {
        CHECK_FALSE(decode::WireReader().watch_event(text));
        CHECK_FALSE(decode::WireReader().list_page(text, "v1", "Pod"));
    }
}

namespace {

std::string page_of(const std::string &items) {
    return R"({"kind":"WidgetList","metadata":{"resourceVersion":"7"},"items":[)" + items + "]}";
}

}  // namespace

// promise(editor): Berth reads unusual JSON that Kubernetes accepts (repeated keys, huge numbers, deep nesting, invalid
// UTF-8) as Kubernetes does.
TEST_CASE("wire: strange objects are read in a list with other objects and in a watch event", "[decode]") {
    const std::string strange[] = {
        R"({"metadata":{"name":"s"},"spec":{"a":1,"a":2}})",
        R"({"metadata":{"name":"s"},"spec":{"a":100000000000000000000}})",
        "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"a\":\"\xff\"}}",
        R"({"metadata":{"name":"s"},"spec":{"a":"\ud800"}})",
        R"({"metadata":{"name":"s"},"spec":{"a":1e999}})",
        R"({"metadata":{"name":"s"},"spec":)" + std::string(5000, '[') + std::string(5000, ']') + "}"};
    for (const auto &one : strange) {
        const auto page =
            decode::WireReader().list_page(page_of(R"({"metadata":{"name":"a"}},)" + one), "v1", "Widget");
        REQUIRE(page);
        REQUIRE(page->items.size() == 2);
        CHECK(page->resource_version == "7");
        for (const auto &item : page->items) {
            CHECK(item.fault.empty());
            CHECK(item.tree->value()["kind"].string() == "Widget");
        }
        CHECK(page->items[1].tree->value()["metadata"]["name"].string() == "s");
        CHECK(page->items[1].tree->value()["spec"]);
        const auto event = decode::WireReader().watch_event(R"({"type":"ADDED","object":)" + one + "}");
        REQUIRE(event);
        CHECK(event->object.fault.empty());
        CHECK(event->object.tree->value()["spec"]);
    }
}

// promise(editor): An unreadable object does not affect other objects, and Berth knows its name.
TEST_CASE("wire: an unreadable object does not affect others, and its metadata are known", "[decode]") {
    const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
    const auto bad = R"({"spec":)" + deep +
                     R"(,"metadata":{"name":"s","managedFields":[1],"resourceVersion":"3","labels":{"a":"\ud800"}}})";
    const auto page = decode::WireReader().list_page(
        page_of(R"({"metadata":{"name":"a"}},)" + bad + R"(,{"metadata":{"name":"b"}})"), "v1", "Widget");
    REQUIRE(page);
    REQUIRE(page->items.size() == 3);
    CHECK(page->items[0].fault.empty());
    CHECK(page->items[1].fault == "at byte 10008 of 20099: nested more than 10000 levels deep");
    CHECK(decode::to_json(page->items[1].tree->value()) ==
          "{\"apiVersion\":\"v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"s\",\"resourceVersion\":\"3\","
          "\"labels\":{\"a\":\"\uFFFD\"}}}");
    CHECK(page->items[2].tree->value()["metadata"]["name"].string() == "b");
    const auto event = decode::WireReader().watch_event(R"({"type":"DELETED","object":)" + bad + "}");
    REQUIRE(event);
    CHECK(event->type == "DELETED");
    CHECK_FALSE(event->object.fault.empty());
    CHECK(event->object.tree->value()["metadata"]["resourceVersion"].string() == "3");
    for (const char *text : {"tru", "{\"metadata\":{\"name\":1e}}", "{1:2}", "[1,]"}) {
        const auto some = decode::WireReader().list_page(page_of(std::string(text) + R"(,{"metadata":{"name":"b"}})"),
                                                         "v1", "Widget");
        REQUIRE(some);
        REQUIRE(some->items.size() == 2);
        CHECK_FALSE(some->items[0].fault.empty());
        CHECK(some->items[1].fault.empty());
    }
}

TEST_CASE("wire: of a list's repeated members the last counts", "[decode]") {
    for (const char *strange : {"", R"(,"x":1e999)"}) {
        const auto page = decode::WireReader().list_page(
            std::string(R"({"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"1"},)"
                        R"("items":[{"metadata":{"name":"b"}}],"metadata":{"resourceVersion":"2"})") +
                strange + "}",
            "v1", "Pod");
        REQUIRE(page);
        REQUIRE(page->items.size() == 1);
        CHECK(page->items[0].tree->value()["metadata"]["name"].string() == "b");
        CHECK(page->resource_version == "2");
    }
}

TEST_CASE("wire: the message of a Status", "[decode]") {
    CHECK(decode::status_message(R"({"kind":"Status","message":"no such pod","code":404})") == "no such pod");
    CHECK(decode::status_message("Unauthorized\n") == "Unauthorized");
    CHECK(decode::status_message("{broken") == "{broken");
    CHECK(decode::status_message("") == "");
}
