// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An API server without a network: it streams what it is told to, says yes to every write, and keeps nothing but the
/// bindings' news.

#include "env/clock.h"
#include "kube/transport.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace churn {

using namespace berth;

/// Loop only.
class Server : public kube::Transport {
    struct Stream {
        StreamId id;
        Data data;
        Done done;
        std::string unsent;  ///< messages that wait for the loop's next turn
    };
    env::Clock &loop_;
    std::map<std::string, Stream, std::less<>> streams_;  ///< by the collection's path
    StreamId last_ = 0;
    std::uint64_t version_ = 1, writes_ = 0;

    static std::string_view path_of(std::string_view path) { return path.substr(0, path.find('?')); }

    void flush(const std::string &path) {
        auto at = streams_.find(path);
        if (at == streams_.end() || at->second.unsent.empty()) return;
        auto &stream = at->second;
        stream.data(std::exchange(stream.unsent, {}));
    }
    void send(const std::string &path, const std::string &message) {
        auto at = streams_.find(path);
        if (at == streams_.end()) return;
        if (at->second.unsent.empty()) loop_.post([this, path] { flush(path); });
        at->second.unsent += message;
        at->second.unsent += '\n';
    }

public:
    /// Told of each binding: the pod's path, and the body.
    std::function<void(std::string_view pod, const std::string &body)> on_binding;
    /// Told of each pod whose status is written, which says that it fits nowhere: its path.
    std::function<void(std::string_view pod)> on_status;

    explicit Server(env::Clock &loop) : loop_(loop) {}

    std::uint64_t next_version() { return ++version_; }
    std::uint64_t writes() const { return writes_; }
    bool watched(std::string_view path) const { return streams_.contains(path); }

    /// `type`: ADDED, MODIFIED or DELETED.
    void tell(const std::string &collection, const char *type, const std::string &object) {
        send(collection, R"({"type":")" + std::string(type) + R"(","object":)" + object + "}");
    }

    void request(kube::HttpRequest request, Done done) override {
        ++writes_;
        std::string_view path = request.path;
        int status = request.method == "POST" ? 201 : 200;
        std::string body = "{}";
        if (request.method == "GET") body = R"({"metadata":{"resourceVersion":"1"},"items":[]})";
        if (path.ends_with("/selfsubjectaccessreviews")) body = R"({"status":{"allowed":true}})";
        if (path.ends_with("/binding") && on_binding)
            loop_.post([this, path = std::string(path.substr(0, path.size() - std::string_view("/binding").size())),
                        told = std::move(request.body)] { on_binding(path, told); });
        if (request.method == "PATCH" && path.ends_with("/status") && on_status)
            loop_.post([this, path = std::string(path.substr(0, path.size() - std::string_view("/status").size()))] {
                on_status(path);
            });
        loop_.post([done = std::move(done), status, body = std::move(body)] { done({status, body, false, 0}); });
    }
    StreamId stream(kube::HttpRequest request, Data data, Done done) override {
        const std::string path(path_of(request.path));
        streams_.insert_or_assign(path, Stream{++last_, std::move(data), std::move(done), {}});
        if (request.path.find("sendInitialEvents=true") != request.path.npos)
            send(path, R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" + std::to_string(version_) +
                           R"(","annotations":{"k8s.io/initial-events-end":"true"}}}})");
        return last_;
    }
    void cancel(StreamId stream) override {
        for (auto at = streams_.begin(); at != streams_.end(); ++at)
            if (at->second.id == stream) {
                loop_.post([done = std::move(at->second.done)] { done({200, {}, false, 0}); });
                streams_.erase(at);
                return;
            }
    }
};

}  // namespace churn
