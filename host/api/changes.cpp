// SPDX-License-Identifier: Apache-2.0
#include "api/changes.h"

#include "api/query.h"

#include <utility>

namespace berth::api {
namespace {

constexpr int too_many = 429;
/// Less than the server gives an answer.
constexpr std::chrono::seconds patience{25};

}  // namespace

void Changes::add_to(kube::Routes &routes, Explainer::Post post) {
    post_ = std::move(post);
    routes.add(explain_base + "changes", [this](const kube::ServedRequest &request, const kube::Answering &done) {
        if (!is_method(request, "GET", done)) return;
        if (!kube::query_values(request.query, "follow").empty()) return follow(done);
        if (waiters_.size() >= most_waiting)
            return done(kube::status_answer(too_many, "TooManyRequests",
                                            std::to_string(most_waiting) + " wait for changes already: ask again"));
        const auto since = kube::query_values(request.query, "since");
        waiters_.push_back({since.empty() ? "" : since.front(), done, Clock::now() + patience});
        look();
    });
}

/// Their clients have left, or no connection ever had them.
void Changes::forget_the_gone() {
    std::erase_if(streams_, [](const Stream &stream) { return stream.to->ended() || stream.to.use_count() == 1; });
}

void Changes::follow(const kube::Answering &done) {
    forget_the_gone();
    if (streams_.size() >= most_streams)
        return done(kube::status_answer(too_many, "TooManyRequests",
                                        std::to_string(most_streams) + " follow what happens already: ask again"));
    streams_.push_back({std::make_shared<kube::ServedStream>(), Clock::now() + stream_ends});
    done({200, ": what happens\n\n", "text/event-stream", {{"X-Accel-Buffering", "no"}}, streams_.back().to});
    look();
}

void Changes::look() {
    forget_the_gone();
    if (waiters_.empty() && streams_.empty()) return;
    world_.loop.post([this] { post_([this, now = now()] { notify(now); }); });
}

/// Another text when something is different, of what can be looked up at once.
std::string Changes::now() const {
    const auto newest = world_.last.newest(1);
    const auto &cache = world_.scheduler->cache();
    const auto &queue = world_.scheduler->queue();
    std::string out = std::to_string(newest.empty() ? 0 : newest.front()->seq);
    for (const auto n : {cache.node_count(), cache.pod_count(), queue.active(), queue.backing_off()})
        out += "-" + std::to_string(n);
    return out;
}

void Changes::notify(Stream &stream, const std::string &now, Clock::time_point time) {
    const auto silent = time - stream.said;
    if (stream.known != now && silent >= breath) {
        stream.to->write("event: changed\nid: " + now + "\ndata: {}\n\n");
        stream.known = now;
        stream.said = time;
    } else if (silent >= sign_of_life) {
        stream.to->write(": nothing new\n\n");
        stream.said = time;
    }
    if (time >= stream.ends) stream.to->end();
}

void Changes::notify(const std::string &now) {
    const auto time = Clock::now();
    for (auto &stream : streams_) notify(stream, now, time);
    auto all = std::exchange(waiters_, {});
    for (auto &waiter : all) {
        const bool changed = waiter.since != now;
        if (!changed && time < waiter.until) {
            waiters_.push_back(std::move(waiter));
            continue;
        }
        waiter.done({200, std::string(changed ? "event: changed\n" : "event: same\n") + "id: " + now + "\ndata: {}\n\n",
                     "text/event-stream"});
    }
}

}  // namespace berth::api
