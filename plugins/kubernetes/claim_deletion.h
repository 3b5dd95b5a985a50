// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The deletion of the ResourceClaim for a pod's extended resources, with its finalizer.

#include "claim_request.h"
#include "pod_resource_claims.h"

#include <berth/http_status.hpp>

#include <functional>
#include <memory>

namespace kubernetes {

/// Deletes the claim for a pod's extended resources: takes off the finalizer that keeps it, then deletes it. Holds no
/// thread. Thread: loop.
class ClaimDeletion : public std::enable_shared_from_this<ClaimDeletion> {
public:
    /// The reason why it failed; empty: it is deleted.
    using Done = std::function<void(std::string_view fault)>;

    ClaimDeletion(const berth::Host &host, berth::Kind kind, std::string name_space, std::string name, std::string uid,
                  Done done)
        : host_(host),
          kind_(kind),
          name_space_(std::move(name_space)),
          name_(std::move(name)),
          uid_(std::move(uid)),
          done_(std::move(done)) {}

    void start() {
        auto claim = host_.get(kind_, name_space_, name_);
        if (!claim || claim.uid() != uid_)
            return done_((attempts_ == 0 ? "update resourceclaim " : "get resourceclaim ") + key() + ": " +
                         not_found("resourceclaims.resource.k8s.io", name_));
        send(BERTH_VERB_UPDATE, without_finalizer(claim),
             [self = shared_from_this()](int status, std::string_view text) { self->updated(status, text); });
    }

    /// Deletes a claim that an attempt has made in vain, and says so if it stays. One that the watch does not show yet
    /// has no finalizer.
    static void discard(const berth::Host &host, berth::Kind kind, const std::string &name_space,
                        const std::string &name, const std::string &uid) {
        auto shown = [&host, kind, name_space, name, uid] {
            const auto claim = host.get(kind, name_space, name);
            return claim && claim.uid() == uid;
        };
        const auto deletion = std::make_shared<ClaimDeletion>(
            host, kind, name_space, name, uid, [&host, name_space, name, shown](std::string_view fault) {
                if (!fault.empty() && shown())
                    host.warning("claim " + full_name(name_space, name) +
                                 " for extended resources stays: " + std::string(fault));
            });
        if (shown()) deletion->start();
        else deletion->remove();
    }

private:
    static constexpr int attempts_at_most = 5;                ///< when others write the claim too
    static constexpr std::int64_t patience_ns = 250'000'000;  ///< for the watch event of the other's update

    const berth::Host &host_;
    berth::Kind kind_;
    std::string name_space_, name_, uid_;
    Done done_;
    int attempts_ = 0;

    std::string key() const { return full_name(name_space_, name_); }

    static std::string without_finalizer(const berth::Object &claim) {
        std::string left;
        auto list = claim.at("/metadata/finalizers");
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list.at(i).string() != claim_finalizer) (left += left.empty() ? "" : ",") += berth::json(list.at(i));
        auto edit = claim_edit();
        edit.set({"metadata", "finalizers"}, "[" + left + "]");
        return edit.apply(claim.at(""));
    }

    void send(std::uint32_t verb, const std::string &body, berth::Host::OnStatus done) const {
        host_.send(claim_request(verb, name_space_, name_, body), std::move(done));
    }

    void updated(int status, std::string_view text) {
        if (status == berth::http_conflict && ++attempts_ < attempts_at_most) {
            host_.after(patience_ns, [self = shared_from_this()] { self->start(); });
            return;
        }
        if (!berth::succeeded(status)) return done_("update resourceclaim " + key() + ": " + std::string(text));
        remove();
    }

    void remove() {
        send(BERTH_VERB_DELETE,
             R"({"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":)" + berth::json_quote(uid_) + "}}",
             [self = shared_from_this()](int deleted, std::string_view why) {
                 // A repeated request finds none.
                 self->done_(berth::succeeded(deleted) || deleted == berth::http_not_found ? std::string_view{} : why);
             });
    }
};

}  // namespace kubernetes
