// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "paths.h"
#include "source_text.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace {

/// host/rooms.txt, read.
struct Table {
    std::map<std::string, std::vector<std::string>> may_include;  ///< by room, or by file name of host/ without ending
    std::vector<std::pair<std::string, std::vector<std::string>>> homes;  ///< prefix of an include, its only rooms
    std::vector<std::string> faults;
};

Table read_table(std::istream &in) {
    Table table;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string kind, name, what;
        if (!(words >> kind)) continue;
        words >> name;
        auto fault = [&](const std::string &text) {
            table.faults.push_back("host/rooms.txt:" + std::to_string(number) + ": " + text);
        };
        if (kind == "home") {
            auto &[prefix, rooms] = table.homes.emplace_back(name, std::vector<std::string>{});
            while (words >> what) {
                if (!table.may_include.contains(what)) fault("the home of " + name + " is no room: " + what);
                rooms.push_back(what);
            }
            if (rooms.empty()) fault("expected a room after " + name);
        } else if (kind == "room" || kind == "top") {
            auto &list = table.may_include[name];
            while (words >> what) {
                if (what == "*" && kind == "room") fault("room " + name + " names *, which is for a top file");
                if (what != "*" && what[0] != '<' && !table.may_include.contains(what))
                    fault("room " + name + " names " + what + ", which is not listed above it");
                list.push_back(what);
            }
        } else {
            fault("expected room, top or home, found " + kind);
        }
    }
    return table;
}

std::string join(const std::vector<std::string> &words) {
    std::string out;
    for (const auto &word : words) out += (out.empty() ? "" : " ") + word;
    return out.empty() ? "nothing" : out;
}

/// Why `include` (with its quotes or brackets) is not allowed in a file of `room`, or "".
std::string objection(const Table &table, const std::string &room, const std::string &include) {
    const auto &allowed = table.may_include.at(room);
    auto all = std::find(allowed.begin(), allowed.end(), "*") != allowed.end();
    auto path = include.substr(1, include.size() - 2);
    auto slash = path.find('/');
    auto edge = "; rooms.txt lets " + room + " include " + join(allowed);
    if (include[0] == '"') {
        if (slash == std::string::npos && !table.may_include.contains(path.substr(0, path.find('.'))))
            return "include paths begin with a room (\"" + room + "/" + path + "\")";
        auto other = path.substr(0, std::min(slash, path.find('.')));
        if (!table.may_include.contains(other)) return other + " is no room";
        if (all || other == room || std::find(allowed.begin(), allowed.end(), other) != allowed.end()) return {};
        return room + " may not include room " + other + edge;
    }
    if (path.starts_with("berth/")) {
        for (const auto &what : allowed) {
            if (what == "*" || what == include) return {};
            if (what.ends_with("/>") && include.starts_with(what.substr(0, what.size() - 1))) return {};
        }
        return room + " may not include this header of the SDK" + edge;
    }
    for (const auto &[prefix, rooms] : table.homes)
        if (include.starts_with(prefix))
            return std::find(rooms.begin(), rooms.end(), room) != rooms.end()
                       ? ""
                       : "the only home of " + prefix + "…> is room " + join(rooms);
    auto system = slash == std::string::npos || path.starts_with("sys/") || path.starts_with("linux/");
    return system ? "" : "no room is the home of this library; give it one in host/rooms.txt";
}

using Messages = std::vector<std::string>;

/// By room: what its files include and which other rooms they name.
using Uses = std::map<std::string, std::set<std::string>>;

/// The rooms of the table that a line of code names: `room::`, not behind another name than `berth::`.
std::vector<std::string> named_rooms(const Table &table, std::string_view code) {
    const auto is_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    std::vector<std::string> out;
    for (auto colons = code.find("::"); colons != code.npos; colons = code.find("::", colons + 2)) {
        auto begin = colons;
        while (begin > 0 && is_name(code[begin - 1])) --begin;
        const auto before = code.substr(0, begin);
        if (before.ends_with("::") && !before.ends_with("berth::")) continue;
        std::string name(code.substr(begin, colons - begin));
        if (table.may_include.contains(name)) out.push_back(std::move(name));
    }
    return out;
}

/// Every objection to what one file includes and names; `path` is relative to host/.
Messages check(const Table &table, const fs::path &path, const std::string &text, Uses &uses) {
    const auto room = path.has_parent_path() ? path.begin()->string() : path.stem().string();
    if (!table.may_include.contains(room)) return {"host/" + path.string() + ": " + room + " is not in host/rooms.txt"};
    Messages found;
    int number = 0;
    const auto object = [&](const std::string &what, const std::string &why) {
        uses[room].insert(what);
        if (!why.empty())
            found.push_back("host/" + path.string() + ":" + std::to_string(number) + ": " + what + ": " + why);
    };
    std::istringstream lines(text), codes(berth::SourceText(text).code);
    std::string code;
    for (std::string line; ++number, std::getline(lines, line) && std::getline(codes, code);) {
        for (const auto &name : named_rooms(table, code))
            object(name + "::…", objection(table, room, "\"" + name + "/\""));
        const auto hash = line.find_first_not_of(" \t");
        if (hash == std::string::npos || line[hash] != '#') continue;
        const auto word = line.find("include", hash);
        const auto begin = line.find_first_of("\"<", hash);
        if (word == std::string::npos || begin == std::string::npos || begin < word) continue;
        const auto end = line.find(line[begin] == '<' ? '>' : '"', begin + 1);
        const auto include = line.substr(begin, end - begin + 1);
        object(include, objection(table, room, include));
    }
    return found;
}

/// The edges and homes of the table that no file uses.
Messages unused(const Table &table, const Uses &uses) {
    const auto any = [&](const std::string &room, const auto &fits) {
        const auto at = uses.find(room);
        return at != uses.end() && std::ranges::any_of(at->second, fits);
    };
    Messages found;
    for (const auto &[room, allowed] : table.may_include)
        for (const auto &what : allowed) {
            const auto folder = what.ends_with("/>") ? what.substr(0, what.size() - 1) : "\"" + what + "/";
            const auto fits = [&](const std::string &use) {
                return use == what || use == what + "::…" || use.starts_with(folder);
            };
            if (what != "*" && !any(room, fits)) found.push_back("host/rooms.txt: " + room + " does not use " + what);
        }
    for (const auto &[prefix, rooms] : table.homes)
        for (const auto &room : rooms)
            if (!any(room, [&](const std::string &use) { return use.starts_with(prefix); }))
                found.push_back("host/rooms.txt: " + room + " includes nothing that begins with " + prefix);
    return found;
}

constexpr const char *small_table =
    "room model <berth/text.h>\nroom env model\nroom plugin model env <berth/>\nroom report model\n"
    "room scheduler model plugin\nroom cli scheduler report\ntop main *\nhome <spdlog/ report\n";

Messages check_text(const std::string &path, const std::string &text) {
    std::istringstream rules(small_table);
    Uses uses;
    return check(read_table(rules), path, text, uses);
}

}  // namespace

TEST_CASE("rooms: host/ includes and names what host/rooms.txt allows, and uses all of that", "[tree]") {
    const fs::path host = fs::path(berth::paths::source()) / "host";
    std::ifstream rules(host / "rooms.txt");
    const auto table = read_table(rules);
    REQUIRE_FALSE(table.may_include.empty());
    Messages found = table.faults;
    Uses uses;
    const auto add = [&](const Messages &more) { found.insert(found.end(), more.begin(), more.end()); };
    for (const auto &path : berth::sources_in(host))
        add(check(table, fs::relative(path, host), berth::read_text(path), uses));
    add(unused(table, uses));
    CHECK(found == Messages{});
}

TEST_CASE("rooms: a name of a room is held against the table like an include", "[tree]") {
    CHECK(check_text("report/a.cpp", "f(\nberth::scheduler::Core &core);  // plugin::Profile\n") ==
          Messages{"host/report/a.cpp:2: scheduler::…: report may not include room scheduler; rooms.txt lets report "
                   "include model"});
    CHECK(check_text("report/a.cpp", "model::Pod a; report::B b; auto c = \"env::c\"; std::env::d e; my_env::f g;\n") ==
          Messages{});
    CHECK(check_text("main.cpp", "scheduler::a();\n") == Messages{});
}

TEST_CASE("rooms: an edge that nothing uses is named", "[tree]") {
    std::istringstream rules(small_table);
    const auto table = read_table(rules);
    const Uses uses{
        {"model", {"<berth/text.h>"}},   {"env", {"model::…"}},   {"plugin", {"model::…", "<berth/view/pod.h>"}},
        {"report", {"\"model/pod.h\""}}, {"cli", {"\"report\""}}, {"scheduler", {"plugin::…", "\"models/a.h\""}}};
    CHECK(unused(table, uses) ==
          Messages{"host/rooms.txt: cli does not use scheduler", "host/rooms.txt: cli does not use report",
                   "host/rooms.txt: plugin does not use env", "host/rooms.txt: scheduler does not use model",
                   "host/rooms.txt: report includes nothing that begins with <spdlog/"});
}

TEST_CASE("rooms: an edge that the table does not have is named with file and line", "[tree]") {
    CHECK(
        check_text("env/a.h", "#pragma once\n#include \"model/b.h\"\n#include \"plugin/c.h\"\n") ==
        Messages{"host/env/a.h:3: \"plugin/c.h\": env may not include room plugin; rooms.txt lets env include model"});
    CHECK(
        check_text("report/a.cpp", "  #  include \"scheduler/a.h\"\n") ==
        Messages{"host/report/a.cpp:1: \"scheduler/a.h\": report may not include room scheduler; rooms.txt lets report "
                 "include model"});
    CHECK(check_text("attic/a.cpp", "") == Messages{"host/attic/a.cpp: attic is not in host/rooms.txt"});
    CHECK(check_text("model/a.cpp", "#include \"attic/b.h\"\n") ==
          Messages{"host/model/a.cpp:1: \"attic/b.h\": attic is no room"});
    CHECK(check_text("model/a.cpp", "#include \"b.h\"\n") ==
          Messages{"host/model/a.cpp:1: \"b.h\": include paths begin with a room (\"model/b.h\")"});
}

TEST_CASE("rooms: a header of the SDK is included where the table says", "[tree]") {
    CHECK(check_text("model/a.h", "#include <berth/text.h>\n#include <berth/entry.h>\n") ==
          Messages{
              "host/model/a.h:2: <berth/entry.h>: model may not include this header of the SDK; rooms.txt lets model "
              "include <berth/text.h>"});
    CHECK(check_text("plugin/a.h", "#include <berth/entry.h>\n#include <berth/view/pod.h>\n") == Messages{});
}

TEST_CASE("rooms: a third-party library has one home", "[tree]") {
    CHECK(check_text("report/a.cpp", "#include <spdlog/spdlog.h>\n#include <vector>\n#include <sys/stat.h>\n") ==
          Messages{});
    CHECK(check_text("model/a.cpp", "#include <spdlog/spdlog.h>\n") ==
          Messages{"host/model/a.cpp:1: <spdlog/spdlog.h>: the only home of <spdlog/…> is room report"});
    CHECK(check_text("cli/a.cpp", "#include <spdlog/spdlog.h>\n").size() == 1);
    CHECK(check_text("model/a.cpp", "#include <fancy/thing.h>\n") ==
          Messages{"host/model/a.cpp:1: <fancy/thing.h>: no room is the home of this library; give it one in "
                   "host/rooms.txt"});
}

TEST_CASE("rooms: only main sees every room", "[tree]") {
    CHECK(check_text("cli/a.cpp", "#include \"scheduler/b.h\"\n#include \"report/b.h\"\n") == Messages{});
    CHECK(check_text("cli/a.cpp", "#include \"model/b.h\"\n").size() == 1);
    CHECK(check_text("main.cpp", "#include \"scheduler/a.h\"\n#include \"cli/b.h\"\n") == Messages{});
}

TEST_CASE("rooms: a table that lets a room look forward is refused", "[tree]") {
    std::istringstream rules("room env model\nroom model\nhome <x/ attic\nroof model\nroom cli *\n");
    CHECK(read_table(rules).faults == Messages{"host/rooms.txt:1: room env names model, which is not listed above it",
                                               "host/rooms.txt:3: the home of <x/ is no room: attic",
                                               "host/rooms.txt:4: expected room, top or home, found roof",
                                               "host/rooms.txt:5: room cli names *, which is for a top file"});
}
