// SPDX-License-Identifier: Apache-2.0
#include "cluster/column_data.h"
#include "cluster/dictionary.h"

#include "catch.h"

#include <map>
#include <random>
#include <set>

using namespace berth;
using namespace berth::cluster;

TEST_CASE("cluster: an index finds what was put in and not what was taken out", "[cluster]") {
    auto seed = GENERATE(1u, 2u, 3u);
    INFO("seed " << seed);
    std::mt19937 random(seed);
    CodeIndex index;
    std::map<std::uint32_t, std::uint32_t> hashes;  // by code
    for (int i = 0; i < 4000; ++i) {
        auto code = static_cast<std::uint32_t>(random() % 300);
        if (auto at = hashes.find(code); at != hashes.end()) {
            index.erase(at->second, code);
            hashes.erase(at);
        } else {
            auto hash = static_cast<std::uint32_t>(random() % 40);  // few, so that runs of equal hashes are long
            index.insert(hash, code);
            hashes[code] = hash;
        }
        auto any = static_cast<std::uint32_t>(random() % 300);
        auto at = hashes.find(any);
        auto hash = at == hashes.end() ? static_cast<std::uint32_t>(random() % 40) : at->second;
        auto found = index.find(hash, [&](std::uint32_t c) { return c == any; });
        REQUIRE(found == (at == hashes.end() ? CodeIndex::none : any));
    }
}

TEST_CASE("cluster: nobody can choose texts that have one place in an index", "[cluster]") {
    // By the library's hash, which everybody knows, the texts below have one place among so many.
    constexpr std::uint32_t places = 1 << 12;
    std::set<std::uint32_t> ours, of_ports;
    std::size_t texts = 0;
    for (std::uint32_t i = 0; texts < 400; ++i) {
        const auto text = "k" + std::to_string(i);
        const std::uint64_t hash = std::hash<std::string_view>{}(text);
        if ((hash ^ (hash >> 32)) % places != 0) continue;
        ++texts;
        ours.insert(hash_of(std::string_view{text}) % places);
    }
    // By chance it would be 381 of them; 200 is beyond all chance.
    CHECK(ours.size() > 200);
    // Ports of one address never share a place.
    const auto tcp = model::to_str("TCP"), ip = model::to_str("10.0.0.1");
    for (std::int32_t port = 1; port <= 1000; ++port) of_ports.insert(hash_of(berth_port{tcp, ip, port, 0}) % places);
    CHECK(of_ports.size() == 1000);
}

TEST_CASE("cluster: equal values have one code, and a dictionary keeps its own copies", "[cluster]") {
    CodeHistory history;
    Dictionary<berth_label_set> dictionary(history);
    auto code_of = [&](std::string value) {
        berth_label labels[] = {{model::to_str("app"), model::to_str(value)}};
        return dictionary.code({labels, 1});
    };
    CHECK(code_of("a value too long to be kept inside a std::string") == 0);
    CHECK(code_of("other") == 1);
    CHECK(code_of("a value too long to be kept inside a std::string") == 0);
    CHECK(dictionary.code({nullptr, 0}) == 2);
    CHECK(model::view(dictionary.at(1).labels[0].value) == "other");
}

// promise(tenant): Berth frees the data of a label set, a namespace or another value when no pod or node has it any
// more.
TEST_CASE("cluster: a code is given to another value after a sweep, and not before", "[cluster]") {
    CodeHistory history;
    Dictionary<berth_str> dictionary(history);
    auto code_of = [&](const std::string &value) { return dictionary.code(model::to_str(value)); };
    auto held = code_of("held");
    dictionary.hold(held);
    for (std::size_t i = 0; i < Codes::least_unheld; ++i) {
        auto code = code_of("v" + std::to_string(i));
        dictionary.hold(code);
        dictionary.release(code);
        CHECK(code == held + 1 + i);
    }
    const auto before = dictionary.generations()[held];
    const auto once = dictionary.generations()[held + 1], version = history.version;
    CHECK(history.due);
    CHECK(version == 1);
    // Until the sweep each code means what it meant, and a value that comes back has its code again.
    CHECK(code_of("v0") == held + 1);
    CHECK(model::view(dictionary.at(held + 1)) == "v0");
    dictionary.hold(held + 1);
    dictionary.sweep();
    CHECK(history.version == version);  // one is held again: it is not worth it
    dictionary.release(held + 1);
    dictionary.sweep();
    CHECK(history.version == version + 1);
    CHECK(dictionary.find(model::to_str("v0")) == Dictionary<berth_str>::none);
    CHECK(dictionary.find(model::to_str("held")) == held);
    CHECK(dictionary.generations()[held] == before);
    CHECK(dictionary.size() == 1);

    auto again = code_of("other");
    CHECK(again == held + 1);
    CHECK(history.version == version + 2);
    CHECK(dictionary.generations()[again] > once);
    CHECK(model::view(dictionary.at(again)) == "other");
}

TEST_CASE("cluster: the lowest free codes are taken first, and free ones have no entry and no generation",
          "[cluster]") {
    CodeHistory history;
    Dictionary<berth_str> dictionary(history);
    std::vector<std::uint32_t> codes;
    for (int i = 0; i < 200; ++i) {
        codes.push_back(dictionary.code(model::to_str("v" + std::to_string(i))));
        dictionary.hold(codes.back());
    }
    for (int i = 50; i < 150; ++i) dictionary.release(codes[i]);
    dictionary.sweep();
    REQUIRE(dictionary.size() == 200);
    CHECK(dictionary.generations()[49] != 0);
    CHECK(dictionary.generations()[50] == 0);
    CHECK(dictionary.data()[149].len == 0);
    const auto version = history.version;
    CHECK(dictionary.code(model::to_str("new")) == 50);
    CHECK(dictionary.code(model::to_str("newer")) == 51);
    CHECK(history.version > version);
}

TEST_CASE("cluster: a column holds the codes of its rows, and lets go of them with the rows", "[cluster]") {
    std::mt19937 random(11);
    CodeHistory history;
    Dictionary<berth_str> dictionary(history);
    auto codes = [&](std::size_t n) {
        std::vector<std::uint32_t> out;
        for (; n > 0; --n) out.push_back(dictionary.code(model::to_str("v" + std::to_string(random() % 5000))));
        return out;
    };
    auto unheld = [&] {
        // All that nothing holds are freed if there are enough of them; so some more are made.
        for (std::size_t i = 0; i < Codes::greatest_unheld; ++i)
            dictionary.code(model::to_str("more" + std::to_string(i)));
        dictionary.sweep();
        std::size_t n = 0;
        for (std::size_t code = 0; code < dictionary.size(); ++code) n += dictionary.generations()[code] == 0 ? 0 : 1;
        return n;
    };
    std::map<std::uint32_t, std::string> one_of;
    std::map<std::uint32_t, std::vector<std::string>> list_of;
    std::set<std::string> all;
    {
        ColumnData ones(BERTH_COLUMN_TYPE_CODE, &dictionary, history.kept),
            lists(BERTH_COLUMN_TYPE_CODES, &dictionary, history.kept);
        ones.grow(100);
        lists.grow(100);
        for (int i = 0; i < 5000; ++i) {
            auto row = static_cast<std::uint32_t>(random() % 100);
            switch (random() % 4) {
                case 0:
                    ones.clear(row);
                    lists.clear(row);
                    one_of.erase(row);
                    list_of.erase(row);
                    break;
                case 1: ones.set_valid(row, random() % 2 != 0); break;
                case 2: {
                    auto code = codes(1).front();
                    ones.set_code(row, code);
                    one_of[row] = model::view(dictionary.at(code));
                    break;
                }
                default: {
                    auto list = codes(random() % 4);
                    lists.set_list(row, list);
                    list_of[row].clear();
                    for (auto code : list) list_of[row].emplace_back(model::view(dictionary.at(code)));
                }
            }
        }
        for (const auto &[row, value] : one_of) all.insert(value);
        for (const auto &[row, values] : list_of) all.insert(values.begin(), values.end());
        CHECK(unheld() == all.size());
        for (const auto &value : all) CHECK(dictionary.find(model::to_str(value)) != Dictionary<berth_str>::none);
        for (const auto &[row, values] : list_of) {
            std::vector<std::string> shown;
            for (auto code : lists.list(row)) shown.emplace_back(model::view(dictionary.at(code)));
            CHECK(shown == values);
        }
        ones.reset(3);
        lists.reset(3);
        CHECK(unheld() == 0);
        ones.set_code(0, codes(1).front());
        lists.set_list(0, codes(2));
        CHECK(unheld() > 0);
    }
    CHECK(unheld() == 0);
}

TEST_CASE("cluster: lists that grow and shrink keep to themselves, and their pool stays small", "[cluster]") {
    std::mt19937 random(7);
    KeptArrays kept;
    ColumnData column(BERTH_COLUMN_TYPE_CODES, nullptr, kept);
    column.grow(50);
    std::vector<std::vector<std::uint32_t>> lists(50);
    for (int i = 0; i < 20000; ++i) {
        auto row = static_cast<std::uint32_t>(random() % 50);
        lists[row].assign(random() % 20, static_cast<std::uint32_t>(i));
        column.set_list(row, lists[row]);
    }
    berth_column view{};
    column.describe(view);
    std::uint32_t furthest = 0;
    for (std::uint32_t row = 0; row < 50; ++row) {
        auto list = column.list(row);
        CHECK(std::vector<std::uint32_t>(list.begin(), list.end()) == lists[row]);
        furthest = std::max(furthest, view.offsets[row].end);
    }
    CHECK(furthest < 4096);
}
