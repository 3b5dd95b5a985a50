// SPDX-License-Identifier: Apache-2.0
#include "record/journal.h"

#include "catch.h"
#include "env/random.h"
#include "record/bytes.h"
#include "test_directory.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace berth;
using record::JournalWriter;

namespace {

constexpr std::uint64_t enough = 1u << 30;

void write(const std::string &file, std::string_view bytes) { std::ofstream(file, std::ios::binary) << bytes; }

/// A recording of three blocks.
std::string three_blocks(const std::string &directory) {
    auto journal = JournalWriter::open(directory, enough);
    REQUIRE(journal);
    for (const char *text : {"one ", "two ", "three"}) {
        journal->buffer() += text;
        journal->flush();
    }
    return journal->path();
}

}  // namespace

TEST_CASE("record: numbers and texts are read as they were written", "[record]") {
    std::string out;
    const std::uint64_t numbers[] = {0, 1, 127, 128, 1u << 20, UINT64_MAX};
    const std::int64_t either[] = {0, -1, 63, -64, INT64_MAX, INT64_MIN};
    for (auto n : numbers) record::put_number(out, n);
    for (auto n : either) record::put_signed(out, n);
    record::put_text(out, "text");
    record::Bytes in(out);
    for (auto n : numbers) CHECK(in.number() == n);
    for (auto n : either) CHECK(in.signed_number() == n);
    CHECK(in.text() == "text");
    CHECK(in.good());
    CHECK(in.at_end());
    CHECK(in.number() == 0);
    CHECK(!in.good());
}

TEST_CASE("record: what was flushed is there, and nobody else may read it", "[record]") {
    const TestDirectory directory;
    const auto file = three_blocks(directory.path.string());
    const auto journal = record::read_journal(file);
    REQUIRE(journal);
    CHECK(journal->entries == "one two three");
    CHECK(journal->torn.empty());
    CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("record: a torn end is left out, and that is said", "[record]") {
    const TestDirectory directory;
    const auto file = three_blocks(directory.path.string());
    const auto whole = content_of(file);
    std::size_t before = 0;
    for (auto size = record::journal_magic.size(); size < whole.size(); ++size) {
        write(file, std::string_view(whole).substr(0, size));
        const auto journal = record::read_journal(file);
        REQUIRE(journal);
        CHECK(std::string("one two three").starts_with(journal->entries));
        CHECK(journal->entries.size() >= before);
        before = journal->entries.size();
    }
    CHECK(before == std::string("one two ").size());
    write(file, std::string_view(whole).substr(0, whole.size() - 1));
    CHECK(record::read_journal(file)->torn ==
          file + ": the last 16 of 61 bytes are left out: a block was not written to its end");
}

TEST_CASE("record: a byte that is another one is noticed", "[record]") {
    const TestDirectory directory;
    const auto file = three_blocks(directory.path.string());
    const auto whole = content_of(file);
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        INFO("seed " << seed);
        auto bytes = whole;
        const auto at = env::mix(seed) % bytes.size();
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (seed % 8)));
        write(file, bytes);
        const auto journal = record::read_journal(file);
        if (at < record::journal_magic.size()) CHECK(!journal);
        else CHECK((journal && !journal->torn.empty() && std::string("one two ").starts_with(journal->entries)));
    }
}

// promise(recording): `berth replay` refuses a file that is not a recording, and names the file.
TEST_CASE("record: a file that is not a recording is refused, and the error names it", "[record]") {
    const TestDirectory directory;
    const auto file = directory.file("000001.tape");
    CHECK(record::read_journal(file).error().text == file + ": No such file or directory");
    write(file, "apiVersion: v1\n");
    CHECK(record::read_journal(file).error().text ==
          file + ": is no recording; expected a file that `berth run --record` wrote");
    write(file, "berth tape 9\nxyz");
    CHECK(record::read_journal(file).error().text ==
          file +
              ": was recorded in another format (\"berth tape 9\"); replay it with the version of Berth that "
              "recorded it");
}

TEST_CASE("record: each start has a recording of its own, and the oldest make room", "[record]") {
    const TestDirectory directory;
    constexpr std::uint64_t limit = 1000;
    for (int i = 0; i < 4; ++i) {
        auto journal = JournalWriter::open(directory.path.string(), limit);
        REQUIRE(journal);
        journal->buffer() += std::string(200, 'x');
    }
    auto name = [](const std::string &path) { return std::filesystem::path(path).filename().string(); };
    auto journals = record::journals_in(directory.path.string());
    REQUIRE(journals->size() == 3);
    CHECK(name(journals->front()) == "000002.tape");
    CHECK(name(journals->back()) == "000004.tape");
}

TEST_CASE("record: what is called like a recording and is none is passed over", "[record]") {
    const TestDirectory directory;
    for (const char *name : {"000003.tape", "000009.tape"}) std::filesystem::create_directories(directory.path / name);
    const auto own = directory.path / "000002.tape", absurd = directory.path / "99999999999999999999.tape";
    write(own.string(), record::journal_magic);
    write(absurd.string(), "x");
    auto journal = JournalWriter::open(directory.path.string(), enough);
    REQUIRE(journal);
    CHECK(journal->path() == (directory.path / "000004.tape").string());
    CHECK(*record::journals_in(directory.path.string()) == std::vector{own.string(), journal->path()});
    CHECK(JournalWriter::open(directory.path.string(), 16));
    CHECK(std::filesystem::exists(absurd));
    CHECK(std::filesystem::is_directory(directory.path / "000003.tape"));
}

TEST_CASE("record: a recording that has become too long ends, and what it holds is good", "[record]") {
    const TestDirectory directory;
    auto journal = JournalWriter::open(directory.path.string(), 1000);
    REQUIRE(journal);
    for (int i = 0; i < 10; ++i) {
        journal->buffer() += std::string(100, 'x');
        journal->flush();
    }
    CHECK(!journal->recording());
    CHECK(journal->ended().find("has grown to ") != std::string::npos);
    const auto read = record::read_journal(journal->path());
    CHECK(read->entries == std::string(400, 'x'));
    CHECK(read->torn.empty());
    CHECK(content_of(journal->path()).size() <= 500);
}

TEST_CASE("record: another recording is due when nearly half of the room is used that the beginning left", "[record]") {
    const TestDirectory directory;
    auto journal = JournalWriter::open(directory.path.string(), 4000);
    REQUIRE(journal);
    auto write = [&](std::size_t bytes) {
        journal->buffer() += std::string(bytes, 'x');
        journal->flush();
    };
    write(400);
    CHECK(!journal->is_due());
    journal->begun();
    const auto due = journal->written() + (2000 - journal->written()) * 7 / 16;
    while (journal->written() < due) {
        CHECK(!journal->is_due());
        write(100);
    }
    CHECK(journal->is_due());
    while (journal->recording()) write(100);
    CHECK(journal->is_due());
    CHECK(journal->ended().find("recording begins anew as soon as no pod is on its way to a node") !=
          std::string::npos);
}

TEST_CASE("record: no other recording is due where the beginning takes more than a quarter of the limit", "[record]") {
    const TestDirectory directory;
    auto journal = JournalWriter::open(directory.path.string(), 4000);
    REQUIRE(journal);
    journal->buffer() += std::string(1100, 'x');
    journal->begun();
    const auto begun = journal->written();
    while (journal->recording()) {
        CHECK(!journal->is_due());
        journal->buffer() += std::string(100, 'x');
        journal->flush();
    }
    CHECK(!journal->is_due());
    CHECK(journal->ended().ends_with("begins anew with the process, because the cluster alone took " +
                                     std::to_string(begun) + " of them; expected a --record-limit of at least " +
                                     std::to_string(4 * begun)));
}

TEST_CASE("record: any number of recordings of one run stay within the limit, and the newest are there", "[record]") {
    const TestDirectory directory;
    constexpr std::uint64_t limit = 4000;
    std::optional<JournalWriter> journal;
    for (int i = 1; i <= 20; ++i) {
        auto next = JournalWriter::open(directory.path.string(), limit);
        REQUIRE(next);
        journal.reset();
        journal.emplace(*std::move(next));
        journal->begun();
        while (!journal->is_due()) {
            journal->buffer() += std::string(100, 'x');
            journal->flush();
        }
        std::uint64_t sum = 0;
        const auto journals = record::journals_in(directory.path.string());
        for (const auto &file : *journals) sum += std::filesystem::file_size(file);
        CHECK(sum <= limit);
        CHECK(journals->size() == std::min<std::size_t>(i, 3));
        CHECK(journals->back() == journal->path());
    }
}

TEST_CASE("record: what somebody writes makes no room, and what came to nothing is not there", "[record]") {
    const TestDirectory directory;
    auto written = JournalWriter::open(directory.path.string(), 1000);
    REQUIRE(written);
    written->buffer() += std::string(400, 'x');
    written->flush();
    for (int i = 0; i < 3; ++i) {
        auto other = JournalWriter::open(directory.path.string(), 1000);
        REQUIRE(other);
        other->buffer() += std::string(400, 'x');
    }
    CHECK(std::filesystem::exists(written->path()));
    auto nothing = JournalWriter::open(directory.path.string(), 1000);
    REQUIRE(nothing);
    nothing->buffer() += "x";
    nothing->discard();
    CHECK(!std::filesystem::exists(nothing->path()));
}

TEST_CASE("record: a hole in a file is no recording, and is not read to its end", "[record]") {
    const TestDirectory directory;
    const auto file = three_blocks(directory.path.string());
    std::filesystem::resize_file(file, std::uint64_t{1} << 42);
    const auto journal = record::read_journal(file);
    REQUIRE(journal);
    CHECK(journal->entries == "one two three");
    CHECK(journal->torn.ends_with("are left out: a block has an impossible length; the file was damaged"));
}

TEST_CASE("record: where an entry stands in the file", "[record]") {
    const TestDirectory directory;
    const auto file = three_blocks(directory.path.string());
    const auto journal = record::read_journal(file);
    REQUIRE(journal);
    const auto bytes = content_of(file);
    for (std::size_t i = 0; i < journal->entries.size(); ++i) CHECK(bytes[journal->in_file(i)] == journal->entries[i]);
}
