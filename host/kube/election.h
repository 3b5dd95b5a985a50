// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Leader election by a Lease, with client-go's protocol and times (v0.36.3, tools/leaderelection). So kube-scheduler
/// can be one of the others.

#include "env/clock.h"
#include "env/log.h"
#include "kube/lease.h"
#include "kube/transport.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>

namespace berth::kube {

struct ElectionSettings {
    LeaseName lease;
    std::string identity;      ///< our identity, unique in the cluster
    std::string event_source;  ///< the source of the event about the new leader
    std::int64_t lease_duration_ns = 0, renew_deadline_ns = 0, retry_period_ns = 0;
    std::uint64_t seed = 0;
};

/// Tries to become the leader and to stay it. On the loop of its clock, but for what is said to be for any thread.
///
/// Whether another's lease has run out is judged by how long we have not seen it change, never by the times in it: the
/// clocks of two machines need not agree.
class Election {
public:
    /// All outlive it, `transport` excepted: it must be gone before. `log` may be null.
    Election(Transport &transport, env::Clock &clock, env::Log *log, ElectionSettings settings);
    Election(const Election &) = delete;
    Election &operator=(const Election &) = delete;

    /// `started` is called once we lead, and `lost` once we do not any more; then nothing is tried again.
    void start(std::function<void()> started, std::function<void()> lost);
    /// Ends it: gives the lease back if it is ours. `done` is called when the server knows, or does not answer in time.
    /// `lost` is not called any more.
    void release(std::function<void()> done);

    /// Any thread. When the renewal that the server last accepted was sent, by env::Clock::monotonic_ns(); nothing: we
    /// do not lead.
    std::optional<std::int64_t> renewed_ns() const {
        auto ns = renewed_ns_.load();
        return ns == never ? std::nullopt : std::optional{ns};
    }
    /// Any thread. How often a renewal had to read the lease first.
    std::uint64_t slow_paths() const { return slow_paths_.load(); }
    const ElectionSettings &settings() const { return settings_; }

private:
    using Then = std::function<void(bool)>;
    static constexpr std::int64_t never = INT64_MIN;

    void acquire();
    void begin_to_lead();
    void renew();
    void try_to_renew();
    void end_of_patience();

    void attempt(Then then);
    void look(Then then);
    void looked(const HttpAnswer &answer, const Then &then);
    void release_ours(int tries);
    void released();

    LeaseRecord record() const;
    void ask(const char *method, const std::string &path, std::string body,
             std::function<void(const HttpAnswer &)> then);
    bool accepted(const HttpAnswer &answer);
    void observe(LeaseRecord record);
    bool ours() const { return observed_.holder == settings_.identity; }
    bool valid() const;
    void record_event(std::string_view what);
    void log(env::Severity severity, int verbosity, std::string_view message, const std::string &err = {}) const;

    Transport &transport_;
    env::Clock &clock_;
    env::Log *log_;
    const ElectionSettings settings_;
    std::function<void()> started_, lost_, released_;

    LeaseRecord observed_;          ///< the last that was seen or written
    std::int64_t observed_ns_ = 0;  /// when; monotonic
    model::TreePtr object_;         ///< the lease as the server last sent it
    bool wrote_ = false;            ///< sent a write of the lease: it may be ours
    std::atomic<std::int64_t> renewed_ns_ = never;
    std::atomic<std::uint64_t> slow_paths_ = 0;

    // Late callbacks are recognized by these numbers and ignored.
    std::uint64_t request_ = 0, term_ = 0, tries_ = 0;
    std::int64_t requested_ns_ = 0;
};

}  // namespace berth::kube
