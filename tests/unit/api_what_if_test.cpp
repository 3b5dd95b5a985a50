// SPDX-License-Identifier: Apache-2.0
#include "api/what_if.h"

#include "config/read.h"
#include "decode/document.h"

#include "catch.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>

using namespace berth;

namespace {

/// What the server's thread does; here the test's own.
class Posts {
    std::mutex mutex_;
    std::condition_variable more_;
    std::deque<std::function<void()>> waiting_;

public:
    void add(std::function<void()> fn) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(fn));
        more_.notify_one();
    }
    void run_one() {
        std::unique_lock lock(mutex_);
        more_.wait(lock, [this] { return !waiting_.empty(); });
        auto fn = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        fn();
    }
};

}  // namespace

// promise(peer): A separate thread validates what-if requests, so that probes do not wait.
TEST_CASE("what if: a separate thread validates a change, and the answer lists its errors", "[api]") {
    Posts posts;
    std::set<std::thread::id> judges;
    const auto configuration = std::make_shared<const config::Configuration>(config::built_in());
    api::WhatIf what_if({{}, 1, true, [&](const auto &then, const kube::Answering &) {
                             api::WhatIf::Subject subject;
                             subject.configuration = configuration;
                             subject.node = [&](std::string_view) {
                                 judges.insert(std::this_thread::get_id());
                                 return model::NodePtr{};
                             };
                             then(std::move(subject));
                         }});
    kube::Routes routes;
    what_if.add_to(routes, [&](std::function<void()> fn) { posts.add(std::move(fn)); });
    std::optional<kube::ServedAnswer> answer;
    const auto ask = [&](const std::string &body) {
        answer.reset();
        routes({"PUT", "/apis/berth/v1alpha1/whatif", {}, body, {}, {}},
               [&](kube::ServedAnswer given) { answer = std::move(given); });
        while (!answer) posts.run_one();
        return answer->status;
    };
    CHECK(ask("[]") == 400);
    CHECK(ask("a: &a {<<: *a}") == 400);
    CHECK(answer->body.find("expected an object as JSON\"") != std::string::npos);
    CHECK(ask("{\"a\":") == 400);
    CHECK(judges.empty());
    for (int i = 0; i < 2; ++i) {
        CHECK(ask(R"({"addNodes":[{"like":"none","count":1}]})") == 422);
        CHECK(answer->body.find("the cluster has no node") != std::string::npos);
    }
    CHECK_FALSE(judges.empty());
    CHECK_FALSE(judges.contains(std::this_thread::get_id()));
    CHECK(ask(std::string(100'000, ' ') + "{}") == 413);
}
