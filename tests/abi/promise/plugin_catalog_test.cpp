// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "paths.h"
#include "plugin/catalog.h"
#include "plugin_world.h"
#include "test_directory.h"

#include <cstring>
#include <filesystem>

namespace fs = std::filesystem;
namespace plugin = berth::plugin;
using plugin_world::hostile;

namespace {

/// A directory with copies of hostile libraries.
struct Libraries : TestDirectory {
    std::string copy(const std::string &name, const std::string &as) const {
        return write(as, content_of(hostile(name)));
    }
    plugin::Catalog open(std::vector<plugin::Pin> pins = {}) const {
        auto catalog = plugin::Catalog::open({{path.string()}, std::move(pins), false});
        if (!catalog) FAIL(catalog.error().text);
        return *std::move(catalog);
    }
};

std::string found_in(plugin::Catalog &catalog, std::string_view name) {
    auto plugin = catalog.find(name);
    if (!plugin) return plugin.error().text;
    return *plugin ? (*plugin)->file : "nowhere";
}

plugin::Pin pin(const std::string &text) {
    auto parsed = plugin::parse_pin(text);
    if (!parsed) FAIL(parsed.error().text);
    return *parsed;
}

}  // namespace

TEST_CASE("catalog: a plugin is found by the notes, and only its library is loaded", "[plugin]") {
    Libraries d;
    auto sound = d.copy("sound", "a.so");
    d.copy("throws_in_entry", "b.so");
    d.write("readme.txt", "no library");
    auto catalog = d.open();
    REQUIRE(catalog.files().size() == 2);
    CHECK(catalog.files()[1].note->find("Throwing"));
    CHECK(found_in(catalog, "Sound") == sound);
    CHECK(found_in(catalog, "Other") == "nowhere");
    CHECK(catalog.searched() == "no library in " + d.path.string() + " offers it");
}

TEST_CASE("catalog: the installed directory offers what the given ones lack, and an absent one nothing", "[plugin]") {
    Libraries own, installed;
    auto mine = own.copy("sound", "a.so");
    installed.copy("sound", "a.so");
    auto theirs = installed.copy("throws_in_create", "b.so");
    auto open = [&](std::vector<std::string> directories, const std::string &last) {
        auto catalog = plugin::Catalog::open({std::move(directories), {}, false, last});
        if (!catalog) FAIL(catalog.error().text);
        return *std::move(catalog);
    };
    auto catalog = open({own.path.string()}, installed.path.string());
    CHECK(found_in(catalog, "Sound") == mine);
    CHECK(found_in(catalog, "Throwing") == theirs);
    CHECK(found_in(catalog, "Other") == "nowhere");
    CHECK(catalog.searched() == "no library in " + own.path.string() + ", " + installed.path.string() + " offers it");
    auto alone = open({own.path.string()}, own.file("absent"));
    CHECK(found_in(alone, "Sound") == mine);
}

TEST_CASE("catalog: a broken file that nobody needs is a problem of its own", "[plugin]") {
    Libraries d;
    auto sound = d.copy("sound", "a.so");
    auto text = d.write("b.so", "hello");
    fs::create_symlink("c.so", d.path / "c.so");
    auto catalog = d.open();
    REQUIRE(catalog.files().size() == 3);
    auto problem = text + ": no shared library: it does not begin as an ELF file does";
    auto loop = d.file("c.so") + ": cannot be opened: Too many levels of symbolic links";
    CHECK(catalog.files()[1].problem == problem);
    CHECK(catalog.files()[2].problem == loop);
    CHECK(found_in(catalog, "Sound") == sound);
    CHECK(catalog.searched() == "no library in " + d.path.string() + " offers it; not usable there: " + problem +
                                    "; not usable there: " + loop);
}

TEST_CASE("catalog: two libraries that offer one name are an error that names both", "[plugin]") {
    Libraries d;
    auto one = d.copy("sound", "a.so"), other = d.copy("sound_again", "b.so");
    auto catalog = d.open();
    CHECK(found_in(catalog, "Sound") ==
          one + ": plugin \"Sound\" is also in " + other + "; say which one with --plugin Sound=FILE");
    auto pinned = d.open({pin("Sound=" + other)});
    CHECK(found_in(pinned, "Sound") == other);
}

TEST_CASE("catalog: one file under two names is one library", "[plugin]") {
    Libraries d;
    auto sound = d.copy("sound", "a.so");
    fs::create_symlink("a.so", d.path / "b.so");
    fs::create_hard_link(d.path / "a.so", d.path / "c.so");
    auto catalog = d.open();
    CHECK(found_in(catalog, "Sound") == sound);
    CHECK(catalog.files()[1].same_as == sound);
    CHECK(catalog.files()[2].same_as == sound);
}

TEST_CASE("catalog: a library without a note is asked last, with a warning", "[plugin]") {
    Libraries d;
    auto silent = d.copy("no_note", "a.so");
    auto broken = d.copy("no_entry", "b.so");
    auto catalog = d.open();
    CHECK(catalog.warnings().empty());
    CHECK(found_in(catalog, "Sound") == silent);
    CHECK(
        catalog.warnings() ==
        std::vector<std::string>{
            silent + ": has no note .note.berth, so it had to be run to be asked what it holds; add a BERTH_MANIFEST"});
    CHECK(catalog.files()[1].problem ==
          broken +
              ": exports no berth_plugins_abi1, so it is no Berth plugin library; link it "
              "with berth_add_plugin, or take it out of the plugin directory");
    auto with_note = d.copy("sound", "c.so");
    auto again = d.open();
    CHECK(found_in(again, "Sound") == with_note);
}

TEST_CASE("catalog: a pin names a file, renames a plugin and holds a digest", "[plugin]") {
    Libraries d;
    TestDirectory elsewhere;
    auto sound = d.copy("sound", "a.so");
    auto other = elsewhere.write("b.so", content_of(hostile("throws_in_create")));
    auto find = [&](const std::string &text, const std::string &name) {
        auto catalog = d.open({pin(text)});
        return found_in(catalog, name);
    };
    CHECK(find("Sound=" + other + "#Throwing", "Sound") == other);
    CHECK(find("Renamed=" + other, "Renamed") == other);
    CHECK(find("Renamed=" + other, "Throwing") == "nowhere");
    CHECK(find("Renamed=" + sound + "#Throwing", "Renamed") ==
          sound + ": holds no plugin \"Throwing\", which --plugin Renamed asks for; it holds \"Sound\"");
    CHECK(find("Sound=" + sound + "@sha256:" + std::string(64, '0'), "Sound").starts_with(sound + ": its SHA-256 is "));
    auto several = elsewhere.write("c.so", content_of(berth::paths::plugins() + "/kubernetes.so"));
    CHECK(find("X=" + several + "#NodeName", "X") == several);
    CHECK(find("X=" + several, "X").starts_with(several + ": pinned as \"X\", but it holds "));
    CHECK(find("X=" + several, "X").ends_with("; say which one with --plugin X=" + several + "#PLUGIN"));
    CHECK(find("NodeName=" + several, "NodeName") == several);
}

TEST_CASE("catalog: what pins and directories cannot be is said at once", "[plugin]") {
    Libraries d;
    auto sound = d.copy("sound", "a.so");
    auto refuse = [&](std::vector<std::string> directories, std::vector<plugin::Pin> pins) {
        auto catalog = plugin::Catalog::open({std::move(directories), std::move(pins), false});
        return catalog ? "opened" : catalog.error().text;
    };
    auto missing = d.file("missing");
    CHECK(refuse({missing}, {}) ==
          "--plugin-dir " + missing +
              ": cannot be read: No such file or directory; name a directory of plugin libraries");
    CHECK(refuse({sound}, {}) ==
          "--plugin-dir " + sound + ": cannot be read: Not a directory; name a directory of plugin libraries");
    CHECK(refuse({}, {pin("A=" + missing)}) ==
          "--plugin A=" + missing + ": cannot be opened: No such file or directory");
    CHECK(refuse({}, {pin("A=" + sound), pin("A=" + sound)}) ==
          "--plugin A=" + sound + ": the name is already pinned to " + sound + "; pin each name once");
    CHECK(refuse({}, {pin("A=" + sound), pin("B=" + sound)}) == "opened");
}

TEST_CASE("catalog: a pinned file without a path is one of a plugin directory", "[plugin]") {
    Libraries given, installed;
    auto mine = given.copy("sound", "a.so");
    installed.copy("sound", "a.so");
    auto theirs = installed.copy("sound", "b.so");
    auto found = [&](const std::string &file) {
        auto catalog =
            plugin::Catalog::open({{given.path.string()}, {pin("X=" + file)}, false, installed.path.string()});
        return catalog ? catalog->pins().front().file : catalog.error().text;
    };
    CHECK(found("a.so") == mine);
    CHECK(found("b.so#Sound") == theirs);
    CHECK(found("c.so") == "--plugin X=c.so: cannot be opened: No such file or directory");
}

TEST_CASE("catalog: a pin's text is read, or refused with its form", "[plugin]") {
    auto full = pin("Name=/dir/a#b.so/c#1.so#Plugin@sha256:" + std::string(64, 'a'));
    CHECK(full.name == "Name");
    CHECK(full.file == "/dir/a#b.so/c#1.so");
    CHECK(full.plugin == "Plugin");
    CHECK(full.sha256 == std::string(64, 'a'));
    CHECK(pin("Name=a#b/c.so").file == "a#b/c.so");
    auto refuse = [](const std::string &text) {
        auto parsed = plugin::parse_pin(text);
        REQUIRE_FALSE(parsed);
        auto form = "; expected NAME=FILE[#PLUGIN][@sha256:HEX]";
        auto begin = "--plugin " + text + ": ";
        CHECK(parsed.error().text.starts_with(begin));
        CHECK(parsed.error().text.ends_with(form));
        return parsed.error().text.substr(begin.size(), parsed.error().text.size() - begin.size() - std::strlen(form));
    };
    CHECK(refuse("a.so") == "has no =");
    CHECK(refuse("=a.so") == "NAME is empty");
    CHECK(refuse("A=") == "FILE is empty");
    CHECK(refuse("A=a.so#") == "the plugin after # is empty");
    CHECK(refuse("A=a.so@sha256:AB") == "the SHA-256 is not 64 lower-case hexadecimal digits");
}
