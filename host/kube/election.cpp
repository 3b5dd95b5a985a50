// SPDX-License-Identifier: Apache-2.0
#include "kube/election.h"

#include "decode/wire.h"
#include "env/random.h"
#include "kube/url.h"
#include "model/time.h"

#include <algorithm>

namespace berth::kube {
namespace {

constexpr int http_ok = 200, http_refused = 300, http_not_found = 404, http_conflict = 409;
constexpr std::int64_t second_ns = 1'000'000'000;

bool good(const HttpAnswer &answer) { return answer.status >= http_ok && answer.status < http_refused; }

model::Result<Lease> lease_of(const HttpAnswer &answer) {
    if (!good(answer)) return model::Error{decode::status_message(answer.body)};
    return read_lease(answer.body);
}

}  // namespace

Election::Election(Transport &transport, env::Clock &clock, env::Log *log, ElectionSettings settings)
    : transport_(transport), clock_(clock), log_(log), settings_(std::move(settings)) {}

void Election::start(std::function<void()> started, std::function<void()> lost) {
    started_ = std::move(started);
    lost_ = std::move(lost);
    log(env::Severity::Info, 0, "Attempting to acquire leader lease...");
    acquire();
}

void Election::acquire() {
    attempt([this](bool led) {
        if (led) return begin_to_lead();
        log(env::Severity::Info, 4, "Failed to acquire lease");
        // Waiting instances must not all come at the same time.
        constexpr double jitter = 1.2, steps = 1 << 20;
        auto drawn = env::random_value(settings_.seed, 0, ++tries_, 0, 0) % static_cast<std::uint64_t>(steps);
        auto more = static_cast<double>(settings_.retry_period_ns) * jitter * (static_cast<double>(drawn) / steps);
        clock_.after(settings_.retry_period_ns + static_cast<std::int64_t>(more), [this, term = term_] {
            if (term == term_) acquire();
        });
    });
}

void Election::begin_to_lead() {
    log(env::Severity::Info, 0, "Successfully acquired lease");
    record_event("became leader");
    if (started_) started_();
    renew();
}

/// Once every retry period; it may take the renew deadline in which failed attempts are repeated.
void Election::renew() {
    clock_.after(settings_.retry_period_ns, [this, term = term_] {
        if (term != term_) return;
        auto deadline = ++term_;
        clock_.after(settings_.renew_deadline_ns, [this, deadline] {
            if (deadline == term_) end_of_patience();
        });
        try_to_renew();
    });
}

void Election::try_to_renew() {
    attempt([this, began = clock_.monotonic_ns()](bool renewed) {
        if (renewed) {
            log(env::Severity::Info, 5, "Successfully renewed lease");
            ++term_;
            return renew();
        }
        auto wait = began + settings_.retry_period_ns - clock_.monotonic_ns();
        clock_.after(std::max<std::int64_t>(wait, 0), [this, term = term_] {
            if (term == term_) try_to_renew();
        });
    });
}

void Election::end_of_patience() {
    ++term_;
    ++request_;
    renewed_ns_ = never;
    log(env::Severity::Info, 0, "Failed to renew lease", "context deadline exceeded");
    if (auto lost = std::exchange(lost_, nullptr)) lost();
}

/// Upstream's tryAcquireOrRenew.
void Election::attempt(Then then) {
    if (!ours() || !valid() || !object_) return look(std::move(then));
    // No other instance should have changed it.
    auto next = record();
    next.acquire_time = observed_.acquire_time;
    next.transitions = observed_.transitions;
    ask("PUT", settings_.lease.path(), lease_json(settings_.lease, next, object_),
        [this, then = std::move(then)](const HttpAnswer &answer) {
            if (accepted(answer)) return then(true);
            log(env::Severity::Info, 2, "Failed to update lease optimistically, falling back to slow path",
                decode::status_message(answer.body));
            look(then);
        });
}

void Election::look(Then then) {
    ask("GET", settings_.lease.path(), {},
        [this, then = std::move(then)](const HttpAnswer &answer) { looked(answer, then); });
}

void Election::looked(const HttpAnswer &answer, const Then &then) {
    if (answer.status == http_not_found) {
        ask("POST", settings_.lease.collection_path(), lease_json(settings_.lease, record(), nullptr),
            [this, then](const HttpAnswer &created) {
                if (accepted(created)) return then(true);
                log(env::Severity::Error, 0, "Error initially creating lease lock",
                    decode::status_message(created.body));
                then(false);
            });
        return;
    }
    auto lease = lease_of(answer);
    if (!lease) {
        log(env::Severity::Error, 0, "Error retrieving lease lock", lease.error().text);
        return then(false);
    }
    object_ = lease->object;
    if (lease->record != observed_) observe(std::move(lease->record));
    if (!ours() && !observed_.holder.empty() && valid()) {
        renewed_ns_ = never;
        log(env::Severity::Info, 4, "Lease is held by and has not yet expired", observed_.holder);
        return then(false);
    }
    auto next = record();
    if (ours()) {
        next.acquire_time = observed_.acquire_time;
        next.transitions = observed_.transitions;
        ++slow_paths_;
    } else {
        next.transitions = observed_.transitions + 1;
    }
    ask("PUT", settings_.lease.path(), lease_json(settings_.lease, next, object_),
        [this, then](const HttpAnswer &updated) {
            bool done = accepted(updated);
            if (!done) log(env::Severity::Error, 0, "Failed to update lease", decode::status_message(updated.body));
            then(done);
        });
}

void Election::release(std::function<void()> done) {
    ++term_;
    ++request_;
    renewed_ns_ = never;
    lost_ = nullptr;
    released_ = std::move(done);
    if (!wrote_) return released();
    clock_.after(settings_.renew_deadline_ns, [this] {
        ++request_;
        released();
    });
    constexpr int tries = 3;
    release_ours(tries);
}

/// A renewal that was under way may still come to the server and be in the way of this one: then it is tried again.
void Election::release_ours(int tries) {
    ask("GET", settings_.lease.path(), {}, [this, tries](const HttpAnswer &answer) {
        auto lease = lease_of(answer);
        if (!lease) {
            log(env::Severity::Error, 0, "error retrieving resource lock", lease.error().text);
            return released();
        }
        if (lease->record.holder != settings_.identity) return released();
        object_ = lease->object;
        LeaseRecord nobody;
        nobody.duration_s = 1;
        nobody.transitions = lease->record.transitions;
        nobody.acquire_time = nobody.renew_time = model::format_time(clock_.now_ns());
        ask("PUT", settings_.lease.path(), lease_json(settings_.lease, nobody, object_),
            [this, tries](const HttpAnswer &freed) {
                if (freed.status == http_conflict && tries > 1) return release_ours(tries - 1);
                if (good(freed)) record_event("stopped leading");
                else log(env::Severity::Error, 0, "Failed to release lease", decode::status_message(freed.body));
                released();
            });
    });
}

void Election::released() {
    if (auto done = std::exchange(released_, nullptr)) done();
}

/// As if we had just become the leader.
LeaseRecord Election::record() const {
    LeaseRecord out;
    out.holder = settings_.identity;
    out.duration_s = settings_.lease_duration_ns / second_ns;
    out.acquire_time = out.renew_time = model::format_time(clock_.now_ns());
    return out;
}

/// Calls `then` without a response on timeout.
void Election::ask(const char *method, const std::string &path, std::string body,
                   std::function<void(const HttpAnswer &)> then) {
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = std::move(body);
    if (!request.body.empty()) {
        request.content_type = "application/json";
        wrote_ = true;
    }
    requested_ns_ = clock_.monotonic_ns();
    auto answered = [this, request = ++request_, then = std::move(then)](const HttpAnswer &answer) {
        if (request != request_) return;
        ++request_;
        then(answer);
    };
    transport_.request(std::move(request), [this, answered](HttpAnswer answer) {
        clock_.post([answered, answer = std::move(answer)] { answered(answer); });
    });
    clock_.after(std::max(settings_.renew_deadline_ns / 2, second_ns),
                 [answered] { answered({0, "no answer in time", false, 0}); });
}

/// The answer to a write that made the lease ours.
bool Election::accepted(const HttpAnswer &answer) {
    auto lease = lease_of(answer);
    if (!lease || lease->record.holder != settings_.identity) return false;
    object_ = lease->object;
    observe(std::move(lease->record));
    renewed_ns_ = requested_ns_;
    return true;
}

void Election::observe(LeaseRecord record) {
    observed_ = std::move(record);
    observed_ns_ = clock_.monotonic_ns();
}

bool Election::valid() const { return observed_ns_ + observed_.duration_s * second_ns > clock_.monotonic_ns(); }

/// Writes an Event, without waiting.
void Election::record_event(std::string_view what) {
    HttpRequest request;
    request.method = "POST";
    request.path = "/api/v1/namespaces/" + percent_encoded(settings_.lease.name_space) + "/events";
    request.content_type = "application/json";
    request.body = leader_event_json(settings_.lease, object_, settings_.identity + " " + std::string(what),
                                     settings_.event_source, clock_.now_ns());
    transport_.request(std::move(request), [log = log_, lock = settings_.lease.text()](const HttpAnswer &answer) {
        constexpr int refusals = 400;
        if (log && answer.status >= refusals)
            log->write(env::Severity::Error, 0, "Server rejected event (will not retry!)",
                       {{"lock", lock}, {"err", decode::status_message(answer.body)}});
    });
}

void Election::log(env::Severity severity, int verbosity, std::string_view message, const std::string &err) const {
    if (!log_) return;
    env::Log::Pairs pairs{{"lock", settings_.lease.text()}};
    if (!err.empty()) pairs.emplace_back("err", err);
    log_->write(severity, verbosity, message, pairs);
}

}  // namespace berth::kube
