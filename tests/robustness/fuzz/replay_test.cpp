// SPDX-License-Identifier: Apache-2.0
// What the fuzzer starts from, and what it found, goes through the same targets in every build. A promise that is
// broken ends the program: the last line says by which file.
#include "catch.h"
#include "paths.h"
#include "target.h"

#include <glob.h>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>

using namespace berth;
namespace fs = std::filesystem;

namespace {

std::string content_of(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The files that seeds.txt names for a target, and those of its folders `seeds` and `found`.
std::set<fs::path> inputs_of(const std::string &target) {
    std::set<fs::path> out;
    const fs::path root = paths::source(), here = root / "tests/robustness/fuzz";
    for (const auto *folder : {"seeds", "found"}) {
        std::error_code none;
        for (const auto &entry : fs::directory_iterator(here / folder / target, none)) out.insert(entry.path());
    }
    std::ifstream lines(here / "seeds.txt");
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word != target) continue;
        while (words >> word) {
            glob_t found{};
            ::glob((root / word).c_str(), 0, nullptr, &found);
            CHECK(found.gl_pathc > 0);
            for (std::size_t i = 0; i < found.gl_pathc; ++i)
                if (fs::is_regular_file(found.gl_pathv[i])) out.insert(found.gl_pathv[i]);
            ::globfree(&found);
        }
    }
    return out;
}

}  // namespace

TEST_CASE("fuzz: what the fuzzer starts from and what it found keeps every promise", "[fuzz]") {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds patience{20};  // for builds with sanitizers on a busy machine
    for (const auto &target : fuzz::targets()) {
        const auto inputs = inputs_of(target.name);
        INFO(target.name);
        CHECK(inputs.size() >= 3);
        for (const auto &input : inputs) {
            INFO(input);
            std::clog << target.name << ": " << input.string() << '\n';
            const auto bytes = content_of(input);
            const auto from = Clock::now();
            target.run(bytes);
            CHECK(Clock::now() - from < patience);
            // What is cut off anywhere is an input like any other; the tables of a target's file end in many places.
            for (const std::size_t part : {1, 2, 3})
                target.run(std::string_view(bytes).substr(0, bytes.size() * part / 4));
        }
    }
}

TEST_CASE("fuzz: every folder of inputs belongs to a target", "[fuzz]") {
    for (const auto *folder : {"seeds", "found"}) {
        std::error_code none;
        for (const auto &entry :
             fs::directory_iterator(fs::path(paths::source()) / "tests/robustness/fuzz" / folder, none)) {
            INFO(entry.path());
            CHECK(
                std::ranges::any_of(fuzz::targets(), [&](const auto &t) { return entry.path().filename() == t.name; }));
        }
    }
}
