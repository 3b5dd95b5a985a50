// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "paths.h"
#include "source_text.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace {

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
            auto bytes = berth::read_text(entry.path());
            auto note = bytes.find("\"plugins\"");
            if (note == bytes.npos) continue;
            collect_names(std::string_view(bytes.c_str() + note), "\"name\"", names);  // up to the note's end, a NUL
        }
    auto defaults = fs::path(berth::paths::source()) / "configs/defaults";
    if (fs::is_directory(defaults))
        for (const auto &entry : fs::recursive_directory_iterator(defaults))
            if (entry.is_regular_file() && entry.path().filename() != "gates.yaml")
                collect_names(berth::read_text(entry.path()), "name:", names);
    return names;
}

using Found = std::vector<std::string>;

fs::path host() { return fs::path(berth::paths::source()) / "host"; }

std::string place(const fs::path &path, int line) {
    return fs::relative(path, berth::paths::source()).string() + ":" + std::to_string(line);
}

/// What plugins say, by where it is written: the literals that are long enough to be a sentence, or a part of one.
using Sentences = std::map<std::string, std::string>;

bool is_sentence(std::string_view literal) {
    constexpr std::size_t least = 12;
    const auto size = literal.size() - static_cast<std::size_t>(std::ranges::count(literal, '\\'));
    return size >= least && literal.find(' ') != literal.npos;
}

void add_sentences(Sentences &out, const std::string &text, const fs::path &path) {
    for (const auto &[literal, line] : berth::SourceText(text).literals)
        if (is_sentence(literal)) out.try_emplace(literal, place(path, line));
}

/// Where `text` has one of the sentences, or a part of one; a short part, such as "does not exist", is plain English.
Found repeated(const Sentences &sentences, const std::string &text, const fs::path &path) {
    constexpr std::size_t least_part = 16;
    const auto holds = [](std::string_view whole, std::string_view part) {
        return whole == part || (part.size() >= least_part && whole.find(part) != whole.npos);
    };
    Found found;
    for (const auto &[literal, line] : berth::SourceText(text).literals)
        for (const auto &[sentence, where] : sentences)
            if (is_sentence(literal) && (holds(sentence, literal) || holds(literal, sentence)))
                found.push_back(place(path, line) + ": \"" + literal + "\" is said by a plugin, " + where);
    return found;
}

}  // namespace

TEST_CASE("plugin names: no string literal in host/ is the name of a plugin", "[tree]") {
    const auto names = plugin_names();
    Found found;
    for (const auto &path : berth::sources_in(host()))
        for (const auto &[literal, line] : berth::SourceText(berth::read_text(path)).literals)
            if (names.contains(literal))
                found.push_back(place(path, line) + ": \"" + literal +
                                "\" is the name of a plugin: what the host knows of it belongs in configs/defaults");
    CHECK(found == Found{});
}

TEST_CASE("plugin names: no sentence of a plugin is in the rooms that a pod passes", "[tree]") {
    Sentences sentences;
    const auto source = fs::path(berth::paths::source());
    auto paths = berth::sources_in(source / "plugins/kubernetes");
    for (auto &path : berth::sources_in(source / "sdk/include/berth/preemption")) paths.push_back(std::move(path));
    paths.push_back(source / "sdk/include/berth/preemption_evaluator.hpp");
    for (const auto &path : paths) add_sentences(sentences, berth::read_text(path), path);
    CHECK(sentences.size() > 100);
    // The host says it of an extender, a preemption of itself. Upstream, too, writes it in both places.
    CHECK(sentences.erase("expected at least one victim pod on node ") == 1);
    Found found;
    for (const char *room : {"cycle", "scheduler", "queue", "bind"})
        for (const auto &path : berth::sources_in(host() / room))
            for (auto &one : repeated(sentences, berth::read_text(path), path)) found.push_back(std::move(one));
    CHECK(found == Found{});
}

TEST_CASE("plugin names: a sentence is found whole, in part, and over several lines", "[tree]") {
    const auto source = fs::path(berth::paths::source());
    Sentences sentences;
    add_sentences(sentences, "f(\"node(s) had \"\n  \"no room at the quay\");\ng(\"no room here\", \"short one\");",
                  source / "p.h");
    CHECK(sentences.size() == 2);
    auto count = [&](const std::string &text) { return repeated(sentences, text, source / "h.cpp").size(); };
    CHECK(repeated(sentences, "\nx == \"no room here\";", source / "h.cpp") ==
          Found{"h.cpp:2: \"no room here\" is said by a plugin, p.h:3"});
    CHECK(count("\"there is no room at the quay, and none at the pier\"") == 0);
    CHECK(count("\"pods: node(s) had no room at the quay\"") == 1);
    CHECK(count("\"no room at the quay\"") == 1);
    CHECK(count("\"at the quay\"") == 0);
    CHECK(count("// \"no room at the quay\"") == 0);
}

TEST_CASE("plugin names: literals are found with their lines, comments and digits are not", "[tree]") {
    const berth::SourceText found(
        "// \"One\"\n/* \"Two\"\n*/ f(\"Three\", '\"', 1'000, \"a\\\"b\");\nauto s = R\"x(Four)x\"; // \"Five\"\nauto "
        "t = \"Six\" // and\n\"Seven\";");
    using Literals = std::vector<berth::SourceText::Literal>;
    CHECK(found.literals == Literals{{"Three", 3}, {"a\\\"b", 3}, {"Four", 4}, {"SixSeven", 5}});
    CHECK(berth::SourceText("a; // b\nc(\"d\", 'e', 1'0);").code == "a;     \nc(   ,    , 1'0);");
}

TEST_CASE("plugin names: names are read from notes and from default profiles", "[tree]") {
    std::set<std::string> names;
    collect_names(R"("plugins": [{"name": "MaxPods", "x": 1}, {"name":"RandomScore"}])", "\"name\"", names);
    collect_names("  - name: NodeName\n    weight: 1\n  - {name: \"ImageLocality\"}\n  - name: '*'\n", "name:", names);
    CHECK(names == std::set<std::string>{"ImageLocality", "MaxPods", "NodeName", "RandomScore"});
}
