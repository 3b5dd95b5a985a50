// SPDX-License-Identifier: Apache-2.0
#include "live/leadership.h"

#include "config/go_format.h"
#include "env/host_name.h"
#include "env/random.h"
#include "kube/beast_transport.h"

#include <unistd.h>
#include <array>
#include <random>

namespace berth::live {
namespace {

/// A random UUID (RFC 9562, version 4).
std::string uuid() {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::string_view form = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
    std::random_device device;
    std::string out(form);
    for (char &c : out) {
        auto drawn = device() & 0xf;
        if (c == 'x') c = digits[drawn];
        if (c == 'y') c = digits[(drawn & 3) | 8];
    }
    return out;
}

}  // namespace

model::Result<std::unique_ptr<Leadership>> Leadership::make(env::Clock &home, env::Log &log,
                                                            const kube::Credentials &credentials,
                                                            const config::LeaderElection &settings,
                                                            std::string event_source, std::uint64_t seed) {
    constexpr int jitter_tenths = 12;
    if (settings.renew_deadline <= settings.retry_period * jitter_tenths / 10)
        return model::Error{
            "leaderElection.renewDeadline: couldn't create leader elector: renewDeadline must be greater than "
            "retryPeriod*JitterFactor, which is 1.2: got " +
            config::duration_text(settings.renew_deadline) + " and a retryPeriod of " +
            config::duration_text(settings.retry_period)};
    auto transport = kube::make_beast_transport(credentials);
    if (!transport) return transport.error();
    kube::ElectionSettings out;
    out.lease = {settings.resource_namespace, settings.resource_name};
    out.identity = env::host_name() + "_" + uuid();
    out.event_source = std::move(event_source);
    out.lease_duration_ns = settings.lease_duration.count();
    out.renew_deadline_ns = settings.renew_deadline.count();
    out.retry_period_ns = settings.retry_period.count();
    // Two that were given the same seed must not come at the same moments.
    out.seed = env::mix(seed) ^ env::text_hash(out.identity);
    return std::make_unique<Leadership>(home, log, std::move(*transport), std::move(out));
}

Leadership::Leadership(env::Clock &home, env::Log &log, std::unique_ptr<kube::Transport> transport,
                       kube::ElectionSettings settings)
    : home_(home),
      log_(log),
      transport_(std::move(transport)),
      election_(*transport_, loop_, &log, std::move(settings)) {}

Leadership::~Leadership() {
    if (thread_.joinable()) {
        loop_.post([this] { loop_.stop(); });
        thread_.join();
    }
    transport_.reset();
}

void Leadership::start(const std::function<void()> &leads, const std::function<void()> &lost) {
    auto on_lost = [this, lost] {
        constexpr std::int64_t patience_ns = 2'000'000'000;
        over_ = true;
        log_.write(env::Severity::Error, 0, "Leaderelection lost");
        home_.post(lost);
        loop_.after(patience_ns, [] { ::_exit(1); });
    };
    loop_.post([this, leads, on_lost] { election_.start([this, leads] { home_.post(leads); }, on_lost); });
    thread_ = std::thread([this] { loop_.run(); });
}

void Leadership::release(std::function<void()> done) {
    over_ = true;
    loop_.post([this, done = std::move(done)]() mutable {
        election_.release([this, done = std::move(done)] { home_.post(done); });
    });
}

std::string Leadership::fault() const {
    constexpr std::int64_t tolerance_ns = 20'000'000'000;  // upstream's
    auto renewed = election_.renewed_ns();
    const auto &settings = election_.settings();
    if (!renewed || loop_.monotonic_ns() - *renewed <= settings.lease_duration_ns + tolerance_ns) return "";
    return "failed election to renew leadership on lease " + settings.lease.name;
}

std::string Leadership::why_not_write() const {
    const auto &settings = election_.settings();
    auto renewed = election_.renewed_ns();
    if (over_ || !renewed) return "the lease " + settings.lease.text() + " is not ours";
    auto age = loop_.monotonic_ns() - *renewed;
    if (age <= settings.renew_deadline_ns) return "";
    auto text = [](std::int64_t ns) {
        constexpr std::int64_t ms = 1'000'000;
        return config::duration_text(std::chrono::nanoseconds{ns / ms * ms});
    };
    return "the lease " + settings.lease.text() + " was last renewed " + text(age) +
           " ago, and with a renewDeadline of " + text(settings.renew_deadline_ns) + " another may lead";
}

}  // namespace berth::live
