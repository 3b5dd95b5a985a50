// SPDX-License-Identifier: Apache-2.0
// Plays timelines on Berth's scheduler, one after the other: `begin NOW CHECKS DETAIL ORDER BYTES` and the
// configuration, then `until NS [busy]`, answered with what happened and `end`, and `take [at-once]` with `watch …`
// lines up to `go`; `stop` ends a timeline.
#include "hint_tables.h"
#include "player.h"

#include <cstdlib>
#include <iostream>
#include <memory>

namespace {

using namespace timeline_play;

std::int64_t number(std::string_view text) { return std::strtoll(std::string(text).c_str(), nullptr, 10); }

}  // namespace

int main(int argc, char **argv) {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    const auto release = berth::config::Release::of(argc == 4 ? argv[2] : "");
    if (!release) {
        std::cerr << "usage: berth_timeline_play PLUGIN_DIR RELEASE GATES, with RELEASE "
                  << berth::config::Release::names() << " and GATES as --feature-gates takes them" << '\n';
        return 2;
    }
    auto catalog = berth::plugin::Catalog::open({{argv[1]}, {}, true});
    if (!catalog) {
        std::cerr << catalog.error().text << '\n';
        return 2;
    }
    std::unique_ptr<Player> player;
    for (;;) {
        const std::string line = next_line();
        const auto parts = words(line, 6);
        if (parts.front() == "begin") {
            Manner manner{.release = *release, .gates = argv[3]};
            if (parts.at(2) == "basic") manner.checks = berth::plugin::Checks::Basic;
            if (parts.at(3) == "summary") manner.detail = berth::model::Detail::Summary;
            manner.news_first = parts.at(4) == "news-first";
            const auto configuration = next_bytes(static_cast<std::size_t>(number(parts.at(5))));
            player = std::make_unique<Player>(number(parts.at(1)), manner, *catalog, configuration);
        } else if (parts.front() == "until") {
            const bool busy = parts.size() > 2;
            player->run_until(number(parts.at(1)), busy);
            if (!busy) player->report();
        } else if (parts.front() == "take") {
            if (parts.size() > 1) player->take_at_once(read_news());
            else player->take(read_news());
            continue;
        } else if (parts.front() == "stop") {
            player.reset();
            forget_hints();
        }
        say("end");
        flush();
    }
}
