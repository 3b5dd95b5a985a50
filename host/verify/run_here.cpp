// SPDX-License-Identifier: Apache-2.0
// The run of one test in its own process.
#include "verify/coverage.h"
#include "verify/message.h"
#include "verify/runner.h"

#include "plugin/thrown.h"

#include <unistd.h>
#include <csignal>
#include <cstring>
#include <mutex>

namespace berth::verify {
namespace {

std::string late_text;

void too_late(int) {
    (void)!::write(STDERR_FILENO, late_text.data(), late_text.size());
    ::raise(SIGABRT);
}

bool write_all(int to, std::string_view text) {
    while (!text.empty()) {
        const auto n = ::write(to, text.data(), text.size());
        if (n <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace

void end_after(std::chrono::seconds patience) {
    late_text = std::string(still_running) + std::to_string(patience.count()) + " s\n";
    struct sigaction action{};
    action.sa_handler = too_late;
    ::sigaction(SIGALRM, &action, nullptr);
    ::alarm(static_cast<unsigned>(patience.count()));
}

int run_here(const Test &test, Run &run, int output) {
    Message message;
    Coverage coverage;
    CoverageMeter meter(run.subject.plugin, coverage);
    run.meter = &meter;
    run.coverage = &coverage;
    auto there = test.needs == Needs::File ? model::Result<const plugin::LoadedPlugin *>{nullptr} : run.subject.find();
    if (!there) message.found = Finding{"the plugin in its library", there.error().text};
    else if (auto what = plugin::thrown_by([&] { message.found = test.run(run); }))
        message.found = Finding{"no exception across the ABI", "threw " + *what};
    message.trace = std::move(run.trace);
    if (const auto *material = run.known_material()) {
        const auto &requests = material->requests;
        coverage.objects = requests.objects;
        for (const auto *keys : {&requests.labels, &requests.annotations, &requests.resources, &requests.fields})
            coverage.keys.insert(coverage.keys.end(), keys->begin(), keys->end());
    }
    message.coverage = coverage.text();
    return write_all(output, text(message)) ? 0 : 2;
}

}  // namespace berth::verify
