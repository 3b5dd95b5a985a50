// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "paths.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

std::string read(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// The values of the key that are written like the name of a plugin.
void collect_names(std::string_view text, std::string_view key, std::set<std::string> &names) {
    for (auto at = text.find(key); at != text.npos; at = text.find(key, at)) {
        at = text.find_first_not_of(" :\"", at + key.size());
        if (at == text.npos) return;
        auto end = at;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
        if (end > at && std::isupper(static_cast<unsigned char>(text[at]))) names.emplace(text.substr(at, end - at));
        at = end;
    }
}

/// Names of the plugins that this tree ships: those in the notes of the built libraries and in the default profiles.
std::set<std::string> plugin_names() {
    std::set<std::string> names;
    if (fs::is_directory(berth::paths::plugins()))
        for (const auto &entry : fs::directory_iterator(berth::paths::plugins())) {
            auto bytes = read(entry.path());
            auto note = bytes.find("\"plugins\"");
            if (note == bytes.npos) continue;
            collect_names(std::string_view(bytes.c_str() + note), "\"name\"", names);  // up to the note's end, a NUL
        }
    auto defaults = fs::path(berth::paths::source()) / "configs/defaults";
    if (fs::is_directory(defaults))
        for (const auto &entry : fs::recursive_directory_iterator(defaults))
            if (entry.is_regular_file() && entry.path().filename() != "gates.yaml")
                collect_names(read(entry.path()), "name:", names);
    return names;
}

/// The plain and raw string literals of a C++ source, each with its line.
std::multimap<std::string, int> literals(std::string_view text) {
    std::multimap<std::string, int> found;
    int line = 1;
    std::size_t i = 0;
    auto skip_to = [&](std::size_t end) {
        for (end = std::min(end, text.size()); i < end; ++i) line += text[i] == '\n';
    };
    while (i < text.size()) {
        auto rest = text.substr(i);
        if (rest.starts_with("//")) {
            skip_to(text.find('\n', i));
        } else if (rest.starts_with("/*")) {
            skip_to(text.find("*/", i) == text.npos ? text.npos : text.find("*/", i) + 2);
        } else if (rest.starts_with("R\"")) {
            auto open = text.find('(', i);
            if (open == text.npos) break;
            auto close = ")" + std::string(text.substr(i + 2, open - i - 2)) + "\"";
            auto end = std::min(text.find(close, open), text.size());
            found.emplace(text.substr(open + 1, end - open - 1), line);
            skip_to(end + close.size());
        } else if (text[i] == '"' || text[i] == '\'') {
            auto end = i + 1;
            while (end < text.size() && text[end] != text[i]) end += text[end] == '\\' ? 2 : 1;
            // A quote between digits only separates them.
            auto separator = text[i] == '\'' && i > 0 && std::isxdigit(static_cast<unsigned char>(text[i - 1]));
            if (text[i] == '"') found.emplace(text.substr(i + 1, end - i - 1), line);
            skip_to(separator ? i + 1 : end + 1);
        } else {
            skip_to(i + 1);
        }
    }
    return found;
}

}  // namespace

TEST_CASE("plugin names: no string literal in host/ is the name of a plugin", "[tree]") {
    auto names = plugin_names();
    std::vector<std::string> found;
    fs::path host = fs::path(berth::paths::source()) / "host";
    for (const auto &entry : fs::recursive_directory_iterator(host)) {
        auto ending = entry.path().extension();
        if (ending != ".h" && ending != ".cpp") continue;
        for (const auto &[literal, line] : literals(read(entry.path())))
            if (names.contains(literal))
                found.push_back("host/" + fs::relative(entry.path(), host).string() + ":" + std::to_string(line) +
                                ": \"" + literal +
                                "\" is the name of a plugin: what the host knows of it belongs in configs/defaults");
    }
    CHECK(found == std::vector<std::string>{});
}

TEST_CASE("plugin names: literals are found with their lines, comments and digits are not", "[tree]") {
    auto found = literals(
        "// \"One\"\n/* \"Two\"\n*/ f(\"Three\", '\"', 1'000, \"a\\\"b\");\nauto s = R\"x(Four)x\"; // \"Five\"\nauto "
        "t = \"Six\";");
    CHECK(found == std::multimap<std::string, int>{{"Three", 3}, {"a\\\"b", 3}, {"Four", 4}, {"Six", 5}});
}

TEST_CASE("plugin names: names are read from notes and from default profiles", "[tree]") {
    std::set<std::string> names;
    collect_names(R"("plugins": [{"name": "MaxPods", "x": 1}, {"name":"RandomScore"}])", "\"name\"", names);
    collect_names("  - name: NodeName\n    weight: 1\n  - {name: \"ImageLocality\"}\n  - name: '*'\n", "name:", names);
    CHECK(names == std::set<std::string>{"ImageLocality", "MaxPods", "NodeName", "RandomScore"});
}
