// SPDX-License-Identifier: Apache-2.0
#include "live/start_faults.h"

#include <algorithm>

namespace berth::live {
namespace {

constexpr std::int64_t longest_wait_ns = 12'000'000'000;

}  // namespace

void StartFaults::unwatchable(const std::vector<Unwatchable> &kinds) {
    for (const auto &[kind, text] : kinds) unwatchable_[{kind.group, kind.resource}] = text;
    fatal();
    answered();
}

void StartFaults::missing(const NeededRights &needed, std::vector<kube::Right> rights,
                          const std::function<bool(const kube::Right &)> &followed) {
    needed_ = needed;
    missing_ = std::move(rights);
    if (std::ranges::any_of(missing_, [&](const kube::Right &one) { return one.verb == "watch" && followed(one); }))
        fatal();
    if (!fatal_) log_missing(log_, needed_, missing_);
    answered();
}

void StartFaults::answered() {
    if (open_ > 0) --open_;
    if (open_ == 0 && fatal_) report();
}

void StartFaults::fatal() {
    if (!std::exchange(fatal_, true)) clock_.after(longest_wait_ns, [this] { report(); });
}

void StartFaults::report() {
    auto report = std::exchange(report_, nullptr);
    if (!report) return;
    std::vector<std::string> lines;
    for (const auto &[place, text] : unwatchable_) lines.push_back(text);
    // For those the server's own message is reported already.
    std::erase_if(missing_, [&](const kube::Right &one) {
        return (one.verb == "list" || one.verb == "watch") && unwatchable_.contains({one.group, one.resource});
    });
    for (auto &line : missing_texts(needed_, missing_)) lines.push_back(std::move(line));
    std::ranges::sort(lines);
    if (lines.size() == 1) return report(lines.front());
    std::string text = std::to_string(lines.size()) + " things are missing (berth config rbac prints every right):";
    for (const auto &line : lines) text += "\n" + line;
    report(text);
}

void log_missing(env::Log &log, const NeededRights &needed, const std::vector<kube::Right> &missing) {
    for (const auto &text : missing_texts(needed, missing))
        log.write(env::Severity::Error, 0, "A right is missing", {{"err", text}});
}

}  // namespace berth::live
