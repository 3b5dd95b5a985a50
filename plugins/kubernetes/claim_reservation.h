// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The PreBind part of DynamicResources: it writes a pod's claims with devices and reservedFor, then waits.

#include "allocations_in_flight.h"
#include "cancellation.h"
#include "claim_deletion.h"
#include "extended_resource_claims.h"
#include "json_text.h"

#include <cstdio>
#include <map>
#include <memory>
#include <optional>

namespace kubernetes {

/// The binding of one pod's ResourceClaims: writes one after the other the chosen devices and the pod as
/// a user, then waits until the devices are attached. The claim for extended resources is made last. Holds no thread.
/// Thread: loop.
class ClaimReservation : public std::enable_shared_from_this<ClaimReservation> {
public:
    /// Pods that wait for a change of a claim, by the claim's "namespace/name".
    using Waiting = std::multimap<std::string, std::weak_ptr<ClaimReservation>, std::less<>>;

    /// What is said of a claim for extended resources.
    struct Extended {
        std::string spec;      ///< of the claim, as JSON
        std::string mappings;  ///< in the pod's status, likewise
    };
    struct Claim {
        std::string name_space, name, uid;       ///< no name: it is yet to be made
        bool reserved = false;                   ///< for the pod
        AllocationsInFlight::Entry chosen = {};  ///< the devices to be written; nullptr: it has some
        std::shared_ptr<const Extended> extended = {};

        bool made() const { return !name.empty(); }
    };

    ClaimReservation(const berth::Host &host, berth::Kind kind, Waiting &waiting, AllocationsInFlight &in_flight,
                     std::vector<Claim> claims, berth::Pod pod, std::string_view node, std::int64_t timeout_ns,
                     berth::Done done)
        : host_(host),
          kind_(kind),
          waiting_(waiting),
          in_flight_(in_flight),
          claims_(std::move(claims)),
          pod_(pod),
          node_(node),
          timeout_ns_(timeout_ns),
          done_(done) {
        for (const auto &c : claims_) keys_.push_back(c.made() ? full_name(c.name_space, c.name) : std::string());
    }
    ClaimReservation(const ClaimReservation &) = delete;
    ClaimReservation &operator=(const ClaimReservation &) = delete;
    ~ClaimReservation() {
        // The instance has ended without an answer to the request under way, or before the next one was sent.
        for (const auto &c : claims_)
            if (c.chosen && c.chosen->state == AllocationsInFlight::State::Sent)
                in_flight_.failed(c.chosen, false, host_.now_ns());
            else if (c.chosen) in_flight_.give_up(c.chosen);
    }

    /// `call` is the one that `done` ends.
    void start(berth::Call call) {
        for (const auto &key : keys_)
            if (!key.empty()) waiting_.emplace(key, weak_from_this());
        end_when_cancelled(host_, call, weak_from_this());
        reserve_next();
    }
    bool ended() const { return ended_; }
    void cancel() { end(berth::cancelled()); }
    /// The call was cancelled.
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
    static constexpr std::int64_t patience_ns = 1'000'000'000;  ///< for the watch event of the other writer's update
    static constexpr std::int64_t seen_within_ns = 120'000'000'000;  ///< as upstream: a claim that was made
    static constexpr std::int64_t poll_ns = 5'000'000'000;  ///< as upstream: how often a wait looks at the time

    const berth::Host &host_;
    berth::Kind kind_;
    Waiting &waiting_;
    AllocationsInFlight &in_flight_;
    std::vector<Claim> claims_;
    std::vector<std::string> keys_;
    berth::Pod pod_;         ///< lives until the answer, as does what it holds
    std::string_view node_;  ///< so does this
    std::int64_t timeout_ns_;
    berth::Done done_;
    std::size_t next_ = 0;
    int attempts_ = 0;
    std::optional<std::string> replaced_;  ///< a version of the claim that is no more, while waiting to see the next
    std::uint64_t waits_ = 0;              ///< how often that was
    bool unseen_ = false;                  ///< the claim at hand was made, and the watch does not show it yet
    berth::Timer seen_;                    ///< the end of that wait
    bool finalizer_added_ = false;         ///< to the claim at hand
    bool attaching_ = false, ended_ = false;

    void end(const berth::Verdict &verdict) {
        ended_ = true;
        forget();
        done_(verdict);
    }
    void forget() {
        for (const auto &key : keys_) forget(key);
        stop_waiting_to_see();
    }
    void forget(const std::string &key) {
        auto [from, to] = waiting_.equal_range(key);
        for (auto at = from; at != to;) at = at->second.lock().get() == this ? waiting_.erase(at) : std::next(at);
    }

    std::string version(const berth::Object &claim) const {
        return std::string(berth::view(claim.meta().resource_version));
    }

    void changed() {
        if (ended_) return;
        if (attaching_) return look();
        if (unseen_) return see_made();
        if (!replaced_) return;
        auto claim = host_.get(kind_, claims_[next_].name_space, claims_[next_].name);
        if (!claim || version(claim) != *replaced_) try_again();
    }
    void try_again() {
        replaced_.reset();
        reserve_next();
    }
    /// Goes on with the version of the claim that comes after `replaced`. If that version is known already, as after a
    /// conflict that an admission webhook makes, there is no watch event to wait for.
    void wait_for_next(const std::string &replaced) {
        replaced_ = replaced;
        ++waits_;
        changed();
        if (!replaced_) return;
        host_.after(patience_ns, [self = weak_from_this(), wait = waits_] {
            if (auto alive = self.lock(); alive && !alive->ended_ && alive->replaced_ && alive->waits_ == wait)
                alive->try_again();
        });
    }

    void reserve_next() {
        while (next_ < claims_.size() && claims_[next_].reserved) ++next_;
        if (next_ == claims_.size()) return attach();
        const auto &own = claims_[next_];
        if (!own.made()) return make();
        auto claim = host_.get(kind_, own.name_space, own.name);
        const auto &key = keys_[next_];
        if (!claim)
            return end(berth::error((attempts_ == 0 ? task() + key : "get updated claim " + key + " after conflict") +
                                    ": " + not_found("resourceclaims.resource.k8s.io", own.name)));
        if (!claim.at("/metadata/deletionTimestamp").is_null() || claim.uid() != own.uid)
            return end(berth::error("claim " + key + " got deleted in the meantime"));
        if (own.chosen && is_allocated(claim))
            return end(berth::error("claim " + key + " got allocated elsewhere in the meantime"));
        if (!own.chosen && !is_allocated(claim))
            return end(berth::error("claim " + key + " got deallocated elsewhere in the meantime"));
        if (own.chosen && !has_finalizer(claim)) return send(claim, finalizer_body(claim), "");
        finalizer_added_ = true;
        if (own.chosen) in_flight_.sent(own.chosen, version(claim));
        send(claim, reserved_body(claim), "status");
    }

    void make() {
        const std::string body = R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{)"
                                 R"("generateName":)" +
                                 berth::json_quote(std::string(pod_.name()) + "-extended-resources-") +
                                 ",\"namespace\":" + berth::json_quote(pod_.name_space()) + ",\"annotations\":{" +
                                 berth::json_quote(ExtendedResourceClaims::mark) +
                                 R"(:"true"},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":)" +
                                 berth::json_quote(pod_.name()) + ",\"uid\":" + berth::json_quote(pod_.uid()) +
                                 R"(,"controller":true}]},"spec":)" + claims_[next_].extended->spec + "}";
        host_.send(claim_request(BERTH_VERB_CREATE, claims_[next_].name_space, {}, body),
                   [self = shared_from_this()](int status, std::string_view text) { self->made(status, text); });
    }
    std::string creation() const {
        return "create claim for extended resources " + full_name(claims_[next_].name_space, {}) + ": ";
    }
    void made(int status, std::string_view text) {
        const auto name = json_string_at(text, {"metadata", "name"}), uid = json_string_at(text, {"metadata", "uid"});
        const bool is_made = berth::succeeded(status) && name && uid;
        auto &own = claims_[next_];
        if (ended_) {
            if (is_made) ClaimDeletion::discard(host_, kind_, own.name_space, std::string(*name), std::string(*uid));
            return;
        }
        if (!berth::succeeded(status)) return end(berth::error(creation() + std::string(text)));
        if (!is_made) return end(berth::error(creation() + "expected an answer with the claim's name and uid"));
        own.name = *name;
        own.uid = *uid;
        in_flight_.made(own.chosen, own.name, own.uid);
        keys_[next_] = full_name(own.name_space, own.name);
        waiting_.emplace(keys_[next_], weak_from_this());
        unseen_ = true;
        seen_ = host_.after(seen_within_ns, [self = weak_from_this()] {
            if (auto alive = self.lock(); alive && alive->unseen_)
                alive->end(berth::error(alive->creation() + "the watch does not show it"));
        });
        see_made();
    }
    void stop_waiting_to_see() {
        if (!unseen_) return;
        unseen_ = false;
        host_.cancel(seen_);
    }
    /// Goes on once the watch shows the claim.
    void see_made() {
        const auto &own = claims_[next_];
        const auto claim = host_.get(kind_, own.name_space, own.name);
        if (!claim || claim.uid() != own.uid) return;
        stop_waiting_to_see();
        reserve_next();
    }

    /// What the next request is for, in upstream's words.
    std::string task() const {
        if (!claims_[next_].chosen) return "add reservation to claim ";
        return finalizer_added_ ? "add allocation and reservation to claim " : "add finalizer to claim ";
    }

    void send(const berth::Object &claim, const std::string &body, std::string_view subresource) {
        const auto &own = claims_[next_];
        const auto request = claim_request(BERTH_VERB_UPDATE, own.name_space, own.name, body, subresource);
        host_.send(request, [self = shared_from_this(), sent = version(claim)](int status, std::string_view text) {
            self->answered(status, text, sent);
        });
    }

    static bool has_finalizer(const berth::Object &claim) {
        auto list = claim.at("/metadata/finalizers");
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list.at(i).string() == claim_finalizer) return true;
        return false;
    }
    /// The list with one more, as JSON.
    static std::string appended(berth::Value list, const std::string &one) {
        std::string out = "[";
        for (std::size_t i = 0; i < list.size(); ++i) out += berth::json(list.at(i)) + ",";
        return out + one + "]";
    }
    static std::string finalizer_body(const berth::Object &claim) {
        auto edit = claim_edit();
        edit.set({"metadata", "finalizers"},
                 appended(claim.at("/metadata/finalizers"), berth::json_quote(claim_finalizer)));
        return edit.apply(claim.at(""));
    }

    std::string reserved_body(const berth::Object &claim) const {
        auto edit = claim_edit();
        edit.set({"status", "reservedFor"}, appended(claim.at("/status/reservedFor"),
                                                     R"({"resource":"pods","name":)" + berth::json_quote(pod_.name()) +
                                                         ",\"uid\":" + berth::json_quote(pod_.uid()) + "}"));
        const auto now = berth::json_quote(seconds_of(host_.now_ns()));
        if (const auto &chosen = claims_[next_].chosen)
            edit.set({"status", "allocation"},
                     chosen->json.substr(0, chosen->json.size() - 1) + ",\"allocationTimestamp\":" + now + "}");
        else if (claim.at("/status/allocation/allocationTimestamp").is_null())
            edit.set({"status", "allocation", "allocationTimestamp"}, now);
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
        const bool done = berth::succeeded(status);
        if (const auto &chosen = claims_[next_].chosen) {
            // The finalizer stands; the claim is written again with what it has then.
            if (done && chosen->state == AllocationsInFlight::State::Chosen) {
                if (!ended_) wait_for_next(sent);
                return;
            }
            settle(chosen, status);
        }
        if (done) {
            claims_[next_].reserved = true;
            if (ended_) return;
            return claims_[next_].extended ? update_pod_status() : go_on();
        }
        if (ended_) return;
        if (status != berth::http_conflict || ++attempts_ == attempts_at_most)
            return end(berth::error(task() + keys_[next_] + ": " + std::string(text)));
        wait_for_next(sent);
    }

    void go_on() {
        ++next_;
        attempts_ = 0;
        finalizer_added_ = false;
        reserve_next();
    }

    /// Tells the kubelet, in the pod's status, which devices stand for which resource.
    void update_pod_status() {
        const std::string body = "{\"metadata\":{\"uid\":" + berth::json_quote(pod_.uid()) +
                                 R"(},"status":{"extendedResourceClaimStatus":{"requestMappings":)" +
                                 claims_[next_].extended->mappings +
                                 ",\"resourceClaimName\":" + berth::json_quote(claims_[next_].name) + "}}}";
        berth::Request request;
        request.verb = BERTH_VERB_PATCH;
        request.resource = "pods";
        request.subresource = "status";
        request.name_space = pod_.name_space();
        request.name = pod_.name();
        request.content_type = "application/strategic-merge-patch+json";
        request.body = body;
        host_.send(request, [self = shared_from_this()](int status, std::string_view text) {
            if (self->ended_) return;
            if (berth::succeeded(status)) return self->go_on();
            self->end(berth::error("update pod " + full_name(self->pod_.name_space(), self->pod_.name()) +
                                   " ExtendedResourceClaimStatus: " + std::string(text)));
        });
    }

    /// The request with the claim's devices was answered.
    void settle(const AllocationsInFlight::Entry &chosen, int status) {
        if (chosen->state != AllocationsInFlight::State::Sent) return;
        if (berth::succeeded(status)) {
            auto now = host_.get(kind_, chosen->name_space, chosen->name);
            return in_flight_.written(chosen, now ? version(now) : std::string{});
        }
        const bool refused = status >= 300 && status < berth::http_server_error;
        in_flight_.failed(chosen, refused, host_.now_ns());
        if (ended_) in_flight_.give_up(chosen);
    }

    void attach() {
        bool wanted = false;
        for (const auto &c : claims_)
            wanted = wanted || (c.chosen && c.chosen->conditions) ||
                     DeviceConditions::of(host_.get(kind_, c.name_space, c.name), host_.now_ns(), timeout_ns_).wanted;
        if (!wanted) return end(berth::ok);
        attaching_ = true;
        host_.event(pod_.raw()->obj, "Normal", "BindingConditionsPending", "Scheduling",
                    "waiting for binding conditions for device on node " + std::string(node_));
        host_.after(timeout_ns_, [self = weak_from_this()] {
            if (auto alive = self.lock(); alive && !alive->ended_)
                alive->end(berth::error("device binding timeout: context deadline exceeded"));
        });
        look_later();
        look();
    }
    /// A claim may run out of time while nothing happens to it.
    void look_later() {
        host_.after(poll_ns, [self = weak_from_this()] {
            auto alive = self.lock();
            if (!alive || alive->ended_) return;
            alive->look_later();
            alive->look();
        });
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
