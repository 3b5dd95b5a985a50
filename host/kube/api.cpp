// SPDX-License-Identifier: Apache-2.0
#include "kube/api.h"

#include "decode/document.h"
#include "decode/wire.h"
#include "kube/url.h"

#include <array>
#include <chrono>

namespace berth::kube {

namespace {

constexpr int http_ok = 200, http_created = 201, http_not_found = 404, http_refused = 400, http_conflict = 409,
              http_too_many = 429, http_internal = 500, http_unavailable = 503;
constexpr std::array<std::int64_t, 3> waits_ns{10'000'000, 50'000'000, 250'000'000};
/// The interval of reading a pod whose binding is uncertain.
constexpr std::int64_t first_look_ns = 250'000'000, longest_look_ns = 4'000'000'000;
/// A server that sends its answer in drops takes a place of the reads' lane no longer than that, but for cpprestsdk's
/// transport (HttpRequest::whole).
constexpr std::chrono::seconds longest_read{60};
constexpr int forbidden_looks_max = 8;  // some 20 s

std::string_view method_of(env::Verb verb) {
    switch (verb) {
        case env::Verb::Update: return "PUT";
        case env::Verb::Patch: return "PATCH";
        case env::Verb::Delete: return "DELETE";
        case env::Verb::Get:
        case env::Verb::List: return "GET";
        case env::Verb::Create: break;
    }
    return "POST";
}

bool is_event(const env::ApiRequest &r) { return r.resource == "events"; }

/// Whether doing it twice comes to the same as doing it once, or is refused the second time.
bool repeatable(const env::ApiRequest &r) {
    return r.verb != env::Verb::Create || r.binds() || (r.subresource.empty() && !r.name.empty());
}

std::string collection_path(const env::ApiRequest &r) {
    std::string path =
        (r.group.empty() ? "/api" : "/apis/" + percent_encoded(r.group)) + "/" + percent_encoded(r.version);
    if (!r.name_space.empty()) path += "/namespaces/" + percent_encoded(r.name_space);
    return path + "/" + percent_encoded(r.resource);
}

/// "?labelSelector=app%3Dweb&limit=500", or "".
std::string query_of(const env::ListOptions &list) {
    std::string out;
    auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) out.append(out.empty() ? "?" : "&").append(name).append("=") += percent_encoded(value);
    };
    add("labelSelector", list.label_selector);
    add("fieldSelector", list.field_selector);
    if (list.limit > 0) add("limit", std::to_string(list.limit));
    add("continue", list.after);
    return out;
}

}  // namespace

struct Api::Job {
    env::ApiRequest request;
    std::function<void(env::ApiAnswer)> done;
    Lane *lane = nullptr;
    std::size_t tries = 0;
    bool uncertain = false;  ///< a try may have been carried out though its answer does not say so
    std::int64_t look_again_ns = first_look_ns;
    int forbidden_looks = 0;

    HttpRequest http() const {
        HttpRequest out;
        out.method = method_of(request.verb);
        out.path = path_of(request);
        out.content_type = request.verb == env::Verb::Patch && !request.content_type.empty() ? request.content_type
                           : request.verb == env::Verb::Patch ? "application/strategic-merge-patch+json"
                                                              : "application/json";
        out.body = request.body;
        if (!request.reads()) return out;
        out.most_bytes = env::most_of_read;
        out.whole = longest_read;
        return out;
    }

    bool try_again(const HttpAnswer &answer, bool repeat_failed_bindings) const {
        if (tries > waits_ns.size()) return false;
        if (answer.status == 0) return answer.unsent || (!request.reads() && repeatable(request));
        if (answer.status == http_too_many) return true;
        if (answer.status == http_unavailable) return repeatable(request);
        if (answer.status == http_internal && request.binds()) return repeat_failed_bindings;
        return request.verb == env::Verb::Patch && (answer.status == http_conflict || answer.status >= http_internal);
    }
};

std::string path_of(const env::ApiRequest &r) {
    std::string path = collection_path(r);
    // What is created goes to its collection; a subresource belongs to an object that is there.
    if (!r.name.empty() && (r.verb != env::Verb::Create || !r.subresource.empty()))
        path += "/" + percent_encoded(r.name);
    if (!r.subresource.empty()) path += "/" + percent_encoded(r.subresource);
    return path + query_of(r.list);
}

void Api::send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) {
    auto job = std::make_shared<Job>();
    if (request.version.empty()) request.version = "v1";
    job->request = std::move(request);
    job->done = std::move(done);
    job->lane = job->request.reads() ? &reads_ : is_event(job->request) ? &events_ : &main_;
    job->lane->waiting.push_back(job);
    // Answers never come from within this call, so neither does the pump.
    pump(*job->lane);
}

void Api::pump(Lane &lane) {
    while (lane.in_flight < lane.most && !lane.waiting.empty()) {
        auto job = std::move(lane.waiting.front());
        lane.waiting.pop_front();
        ++lane.in_flight;
        attempt(job);
    }
}

void Api::attempt(const std::shared_ptr<Job> &job) {
    // What is not sent at all does not wait for its turn either.
    if (refused(job)) return;
    auto wait = job->lane->limit->take(clock_.monotonic_ns());
    if (wait == 0) return try_now(job);
    clock_.after(wait, [this, job] {
        if (!refused(job)) try_now(job);
    });
}

bool Api::refused(const std::shared_ptr<Job> &job) {
    if (!why_not_ || job->lane != &main_) return false;
    auto why = why_not_();
    if (why.empty()) return false;
    clock_.post([this, job, why = std::move(why)] { finish(job, {0, why, true, 0}); });
    return true;
}

void Api::try_now(const std::shared_ptr<Job> &job) {
    ++job->tries;
    auto request = job->http();
    // It may wait for a connection, and the lease be lost meanwhile.
    if (job->lane == &main_) request.why_not = why_not_;
    transport_.request(std::move(request), [this, job](HttpAnswer answer) {
        clock_.post([this, job, answer = std::move(answer)]() mutable { answered(job, std::move(answer)); });
    });
}

void Api::answered(const std::shared_ptr<Job> &job, HttpAnswer answer) {
    // A proxy may have lost or replaced the server's response.
    if ((answer.status == 0 && !answer.unsent) || answer.status >= http_internal) job->uncertain = true;
    if (job->try_again(answer, repeat_failed_bindings_)) {
        constexpr std::int64_t second_ns = 1'000'000'000, most_patience_s = 10;
        std::int64_t wait = waits_ns[job->tries - 1];
        if (answer.retry_after_s > 0) wait = std::min<std::int64_t>(answer.retry_after_s, most_patience_s) * second_ns;
        return clock_.after(wait, [this, job] { attempt(job); });
    }
    bool done = answer.status != 0 && answer.status < http_refused;
    if (job->request.binds()) {
        if (!done && (job->uncertain || answer.status == http_conflict)) return check_binding(job, std::move(answer));
    } else if (answer.status == http_conflict && job->uncertain && job->request.verb == env::Verb::Create) {
        answer = {http_created, "{}", false, 0};
    }
    finish(job, std::move(answer));
}

/// Whether this binding was carried out. Until that is known, the pod keeps its resources on the node: given away
/// meanwhile, that would be taken twice.
void Api::check_binding(const std::shared_ptr<Job> &job, HttpAnswer refusal) {
    HttpRequest get;
    get.path = collection_path(job->request) + "/" + percent_encoded(job->request.name);
    transport_.request(std::move(get), [this, job, refusal = std::move(refusal)](HttpAnswer pod) {
        clock_.post([this, job, refusal, pod = std::move(pod)]() mutable {
            // A server that has just started forbids what it will allow; one that goes on forbidding it never says so.
            bool unknown = pod.status != http_ok && pod.status != http_not_found;
            bool busy = pod.status == 0 || pod.status == http_too_many || pod.status >= http_internal;
            if (unknown && (busy || ++job->forbidden_looks < forbidden_looks_max)) {
                auto wait = std::exchange(job->look_again_ns, std::min(job->look_again_ns * 2, longest_look_ns));
                return clock_.after(wait, [this, job, refusal] { check_binding(job, refusal); });
            }
            if (unknown)
                refusal.body =
                    decode::status_message(refusal.body) +
                    "; whether it was carried out all the same cannot be told: " + decode::status_message(pod.body);
            auto binding = decode::read_document(job->request.body, "the binding");
            auto now = decode::read_api_json(pod.body);
            bool ours = pod.status == http_ok && binding && now;
            if (ours) {
                auto wanted = binding->value()["target"]["name"].string();
                auto uid = binding->value()["metadata"]["uid"].string();
                ours = !wanted.empty() && (*now)->value()["spec"]["nodeName"].string() == wanted &&
                       (*now)->value()["metadata"]["uid"].string() == uid;
            }
            finish(job, ours ? HttpAnswer{http_created, "{}", false, 0} : std::move(refusal));
        });
    });
}

void Api::finish(const std::shared_ptr<Job> &job, HttpAnswer answer) {
    --job->lane->in_flight;
    std::string refusal;
    if (answer.status >= http_refused) {
        refusal = std::exchange(answer.body, decode::status_message(answer.body));
        if (refusal.size() > env::most_of_refusal) refusal.clear();
    }
    pump(*job->lane);
    job->done({answer.status, std::move(answer.body), answer.too_long, std::move(refusal)});
}

}  // namespace berth::kube
