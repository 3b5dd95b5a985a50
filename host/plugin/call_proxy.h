// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The proxies of one checked call into a plugin (strict checks). The state of the call is in checked_calls.h.

#include "model/look_ups.h"
#include "plugin/call.h"
#include "plugin/guarded_memory.h"

#include <atomic>
#include <deque>
#include <thread>
#include <unordered_set>

namespace berth::plugin {

class Strict;

/// The thread tags of the ABI.
enum class Tag : std::uint8_t { Loop, Par, Bind };

/// Proxies for all that the host passes to one call. Their views and handles belong to this call, so that each use
/// identifies its call. For some calls after its end they stay readable, as poison.
class CallProxy : GivenCall, GivenDone {
public:
    CallProxy(const CallProxy &) = delete;
    CallProxy &operator=(const CallProxy &) = delete;

    const berth_call *proxied(const berth_call *real);
    berth_state *proxied(berth_state *real);
    const berth_pod *proxied(const berth_pod *real);
    const berth_nodes *proxied(const berth_nodes *real);
    berth_restrict *proxied(berth_restrict *real);
    berth_status *proxied(berth_status *real);
    const berth_done *proxied(const berth_done *real);
    const berth_outcome *proxied(const berth_outcome *real);
    berth_nomination *proxied(berth_nomination *real);
    berth_str proxied(berth_str text) { return memory.copy(text); }

    /// Whether these are nodes, or the pod, that the call was given.
    bool is_proxy(const berth_nodes *nodes) const;
    bool is_proxy(const berth_pod *view) const { return !pods_.empty() && pods_.front() == view; }
    /// The call was given this object by a service.
    void show(const berth_object *object) { shown_.insert(object); }
    /// Whether the object is one that the call was given, itself, through a view or by a service.
    bool shows(const berth_object *object) const;
    /// Hands the codes that the plugin wrote on to the host's.
    void pass_codes_on();
    std::string where() const;  ///< `Filter for pod "default/web"`
    /// Whether the call is not over: only then the plugin may use a proxy. Any thread.
    bool open() const { return open_; }

    // The host's own; NULL where the call was not given any.
    const berth_call *real_call() const { return real_call_; }
    berth_state *real_state() const { return real_state_; }
    const berth_pod *real_pod() const { return real_pod_; }  ///< the first that was passed
    const berth_nodes *real_nodes() const { return nodes_.empty() ? nullptr : nodes_.front().real; }
    const berth_done &real_done() const { return real_done_; }
    std::uint64_t attempt() const { return real_call_ ? real_call_->cycle_id : 0; }

    bool is_handle(const berth_state *state) const { return state == reinterpret_cast<const void *>(&state_place_); }
    bool is_handle(const berth_call *call) const { return call == &call_; }
    bool limited() const { return limited_; }  ///< PreFilter called berth_restrict
    /// Counts one more look-up of a metric's series; returns how many there were. On the call's thread.
    std::uint64_t count_series() { return ++series_; }

    Strict &owner;
    const std::string_view point;
    const Tag tag;
    const std::string pod;  ///< "namespace/name", or empty
    const std::thread::id thread = std::this_thread::get_id();
    GuardedMemory memory;

protected:
    CallProxy(Strict &owner, std::string_view point, Tag tag, const berth_pod *pod);
    /// The host's object behind a proxy.
    berth_status *real_of(berth_status *view);
    /// Copies the host's nodes into their proxies again, after a dry run has changed them.
    void renew();
    /// Every proxy reads as poison from here on.
    void poison();

private:
    // Each checks that its call is still current, then calls what stands behind the host's own.
    struct Nodes final : model::NodeLookUps {
        CallProxy &proxy;
        const berth_nodes *real;
        berth_nodes view{};
        mutable std::unordered_set<const berth_object *> objects;  ///< filled in on first use

        Nodes(CallProxy &p, const berth_nodes *r) : proxy(p), real(r), pods(*this) {}
        std::uint32_t find(berth_str name) const noexcept override;
        std::int32_t column(std::uint32_t id, berth_column *out) noexcept override;

        struct Pods final : model::PodLookUps {
            Nodes &nodes;
            berth_pods view{};

            explicit Pods(Nodes &n) : nodes(n) {}
            std::uint64_t pods_of(std::uint32_t slot, const std::uint32_t **rows) const noexcept override;
            std::int32_t column(std::uint32_t id, berth_column *out) noexcept override;
            const berth_pod *view_of(std::uint32_t row) const noexcept override;
        } pods;
    };
    struct Status final : GivenStatus {
        CallProxy &proxy;
        berth_status *real;
        berth_status view;

        Status(CallProxy &p, berth_status *r);
        bool may_use(const char *what) const;
        void set_error(berth_str text) override;
        void set_reasons(const berth_str *reasons, std::uint64_t n) override;
    };
    struct Restriction final : Restrict {
        CallProxy &proxy;
        Restrict &real;

        Restriction(CallProxy &p, Restrict &r) : proxy(p), real(r) {}
        void slots(const std::uint32_t *slots, std::uint64_t n) override;
        void names(const berth_str *names, std::uint64_t n) override;
    };
    struct Outcome final : GivenOutcome {
        CallProxy &proxy;
        const berth_outcome *real;
        berth_outcome view;

        Outcome(CallProxy &p, const berth_outcome *r);
        std::uint64_t reasons(std::uint32_t slot, const berth_str **texts) override;
        berth_str plugin(std::uint32_t slot) override;
        std::uint64_t slots_with(std::int32_t code, const std::uint32_t **slots) override;
    };
    struct Nominating final : Nomination {
        CallProxy &proxy;
        Nomination &real;

        Nominating(CallProxy &p, Nomination &r) : proxy(p), real(r) {}
        void nominate(berth_str node) override;
        std::int32_t name_victims(const std::uint32_t *rows, std::uint64_t n, berth_str reason) override;
    };

    CallContext &context() override { return behind(*real_call_).context(); }
    std::uint32_t intern_reasons(const berth_str *texts, std::uint64_t n) override;
    void *scratch(std::uint64_t size, std::uint64_t align) override;
    void complete(berth_status *status) override;

    void show(Nodes &nodes);

    std::deque<Nodes> nodes_;
    std::deque<Status> statuses_;
    std::deque<Restriction> restrictions_;
    std::deque<Outcome> outcomes_;
    std::deque<Nominating> nominations_;
    std::vector<berth_pod *> pods_;
    std::vector<const berth_object *> pod_objects_;
    std::unordered_set<const berth_object *> shown_;
    std::atomic<bool> open_{true};
    std::uint64_t series_ = 0;
    berth_call call_{};
    berth_done done_{}, real_done_{};
    const berth_call *real_call_ = nullptr;
    berth_state *real_state_ = nullptr;
    const berth_pod *real_pod_ = nullptr;
    bool limited_ = false;
    std::byte state_place_{};
};

}  // namespace berth::plugin
