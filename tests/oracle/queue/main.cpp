// SPDX-License-Identifier: Apache-2.0
// Reads scripts from standard input, one a line, plays each on Berth's queue and writes down what happens, then "end".
#include "player.h"

#include "decode/document.h"

#include <iostream>

int main(int argc, char **argv) {
    const auto release = berth::config::Release::of(argc == 2 ? argv[1] : "");
    if (!release) {
        std::cerr << "usage: berth_queue_play RELEASE, with RELEASE " << berth::config::Release::names() << '\n';
        return 2;
    }
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        auto script = berth::decode::read_document(line, "script.json");
        if (!script) {
            std::cerr << script.error().text << '\n';
            return 2;
        }
        queue_play::Player player(script->value(), *release);
        berth::model::Value steps = script->value()["steps"];
        for (std::size_t i = 0; i < steps.size(); ++i) player.play(steps.at(i));
        std::cout << player.lines() << "end" << '\n' << std::flush;
    }
}
