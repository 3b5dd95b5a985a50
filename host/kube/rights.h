// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Berth's own rights at the API server, found by SelfSubjectAccessReview.

#include "env/clock.h"
#include "kube/transport.h"

#include <compare>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace berth::kube {

/// One verb on one resource.
struct Right {
    std::string group, resource;  ///< "", "pods/status"
    std::string name;             ///< of the only object that it is about; empty: all
    std::string name_space;       ///< empty: everywhere
    std::string verb;
    auto operator<=>(const Right &) const = default;
};

/// Asks about rights with SelfSubjectAccessReviews, which every user may create. Loop only.
class Rights {
public:
    using Done = std::function<void(std::vector<Right> missing)>;

    /// Both outlive it, `transport` excepted: it must be gone before.
    Rights(Transport &transport, env::Clock &clock) : transport_(transport), clock_(clock) {}

    /// `done` gets the rights that the server has denied for five seconds, in the order of `rights`: one that has just
    /// started denies what it will allow as soon as it has read its own rules. An unreachable server is asked again
    /// until it answers; rights about which it refuses to answer are left out.
    void ask(std::vector<Right> rights, Done done);

private:
    struct Round;
    void next(const std::shared_ptr<Round> &round);
    void end_of_pass(const std::shared_ptr<Round> &round);

    Transport &transport_;
    env::Clock &clock_;
};

}  // namespace berth::kube
