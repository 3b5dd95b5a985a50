// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The other end: tests/oracle/judge/timeline, which is the API server, too. Lines both ways.

#include <string>
#include <string_view>
#include <vector>

namespace timeline_play {

/// A change that a watch tells of: `line` is what an API server writes.
struct News {
    std::string resource, line;
};

/// What a request gets, and what it changed.
struct Reply {
    int status = 0;
    std::string body;
    std::vector<News> news;
};

/// Words of a line, up to `most`; the last one takes the rest.
std::vector<std::string_view> words(std::string_view line, std::size_t most);

/// The next line that came; the program ends where there is none.
std::string next_line();
/// So many bytes that came, and the line's end after them.
std::string next_bytes(std::size_t count);
void say(std::string_view line);
/// What was said is on its way.
void flush();
/// Says `question` and waits for the reply.
Reply ask(std::string_view question);
/// The changes that follow, up to the line `go`.
std::vector<News> read_news();

}  // namespace timeline_play
