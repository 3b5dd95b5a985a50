// SPDX-License-Identifier: Apache-2.0
#include "cluster/column_data.h"
#include "cluster/dictionary.h"

#include "catch.h"

#include <map>
#include <random>

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

TEST_CASE("cluster: equal values have one code, and a dictionary keeps its own copies", "[cluster]") {
    Dictionary<berth_label_set> dictionary;
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

TEST_CASE("cluster: lists that grow and shrink keep to themselves, and their pool stays small", "[cluster]") {
    std::mt19937 random(7);
    ColumnData column(BERTH_COLUMN_CODES);
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
