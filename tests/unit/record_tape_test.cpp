// SPDX-License-Identifier: Apache-2.0
#include "record/tape.h"

#include "catch.h"
#include "env/random.h"
#include "record/bytes.h"
#include "test_directory.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace berth;
using record::TapeWriter;

namespace {

constexpr std::uint64_t enough = 1u << 30;

void write(const std::string &file, std::string_view bytes) { std::ofstream(file, std::ios::binary) << bytes; }

/// A recording of three blocks.
std::string three_blocks(const std::string &directory) {
    auto tape = TapeWriter::open(directory, enough);
    REQUIRE(tape);
    for (const char *text : {"one ", "two ", "three"}) {
        tape->buffer() += text;
        tape->flush();
    }
    return tape->path();
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
    const auto tape = record::read_tape(file);
    REQUIRE(tape);
    CHECK(tape->entries == "one two three");
    CHECK(tape->torn.empty());
    CHECK((std::filesystem::status(file).permissions() & std::filesystem::perms::all) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("record: a torn end is left out, and that is said", "[record]") {
    const TestDirectory directory;
    const auto file = three_blocks(directory.path.string());
    const auto whole = content_of(file);
    std::size_t before = 0;
    for (auto size = record::tape_magic.size(); size < whole.size(); ++size) {
        write(file, std::string_view(whole).substr(0, size));
        const auto tape = record::read_tape(file);
        REQUIRE(tape);
        CHECK(std::string("one two three").starts_with(tape->entries));
        CHECK(tape->entries.size() >= before);
        before = tape->entries.size();
    }
    CHECK(before == std::string("one two ").size());
    write(file, std::string_view(whole).substr(0, whole.size() - 1));
    CHECK(record::read_tape(file)->torn ==
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
        const auto tape = record::read_tape(file);
        if (at < record::tape_magic.size()) CHECK(!tape);
        else CHECK((tape && !tape->torn.empty() && std::string("one two ").starts_with(tape->entries)));
    }
}

// promise(recording): `berth replay` refuses a file that is not a recording, and names the file.
TEST_CASE("record: what is no recording is refused by name", "[record]") {
    const TestDirectory directory;
    const auto file = directory.file("000001.tape");
    CHECK(record::read_tape(file).error().text == file + ": No such file or directory");
    write(file, "apiVersion: v1\n");
    CHECK(record::read_tape(file).error().text ==
          file + ": is no recording; expected a file that `berth run --record` wrote");
    write(file, "berth tape 9\nxyz");
    CHECK(record::read_tape(file).error().text ==
          file +
              ": was recorded in another format (\"berth tape 9\"); replay it with the version of Berth that "
              "recorded it");
}

TEST_CASE("record: each start has a recording of its own, and the oldest make room", "[record]") {
    const TestDirectory directory;
    constexpr std::uint64_t limit = 1000;
    for (int i = 0; i < 4; ++i) {
        auto tape = TapeWriter::open(directory.path.string(), limit);
        REQUIRE(tape);
        tape->buffer() += std::string(200, 'x');
    }
    auto name = [](const std::string &path) { return std::filesystem::path(path).filename().string(); };
    auto tapes = record::tapes_in(directory.path.string());
    REQUIRE(tapes->size() == 3);
    CHECK(name(tapes->front()) == "000002.tape");
    CHECK(name(tapes->back()) == "000004.tape");
}

TEST_CASE("record: what is called like a recording and is none is passed over", "[record]") {
    const TestDirectory directory;
    for (const char *name : {"000003.tape", "000009.tape"}) std::filesystem::create_directories(directory.path / name);
    const auto own = directory.path / "000002.tape", absurd = directory.path / "99999999999999999999.tape";
    write(own.string(), record::tape_magic);
    write(absurd.string(), "x");
    auto tape = TapeWriter::open(directory.path.string(), enough);
    REQUIRE(tape);
    CHECK(tape->path() == (directory.path / "000004.tape").string());
    CHECK(*record::tapes_in(directory.path.string()) == std::vector{own.string(), tape->path()});
    CHECK(TapeWriter::open(directory.path.string(), 16));
    CHECK(std::filesystem::exists(absurd));
    CHECK(std::filesystem::is_directory(directory.path / "000003.tape"));
}

TEST_CASE("record: a recording that has become too long ends, and what it holds is good", "[record]") {
    const TestDirectory directory;
    auto tape = TapeWriter::open(directory.path.string(), 1000);
    REQUIRE(tape);
    for (int i = 0; i < 10; ++i) {
        tape->buffer() += std::string(100, 'x');
        tape->flush();
    }
    CHECK(!tape->recording());
    CHECK(tape->ended().find("has grown to ") != std::string::npos);
    const auto read = record::read_tape(tape->path());
    CHECK(read->entries == std::string(400, 'x'));
    CHECK(read->torn.empty());
    CHECK(content_of(tape->path()).size() <= 500);
}

TEST_CASE("record: another recording is due when nearly half of the room is used that the beginning left", "[record]") {
    const TestDirectory directory;
    auto tape = TapeWriter::open(directory.path.string(), 4000);
    REQUIRE(tape);
    auto write = [&](std::size_t bytes) {
        tape->buffer() += std::string(bytes, 'x');
        tape->flush();
    };
    write(400);
    CHECK(!tape->is_due());
    tape->begun();
    const auto due = tape->written() + (2000 - tape->written()) * 7 / 16;
    while (tape->written() < due) {
        CHECK(!tape->is_due());
        write(100);
    }
    CHECK(tape->is_due());
    while (tape->recording()) write(100);
    CHECK(tape->is_due());
    CHECK(tape->ended().find("recording begins anew as soon as no pod is on its way to a node") != std::string::npos);
}

TEST_CASE("record: no other recording is due where the beginning takes more than a quarter of the limit", "[record]") {
    const TestDirectory directory;
    auto tape = TapeWriter::open(directory.path.string(), 4000);
    REQUIRE(tape);
    tape->buffer() += std::string(1100, 'x');
    tape->begun();
    const auto begun = tape->written();
    while (tape->recording()) {
        CHECK(!tape->is_due());
        tape->buffer() += std::string(100, 'x');
        tape->flush();
    }
    CHECK(!tape->is_due());
    CHECK(tape->ended().ends_with("begins anew with the process, because the cluster alone took " +
                                  std::to_string(begun) + " of them; expected a --record-limit of at least " +
                                  std::to_string(4 * begun)));
}

TEST_CASE("record: any number of recordings of one run stay within the limit, and the newest are there", "[record]") {
    const TestDirectory directory;
    constexpr std::uint64_t limit = 4000;
    std::optional<TapeWriter> tape;
    for (int i = 1; i <= 20; ++i) {
        auto next = TapeWriter::open(directory.path.string(), limit);
        REQUIRE(next);
        tape.reset();
        tape.emplace(*std::move(next));
        tape->begun();
        while (!tape->is_due()) {
            tape->buffer() += std::string(100, 'x');
            tape->flush();
        }
        std::uint64_t sum = 0;
        const auto tapes = record::tapes_in(directory.path.string());
        for (const auto &file : *tapes) sum += std::filesystem::file_size(file);
        CHECK(sum <= limit);
        CHECK(tapes->size() == std::min<std::size_t>(i, 3));
        CHECK(tapes->back() == tape->path());
    }
}

TEST_CASE("record: what somebody writes makes no room, and what came to nothing is not there", "[record]") {
    const TestDirectory directory;
    auto written = TapeWriter::open(directory.path.string(), 1000);
    REQUIRE(written);
    written->buffer() += std::string(400, 'x');
    written->flush();
    for (int i = 0; i < 3; ++i) {
        auto other = TapeWriter::open(directory.path.string(), 1000);
        REQUIRE(other);
        other->buffer() += std::string(400, 'x');
    }
    CHECK(std::filesystem::exists(written->path()));
    auto nothing = TapeWriter::open(directory.path.string(), 1000);
    REQUIRE(nothing);
    nothing->buffer() += "x";
    nothing->discard();
    CHECK(!std::filesystem::exists(nothing->path()));
}

TEST_CASE("record: a hole in a file is no recording, and is not read to its end", "[record]") {
    const TestDirectory directory;
    const auto file = three_blocks(directory.path.string());
    std::filesystem::resize_file(file, std::uint64_t{1} << 42);
    const auto tape = record::read_tape(file);
    REQUIRE(tape);
    CHECK(tape->entries == "one two three");
    CHECK(tape->torn.ends_with("are left out: a block has an impossible length; the file was damaged"));
}

TEST_CASE("record: where an entry stands in the file", "[record]") {
    const TestDirectory directory;
    const auto file = three_blocks(directory.path.string());
    const auto tape = record::read_tape(file);
    REQUIRE(tape);
    const auto bytes = content_of(file);
    for (std::size_t i = 0; i < tape->entries.size(); ++i) CHECK(bytes[tape->in_file(i)] == tape->entries[i]);
}
