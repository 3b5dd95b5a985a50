// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A request to Berth's own server, and its answer, as a handler sees them.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::kube {

/// The authenticated client.
struct User {
    std::string name, uid;
    std::vector<std::string> groups;
    std::vector<std::pair<std::string, std::vector<std::string>>> extra;
};

/// What the client showed in the TLS handshake.
struct ClientCertificate {
    enum class State { None, Trusted, Refused };
    State state = State::None;
    User user;  ///< if trusted: the name is the CommonName, the groups are the Organizations
};

struct ServedRequest {
    std::string method;
    std::string path;   ///< decoded, without the query; begins with a slash
    std::string query;  ///< as it was sent, without the question mark
    std::string body;
    std::string authorization;  ///< the header of that name
    ClientCertificate certificate;
    User user{};                    ///< once it is known
    std::string host{};             ///< the header of that name
    std::string accept_encoding{};  ///< the header of that name
    std::string peer{};             ///< where it comes from (peer_of)
    /// A certificate or token named a user who may ask this, so the client is no stranger.
    bool known = false;
};

/// An answer that goes on, such as server-sent events, until the handler ends it or the client goes. On the server's
/// thread.
class ServedStream {
    std::string waiting_;
    bool ended_ = false;
    std::function<void()> more_;

public:
    /// Sends the text soon. It is dropped when the client is gone.
    void write(std::string_view text) {
        if (ended_) return;
        waiting_ += text;
        if (more_) more_();
    }
    void end() {
        ended_ = true;
        if (more_) more_();
    }
    bool ended() const { return ended_; }

    /// For the connection: `more` is called when there is something to send, or the end.
    void attach(std::function<void()> more) { more_ = std::move(more); }
    std::string take() { return std::exchange(waiting_, {}); }
    void leave() { ended_ = true; }
};

struct ServedAnswer {
    int status = 200;
    std::string body;
    std::string content_type = "text/plain; charset=utf-8";
    std::vector<std::pair<std::string, std::string>> headers{};  ///< more, or others than usual
    std::shared_ptr<ServedStream> stream{};                      ///< what follows the body; the connection ends with it
};

/// Called on the server's thread, which it must not hold up. The answer may be given later and from any thread, once.
using Answering = std::function<void(ServedAnswer)>;
using ServedHandler = std::function<void(ServedRequest, Answering)>;
/// Judges a request of which only the head was read. Calls `allowed` with the request, on the server's thread, maybe
/// later, or else `refused`; one of them, once.
using ServedGate =
    std::function<void(ServedRequest, const std::function<void(ServedRequest)> &allowed, const Answering &refused)>;

/// The handlers of paths. A path without a handler is not found.
class Routes {
    struct Route {
        std::string path;
        bool below;
        ServedHandler handler;
    };
    std::vector<Route> routes_;

public:
    void add(std::string path, ServedHandler handler) {
        routes_.push_back({std::move(path), false, std::move(handler)});
    }
    /// Everything under `path`, which ends in a slash.
    void add_below(std::string path, ServedHandler handler) {
        routes_.push_back({std::move(path), true, std::move(handler)});
    }
    void operator()(ServedRequest request, Answering answer) const;
};

/// An error as Kubernetes answers it, `kind: Status`; `reason` is a word such as "Forbidden".
ServedAnswer status_answer(int code, std::string_view reason, std::string_view message);

/// What is wrong with one field.
struct Cause {
    std::string reason;  ///< a word such as "FieldValueRequired"
    std::string message, field;
};
/// An object that cannot be, as Kubernetes answers it: 422, with a cause for each field.
ServedAnswer invalid_answer(std::string_view kind, std::string_view name, const std::vector<Cause> &causes);

/// The values that a query, still encoded, gives a name, decoded: "a=1&b&a=2".
std::vector<std::string> query_values(std::string_view query, std::string_view name);

}  // namespace berth::kube
