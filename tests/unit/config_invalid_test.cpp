// SPDX-License-Identifier: Apache-2.0
// Every file of tests/robustness/invalid-input/config/ is refused with exactly the text in the .expected file beside
// it. To add a case, add the two files.
#include "config/read.h"

#include "catch.h"
#include "paths.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::set<fs::path> broken_files() {
    std::set<fs::path> out;
    for (const auto &entry :
         fs::directory_iterator(fs::path(berth::paths::source()) / "tests/robustness/invalid-input/config"))
        if (entry.path().extension() != ".expected") out.insert(entry.path());
    return out;
}

}  // namespace

TEST_CASE("config: every broken file is refused with its own message", "[config]") {
    auto files = broken_files();
    CHECK(files.size() >= 25);
    for (const auto &file : files) {
        INFO(file.filename());
        auto configuration = berth::config::read(contents(file), file.filename());
        auto expected = fs::path(file).replace_extension(file.extension().string() + ".expected");
        CHECK_FALSE(configuration.ok());
        if (!configuration.ok()) CHECK(configuration.error().text + '\n' == contents(expected));
    }
}

TEST_CASE("config: every expected message belongs to a broken file", "[config]") {
    for (const auto &entry :
         fs::directory_iterator(fs::path(berth::paths::source()) / "tests/robustness/invalid-input/config"))
        if (entry.path().extension() == ".expected") CHECK(fs::exists(fs::path(entry.path()).replace_extension()));
}

TEST_CASE("config: ten megabytes of garbage are refused in one line", "[config]") {
    std::mt19937 random(1);
    std::string garbage;
    garbage.resize(10'000'000);
    for (auto &byte : garbage) byte = static_cast<char>(random() & 0xff);
    auto configuration = berth::config::read(garbage, "garbage");
    REQUIRE_FALSE(configuration.ok());
    CHECK(configuration.error().text.size() < 300);
    CHECK(configuration.error().text.find('\n') == std::string::npos);
    CHECK(configuration.error().text.starts_with("garbage:"));
}
