// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A transport that records what is asked and answers when the test says so.

#include "catch.h"
#include "kube/transport.h"

#include <deque>

namespace berth {

struct FakeTransport : kube::Transport {
    struct Sent {
        kube::HttpRequest request;
        Done done;
        Data data;
        StreamId stream = 0;
        bool cancelled = false;
    };
    std::deque<Sent> sent;
    StreamId streams = 0;

    void request(kube::HttpRequest request, Done done) override {
        sent.push_back({std::move(request), std::move(done), {}, 0, false});
    }
    StreamId stream(kube::HttpRequest request, Data data, Done done) override {
        sent.push_back({std::move(request), std::move(done), std::move(data), ++streams, false});
        return streams;
    }
    void cancel(StreamId stream) override {
        for (auto &one : sent)
            if (one.stream == stream) one.cancelled = true;
    }

    Sent &last() {
        REQUIRE(!sent.empty());
        return sent.back();
    }
    const std::string &path() { return last().request.path; }
    bool watching() { return last().stream != 0 && !last().cancelled; }
    void answer(int status, std::string body, bool unsent = false) {
        auto done = std::exchange(last().done, nullptr);
        REQUIRE(done);
        done({status, std::move(body), unsent, 0});
    }
};

}  // namespace berth
