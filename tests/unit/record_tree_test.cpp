// SPDX-License-Identifier: Apache-2.0
#include "record/tree.h"

#include "catch.h"
#include "decode/document.h"
#include "decode/wire.h"
#include "decode/write.h"
#include "env/random.h"
#include "small_stack.h"

using namespace berth;

namespace {

std::string recorded(const std::string &now, const std::string &base = {}, bool secret = false) {
    const auto is = decode::read_document(now, "now");
    const auto was =
        base.empty() ? model::Result<decode::Document>(decode::Document{}) : decode::read_document(base, "base");
    REQUIRE(is);
    REQUIRE(was);
    std::string out;
    record::put_tree(out, is->value(), was->value(), secret);
    // The reader has of the base what was recorded of it.
    std::string of_base;
    record::put_tree(of_base, was->value(), {}, secret);
    record::Bytes base_bytes(of_base), bytes(out);
    model::Arena arena;
    const auto old = record::take_tree(base_bytes, {}, arena);
    const auto read = record::take_tree(bytes, base.empty() ? model::Value{} : model::Value{&old}, arena);
    CHECK(bytes.good());
    CHECK(bytes.at_end());
    return decode::to_json(model::Value{&read});
}

/// A value of few different members, so that two of them often share some.
berth_value some_value(model::Arena &arena, std::uint64_t &seed, int depth) {
    const auto roll = [&](std::uint64_t n) { return (seed = env::mix(seed)) % n; };
    const auto kind = roll(depth > 3 ? 5 : 8);
    if (kind == 0) return model::make_null();
    if (kind == 1) return model::make_bool(roll(2) == 0);
    if (kind == 2) return model::make_int(static_cast<std::int64_t>(roll(5)) - 2);
    if (kind == 3) return model::make_double(static_cast<double>(roll(3)) / 4);
    if (kind == 4) return model::make_string(arena, std::string(roll(3), 'x'));
    if (kind == 5) {
        std::vector<berth_value> items;
        for (auto n = roll(4); n > 0; --n) items.push_back(some_value(arena, seed, depth + 1));
        return model::make_array(arena, items);
    }
    std::vector<berth_kv> members;
    for (char name : {'a', 'b', 'c', 'd'})
        if (roll(3) > 0)
            members.push_back({model::to_str(arena.copy(std::string(1, name))), some_value(arena, seed, depth + 1)});
    if (!members.empty() && roll(2)) std::swap(members.front(), members.back());
    return model::make_object(arena, members);
}

}  // namespace

TEST_CASE("record: an object is what it was, whatever it is told as a difference from", "[record]") {
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        INFO("seed " << seed);
        model::Arena arena;
        auto state = env::mix(seed);
        const auto base = some_value(arena, state, 0), now = some_value(arena, state, 0);
        std::string out;
        record::put_tree(out, model::Value{&now}, model::Value{&base});
        record::Bytes bytes(out);
        const auto read = record::take_tree(bytes, model::Value{&base}, arena);
        REQUIRE(bytes.good());
        REQUIRE(bytes.at_end());
        REQUIRE(decode::to_json(model::Value{&read}) == decode::to_json(model::Value{&now}));
    }
}

TEST_CASE("record: what is the same takes one byte, and a change what it is long", "[record]") {
    const std::string pod = R"({"metadata":{"name":"web-1","labels":{"app":"web"}},"spec":{"a":[1,2,{"b":"c"}]}})";
    const auto is = decode::read_document(pod, "now");
    std::string same;
    record::put_tree(same, is->value(), is->value());
    CHECK(same.size() == 1);
    const auto other = decode::read_document(
        R"({"metadata":{"name":"web-2","labels":{"app":"web"}},"spec":{"a":[1,2,{"b":"c"}]}})", "now");
    std::string change;
    record::put_tree(change, other->value(), is->value());
    CHECK(change.size() < 20);
}

TEST_CASE("record: values of the environment and what else is nobody's business are left out", "[record]") {
    CHECK(recorded(R"({"env":[{"name":"A","value":"b"}],"envFrom":[1],"command":["x"],"args":["y"],"image":"z"})") ==
          R"({"image":"z"})");
    CHECK(recorded(R"({"httpHeaders":[{"name":"Authorization"}],"terminated":{"message":"m"},"p":1})") == R"({"p":1})");
    CHECK(
        recorded(
            R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}","a":"b"},"managedFields":[]}})") ==
        R"({"metadata":{"annotations":{"a":"b"}}})");
    CHECK(recorded(R"({"pod":{"metadata":{"name":"a","managedFields":[1]}}})") ==
          R"({"pod":{"metadata":{"name":"a"}}})");
    CHECK(recorded(R"({"args":{"max":1},"env":"prod","command":"go","terminated":false})") ==
          R"({"args":{"max":1},"env":"prod","command":"go","terminated":false})");
}

TEST_CASE("record: what anybody may call a label or a selector is there", "[record]") {
    const std::string pod =
        R"({"metadata":{"labels":{"managedFields":"a","stringData":"b"},"annotations":{"managedFields":"c"}},)"
        R"("spec":{"nodeSelector":{"managedFields":"d","kubectl.kubernetes.io/last-applied-configuration":"e"},)"
        R"("attributes":{"managedFields":{"bool":true},"stringData":{"string":"f"}}}})";
    CHECK(recorded(pod) == pod);
    CHECK(recorded(pod, R"({"metadata":{"labels":{"managedFields":"z"},"managedFields":[1]},"spec":{}})") == pod);
    CHECK(recorded(R"({"metadata":{"labels":{"managedFields":"a"},"managedFields":[2]}})",
                   R"({"metadata":{"labels":{"managedFields":"b"},"managedFields":[1]}})") ==
          R"({"metadata":{"labels":{"managedFields":"a"}}})");
}

TEST_CASE("record: what was left out is left out of differences, too", "[record]") {
    const std::string before = R"({"a":1,"env":[1],"b":[{"env":[2],"c":3}],"d":{"args":[1]}})";
    CHECK(recorded(R"({"a":1,"env":[9],"b":[{"env":[8],"c":3}],"d":{"args":[7]}})", before) ==
          R"({"a":1,"b":[{"c":3}],"d":{}})");
    CHECK(recorded(R"({"b":[{"c":4},{"env":[8]}],"env":[9],"d":{"args":[7],"e":5}})", before) ==
          R"({"b":[{"c":4},{}],"d":{"e":5}})");
}

// promise(recording): A recording does not contain the data of Secrets.
TEST_CASE("record: of a Secret, only the metadata is recorded", "[record]") {
    const std::string secret =
        R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"type":"Opaque","data":{"k":"dg=="},"immutable":true})";
    const std::string kept = R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"type":"Opaque"})";
    CHECK(recorded(secret, {}, true) == kept);
    CHECK(recorded(secret, secret, true) == kept);
}

// promise(recording): `berth replay` refuses bytes of a recording that do not form an object, and does not crash.
TEST_CASE("record: bytes that are no object are refused", "[record]") {
    const auto base = decode::read_document(R"({"a":[1,{"b":2}],"c":"d"})", "base");
    std::string good;
    const auto now = decode::read_document(R"({"a":[1,{"b":3},4],"e":{"f":"g"},"c":"d"})", "now");
    record::put_tree(good, now->value(), base->value());
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        INFO("seed " << seed);
        auto bytes = good;
        auto state = env::mix(seed);
        for (int i = 0; i < 3; ++i) {
            state = env::mix(state);
            bytes[state % bytes.size()] = static_cast<char>(state >> 32);
        }
        bytes.resize((state >> 16) % (bytes.size() + 1));
        record::Bytes broken(bytes);
        model::Arena arena;
        const auto read = record::take_tree(broken, base->value(), arena);
        // Either it is one all the same, or it says so.
        if (broken.good()) decode::to_json(model::Value{&read});
    }
    record::Bytes empty("");
    model::Arena arena;
    record::take_tree(empty, {}, arena);
    CHECK(!empty.good());
}

TEST_CASE("record: an object of thousands of levels is told, whole and as a difference, without as much stack",
          "[record]") {
    on_small_stack([] {
        const auto first = decode::read_api_json(deep_json()),
                   second = decode::read_api_json(deep_json(deep_levels, "2"));
        const auto wide = decode::read_api_json(R"({"a":[)" + deep_json(deep_levels - 2, "3") + ",1]}");
        REQUIRE((first && second && wide));
        for (const auto &base : {model::Value{}, (*first)->value(), (*second)->value(), (*wide)->value()}) {
            std::string of_base;
            record::put_tree(of_base, base, {});
            for (const auto &now : {*first, *second, *wide}) {
                std::string out;
                record::put_tree(out, now->value(), base);
                record::Bytes base_bytes(of_base), bytes(out);
                model::Arena arena;
                const auto old = record::take_tree(base_bytes, {}, arena);
                const auto read = record::take_tree(bytes, base ? model::Value{&old} : model::Value{}, arena);
                CHECK(bytes.good());
                CHECK(bytes.at_end());
                CHECK(model::equal(model::Value{&read}, now->value()));
            }
        }
        // Somebody's file with more levels than there can be is refused.
        std::string forged(30'000, '\7');
        for (std::size_t i = 1; i < forged.size(); i += 2) forged[i] = 1;
        record::Bytes bytes(forged);
        model::Arena arena;
        record::take_tree(bytes, {}, arena);
        CHECK_FALSE(bytes.good());
    });
}

// promise(recording): A recorded difference that copies parts of the earlier object again and again takes no more
// memory than one object may take.
TEST_CASE("record: what a few bytes expand to is bounded", "[record]") {
    constexpr char same = 0, patch = 9, edit_object = 10;
    const auto base =
        decode::read_document(R"({"a":{"k":")" + std::string(100'000, 'x') + R"("},"l":[1,2,3,4]})", "base");
    REQUIRE(base);
    auto taken = [&](const std::string &difference, std::uint64_t most) {
        record::Bytes bytes(difference);
        model::Arena arena;
        record::Room room{most, "too much"};
        record::take_tree(bytes, base->value(), arena, room);
        CHECK(room.left <= most);
        return bytes.good() ? most - room.left : UINT64_MAX;
    };
    // The member "a" a hundred times, and within each the member "k" a hundred times.
    std::string inner{edit_object}, all{edit_object};
    record::put_number(inner, 100);
    for (int i = 0; i < 100; ++i) inner += std::string{1, same};
    record::put_number(all, 100);
    for (int i = 0; i < 100; ++i) all += std::string{1} + inner;
    CHECK(all.size() < 25'000);
    CHECK(taken(all, 64u << 20) == UINT64_MAX);
    CHECK(taken(all, 2'000'000'000) >= 1'000'000'000);
    // A list that is there again and again, without a byte for what is in it.
    std::string lists{edit_object};
    record::put_number(lists, 1000);
    for (int i = 0; i < 1000; ++i) lists += std::string{2, patch, 0};
    CHECK(taken(lists, 1000 * 100) == UINT64_MAX);
    // An honest one takes what it is.
    CHECK(taken(std::string{same}, 1u << 20) < 110'000);
    CHECK(taken(std::string{same}, 99'999) == UINT64_MAX);
}
