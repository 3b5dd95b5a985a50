// SPDX-License-Identifier: Apache-2.0
// Words, order and blanks are those of apiserver/pkg/server/healthz, v0.36.3.
#include "report/health.h"

#include <algorithm>
#include <set>

namespace berth::report {
namespace {

constexpr int ok = 200, missing = 404, failed = 500;

const char *name_of(Health::Endpoint endpoint) {
    return endpoint == Health::Healthz ? "healthz" : endpoint == Health::Livez ? "livez" : "readyz";
}

}  // namespace

void Health::add(std::string name, unsigned endpoints, Check check) {
    std::lock_guard lock(mutex_);
    std::erase_if(checks_, [&](const Named &one) { return one.name == name; });
    checks_.push_back({std::move(name), endpoints, std::move(check)});
}

void Health::add_note(std::string name, unsigned endpoints, Check note) {
    add(std::move(name), endpoints, std::move(note));
    std::lock_guard lock(mutex_);
    checks_.back().is_note = true;
}

/// Copies, so that a slow check does not block others.
std::vector<Health::Named> Health::of(Endpoint endpoint) const {
    std::vector<Named> out;
    std::lock_guard lock(mutex_);
    for (const auto &one : checks_)
        if (one.endpoints & endpoint) out.push_back(one);
    return out;
}

Health::Answer Health::answer(Endpoint endpoint, const std::vector<std::string> &excluded, bool verbose) const {
    std::set<std::string> unknown(excluded.begin(), excluded.end());
    std::string each, failures;
    for (const auto &one : of(endpoint)) {
        if (std::ranges::find(excluded, one.name) != excluded.end()) {
            unknown.erase(one.name);
            each += "[+]" + one.name + " excluded: ok\n";
            continue;
        }
        std::string why = one.check();
        if (one.is_note) {
            each += "[+]" + one.name + " ok" + (why.empty() ? "" : ": " + why) + "\n";
            continue;
        }
        each += why.empty() ? "[+]" + one.name + " ok\n" : "[-]" + one.name + " failed: reason withheld\n";
        if (!why.empty()) failures += "[-]" + one.name + " failed: " + why + "\n";
    }
    if (!unknown.empty()) {
        std::string names;
        for (const auto &name : unknown) names += (names.empty() ? "\"" : ",\"") + name + "\"";
        each += "warn: some health checks cannot be excluded: no matches for " + names + "\n";
    }
    if (!failures.empty()) return {failed, each + name_of(endpoint) + " check failed\n", failures};
    if (!verbose) return {ok, "ok", {}};
    return {ok, each + name_of(endpoint) + " check passed\n", {}};
}

Health::Answer Health::answer(Endpoint endpoint, std::string_view name) const {
    for (const auto &one : of(endpoint)) {
        if (one.name != name) continue;
        std::string why = one.check();
        if (why.empty()) return {ok, "ok", {}};
        if (one.is_note) return {ok, "ok: " + why, {}};
        return {failed, "internal server error: " + why + "\n", "[-]" + one.name + " failed: " + why + "\n"};
    }
    return {missing, "404 page not found\n", {}};
}

std::string Heartbeat::check(std::chrono::milliseconds patience) const {
    auto silent = Clock::now().time_since_epoch() - Clock::duration(last_.load());
    if (silent <= patience) return {};
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silent).count();
    return "the scheduling loop has not turned for " + std::to_string(seconds) + " s";
}

}  // namespace berth::report
