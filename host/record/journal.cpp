// SPDX-License-Identifier: Apache-2.0
#include "record/journal.h"

#include "record/bytes.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

namespace berth::record {
namespace {

constexpr std::size_t length_bytes = 4, digest_bytes = 8, head = length_bytes + digest_bytes;
constexpr std::uint32_t longest_block = 1u << 30;
constexpr std::string_view ending = ".tape";
constexpr int digits = 6;
/// Numbers above that do not come from counting from one.
constexpr std::size_t most_digits = 18;
/// A file has half of the limit, and its beginning half of that at most.
constexpr std::uint64_t least_beginnings = 4;

bool is_journal(const std::string &name) {
    return name.size() > ending.size() && name.size() <= most_digits + ending.size() && name.ends_with(ending) &&
           std::ranges::all_of(name.substr(0, name.size() - ending.size()),
                               [](char c) { return c >= '0' && c <= '9'; });
}

std::string journal_name(std::uint64_t number) {
    auto text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text + std::string(ending);
}

/// By the process that opened it.
bool is_being_written(const std::string &path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const bool out = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(fd);
    return out;
}

template <class T>
void put_fixed(char *to, T n) {
    for (std::size_t i = 0; i < sizeof n; ++i) to[i] = static_cast<char>(n >> (8 * i));
}

/// What a block begins with. Takes no memory.
std::array<char, head> head_of(std::string_view block) {
    std::array<char, head> out{};
    put_fixed(out.data(), static_cast<std::uint32_t>(block.size()));
    put_fixed(out.data() + length_bytes, digest(block));
    return out;
}

/// The next so many bytes, or what is left. It takes no more memory than there are bytes, whatever `n` is.
std::string taken(std::istream &in, std::size_t size) {
    constexpr std::size_t part = 1 << 20;
    std::string out;
    while (out.size() < size && in) {
        const auto had = out.size();
        out.resize(had + std::min(part, size - had));
        in.read(out.data() + had, static_cast<std::streamsize>(out.size() - had));
        out.resize(had + static_cast<std::size_t>(in.gcount()));
    }
    return out;
}

/// How many bytes there are yet; those of a pipe are read for it.
std::uint64_t left_in(std::istream &in) {
    in.clear();
    const auto here = in.tellg();
    if (here >= 0 && in.seekg(0, std::ios::end)) return static_cast<std::uint64_t>(in.tellg() - here);
    in.clear();
    in.ignore(std::numeric_limits<std::streamsize>::max());
    return static_cast<std::uint64_t>(in.gcount());
}

template <class T>
T fixed(std::string_view bytes) {
    T out = 0;
    for (std::size_t i = 0; i < sizeof out; ++i) out |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return out;
}

}  // namespace

model::Result<std::vector<std::string>> journals_in(const std::string &directory) {
    std::error_code error;
    std::vector<std::string> out;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
        if (std::error_code unknown; is_journal(at->path().filename().string()) && at->is_regular_file(unknown))
            out.push_back(at->path().string());
    if (error) return model::Error{directory + ": " + error.message()};
    auto number = [](const std::string &path) { return std::pair(path.size(), path); };
    std::ranges::sort(out, {}, number);
    return out;
}

model::Result<JournalWriter> JournalWriter::open(const std::string &directory, std::uint64_t limit) {
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) return model::Error{"--record " + directory + ": the directory cannot be made: " + error.message()};
    auto journals = journals_in(directory);
    if (!journals) return model::Error{"--record " + journals.error().text};
    std::uint64_t number = 1, sum = 0;
    if (!journals->empty()) number = std::stoull(std::filesystem::path(journals->back()).stem().string()) + 1;
    const auto share = limit / 2;
    for (auto at = journals->rbegin(); at != journals->rend(); ++at) {
        sum += std::filesystem::file_size(*at, error);
        if (sum > limit - share && !is_being_written(*at)) std::filesystem::remove(*at, error);
    }
    JournalWriter out;
    out.limit_ = share;
    out.thread_ = ::gettid();
    // Another process may record in the same directory. Only Berth's user may read a cluster's objects.
    do {
        out.path_ = (std::filesystem::path(directory) / journal_name(number++)).string();
        out.fd_ = ::open(out.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    } while (out.fd_ < 0 && errno == EEXIST);
    if (out.fd_ < 0) return model::Error{"--record " + directory + ": " + out.path_ + ": " + std::strerror(errno)};
    ::flock(out.fd_, LOCK_EX | LOCK_NB);
    out.write(journal_magic);
    if (!out.recording()) return model::Error{"--record " + directory + ": " + out.ended_};
    return out;
}

JournalWriter::JournalWriter(JournalWriter &&other) noexcept
    : path_(std::move(other.path_)),
      buffer_(std::move(other.buffer_)),
      fd_(std::exchange(other.fd_, -1)),
      written_(other.written_),
      limit_(other.limit_),
      begun_(other.begun_),
      full_(other.full_),
      ended_(std::move(other.ended_)),
      thread_(other.thread_) {}

JournalWriter::~JournalWriter() {
    flush();
    if (fd_ >= 0) ::close(fd_);
}

void JournalWriter::write(std::string_view bytes) {
    while (!bytes.empty() && fd_ >= 0) {
        const auto n = ::write(fd_, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            ended_ = path_ + ": " + std::strerror(errno);
            ::close(std::exchange(fd_, -1));
            return;
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
        written_ += static_cast<std::uint64_t>(n);
    }
}

void JournalWriter::flush() {
    if (buffer_.empty()) return;
    if (fd_ >= 0 && written_ + buffer_.size() + head > limit_) {
        ended_ = path_ + " has grown to " + std::to_string(written_) +
                 " bytes, which is half of --record-limit: what it holds can be replayed; recording begins anew ";
        if (leaves_room()) ended_ += "as soon as no pod is on its way to a node";
        else ended_ += "with the process";
        if (begun_ && !leaves_room())
            ended_ += ", because the cluster alone took " + std::to_string(*begun_) +
                      " of them; expected a --record-limit of at least " + std::to_string(*begun_ * least_beginnings);
        full_ = true;
        ::close(std::exchange(fd_, -1));
    }
    const auto begin = head_of(buffer_);
    const std::string bytes = std::string(begin.data(), begin.size()) + buffer_;
    buffer_.clear();
    write(bytes);
}

void JournalWriter::last_words() const noexcept {
    if (fd_ < 0 || buffer_.empty() || written_ + buffer_.size() + head > limit_ || ::gettid() != thread_) return;
    auto begin = head_of(buffer_);
    // One call, so that a block is there as a whole; a failure cannot be reported any more.
    const std::array parts{iovec{begin.data(), begin.size()},
                           iovec{const_cast<char *>(buffer_.data()), buffer_.size()}};
    [[maybe_unused]] auto ignored = ::writev(fd_, parts.data(), static_cast<int>(parts.size()));
}

void JournalWriter::discard() {
    buffer_.clear();
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    std::error_code error;
    std::filesystem::remove(path_, error);
}

std::uint64_t Journal::in_file(std::size_t entry) const {
    auto block = std::ranges::upper_bound(blocks, entry, {}, &Block::entries_at);
    if (block == blocks.begin()) return entry;
    --block;
    return block->file_at + (entry - block->entries_at);
}

model::Result<Journal> read_journal(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return model::Error{file + ": " + std::strerror(errno)};
    std::uint64_t at = 0;
    const auto first = taken(in, journal_magic.size());
    if (!first.starts_with(journal_magic.substr(0, journal_magic.find_last_of(' '))))
        return model::Error{file + ": is no recording; expected a file that `berth run --record` wrote"};
    if (first != journal_magic)
        return model::Error{file + ": was recorded in another format (\"" + first.substr(0, first.find('\n')) +
                            "\"); replay it with the version of Berth that recorded it"};
    at += first.size();
    Journal out{file, {}, {}, {}};
    auto torn = [&](std::uint64_t more, const std::string &why) {
        const auto rest = more + left_in(in);
        out.torn = file + ": the last " + std::to_string(rest) + " of " + std::to_string(at + rest) +
                   " bytes are left out: " + why;
        return out;
    };
    for (;;) {
        const auto begin = taken(in, head);
        if (begin.empty()) return out;
        if (begin.size() < head) return torn(begin.size(), "a block was not written to its end");
        const auto length = fixed<std::uint32_t>(begin);
        if (length == 0 || length > longest_block)
            return torn(head, "a block has an impossible length; the file was damaged");
        const auto block = taken(in, length);
        if (block.size() < length) return torn(head + block.size(), "a block was not written to its end");
        if (digest(block) != fixed<std::uint64_t>(std::string_view(begin).substr(length_bytes)))
            return torn(head + block.size(), "the content of a block is not what was written; the file was damaged");
        out.blocks.push_back({out.entries.size(), at + head});
        out.entries += block;
        at += head + length;
    }
}

}  // namespace berth::record
