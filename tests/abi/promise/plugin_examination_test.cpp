// SPDX-License-Identifier: Apache-2.0
#include "catch.h"
#include "plugin/examination.h"
#include "plugin_world.h"
#include "test_directory.h"

#include <algorithm>

namespace plugin = berth::plugin;
using plugin_world::hostile;

namespace {

plugin::Examination examine(const std::string &file, bool insecure = false) {
    return plugin::examine(file, {insecure, {}});
}

/// The only problem there must be.
std::string problem(const std::string &file) {
    auto found = examine(file);
    REQUIRE(found.problems.size() == 1);
    return found.problems[0];
}

}  // namespace

TEST_CASE("examination: what a library says of itself is read from its file", "[plugin]") {
    TestDirectory d;
    auto file = d.write("it.so", content_of(hostile("sound")));
    auto found = examine(file);
    CHECK(found.file == file);
    CHECK(found.problems.empty());
    CHECK(found.warnings.empty());
    CHECK(found.sha256.size() == 64);
    REQUIRE(found.note);
    REQUIRE(found.note->plugins.size() == 1);
    CHECK(found.note->plugins[0].name == "Sound");
    CHECK(plugin::points_of(found.note->plugins[0]) == std::vector<std::string>{"Filter"});
    CHECK(found.symbols.exported == std::vector<std::string>{"berth_plugins_abi1"});
    CHECK(std::ranges::is_sorted(found.symbols.exported));
}

TEST_CASE("examination: a library names the drafts that its code asks for, and no others", "[plugin]") {
    TestDirectory d;
    auto drafts = [&](const std::string &name) {
        auto found = examine(d.write(name + ".so", content_of(hostile(name))));
        REQUIRE(found.note);
        CHECK(found.problems.empty());
        CHECK(found.warnings.size() == (name == "uses_draft_9" ? 1 : 0));
        return found.drafts;
    };
    using Ids = std::vector<std::string>;
    CHECK(drafts("uses_nothing_new") == Ids{});
    CHECK(drafts("uses_drafts") == Ids{"berth.host.log_fields/draft1", "berth.host.metrics/draft1"});
    CHECK(drafts("uses_draft_9") == Ids{"berth.host.tea/draft9"});
}

TEST_CASE("examination: nothing is run", "[plugin]") {
    TestDirectory d;
    auto found = examine(d.write("it.so", content_of(hostile("throws_in_entry"))));
    CHECK(found.problems.empty());
    CHECK(std::ranges::count(found.symbols.needed, "libc.so.6") == 1);
    auto without_note = examine(d.write("no.so", content_of(hostile("no_note"))));
    CHECK(without_note.problems.empty());
    REQUIRE(without_note.warnings.size() == 1);
    CHECK(without_note.warnings[0].find("has no note") != std::string::npos);
}

TEST_CASE("examination: why a file would not be loaded", "[plugin]") {
    TestDirectory d;
    CHECK(problem(d.file("none.so")) == d.file("none.so") + ": cannot be opened: No such file or directory");
    CHECK(problem(d.write("text.so", "no library")).find("no shared library: it does not begin as an ELF file does") !=
          std::string::npos);
    CHECK(problem(d.write("entry.so", content_of(hostile("no_entry")))).find("exports no berth_plugins_abi1") !=
          std::string::npos);
    CHECK(problem(d.write("minor.so", content_of(hostile("required_minor_999")))).find("needs ABI 1.999") !=
          std::string::npos);
    auto open = d.write("open.so", content_of(hostile("sound")));
    ::chmod(open.c_str(), 0777);
    CHECK(problem(open).find("can be written by everybody") != std::string::npos);
    CHECK(examine(open, true).problems.empty());
    auto other = plugin::examine(d.write("pinned.so", content_of(hostile("sound"))), {false, std::string(64, '0')});
    REQUIRE(other.problems.size() == 1);
    CHECK(other.problems[0].find("but the pin says 000") != std::string::npos);
    CHECK(other.note);
}

TEST_CASE("examination: a library that is cut off anywhere is refused with its name", "[plugin]") {
    TestDirectory d;
    const auto whole = content_of(hostile("sound"));
    for (std::size_t n = 0; n < whole.size(); n += 97) {
        auto file = d.write("it.so", whole.substr(0, n));
        auto found = examine(file);
        INFO(n);
        REQUIRE_FALSE(found.problems.empty());
        for (const auto &text : found.problems) CHECK(text.starts_with(file));
    }
}
