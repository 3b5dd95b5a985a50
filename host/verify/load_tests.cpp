// SPDX-License-Identifier: Apache-2.0
// Tests of a library's loading, and the list of its plugins.
#include "verify/process_state.h"
#include "verify/test.h"

#include "plugin/fault.h"

#include <array>
#include <thread>

namespace berth::verify {
namespace {

/// The trace lists its contents: a line for each plugin, its name and its interfaces.
Found opens(Run &run) {
    auto library = run.subject.load();
    if (!library) return Finding{"a library that can be loaded and keeps to the ABI's tables", library.error().text};
    for (const auto &one : (*library)->plugins) {
        run.trace += plugin::text_of(one.plugin->name);
        const auto *events = one.tables.as<berth_plugin_events>(plugin::Interface::Events);
        for (std::uint64_t i = 0; i < one.plugin->interface_ids_len; ++i) {
            const auto id = plugin::text_of(one.plugin->interface_ids[i]);
            // The point behind it is the hint.
            if (id == BERTH_PLUGIN_EVENTS_V1 && events && !events->hint) continue;
            run.trace.append("\t").append(id);
        }
        run.trace += "\n";
    }
    return {};
}

Found entry_is_pure(Run &run) {
    auto library = run.subject.load();
    if (!library) return Finding{"a library that can be loaded", library.error().text};
    const auto entry = (*library)->entry;
    std::array<const berth_library *, 4> seen{};
    {
        std::vector<std::jthread> threads;
        for (auto &one : seen)
            threads.emplace_back([&one, entry] {
                for (int i = 0; i < 100; ++i) one = entry();
            });
    }
    const berth_library *now = entry();
    for (const auto *one : seen)
        if (one != now)
            return Finding{"the same static table from " BERTH_ENTRY_SYMBOL " whenever and on whatever thread",
                           "it returned different pointers"};
    if (now->plugins_len != (*library)->plugins.size())
        return Finding{"the same table whenever it is asked", "it first held " +
                                                                  std::to_string((*library)->plugins.size()) +
                                                                  " plugins, then " + std::to_string(now->plugins_len)};
    return {};
}

/// A library is one of many in its process.
Found loads_quietly(Run &run) {
    const ProcessState before;
    auto library = run.subject.load();
    if (!library) return Finding{"a library that can be loaded", library.error().text};
    const ProcessState after;
    if (auto what = after.changed_since(before); !what.empty())
        return Finding{"a process that loading the library leaves as it was", what};
    return {};
}

}  // namespace

std::vector<Test> load_tests() {
    return {{.name = "load/opens", .run = opens, .needs = Needs::File},
            {.name = "load/entry", .run = entry_is_pure, .needs = Needs::File},
            {.name = "load/quiet", .run = loads_quietly, .needs = Needs::File}};
}

}  // namespace berth::verify
