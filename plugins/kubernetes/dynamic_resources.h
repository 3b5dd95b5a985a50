// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin DynamicResources: pods with ResourceClaims, or with extended resources of a DeviceClass.

#include "claim_change.h"
#include "claim_deletion.h"
#include "device_allocation.h"
#include "own_update.h"
#include "release.h"

#include <array>

namespace kubernetes {

/// Pods with ResourceClaims go where the claims' devices are, or where there are devices for them, and reserve them. So
/// do pods that request extended resources for which DeviceClasses stand: in PreBind a claim is made for these.
class DynamicResources {
    struct Claims {
        std::vector<std::unique_ptr<ClaimOnNodes>> all;  ///< that the pod names or had made for it
        ExtendedResources extended;
        std::unique_ptr<ExtendedRequests> requests;      ///< for these; nullptr: there are none
        std::optional<ClaimReservation::Claim> left;     ///< for these, by an attempt that did not come to its end
        std::unique_ptr<DeviceAllocation> allocation;    ///< for the claims without devices; nullptr: there are none
        std::optional<ClaimReservation::Claim> to_make;  ///< for the extended resources, on the node that was chosen
        std::shared_ptr<ClaimReservation> reservation;

        bool empty() const { return all.empty() && !extended.any(); }
        /// Calls `fn(claim, i)` for each claim without devices; `i` is its place among these.
        template <class Fn>
        void each_unallocated(Fn &&fn) const {
            for (std::size_t i = 0; const auto &c : all)
                if (c->wanted) fn(*c, i++);
        }
        /// Whether some node's score() may be other than 0.
        bool has_alternatives() const {
            return std::ranges::any_of(all, [](const auto &c) {
                return c->score != 0 ||
                       (c->wanted && std::ranges::any_of(c->wanted->demands, &devices::Claim::Demand::prioritized));
            });
        }
        /// Of the devices that the pod would get on the node, by `allocation`.
        std::int64_t score(std::string_view node) const {
            const auto *found = allocation->on(node);
            if (!found) return 0;
            std::int64_t out = 0;
            for (const auto &c : all) out += c->score;
            each_unallocated([&](const ClaimOnNodes &c, std::size_t i) {
                out += DeviceAllocation::score(*c.wanted, found->claims[i]);
            });
            return out;
        }
    };
    /// Not copyable: all clones of the state mean the same.
    struct Held {
        std::unique_ptr<Claims> claims;
    };

    const berth::Host &host_;
    Rules rules_;
    berth::Kind claims_;
    DeviceClasses classes_;
    berth::StateKey<Held> state_;
    std::int64_t timeout_ns_, filter_timeout_ns_;
    std::unique_ptr<ClusterDevices> devices_;
    std::unique_ptr<ExtendedResourceClaims> extended_;
    /// Lives where it is, whatever becomes of the plugin object that is moved about at create.
    std::unique_ptr<ClaimReservation::Waiting> waiting_;
    /// The last one that pods were asked about. Thread: loop.
    mutable std::optional<ClaimChange> change_;
    /// By the pods that came. A pod is not asked about before it has. Thread: loop.
    std::unique_ptr<NamedClaims> named_ = std::make_unique<NamedClaims>();

    Claims *claims_of(berth::State state) const {
        auto *held = state.get(state_);
        return held ? held->claims.get() : nullptr;
    }

    static berth::Hint when(bool helps) { return helps ? berth::Hint::Queue : berth::Hint::Skip; }

    berth::Hint claim_changed(const berth::Object &before, const berth::Object &after, berth::Pod pod) const {
        if (!change_ || !change_->is(before, after)) change_.emplace(host_, before, after);
        if (!after) return when(change_->given_back());
        if (!change_->given_back() && !change_->may_be_of(pod, *named_)) return berth::Hint::Skip;
        auto own = PodResourceClaims::of(host_, claims_, pod);
        if (!own.fault.empty()) return berth::Hint::Skip;
        if (change_->given_back()) return berth::Hint::Queue;
        if (std::none_of(own.claims.begin(), own.claims.end(), [&](const auto &c) { return c.uid() == after.uid(); }))
            return berth::Hint::Skip;
        return when(!before || berth::json(before.at("/status")) != berth::json(after.at("/status")));
    }

    static void check_duration(berth::ArgsReader &args, std::string_view name, std::string_view absent,
                               std::int64_t least, std::string_view why) {
        auto value = args.field(name);
        std::string text(value.is_null() ? absent : value.string());
        auto duration = berth::parse_duration(text);
        if ((!value.is_null() && !value.is_string()) || !duration)
            args.error(name, "expected a duration such as \"10s\", got " + berth::json(value));
        else if (duration->count() < least)
            args.error(name, "Invalid value: " + berth::json_quote(text) + ": " + std::string(why));
        args.set(name, berth::json_quote(text));
    }

public:
    static constexpr const char *description = "Finds devices for ResourceClaims, and reserves them";
    static constexpr std::array watches{"resource.k8s.io/v1/resourceclaims", "resource.k8s.io/v1/deviceclasses",
                                        "resource.k8s.io/v1/resourceslices", "resource.k8s.io/v1/devicetaintrules"};
    static constexpr std::array writes{
        "create resource.k8s.io/v1/resourceclaims",        "update resource.k8s.io/v1/resourceclaims",
        "delete resource.k8s.io/v1/resourceclaims",        "update resource.k8s.io/v1/resourceclaims/status",
        "patch resource.k8s.io/v1/resourceclaims/status",  "update resource.k8s.io/v1/resourceclaims/binding",
        "patch resource.k8s.io/v1/resourceclaims/binding", "patch v1/pods/status"};
    static constexpr berth::Normalize normalize = berth::Normalize::Default;

    static void default_args(berth::ArgsReader &args) {
        check_duration(args, "filterTimeout", "10s", 0, "must be zero or positive");
        check_duration(args, "bindingTimeout", "10m0s", 1'000'000'000, "must be at least 1 second");
    }

    DynamicResources(berth::Args args, const berth::Host &host)
        : host_(host),
          rules_(host),
          claims_(host.kind("resource.k8s.io", "v1", "resourceclaims")),
          classes_(host),
          state_(host.state_key<Held>("DynamicResources")),
          timeout_ns_(duration(args, "bindingTimeout", std::chrono::minutes(10))),
          filter_timeout_ns_(duration(args, "filterTimeout", std::chrono::seconds(10))),
          devices_(std::make_unique<ClusterDevices>(host, claims_)),
          extended_(std::make_unique<ExtendedResourceClaims>(host, claims_)),
          waiting_(std::make_unique<ClaimReservation::Waiting>()) {
        host.subscribe(claims_, [waiting = waiting_.get()](const berth::Object &before, const berth::Object &after) {
            const auto &claim = after ? after : before;
            ClaimReservation::wake(*waiting, full_name(claim.name_space(), claim.name()));
        });
    }

    void declare(berth::Declare d) const {
        devices_->declare(d);
        for (const auto verb : {BERTH_VERB_CREATE, BERTH_VERB_UPDATE, BERTH_VERB_DELETE})
            d.write(verb, "resource.k8s.io", "v1", "resourceclaims");
        d.write(BERTH_VERB_PATCH, "", "v1", "pods/status");
        // No request writes to .../binding, but since 1.36 the server requires that right, too, to allocate or reserve.
        for (const auto *resource : {"resourceclaims/status", "resourceclaims/binding"})
            for (const auto verb : {BERTH_VERB_UPDATE, BERTH_VERB_PATCH})
                d.write(verb, "resource.k8s.io", "v1", resource);
    }

    berth::Verdict pre_enqueue(berth::Pod pod) const {
        named_->add(pod);
        auto own = PodResourceClaims::of(host_, claims_, pod);
        return own.fault.empty() ? berth::ok : berth::unresolvable(std::move(own.fault));
    }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) const {
        named_->add(pod);  // a configuration may disable PreEnqueue
        auto &held = *state.put(state_, Held{std::make_unique<Claims>()}).claims;
        auto own = PodResourceClaims::of(host_, claims_, pod);
        if (!own.fault.empty()) return berth::unresolvable(std::move(own.fault));
        Claims read;
        read.extended = ExtendedResources::of(host_, classes_, pod, nodes);
        devices::Allocator::Claims wanted;
        std::vector<std::string_view> unallocated;
        for (const auto &claim : own.claims) {
            if (!is_allocated(claim)) {
                if (devices_->in_flight().pending(claim.uid()))
                    return berth::unresolvable("resource claim " + full_name(claim.name_space(), claim.name()) +
                                               " is in the process of being allocated");
                auto verdict = classes_.check(claim);
                if (verdict.code() != BERTH_STATUS_SUCCESS) return verdict;
                unallocated.push_back(claim.uid());
            }
            read.all.push_back(ClaimOnNodes::read(host_, claim, pod, timeout_ns_));
            if (read.all.back()->wanted) wanted.push_back(&*read.all.back()->wanted);
        }
        if (read.empty()) return berth::skip();
        if (read.extended.any()) {
            if (auto claim = extended_->find(pod)) read.left = named(claim);
            else read.requests = std::make_unique<ExtendedRequests>(pod, read.extended, rules_.devices);
        }
        if (!wanted.empty() || read.requests)
            read.allocation = std::make_unique<DeviceAllocation>(host_, *devices_, classes_, std::move(wanted),
                                                                 unallocated, read.extended, filter_timeout_ns_);
        held = std::move(read);
        return berth::ok;
    }

    void filter(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        auto *claims = claims_of(state);
        if (!claims) throw std::runtime_error("not found");
        const auto columns = claims->extended.columns(nodes);
        for (std::size_t i : call.each(slots)) {
            const ExtendedClaim *extended = nullptr;
            if (claims->extended.any()) {
                const auto of_devices = claims->extended.of_devices(columns, slots[i]);
                if (claims->left || !of_devices) {
                    const char *why = claims->left ? "cannot schedule extended resource claim" : "cannot fit resource";
                    out.reject(i, BERTH_STATUS_UNSCHEDULABLE_AND_UNRESOLVABLE, call.reason(why));
                    continue;
                }
                if (of_devices->empty() && claims->all.empty()) {
                    out.accept(i);
                    continue;
                }
                extended = &claims->requests->claim(*of_devices);
            }
            auto verdict = claims_on(call, *claims, nodes[slots[i]], labels_of(host_, nodes, slots[i]), extended);
            if (verdict.code() == BERTH_STATUS_CANCELLED) return;
            out.set(i, verdict);
        }
    }

    /// Of a node that has too few devices. What else keeps the pod away no single change mends.
    void remedy(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
                berth::Remedies out) const {
        const auto *claims = claims_of(state);
        if (!claims || !claims->allocation || claims->left) return;
        const auto columns = claims->extended.columns(nodes);
        for (std::size_t i = 0; i < slots.size(); ++i) {
            const auto labels = labels_of(host_, nodes, slots[i]);
            const auto node = nodes[slots[i]];
            if (std::ranges::any_of(claims->all, [&](const auto &c) { return unavailable_on(*c, labels, node); }))
                continue;
            const ExtendedClaim *extended = nullptr;
            if (claims->extended.any()) {
                const auto of_devices = claims->extended.of_devices(columns, slots[i]);
                if (!of_devices) continue;
                extended = &claims->requests->claim(*of_devices);
            }
            const auto phrase = claims->allocation->lacks(call, labels, node.name(), extended);
            if (!phrase.empty()) out.add(i, {berth::Change::other(phrase)});
        }
    }

    berth::Verdict post_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes, berth::Outcome,
                               berth::Nomination, berth::Done done) const {
        const auto *claims = claims_of(state);
        if (!claims) return berth::error("not found");
        auto nothing_done = [&](const char *why) {
            return berth::unschedulable(rules_.silent_device_post_filter ? "" : why);
        };
        if (claims->empty()) return nothing_done("no new claims to deallocate");
        for (const auto &c : claims->all) {
            auto claim = c->unavailable ? host_.get(claims_, c->claim.name_space, c->claim.name) : berth::Object{};
            if (!claim) continue;
            auto users = claim.at("/status/reservedFor").size();
            if (users > 1 || (users == 1 && !reserved_for(claim, pod.uid()))) continue;
            deallocate(claim, done);
            return berth::in_progress();
        }
        if (claims->left) {
            const auto &left = *claims->left;
            std::make_shared<ClaimDeletion>(host_, claims_, left.name_space, left.name, left.uid,
                                            [done](std::string_view fault) {
                                                done(fault.empty()
                                                         ? berth::unschedulable("deletion of ResourceClaim completed")
                                                         : berth::error(fault));
                                            })
                ->start();
            return berth::in_progress();
        }
        return nothing_done("still not schedulable");
    }

    berth::Verdict reserve(berth::Call call, berth::State state, berth::Pod pod, berth::Node node) const {
        auto *claims = claims_of(state);
        if (!claims) return berth::error("not found");
        if (!claims->allocation) return berth::ok;
        const auto *found = claims->allocation->on(node.name());
        if (!found) {
            // The node has the extended resources from device plugins.
            if (claims->all.empty()) return berth::ok;
            return berth::error("claim allocation not found for node");
        }
        auto in_flight = [&](const auto &claim, const devices::Claim &wanted, const devices::ClaimDevices &devices) {
            devices_->in_flight().replace_unanswered(claim.uid);
            return devices_->in_flight().add(claims->allocation->chosen(claim, wanted, devices, node, call));
        };
        claims->each_unallocated(
            [&](ClaimOnNodes &c, std::size_t i) { c.claim.chosen = in_flight(c.claim, *c.wanted, found->claims[i]); });
        if (!found->extended || found->extended->claim.demands.empty()) return berth::ok;
        ClaimReservation::Claim claim;
        claim.name_space = pod.name_space();
        claim.uid = "for the extended resources of " + std::string(pod.uid());
        const auto mappings = claims->requests->mappings(*found->extended);
        if (mappings.size() > mappings_at_most)
            return berth::error("the extended resources of the pod need " + std::to_string(mappings.size()) +
                                " request mappings, expected at most " + std::to_string(mappings_at_most));
        claim.extended = std::make_shared<const ClaimReservation::Extended>(
            ClaimReservation::Extended{spec_json(found->extended->claim), mappings_json(mappings)});
        claim.chosen = in_flight(claim, found->extended->claim, found->claims.back());
        claims->to_make = std::move(claim);
        return berth::ok;
    }

    void unreserve(berth::Call, berth::State state, berth::Pod pod, std::string_view) const {
        auto *claims = claims_of(state);
        if (!claims) return;
        if (claims->reservation) {
            claims->reservation->abandon();
            for (std::size_t i = 0; i < claims->all.size(); ++i)
                claims->all[i]->claim = claims->reservation->claims()[i];
            if (claims->to_make) claims->to_make = claims->reservation->claims().back();
            claims->reservation.reset();
        }
        for (const auto &c : claims->all) {
            if (c->claim.chosen) devices_->in_flight().give_up(c->claim.chosen);
            if (!c->claim.reserved) continue;
            c->claim.reserved = false;
            auto body = R"({"metadata":{"uid":)" + berth::json_quote(c->claim.uid) +
                        R"(},"status":{"reservedFor":[{"$patch":"delete","uid":)" + berth::json_quote(pod.uid()) +
                        "}]}}";
            auto request = claim_request(BERTH_VERB_PATCH, c->claim.name_space, c->claim.name, body, "status");
            request.content_type = "application/strategic-merge-patch+json";
            host_.send(request, [](int, std::string_view) {});  // if it fails, the next attempt comes here again
        }
        if (auto made = std::exchange(claims->to_make, std::nullopt)) {
            devices_->in_flight().give_up(made->chosen);
            if (made->made()) ClaimDeletion::discard(host_, claims_, made->name_space, made->name, made->uid);
        }
    }

    /// How early in the lists of alternatives those are that the pod would get; nothing if it has all devices already.
    void score(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
               berth::Scores out) const {
        const auto *claims = claims_of(state);
        if (!claims) throw std::runtime_error("not found");
        const bool scores = claims->allocation && claims->has_alternatives();
        for (std::size_t i : call.each(slots)) out[i] = scores ? claims->score(nodes[slots[i]].name()) : 0;
    }

    /// What claims allow is theirs to say, and may change.
    bool sign(berth::Pod pod, berth::Nodes, berth::Signature) const {
        return pod.at("/spec/resourceClaims").size() == 0 && pod.requests().scalars_len == 0;
    }

    berth::Preflight preflight(berth::Call, berth::State state, berth::Pod, std::string_view) const {
        const auto *claims = claims_of(state);
        if (!claims) return {berth::error("not found"), true};
        return {claims->empty() ? berth::skip() : berth::ok, true};
    }

    berth::Verdict pre_bind(berth::Call call, berth::State state, berth::Pod pod, std::string_view node,
                            berth::Done done) const {
        auto *claims = claims_of(state);
        if (!claims) return berth::error("not found");
        std::vector<ClaimReservation::Claim> list;
        for (const auto &c : claims->all) list.push_back(c->claim);
        if (claims->to_make) list.push_back(*claims->to_make);
        if (list.empty()) return berth::ok;
        claims->reservation = std::make_shared<ClaimReservation>(host_, claims_, *waiting_, devices_->in_flight(),
                                                                 std::move(list), pod, node, timeout_ns_, done);
        claims->reservation->start(call);
        return berth::in_progress();
    }

    void events(berth::Events on) const {
        on.add("Node", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE_NODE_LABEL | BERTH_EVENT_UPDATE_NODE_ALLOCATABLE);
        on.add_hinted("resource.k8s.io/ResourceClaim",
                      BERTH_EVENT_ADD | BERTH_EVENT_UPDATE | (rules_.claim_delete_wakes ? BERTH_EVENT_DELETE : 0));
        on.add_hinted("Pod", BERTH_EVENT_UPDATE_POD_GENERATED_CLAIM);
        on.add("resource.k8s.io/DeviceClass", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        on.add("resource.k8s.io/ResourceSlice", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE);
        if (devices_->with_taint_rules())
            on.add_hinted("resource.k8s.io/DeviceTaintRule", BERTH_EVENT_ADD | BERTH_EVENT_UPDATE | BERTH_EVENT_DELETE);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        if (event.resource() == "resource.k8s.io/ResourceClaim")
            return claim_changed(event.old_object(), event.new_object(), pod);
        if (event.resource() == "resource.k8s.io/DeviceTaintRule")
            return when(devices_->taints_changed(event.old_object(), event.new_object()));
        auto now = own_update(event, pod, rules_);
        return when(now && PodResourceClaims::of(host_, claims_, *now).fault.empty());
    }

private:
    /// What a pod's status can hold of them; the API server takes no larger object.
    static constexpr std::size_t mappings_at_most = 10'000;

    static std::int64_t duration(berth::Args args, std::string_view name, std::chrono::nanoseconds absent) {
        return berth::parse_duration(args.string(name, "")).value_or(absent).count();
    }

    /// Whether the node can have devices that leave out some of its operations. In 1.36 all can.
    bool may_skip_operations(berth::Node node) const {
        if (!rules_.node_operations_may_be_skipped) return true;
        auto declared = node.at("/status/declaredFeatures");
        for (std::size_t i = 0; i < declared.size(); ++i)
            if (declared.at(i).string() == "DRAOptionalNodeOperations") return true;
        return false;
    }

    bool unavailable_on(const ClaimOnNodes &c, Labels labels, berth::Node node) const {
        return !c.wanted &&
               (c.unusable || !c.reaches(labels, node.name()) || (c.skips_operations && !may_skip_operations(node)));
    }

    /// Whether the node has the devices of the claims, or some for those without. Which claims are unavailable there is
    /// remembered for PostFilter, but not if there are no devices for another one.
    berth::Verdict claims_on(berth::Call call, Claims &claims, berth::Node node, Labels labels,
                             const ExtendedClaim *extended) const {
        std::vector<ClaimOnNodes *> unavailable;
        for (const auto &c : claims.all)
            if (unavailable_on(*c, labels, node)) unavailable.push_back(c.get());
        if (claims.allocation) {
            auto verdict = claims.allocation->allocate(call, labels, node.name(), extended);
            if (verdict.code() != BERTH_STATUS_SUCCESS) return verdict;
        }
        for (auto *c : unavailable) c->unavailable = true;
        if (unavailable.empty()) return berth::ok;
        return berth::unresolvable("resourceclaim not available on the node");
    }

    static ClaimReservation::Claim named(const berth::Object &claim) {
        return {std::string(claim.name_space()), std::string(claim.name()), std::string(claim.uid())};
    }

    /// Lets go of the devices of a claim, so that others may be found for it.
    void deallocate(const berth::Object &claim, berth::Done done) const {
        auto edit = claim_edit();
        edit.set({"status"}, "{}");
        auto body = edit.apply(claim.at(""));
        host_.send(claim_request(BERTH_VERB_UPDATE, claim.name_space(), claim.name(), body, "status"),
                   [done](int status, std::string_view text) {
                       if (berth::succeeded(status))
                           done(berth::unschedulable("deallocation of ResourceClaim completed"));
                       else done(berth::error(text));
                   });
    }
};

}  // namespace kubernetes
