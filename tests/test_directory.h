// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A directory for the files of one test, which only its owner can write and which is gone with the test.

#include "catch.h"

#include <sys/stat.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

struct TestDirectory {
    std::filesystem::path path;

    TestDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()));
        path = name;
    }
    ~TestDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    TestDirectory(const TestDirectory &) = delete;
    TestDirectory &operator=(const TestDirectory &) = delete;

    std::string file(const std::string &name) const { return (path / name).string(); }
    /// Makes the file, readable by all and writable by its owner, and returns its path.
    std::string write(const std::string &name, const std::string &bytes) const {
        std::ofstream(path / name, std::ios::binary) << bytes;
        ::chmod(file(name).c_str(), 0755);
        return file(name);
    }
};

inline std::string content_of(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
