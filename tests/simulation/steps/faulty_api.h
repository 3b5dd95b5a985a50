// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The way to the API server, on which requests fail, are late, or find that something else happened first.

#include "env/api.h"
#include "env/clock.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace running_world {

using namespace berth;

/// What becomes of one request.
struct RequestFault {
    std::function<void()> before;  ///< happens first; whoever watches is told before the request is answered
    int status = 0;                ///< answered instead of the server's, with `text`; 0: the server answers
    std::string text;
    std::function<void()> after;  ///< happens next; whoever watches is told after the answer
    std::int64_t late_ns = 0;     ///< how long the request is on its way
    std::int64_t slow_ns = 0;     ///< how long the answer is
};

/// Passes requests on, but for those that a test has other plans for.
class FaultyApi : public env::Api {
    env::Clock &clock_;
    env::Api &behind_;
    std::multimap<std::string, RequestFault> faults_;  ///< by "resource" or "resource/subresource"; in order

public:
    std::vector<env::ApiRequest> asked;  ///< everything, in order

    FaultyApi(env::Clock &clock, env::Api &behind) : clock_(clock), behind_(behind) {}

    /// The next request for the resource that has no other fault yet.
    void next(const std::string &resource, RequestFault fault) { faults_.emplace(resource, std::move(fault)); }
    void refuse(const std::string &resource, int status, const std::string &text) {
        next(resource, {{}, status, text, {}, 0});
    }
    /// The faults that no request has met.
    std::size_t left() const { return faults_.size(); }
    /// How many requests there were for it.
    std::ptrdiff_t count(const std::string &resource) const {
        return std::ranges::count(asked, resource, &FaultyApi::name_of);
    }

    void send(env::ApiRequest request, std::function<void(env::ApiAnswer)> done) override {
        asked.push_back(request);
        auto at = faults_.find(name_of(request));
        if (at == faults_.end()) return behind_.send(std::move(request), std::move(done));
        auto fault = std::move(at->second);
        faults_.erase(at);
        auto go = [this, fault, request = std::move(request), done = std::move(done)] {
            if (fault.before) fault.before();
            auto answered = [this, fault, done](const env::ApiAnswer &answer) {
                auto arrives = [fault, done, answer] {
                    done(answer);
                    if (fault.after) fault.after();
                };
                if (fault.slow_ns > 0) clock_.after(fault.slow_ns, arrives);
                else arrives();
            };
            if (fault.status == 0) return behind_.send(request, answered);
            clock_.post([fault, answered] { answered({fault.status, fault.text}); });
        };
        if (fault.late_ns > 0) clock_.after(fault.late_ns, std::move(go));
        else go();
    }

private:
    static std::string name_of(const env::ApiRequest &request) {
        return request.resource + (request.subresource.empty() ? "" : "/" + request.subresource);
    }
};

}  // namespace running_world
