// SPDX-License-Identifier: Apache-2.0
#include "model/value.h"

#include "catch.h"
#include "decode/wire.h"
#include "model/shared_values.h"
#include "small_stack.h"

#include <cstdint>
#include <new>

using namespace berth::model;

namespace {

/// {"name": "web", "a/b": {"m~n": [1, 2.5, true, null]}}
Tree sample() {
    Tree tree;
    auto &arena = tree.arena;
    auto list = make_array(arena, {make_int(1), make_double(2.5), make_bool(true), make_null()});
    auto inner = make_object(arena, {{to_str("m~n"), list}});
    tree.root = make_object(arena, {{to_str("name"), make_string(arena, "web")}, {to_str("a/b"), inner}});
    return tree;
}

}  // namespace

TEST_CASE("value: a tree is read by member and by index", "[model]") {
    auto tree = sample();
    auto list = tree.value()["a/b"]["m~n"];
    CHECK(tree.value()["name"].string() == "web");
    REQUIRE(list.size() == 4);
    CHECK(list.at(0).integer() == 1);
    CHECK(list.at(1).number() == 2.5);
    CHECK(list.at(2).is_true());
    CHECK(list.at(3).is_null());
}

TEST_CASE("value: asking for what is not there gives an empty answer", "[model]") {
    auto tree = sample();
    CHECK_FALSE(tree.value()["absent"]);
    CHECK_FALSE(tree.value()["absent"]["deeper"].at(3));
    CHECK_FALSE(tree.value()["name"].integer());
    CHECK(tree.value()["name"].size() == 0);
    CHECK(tree.value()["a/b"].string().empty());
    CHECK(tree.value()["a/b"]["m~n"].at(3));
    CHECK_FALSE(tree.value()["a/b"]["m~n"].at(4));
}

TEST_CASE("value: a JSON pointer follows members, indexes and escapes", "[model]") {
    auto tree = sample();
    auto root = tree.value();
    CHECK(at_pointer(root, "").raw() == root.raw());
    CHECK(at_pointer(root, "/a~1b/m~0n/0").integer() == 1);
    CHECK_FALSE(at_pointer(root, "/a~1b/m~0n/4"));
    CHECK_FALSE(at_pointer(root, "/a~1b/m~0n/-1"));
    CHECK_FALSE(at_pointer(root, "/a~1b/m~0n/0x"));
    CHECK_FALSE(at_pointer(root, "name"));
}

TEST_CASE("value: a copy outlives the tree it was made from", "[model]") {
    Tree kept;
    {
        auto tree = sample();
        kept.root = copy(kept.arena, tree.value());
    }
    auto again = sample();
    CHECK(equal(kept.value(), again.value()));
}

TEST_CASE("value: objects are equal whatever the order of their members", "[model]") {
    Arena arena;
    auto one = make_int(1), two = make_int(2);
    auto ab = make_object(arena, {{to_str("a"), one}, {to_str("b"), two}});
    auto ba = make_object(arena, {{to_str("b"), two}, {to_str("a"), one}});
    auto aa = make_object(arena, {{to_str("a"), one}, {to_str("c"), two}});
    CHECK(equal(Value{&ab}, Value{&ba}));
    CHECK_FALSE(equal(Value{&ab}, Value{&aa}));
}

TEST_CASE("value: an arena keeps what it gave out while it grows", "[model]") {
    Arena arena;
    std::vector<std::string_view> kept;
    for (int i = 0; i < 1000; ++i) kept.push_back(arena.copy("number " + std::to_string(i)));
    for (int i = 0; i < 1000; ++i) CHECK(kept[static_cast<std::size_t>(i)] == "number " + std::to_string(i));
    auto *aligned = arena.allocate(8, 64);
    CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
}

TEST_CASE("value: an arena that is asked for more than there is throws, and goes on", "[model]") {
    Arena arena;
    for (std::size_t align : {std::size_t{1}, std::size_t{16}, std::size_t{64}})
        for (std::size_t bytes : {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 63, SIZE_MAX / 2 + 1})
            CHECK_THROWS_AS(arena.allocate(bytes, align), std::bad_alloc);
    CHECK(arena.copy("tea") == "tea");
}

TEST_CASE("value: nothing that is done with a whole tree takes stack for its depth", "[model]") {
    berth::on_small_stack([] {
        const auto one = berth::decode::read_api_json(berth::deep_json()),
                   other = berth::decode::read_api_json(berth::deep_json());
        const auto third = berth::decode::read_api_json(berth::deep_json(berth::deep_levels, "2"));
        REQUIRE((one && other && third));
        const auto a = (*one)->value(), b = (*other)->value(), c = (*third)->value();
        CHECK(equal(a, b));
        CHECK_FALSE(equal(a, c));
        CHECK(same(a, b));
        CHECK_FALSE(same(a, c));
        CHECK(hash(a) == hash(b));
        CHECK(hash(a) != hash(c));
        Tree copied, compact;
        copied.root = copy(copied.arena, a);
        CHECK(same(copied.value(), a));
        compact_copy(compact, a);
        CHECK(same(compact.value(), a));
        SharedValues values;
        auto make = [](Value v) -> TreePtr {
            auto tree = std::make_shared<Tree>();
            compact_copy(*tree, v);
            return tree;
        };
        CHECK_FALSE(values.find(a, make));
        CHECK(values.find(b, make));
    });
}
