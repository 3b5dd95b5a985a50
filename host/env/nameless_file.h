// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A file in memory without a name, for a child process to read.

#include <cstdint>
#include <string>
#include <string_view>

namespace berth::env {

/// Processes of the same user can open it, for as long as this lives. One thread.
class NamelessFile {
    int fd_;
    std::uint64_t size_ = 0;

public:
    explicit NamelessFile(std::string_view text = {});
    ~NamelessFile();
    NamelessFile(const NamelessFile &) = delete;
    NamelessFile &operator=(const NamelessFile &) = delete;

    /// Appends. What finds no room is left out, and size() says so.
    void write(std::string_view text);
    std::uint64_t size() const { return size_; }
    std::string path() const;
};

}  // namespace berth::env
