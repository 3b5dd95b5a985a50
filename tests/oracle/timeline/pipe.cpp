// SPDX-License-Identifier: Apache-2.0
#include "pipe.h"

#include <cstdlib>
#include <iostream>

namespace timeline_play {

std::vector<std::string_view> words(std::string_view line, std::size_t most) {
    std::vector<std::string_view> out;
    while (!line.empty()) {
        auto end = out.size() + 1 == most ? line.npos : line.find(' ');
        out.push_back(line.substr(0, end));
        if (end == line.npos) break;
        line.remove_prefix(end + 1);
    }
    return out;
}

std::string next_line() {
    std::string line;
    if (!std::getline(std::cin, line)) std::exit(0);
    return line;
}

std::string next_bytes(std::size_t count) {
    std::string bytes(count, '\0');
    std::cin.read(bytes.data(), static_cast<std::streamsize>(count));
    next_line();
    return bytes;
}

void say(std::string_view line) { std::cout << line << '\n'; }
void flush() { std::cout.flush(); }

Reply ask(std::string_view question) {
    say(question);
    flush();
    const std::string line = next_line();
    const auto parts = words(line, 3);  // answer STATUS BODY
    Reply reply;
    reply.status = std::atoi(std::string(parts.at(1)).c_str());
    if (parts.size() > 2) reply.body = parts[2];
    reply.news = read_news();
    return reply;
}

std::vector<News> read_news() {
    std::vector<News> out;
    for (;;) {
        const std::string line = next_line();
        if (line == "go") return out;
        const auto parts = words(line, 3);  // watch RESOURCE LINE
        out.push_back({std::string(parts.at(1)), std::string(parts.at(2))});
    }
}

}  // namespace timeline_play
