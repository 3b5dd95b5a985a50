// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The interface to the API server: writes, single reads, and an observer of its changes.

#include "model/any_object.h"
#include "model/node.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace berth::env {

/// A recording has their numbers.
enum class Verb { Create, Update, Patch, Delete, Get, List };

/// Of a List.
struct ListOptions {
    std::string label_selector, field_selector;
    std::string after;        ///< `metadata.continue` of the page before
    std::uint64_t limit = 0;  ///< items at most; 0: all
};

struct ApiRequest {
    Verb verb = Verb::Create;
    std::string group, version, resource, name_space, name, subresource;
    std::string content_type;  ///< of a patch
    std::string body;          ///< JSON
    ListOptions list{};

    bool reads() const { return verb == Verb::Get || verb == Verb::List; }
    /// A pod to a node.
    bool binds() const {
        return verb == Verb::Create && group.empty() && resource == "pods" && subresource == "binding";
    }
};

/// A read is not answered with a longer body.
inline constexpr std::uint64_t most_of_read = std::uint64_t{4} << 20;
/// The body of a refusal is not kept if it is longer.
inline constexpr std::size_t most_of_refusal = std::size_t{64} << 10;

/// http_status 0: no answer came, `body` says why. Of a refusal (400 and above) `body` is the server's message.
struct ApiAnswer {
    int http_status = 0;
    std::string body;
    bool too_long = false;  ///< with http_status 0: the body had more bytes than there may be
    std::string refusal{};  ///< of a refusal: what the server sent, which is a Status if it is JSON; or ""
};

/// `done` runs on the loop, once.
class Api {
public:
    virtual ~Api() = default;
    virtual void send(ApiRequest request, std::function<void(ApiAnswer)> done) = 0;
};

/// Receives what the world says; called on the loop, between cycles. For an update both sides are given. A pod that
/// finished, or left for good, is deleted.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void node_added(model::NodePtr node) = 0;
    virtual void node_updated(model::NodePtr before, model::NodePtr after) = 0;
    virtual void node_deleted(model::NodePtr node) = 0;
    virtual void pod_added(model::PodPtr pod) = 0;
    virtual void pod_updated(model::PodPtr before, model::PodPtr after) = 0;
    virtual void pod_deleted(model::PodPtr pod) = 0;
    /// An object of one of the other kinds that are watched; `before` is null for a new one, `after` for one that is
    /// gone.
    virtual void object_changed(const model::Kind &kind, model::AnyPtr before, model::AnyPtr after) = 0;
};

}  // namespace berth::env
