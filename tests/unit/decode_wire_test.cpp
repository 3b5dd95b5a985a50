// SPDX-License-Identifier: Apache-2.0
#include "decode/wire.h"

#include "catch.h"
#include "decode/write.h"

using namespace berth;

TEST_CASE("wire: a page of a list, its items completed and apart", "[decode]") {
    auto page = decode::read_list_page(
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"12","continue":"abc"},)"
        R"("items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"kind":"Pod","apiVersion":"v1"}]})",
        "v1", "Pod");
    REQUIRE(page);
    CHECK(page->resource_version == "12");
    CHECK(page->next == "abc");
    REQUIRE(page->items.size() == 2);
    CHECK(decode::to_json(page->items[0]->value()) == R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})");
    CHECK(page->items[1]->value()["metadata"]["name"].string() == "b");
}

TEST_CASE("wire: an empty list says null", "[decode]") {
    auto page = decode::read_list_page(R"({"metadata":{"resourceVersion":"1"},"items":null})", "v1", "Pod");
    REQUIRE(page);
    CHECK(page->items.empty());
    CHECK(page->next.empty());
}

TEST_CASE("wire: an event's object has a tree of its own", "[decode]") {
    auto event = decode::read_watch_event(R"({"type":"ADDED","object":{"kind":"Pod","spec":{"list":[1,2]}}})");
    REQUIRE(event);
    CHECK(event->type == "ADDED");
    CHECK(decode::to_json(event->object->value()) == R"({"kind":"Pod","spec":{"list":[1,2]}})");
}

TEST_CASE("wire: managedFields are left out, and nothing else of that name", "[decode]") {
    const std::string object =
        R"({"metadata":{"name":"a","managedFields":[{"manager":"m"}],"labels":{"managedFields":"x"}},)"
        R"("managedFields":1,"spec":{"metadata":{"managedFields":2}}})";
    const std::string kept = R"("metadata":{"name":"a","labels":{"managedFields":"x"}},"managedFields":1,)"
                             R"("spec":{"metadata":{"managedFields":2}}})";
    auto event = decode::read_watch_event(R"({"type":"ADDED","object":)" + object + "}");
    REQUIRE(event);
    CHECK(decode::to_json(event->object->value()) == "{" + kept);
    auto page = decode::read_list_page(R"({"metadata":{"resourceVersion":"1"},"items":[)" + object + "]}", "v1", "Pod");
    REQUIRE(page);
    CHECK(decode::to_json(page->items[0]->value()) == R"({"apiVersion":"v1","kind":"Pod",)" + kept);
}

TEST_CASE("wire: what is neither is refused", "[decode]") {
    CHECK(decode::read_list_page(R"({"items":[]})", "v1", "Pod").error().text ==
          "the API server's answer is no list: it has no metadata.resourceVersion");
    CHECK(decode::read_watch_event(R"({"type":"ADDED"})").error().text ==
          "the API server's answer is no watch event: it has no type or no object");
    for (const char *text : {"", "nonsense", "[1]", R"({"type":"ADDED","object":{)", R"({"object":{"a":1,"a":2}})",
                             "{\"type\":\"\xff\"}"}) {
        CHECK_FALSE(decode::read_watch_event(text));
        CHECK_FALSE(decode::read_list_page(text, "v1", "Pod"));
    }
    std::string deep = R"({"type":"ADDED","object":)" + std::string(300, '[') + std::string(300, ']') + "}";
    CHECK_FALSE(decode::read_watch_event(deep));
}

TEST_CASE("wire: the message of a Status", "[decode]") {
    CHECK(decode::status_message(R"({"kind":"Status","message":"no such pod","code":404})") == "no such pod");
    CHECK(decode::status_message("Unauthorized\n") == "Unauthorized");
    CHECK(decode::status_message("{broken") == "{broken");
    CHECK(decode::status_message("") == "");
}
