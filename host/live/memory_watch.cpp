// SPDX-License-Identifier: Apache-2.0
#include "live/memory_watch.h"

#include "model/held.h"

#include <memory>
#include <string>

namespace berth::live {

std::vector<report::MemoryKind> owned_by(const Scheduler &scheduler, const report::DecisionRing &last) {
    return {{"pods", model::held_bytes(model::Holder::Pods)},
            {"nodes", model::held_bytes(model::Holder::Nodes)},
            {"objects", model::held_bytes(model::Holder::Others)},
            {"columns", scheduler.cache().column_bytes()},
            {"dictionaries", scheduler.cache().dictionary_bytes()},
            {"queue", scheduler.queue_bytes()},
            {"decisions", last.bytes()}};
}

void MemoryWatch::start() { look(); }

void MemoryWatch::look() {
    auto system = std::make_shared<System>();
    sources_.workers.submit([system, read = sources_.system] { *system = read(); },
                            [this, system] {
                                seen(*system);
                                sources_.clock.after(period_ns, [this] { look(); });
                            });
}

void MemoryWatch::seen(const System &system) {
    auto use = report::memory_use(sources_.owned(), system.process, system.group);
    report(use);
    std::lock_guard lock(mutex_);
    last_ = std::move(use);
}

void MemoryWatch::report(const report::MemoryUse &use) {
    if (use.group && !std::exchange(limit_logged_, true))
        sources_.log.write(env::Severity::Info, 0, "Memory is limited",
                           {{"limit", std::to_string(use.group->limit)},
                            {"used", std::to_string(use.group->used)},
                            {"resident", std::to_string(use.resident)}});
    const auto why = report::memory_warning(use);
    const auto now = sources_.clock.monotonic_ns();
    if (why.empty() || (warned_ns_ && now - *warned_ns_ < repeat_ns)) return;
    warned_ns_ = now;
    sources_.log.write(env::Severity::Warning, 0, "Memory may not suffice", {{"err", why}});
}

report::MemoryUse MemoryWatch::last() const {
    std::lock_guard lock(mutex_);
    return last_;
}

}  // namespace berth::live
