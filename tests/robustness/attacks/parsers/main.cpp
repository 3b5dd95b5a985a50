// SPDX-License-Identifier: Apache-2.0
// berth_parser_attacks [WORD | --quadratic]: every shape whose parser or name contains the word; one line for each, and
// the count. With --quadratic one reader that is, to see that it would be found out.
#include "measure.h"

#include <cstdio>

using namespace berth::attack;

int main(int argc, char **argv) {
    Shapes shapes;
    if (argc > 1 && std::string_view(argv[1]) == "--quadratic") {
        const auto read = [](const std::string &text) {
            volatile std::size_t equal = 0;
            for (char a : text)
                for (char b : text) equal = equal + (a == b);
        };
        shapes.push_back({"reader", "that is quadratic", 200, [](std::size_t n) { return std::string(n, 'x'); }, read});
        argc = 1;
    } else
        for (auto *add : {add_yaml, add_json, add_objects, add_configuration, add_simulation, add_requests, add_texts,
                          add_expressions})
            add(shapes);
    int passed = 0, failed = 0;
    for (const auto &shape : shapes) {
        const auto title = std::string(shape.parser) + ", " + shape.name;
        if (argc > 1 && title.find(argv[1]) == title.npos) continue;
        const auto verdict = measured(shape);
        ++(verdict.linear ? passed : failed);
        std::printf("%-4s %s: %s\n", verdict.linear ? "ok" : "FAIL", title.c_str(), verdict.text.c_str());
        std::fflush(stdout);
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 && passed > 0 ? 0 : 1;
}
