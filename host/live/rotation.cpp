// SPDX-License-Identifier: Apache-2.0
#include "live/rotation.h"

#include <utility>

namespace berth::live {

Rotation::Rotation(Live &live, env::Log &log, Reloader &reloader, RecordOptions options)
    : live_(live), log_(log), reloader_(reloader), options_(std::move(options)) {
    if (!options_.directory.empty()) live_.between_cycles([this] { look(); });
}

void Rotation::look() {
    const auto &journal = live_.core().recording.journal();
    if (!journal || !journal->is_due()) return;
    if (failed_ && live_.clock().monotonic_ns() < next_hold_ns_) return;
    if (live_.quiescent() && !reloader_.busy()) return rotate();
    if (!holds_ && live_.clock().monotonic_ns() >= next_hold_ns_) hold();
}

/// Those that are under way come to their end meanwhile.
void Rotation::hold() {
    live_.hold(holds_ = true);
    live_.clock().after(patience_ns, [this, round = rounds_] {
        if (round == rounds_) put_off();
    });
}

void Rotation::let_go() {
    ++rounds_;
    live_.hold(holds_ = false);
}

void Rotation::put_off() {
    let_go();
    next_hold_ns_ = live_.clock().monotonic_ns() + pause_ns;
}

void Rotation::rotate() {
    const auto began_ns = live_.clock().monotonic_ns();
    auto failed = [&](const std::string &why) {
        failed_ = true;
        put_off();
        log_.write(env::Severity::Warning, 0, "The recording does not go on in another file yet", {{"reason", why}});
    };
    auto journal = record::JournalWriter::open(options_.directory, options_.limit);
    if (!journal) return failed(journal.error().text);
    const auto file = journal->path();
    auto core = live_.next_core(std::move(*journal));
    if (auto made = reloader_.make_anew(*core); !made) {
        core->recording.discard();
        return failed(made.error().text);
    }
    failed_ = false;
    live_.replace(std::move(core));
    reloader_.begin_anew();
    ++rotations_;
    let_go();
    constexpr std::int64_t ms = 1'000'000;
    log_.write(env::Severity::Info, 0, "The recording goes on in another file",
               {{"file", file}, {"ms", std::to_string((live_.clock().monotonic_ns() - began_ns) / ms)}});
}

}  // namespace berth::live
