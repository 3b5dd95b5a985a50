// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The proxies of one checked call into a plugin, and the violations found (strict checks).

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
class CallProxy final : GivenCall, GivenDone {
public:
    CallProxy(Strict &owner, std::string_view point, Tag tag, const berth_pod *pod);
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
    /// The host's object behind a proxy.
    berth_status *real_of(berth_status *view);
    /// Copies the host's nodes into their proxies again, after a dry run has changed them.
    void renew();
    /// Hands the codes that the plugin wrote on to the host's.
    void pass_codes_on();
    /// Every proxy reads as poison from here on.
    void end();
    std::string where() const;  ///< `Filter for pod "default/web"`

    Strict &owner;
    const std::string_view point;
    const Tag tag;
    const std::string pod;  ///< "namespace/name", or empty
    const std::thread::id thread = std::this_thread::get_id();
    GuardedMemory memory;
    std::atomic<bool> open{true};
    // Guarded by the owner's mutex: what was done wrong, and what services can be asked about.
    std::vector<std::string> faults;
    bool running = true;  ///< on its thread: the plugin has not returned
    std::vector<const void *> given_out;
    std::uint64_t series = 0;  ///< how often it looked up one of its metrics
    berth_call call{};
    const berth_call *real_call = nullptr;
    berth_state *real_state = nullptr;
    const berth_pod *real_pod = nullptr;  ///< the first that was passed
    bool limited = false;                 ///< PreFilter called berth_restrict
    // An answer that may come later; guarded by the owner's mutex.
    enum class Answer : std::uint8_t { Immediate, Running, Owed, Given } answer = Answer::Immediate;
    berth_status *given = nullptr;  ///< the host's, once the plugin has ended the call
    berth_done done{}, real_done{};

    const berth_nodes *real_nodes() const { return nodes_.empty() ? nullptr : nodes_.front().real; }
    const berth_state *state_handle() const { return reinterpret_cast<const berth_state *>(&state_place_); }

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

    CallContext &context() override { return behind(*real_call).context(); }
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
    std::byte state_place_{};
};

}  // namespace berth::plugin
