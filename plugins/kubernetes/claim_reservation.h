// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "giving_way.h"
#include "json_edit.h"
#include "pod_resource_claims.h"

#include <cstdio>
#include <map>
#include <memory>
#include <optional>

namespace kubernetes {

/// The binding of one pod's ResourceClaims: reserves them one after the other, then waits until their devices are
/// attached. Holds no thread. Thread: loop.
class ClaimReservation : public std::enable_shared_from_this<ClaimReservation> {
public:
    /// Pods that wait for a change of a claim, by the claim's "namespace/name".
    using Waiting = std::multimap<std::string, std::weak_ptr<ClaimReservation>, std::less<>>;

    struct Claim {
        std::string name_space, name, uid;
        bool reserved = false;  ///< for the pod
    };

    ClaimReservation(const berth::Host &host, berth::Kind kind, Waiting &waiting, std::vector<Claim> claims,
                     berth::Pod pod, std::string_view node, std::int64_t timeout_ns, berth::Done done)
        : host_(host),
          kind_(kind),
          waiting_(waiting),
          claims_(std::move(claims)),
          pod_(pod),
          node_(node),
          timeout_ns_(timeout_ns),
          done_(done) {
        for (const auto &c : claims_) keys_.push_back(full_name(c.name_space, c.name));
    }

    /// `call` is the one that `done` ends.
    void start(berth::Call call) {
        for (const auto &key : keys_) waiting_.emplace(key, weak_from_this());
        give_way_when_told(host_, call, weak_from_this());
        reserve_next();
    }
    bool ended() const { return ended_; }
    void give_way() { end(berth::Verdict{BERTH_CANCELLED}); }
    /// Nobody waits for the answer any more.
    void abandon() {
        ended_ = true;
        forget();
    }
    const std::vector<Claim> &claims() const { return claims_; }

    static void wake(Waiting &waiting, const std::string &key) {
        std::vector<std::shared_ptr<ClaimReservation>> found;
        auto [from, to] = waiting.equal_range(key);
        for (auto at = from; at != to; ++at)
            if (auto alive = at->second.lock()) found.push_back(std::move(alive));
        for (const auto &r : found) r->changed();
    }

private:
    static constexpr int attempts_at_most = 5;                  ///< when others write the claim too
    static constexpr std::int64_t patience_ns = 1'000'000'000;  ///< for the news of what they wrote

    const berth::Host &host_;
    berth::Kind kind_;
    Waiting &waiting_;
    std::vector<Claim> claims_;
    std::vector<std::string> keys_;
    berth::Pod pod_;         ///< lives until the answer, as does what it holds
    std::string_view node_;  ///< so does this
    std::int64_t timeout_ns_;
    berth::Done done_;
    std::size_t next_ = 0;
    int attempts_ = 0;
    std::optional<std::string> conflict_;  ///< the version that somebody has overwritten, while waiting to see theirs
    bool attaching_ = false, ended_ = false;

    void end(const berth::Verdict &verdict) {
        ended_ = true;
        forget();
        done_(verdict);
    }
    void forget() {
        for (const auto &key : keys_) {
            auto [from, to] = waiting_.equal_range(key);
            for (auto at = from; at != to;) at = at->second.lock().get() == this ? waiting_.erase(at) : std::next(at);
        }
    }

    std::string version(const berth::Object &claim) const {
        return std::string(berth::view(claim.meta().resource_version));
    }

    void changed() {
        if (ended_) return;
        if (attaching_) return look();
        if (!conflict_) return;
        auto claim = host_.get(kind_, claims_[next_].name_space, claims_[next_].name);
        if (!claim || version(claim) != *conflict_) try_again();
    }
    void try_again() {
        conflict_.reset();
        reserve_next();
    }

    void reserve_next() {
        while (next_ < claims_.size() && claims_[next_].reserved) ++next_;
        if (next_ == claims_.size()) return attach();
        auto claim = host_.get(kind_, claims_[next_].name_space, claims_[next_].name);
        const auto &key = keys_[next_];
        if (!claim)
            return end(berth::error(
                (attempts_ == 0 ? "add reservation to claim " + key : "get updated claim " + key + " after conflict") +
                ": " + not_found("resourceclaims.resource.k8s.io", claims_[next_].name)));
        if (!claim.at("/metadata/deletionTimestamp").is_null())
            return end(berth::error("claim " + key + " got deleted in the meantime"));
        if (!is_allocated(claim))
            return end(berth::error("claim " + key + " got deallocated elsewhere in the meantime"));
        auto body = reserved_body(claim);
        berth::Request request;
        request.verb = BERTH_VERB_UPDATE;
        request.group = "resource.k8s.io";
        request.resource = "resourceclaims";
        request.name_space = claims_[next_].name_space;
        request.name = claims_[next_].name;
        request.subresource = "status";
        request.body = body;
        host_.send(request, [self = shared_from_this(), sent = version(claim)](int status, std::string_view text) {
            self->answered(status, text, sent);
        });
    }

    std::string reserved_body(const berth::Object &claim) const {
        std::string list = "[";
        auto others = claim.at("/status/reservedFor");
        for (std::size_t i = 0; i < others.size(); ++i) list += berth::json(others.at(i)) + ",";
        list += R"({"resource":"pods","name":)" + berth::json_quote(pod_.name()) +
                ",\"uid\":" + berth::json_quote(pod_.uid()) + "}]";
        JsonEdit edit;
        edit.set({"apiVersion"}, "\"resource.k8s.io/v1\"");
        edit.set({"kind"}, "\"ResourceClaim\"");
        edit.set({"status", "reservedFor"}, list);
        if (claim.at("/status/allocation/allocationTimestamp").is_null())
            edit.set({"status", "allocation", "allocationTimestamp"}, berth::json_quote(seconds_of(host_.now_ns())));
        return edit.apply(claim.at(""));
    }

    static std::string seconds_of(std::int64_t ns) {
        using namespace std::chrono;
        const auto time = floor<seconds>(sys_time<nanoseconds>{nanoseconds{ns}});
        const auto midnight = floor<days>(time);
        const year_month_day date{midnight};
        const hh_mm_ss clock{time - midnight};
        char text[32];
        std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", int{date.year()}, unsigned{date.month()},
                      unsigned{date.day()}, static_cast<int>(clock.hours().count()),
                      static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
        return text;
    }

    void answered(int status, std::string_view text, const std::string &sent) {
        if (status >= 200 && status < 300) {
            claims_[next_++].reserved = true;
            attempts_ = 0;
            if (!ended_) reserve_next();
            return;
        }
        if (ended_) return;
        constexpr int http_conflict = 409;
        if (status != http_conflict || ++attempts_ == attempts_at_most)
            return end(berth::error("add reservation to claim " + keys_[next_] + ": " + std::string(text)));
        conflict_ = sent;
        changed();
        // A conflict with what this scheduler knows already, as one may come from an admission webhook, has no news to
        // wait for.
        if (conflict_)
            host_.after(patience_ns, [self = weak_from_this(), attempt = attempts_] {
                if (auto alive = self.lock();
                    alive && !alive->ended_ && alive->conflict_ && alive->attempts_ == attempt)
                    alive->try_again();
            });
    }

    void attach() {
        bool wanted = false;
        for (const auto &c : claims_)
            wanted = wanted ||
                     DeviceConditions::of(host_.get(kind_, c.name_space, c.name), host_.now_ns(), timeout_ns_).wanted;
        if (!wanted) return end(berth::ok);
        attaching_ = true;
        host_.event(pod_.raw()->obj, "Normal", "BindingConditionsPending", "Scheduling",
                    "waiting for binding conditions for device on node " + std::string(node_));
        host_.after(timeout_ns_, [self = weak_from_this()] {
            if (auto alive = self.lock(); alive && !alive->ended_)
                alive->end(berth::error("device binding timeout: context deadline exceeded"));
        });
        look();
    }

    void look() {
        for (std::size_t i = 0; i < claims_.size(); ++i) {
            auto claim = host_.get(kind_, claims_[i].name_space, claims_[i].name);
            if (!claim) return end(berth::error("could not find ResourceClaim \"" + keys_[i] + "\""));
            auto now = is_allocated(claim) ? DeviceConditions::of(claim, host_.now_ns(), timeout_ns_)
                                           : DeviceConditions{true, false, false, {}};
            if (!now.fault.empty()) return end(berth::error(std::move(now.fault)));
            if (now.ready) continue;
            if (now.timed_out) end(berth::error("device binding timeout: claim=" + claims_[i].name));
            return;
        }
        end(berth::ok);
    }
};

}  // namespace kubernetes
