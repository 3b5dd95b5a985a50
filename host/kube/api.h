// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes and single reads, with retries (429, 503, Retry-After) and a limit of concurrent requests.

#include "env/api.h"
#include "env/clock.h"
#include "kube/rate_limit.h"
#include "kube/transport.h"

#include <deque>
#include <memory>
#include <string>

namespace berth::kube {

/// A request is tried up to four times, 10, 50 and 250 ms apart, if nothing came back or the server asked for a later
/// retry (429, 503; for a patch also 409, 500 and above). Only what cannot happen twice is tried again after it may
/// have been carried out: patches, deletions, updates, bindings, and objects that have a name. When a repeated creation
/// is answered with 409, the object is there. A binding that may have been carried out although it was refused (409,
/// 500 and above, or no answer) is not answered until the pod could be read and its node compared.
///
/// Events wait in a lane of their own, so that they never hold up a binding. So do reads, which share the writes' limit
/// of tries a second; a read without an answer is tried again only if it was
/// certainly not sent.
class Api : public env::Api {
public:
    /// Both outlive it, `transport` excepted: it must be gone before. Loop only.
    Api(Transport &transport, env::Clock &clock) : transport_(transport), clock_(clock) {}

    /// Of a refusal (status 400 and above), the body is the server's message alone, and `refusal` is all that it sent.
    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override;

    /// At most so many tries a second, after a pause `burst` at once; events on their own account, as kube-scheduler's
    /// second client. `qps` below zero: as many as there are.
    void limit(double qps, std::int32_t burst) { limit_ = events_limit_ = RateLimit(qps, burst); }

    /// `why_not` is called before each try of each write but events, and by the transport, on any thread, when it
    /// sends it: unless it answers with nothing, nothing is sent, and the request fails for that reason.
    void guard(std::function<std::string()> why_not) { why_not_ = std::move(why_not); }

    /// Whether a binding that is answered with 500 is tried again.
    void repeat_failed_bindings(bool yes) { repeat_failed_bindings_ = yes; }

    /// Writes that were not answered yet.
    std::size_t outstanding() const { return writing() + events_.size(); }
    /// Those of them that are no events.
    std::size_t writing() const { return main_.size(); }

private:
    struct Job;
    struct Lane {
        std::size_t most, in_flight = 0;
        std::deque<std::shared_ptr<Job>> waiting;
        RateLimit *limit;
        std::size_t size() const { return in_flight + waiting.size(); }
    };

    void pump(Lane &lane);
    void attempt(const std::shared_ptr<Job> &job);
    bool refused(const std::shared_ptr<Job> &job);
    void try_now(const std::shared_ptr<Job> &job);
    void answered(const std::shared_ptr<Job> &job, HttpAnswer answer);
    void check_binding(const std::shared_ptr<Job> &job, HttpAnswer refusal);
    void finish(const std::shared_ptr<Job> &job, HttpAnswer answer);

    Transport &transport_;
    env::Clock &clock_;
    std::function<std::string()> why_not_;
    bool repeat_failed_bindings_ = false;
    RateLimit limit_{}, events_limit_{};
    Lane main_{.most = 64, .in_flight = 0, .waiting = {}, .limit = &limit_};
    Lane events_{.most = 32, .in_flight = 0, .waiting = {}, .limit = &events_limit_};
    Lane reads_{.most = 8, .in_flight = 0, .waiting = {}, .limit = &limit_};
};

/// The path of a request with its query, such as "/api/v1/namespaces/default/pods/p/binding".
std::string path_of(const env::ApiRequest &request);

}  // namespace berth::kube
