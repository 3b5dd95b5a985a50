// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "paths.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// The lines of a source that have a thread-local, as "path:line".
std::vector<std::string> thread_locals(const std::string &path, std::istream &text) {
    std::vector<std::string> found;
    std::string line;
    for (int number = 1; std::getline(text, line); ++number) {
        const auto code = line.substr(0, line.find("//"));
        if (code.find("thread_local") != code.npos || code.find("__thread") != code.npos)
            found.push_back(path + ":" + std::to_string(number));
    }
    return found;
}

}  // namespace

TEST_CASE("tree: a thread-local is found", "[tree]") {
    std::istringstream text("// a thread_local\nint a;\nthread_local int b;\nstatic __thread int c;\n");
    CHECK(thread_locals("f", text) == std::vector<std::string>{"f:3", "f:4"});
}

// docs/architecture.md says why there is this one. What a call needs is passed, or held by who calls.
TEST_CASE("tree: the one thread-local in host/ is the call that a thread is in", "[tree]") {
    const auto host = fs::path(berth::paths::source()) / "host";
    std::vector<std::string> files;
    for (const auto &entry : fs::recursive_directory_iterator(host)) {
        if (!entry.is_regular_file()) continue;
        std::ifstream text(entry.path());
        for (std::size_t n = thread_locals("", text).size(); n > 0; --n)
            files.push_back(fs::relative(entry.path(), host).string());
    }
    CHECK(files == std::vector<std::string>{"plugin/current_call.cpp"});
}
