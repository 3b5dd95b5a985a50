// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Who asks Berth's server, and whether they may: the API server is asked, as kube-scheduler asks it. Its answers count
/// for ten seconds.

#include "kube/served.h"
#include "kube/transport.h"
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
    std::chrono::milliseconds token_ttl{10'000}, allowed_ttl{10'000}, denied_ttl{10'000};
    /// Told what cannot be done, and why, whenever a review gets no answer. May be empty.
    std::function<void(const std::string &what, const std::string &why)> complain = {};
};

/// One thread, to which `post`, called from any, brings what answers have to say. The transports must be gone before
/// this.
class Access {
public:
    using Clock = std::chrono::steady_clock;
    using Post = std::function<void(std::function<void()>)>;

    Access(AccessSettings settings, Post post) : settings_(std::move(settings)), post_(std::move(post)) {}
    Access(const Access &) = delete;
    Access &operator=(const Access &) = delete;

    /// Either `allowed` is called with the request, its user filled in, or `refused` is.
    using Allowed = std::function<void(ServedRequest)>;
    void check(ServedRequest request, const Allowed &allowed, const Answering &refused);

private:
    template <class T>
    struct Known {
        T what;
        Clock::time_point until;
    };
    /// Answers that were given lately; few enough to hold them all.
    template <class T>
    class Memory {
        std::unordered_map<std::string, Known<T>> known_;

    public:
        const T *find(const std::string &key) const {
            auto at = known_.find(key);
            return at != known_.end() && Clock::now() < at->second.until ? &at->second.what : nullptr;
        }
        void put(std::string key, T what, std::chrono::milliseconds ttl);
    };

    void authenticate(ServedRequest request, const Allowed &next, const Answering &refused);
    void authorize(ServedRequest request, const Allowed &next, const Answering &refused);

    void complain(const char *what, const model::Error &why) const {
        if (settings_.complain) settings_.complain(what, why.text);
    }

    AccessSettings settings_;
    Post post_;
    Memory<std::optional<User>> tokens_;         ///< by their digest; nothing: refused
    Memory<std::optional<std::string>> rights_;  ///< nothing: allowed; else why not
};

}  // namespace berth::kube
