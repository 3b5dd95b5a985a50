// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The file of a recording: blocks of entries, each with its length and a digest. They are written one after the other.
/// What was written is there even if the process is killed; a block that was torn off is noticed and left out.

#include "model/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::record {

constexpr std::string_view journal_magic = "berth tape 4\n";

/// The recordings in a directory, the oldest first: "000001.tape", ... What is no file or has no such number is not
/// among them. An error if the directory cannot be read.
model::Result<std::vector<std::string>> journals_in(const std::string &directory);

/// Writes one. Of one thread.
class JournalWriter {
    std::string path_, buffer_;
    int fd_ = -1;
    std::uint64_t written_ = 0, limit_ = 0;
    std::optional<std::uint64_t> begun_;
    bool full_ = false;
    std::string ended_;
    int thread_ = 0;

    JournalWriter() = default;
    void write(std::string_view bytes);
    bool leaves_room() const { return begun_ && *begun_ <= limit_ / 2; }

public:
    /// The next file of the directory, which is made if there is none. Those that are there are deleted, the oldest
    /// first, as far as they and this one, at its longest, take more than `limit` bytes: this one may take half. One
    /// that somebody still writes stays.
    static model::Result<JournalWriter> open(const std::string &directory, std::uint64_t limit);
    JournalWriter(JournalWriter &&other) noexcept;
    JournalWriter &operator=(JournalWriter &&) = delete;
    ~JournalWriter();

    /// Where the next entry is appended. end_entry() is called before each input.
    std::string &buffer() { return buffer_; }
    /// Ends what belongs together. Writes the buffer if a block is full.
    void end_entry() {
        if (buffer_.size() >= block) flush();
    }
    /// Writes what was appended.
    void flush();
    /// The same in the handler of a signal that ends the process: async-signal-safe, on the writer's thread alone, as
    /// another one may append meanwhile. Nothing is to be written afterwards.
    void last_words() const noexcept;
    bool recording() const { return fd_ >= 0; }
    std::uint64_t written() const { return written_; }
    /// All that another recording of the same run would begin with is written.
    void begun() {
        flush();
        if (!begun_) begun_ = written_;
    }
    /// Whether another recording should go on with the run, because this one has used nearly half of the room that its
    /// beginning left, or all of it. (Two of them and a third at its longest are within the limit.) Never if the
    /// beginning itself has taken half of the room.
    bool is_due() const {
        constexpr std::uint64_t share = 7, of = 16;
        return leaves_room() && (full_ || (recording() && written_ - *begun_ >= (limit_ - *begun_) * share / of));
    }
    /// Nothing became of it: the file is removed.
    void discard();
    const std::string &path() const { return path_; }
    /// Why nothing is recorded any more; empty: it is.
    const std::string &ended() const { return ended_; }

    static constexpr std::size_t block = 64 * 1024;
};

/// What a file holds.
struct Journal {
    std::string file;
    std::string entries;
    std::string torn;  ///< what was left out at its end, and why, for people; empty: nothing
    struct Block {
        std::size_t entries_at;
        std::uint64_t file_at;
    };
    std::vector<Block> blocks;  ///< where the entries come from

    /// The position in the file of that byte of the entries.
    std::uint64_t in_file(std::size_t entry) const;
};

/// The error says what is wrong with the file as a recording.
model::Result<Journal> read_journal(const std::string &file);

}  // namespace berth::record
