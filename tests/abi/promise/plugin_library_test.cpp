// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin/library.h"
#include "plugin/library_check.h"
#include "plugin_world.h"

#include <berth/draft/metrics.h>
#include <berth/draft/remedy.h>

#include <unistd.h>
#include <algorithm>
#include <filesystem>

namespace plugin = berth::plugin;
using plugin_world::hostile;

namespace {

/// What loading the hostile library says after the file's name, other libraries without their directory; "loaded" if it
/// does not refuse it.
std::string refusal(const std::string &name) {
    auto library = plugin::load_library(hostile(name), {true, {}});
    if (library) return "loaded";
    auto text = library.error().text;
    auto file = std::filesystem::canonical(hostile(name)).string();
    INFO(text);
    REQUIRE(text.starts_with(file + ": "));
    text.erase(0, file.size() + 2);
    auto directory = file.substr(0, file.rfind('/') + 1);
    for (auto at = text.find(directory); at != text.npos; at = text.find(directory)) text.erase(at, directory.size());
    return text;
}

}  // namespace

TEST_CASE("library: a sound library is loaded with what its note says", "[plugin]") {
    auto library = plugin::load_library(hostile("sound"), {true, {}});
    if (!library) FAIL(library.error().text);
    CHECK((*library)->warnings.empty());
    REQUIRE((*library)->find("Sound"));
    const auto &sound = *(*library)->find("Sound");
    CHECK(sound.tables.has(plugin::Interface::Filter));
    CHECK_FALSE(sound.tables.has(plugin::Interface::Score));
    REQUIRE(sound.note);
    CHECK(sound.note->watches == std::vector<std::string>{"v1/services"});
}

TEST_CASE("library: a file is loaded once, whatever it is called", "[plugin]") {
    auto link = std::filesystem::temp_directory_path() / ("berth-link-" + std::to_string(::getpid()) + ".so");
    std::filesystem::create_symlink(hostile("sound"), link);
    auto one = plugin::load_library(hostile("sound"), {true, {}});
    auto other = plugin::load_library(link.string(), {true, {}});
    std::filesystem::remove(link);
    REQUIRE(one);
    REQUIRE(other);
    CHECK(*one == *other);
}

TEST_CASE("library: one built with later headers that needs nothing new is loaded", "[plugin]") {
    CHECK(refusal("newer_header") == "loaded");
    CHECK(refusal("uses_nothing_new") == "loaded");
    CHECK(refusal("uses_drafts") == "loaded");
}

TEST_CASE("library: what is missing or odd but harmless is a warning", "[plugin]") {
    auto warnings = [](const std::string &name) {
        auto library = plugin::load_library(hostile(name), {true, {}});
        if (!library) FAIL(library.error().text);
        REQUIRE((*library)->warnings.size() == 1);
        return (*library)->warnings[0].substr((*library)->file.size());
    };
    CHECK(warnings("no_note") ==
          ": has no note .note.berth, so it had to be run to be asked what it holds; add a BERTH_MANIFEST");
    CHECK(warnings("interface_unknown") ==
          ": plugin \"Sound\": lists interface \"berth.tea/1\", which this host does not know; it is not used");
    CHECK(warnings("interface_draft") ==
          ": plugin \"Sound\": lists interface \"berth.tea/draft1\", a draft that this host does not have; it is not "
          "used");
    CHECK(
        warnings("uses_draft_9") ==
        ": its code uses \"berth.host.tea/draft9\", a draft that this host does not have, so some of it does nothing; "
        "build it with the headers of this Berth");
    // A draft that is an interface is one that the host has, too.
    CHECK(plugin::missing_drafts("tea.so", {BERTH_PLUGIN_REMEDY_DRAFT1, BERTH_HOST_METRICS_DRAFT1}).empty());
    // No draft is a reason to refuse a library, nor is what cannot be read of them.
    const auto damaged = plugin::load_library(hostile("uses_damaged"), {true, {}});
    if (!damaged) FAIL(damaged.error().text);
    REQUIRE((*damaged)->warnings.size() == 2);
    CHECK((*damaged)->warnings[0].ends_with(
        "its note .note.berth.uses is damaged: 4 bytes are left where a note's header takes 12; build "
        "the library again"));
}

TEST_CASE("library: each way to break the ABI has its message", "[plugin]") {
    struct Case {
        const char *name, *text;
    };
    const Case cases[] = {
        {"entry_in_dependency",
         "exports no berth_plugins_abi1 itself; the one found belongs to libdependency.so, which it needs; load that "
         "file, "
         "or define the entry in this one"},
        {"entry_null", "berth_plugins_abi1 returned NULL, expected its berth_library"},
        {"entry_variable", "berth_plugins_abi1 is a variable, expected a function"},
        {"interface_empty", "plugin \"Sound\": interface_ids[0] is empty, expected an id such as \"berth.filter/1\""},
        {"interface_missing",
         "plugin \"Sound\": lists interface \"berth.filter/1\", but get_interface returns NULL for it"},
        {"interface_twice", "plugin \"Sound\": interface_ids lists \"berth.filter/1\" twice"},
        {"library_flags",
         "sets bit 20 of berth_library.flags, which a host must understand and this one does not; use a later Berth or "
         "a build of the library that does without it"},
        {"library_size", "berth_library.struct_size is 40, expected at least 64; set it to the sizeof of the struct"},
        {"no_create", "plugin \"Sound\": has no function create; the ABI asks for it, even if it does nothing"},
        {"no_destroy", "plugin \"Sound\": has no function destroy; the ABI asks for it, even if it does nothing"},
        {"no_entry",
         "exports no berth_plugins_abi1, so it is no Berth plugin library; link it with berth_add_plugin, or take it "
         "out "
         "of the plugin directory"},
        {"no_get_interface",
         "plugin \"Sound\": has no function get_interface; the ABI asks for it, even if it does nothing"},
        {"no_plugins", "holds no plugin: plugins_len is 0"},
        {"note_interface",
         "plugin \"Sound\": its note and the library itself disagree about interfaces: \"berth.filter/1\" and "
         "\"berth.score/1\" in the note, \"berth.filter/1\" in the library; build both from one source"},
        {"note_more_plugins",
         "its note names plugin \"Ghost\", which the library itself does not hold; build both from one source"},
        {"note_name", "plugin \"Sound\": its library's note does not name it; build both from one source"},
        {"note_no_abi", "note.json:1:1: abi: is missing, expected the ABI's major version"},
        {"note_no_plugins", "note.json:1:23: plugins: lists none, expected at least one plugin"},
        {"note_not_json", "note.json:1:12: expected a key in double quotes, found the end of the text"},
        {"note_other_abi",
         "its note says that it is for ABI 2; this host speaks ABI 1: use a build of the library for that, or another "
         "version of Berth"},
        {"note_repeats", "note.json:1:208: plugins[1].name: repeats \"Sound\""},
        {"note_version",
         "plugin \"Sound\": its note and the library itself disagree about version: \"2.0.0\" in the note, \"1.0.0\" "
         "in the library; build both from one source"},
        {"note_wrong_type", "note.json:1:33: plugins[0].name: expected a string, got a number"},
        {"old_entry",
         "exports berth_entry_v1 and no berth_plugins_abi1: it was built for the plugin ABI as it was before the "
         "candidate "
         "of 1.0; build it again with the headers of this Berth"},
        {"plugin_blank", "plugins[0]: its name \"So\\x0aund\" holds blanks or control characters"},
        {"plugin_flags",
         "plugins[0]: sets bit 31 of berth_plugin.flags, which a host must understand and this one does not; use a "
         "later Berth or a build of the library that does without it"},
        {"plugin_name_null", "plugins[0]: name is NULL, but its length is 7"},
        {"plugin_null", "plugins[0]: is NULL; set plugins_len to the number of plugins"},
        {"plugin_size",
         "plugins[0]: berth_plugin.struct_size is 4, expected at least 160; set it to the sizeof of the struct"},
        {"plugin_twice", "holds two plugins of the name \"Sound\"; names are unique in a library"},
        {"plugin_unnamed", "plugins[0]: its name is empty"},
        {"plugins_null", "plugins is NULL, but plugins_len is 1"},
        {"required_minor_999",
         "needs ABI 1.999; this host has 1.0: use a later Berth or a build of the library that needs less"},
        {"required_minor_hidden",
         "needs ABI 1.999; this host has 1.0: use a later Berth or a build of the library that needs less"},
        {"uses_minor_7",
         "needs ABI 1.7; this host has 1.0: use a later Berth or a build of the library that needs less"},
        {"table_empty", "plugin \"Sound\": interface \"berth.filter/1\": its table has no function filter"},
        {"table_flags",
         "plugin \"Sound\": interface \"berth.filter/1\": sets bit 16 of table.flags, which a host must understand and "
         "this one does not; use a later Berth or a build of the library that does without it"},
        {"table_size",
         "plugin \"Sound\": interface \"berth.filter/1\": table.struct_size is 8, expected at least 16; set it to the "
         "sizeof of the struct"},
        {"throws_in_entry", "berth_plugins_abi1 threw std::runtime_error: no tea in entry"},
        {"throws_in_get_interface",
         "plugin \"Throwing\": get_interface(\"berth.filter/1\") threw std::runtime_error: no tea in get_interface"},
        {"too_many_plugins", "plugins_len is 1152921504606846976, expected at most 1024"},
        {"undefined_symbol",
         "cannot be loaded: undefined symbol: berth_host_private_function; a plugin uses nothing of its host but what "
         "it is handed: link it with berth_add_plugin, which would have said so"},
    };
    for (const auto &[name, text] : cases) {
        INFO(name);
        CHECK(refusal(name) == text);
    }
}
