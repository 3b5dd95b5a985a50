// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Authentication and authorization of clients of Berth's server by the API server's reviews, as in kube-scheduler.
/// Clients that were allowed something in the last hour have their own places in the
/// queue for a review, so that a flood of unknown tokens does not keep them out.

#include "kube/reviews.h"
#include "kube/served.h"
#include "model/result.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace berth::kube {

struct AccessSettings {
    /// Whom to ask with TokenReviews and with SubjectAccessReviews; none: no token is known, and nothing is allowed but
    /// the paths below.
    Transport *authentication = nullptr, *authorization = nullptr;
    std::vector<std::string> always_allowed{"/healthz", "/readyz",
                                            "/livez"};  ///< paths; "/x/*": what begins with "/x/"
    /// How long answers count; `berth run` sets these from its flags (api/serving.h).
    std::chrono::milliseconds token_ttl{10'000}, allowed_ttl{10'000}, denied_ttl{10'000};
    /// Called when a review fails: what cannot be decided, and why. May be empty.
    std::function<void(const std::string &what, const std::string &why)> complain = {};
    /// Of reviews for strangers, and for clients that were allowed something lately; for each kind of review.
    ReviewLimits strangers{}, familiar{.per_second = 200};
};

/// One thread, to which `post`, called from any, brings what answers have to say. The transports must be gone before
/// this.
class Access {
public:
    using Clock = std::chrono::steady_clock;
    using Post = std::function<void(std::function<void()>)>;

    Access(const AccessSettings &settings, const Post &post);
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;

    /// Either `allowed` is called with the request, its user filled in, or `refused` is. The request is `known` if it
    /// is allowed because of its user, not because the path is open to everyone.
    using Allowed = std::function<void(ServedRequest)>;
    void check(ServedRequest request, const Allowed &allowed, const Answering &refused);
    /// To be called about once a second.
    void look();

private:
    template <class T>
    struct Cached {
        T what;
        Clock::time_point until;
    };
    /// Answers that were given lately. Few enough to hold them all, unless somebody wants to see how many fit.
    template <class T>
    class Memory {
        std::unordered_map<std::string, Cached<T>> cached_;

    public:
        const T *find(const std::string &key) const {
            auto at = cached_.find(key);
            return at != cached_.end() && Clock::now() < at->second.until ? &at->second.what : nullptr;
        }
        void put(const std::string &key, T what, std::chrono::milliseconds ttl);
    };
    struct Nothing {};
    /// Questions of one kind, those of strangers apart.
    struct Pending {
        Reviews strangers, familiar;
        Pending(Transport *to, const Post &post, const AccessSettings &settings)
            : strangers(to, post, settings.strangers), familiar(to, post, settings.familiar) {}
    };

    void authenticate(ServedRequest request, const Allowed &next, const Answering &refused);
    void authorize(ServedRequest request, const Allowed &next, const Answering &refused);
    void was_allowed(const ServedRequest &request);
    void complain(const char *what, const model::Error &why) const {
        if (settings_.complain) settings_.complain(what, why.text);
    }

    AccessSettings settings_;
    Pending who_, what_;
    // By digests of tokens and of questions. Refusals apart, so that they cannot crowd out the rest.
    Memory<User> tokens_;
    Memory<Nothing> bad_tokens_, rights_;
    Memory<std::string> denied_;  ///< why
    /// Clients that were allowed something in the last hour: digests of tokens, and names.
    Memory<Nothing> familiar_tokens_, familiar_users_;
};

}  // namespace berth::kube
