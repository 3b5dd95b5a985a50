// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The plugin VolumeRestrictions: disks and ReadWriteOncePod claims that two pods may not share.

#include "restricted_disks.h"
#include "storage_objects.h"

#include <array>
#include <memory>
#include <set>
#include <stdexcept>

namespace kubernetes {

/// Filter: no two pods use a disk that only one can have: some kinds of disks named in the pods themselves, and claims
/// of ReadWriteOncePod.
class VolumeRestrictions {
    struct Claims {
        std::set<std::string, std::less<>> once;       ///< the pod's claims of ReadWriteOncePod
        int in_use = 0;                                ///< how often placed pods refer to them
        std::shared_ptr<const RestrictedDisks> disks;  ///< the pod's own

        /// Upstream does not compare namespaces here.
        int references_of(berth::Pod other) const {
            int n = 0;
            auto volumes = other.at("/spec/volumes");
            for (std::size_t i = 0; i < volumes.size(); ++i) {
                auto claim = volumes.at(i)["persistentVolumeClaim"];
                if (!claim.is_null() && once.contains(claim["claimName"].string())) ++n;
            }
            return n;
        }
    };

    const berth::Host &host_;
    berth::Kind claims_;
    std::uint32_t volumes_;
    berth::StateKey<Claims> state_;

    static bool once_only(const berth::Object &claim) {
        auto modes = claim.at("/spec/accessModes");
        for (std::size_t i = 0; i < modes.size(); ++i)
            if (modes.at(i).string() == "ReadWriteOncePod") return true;
        return false;
    }

    /// How many of the claims any placed pod of the namespace uses.
    int used_claims(const std::set<std::string, std::less<>> &names, berth::Pod pod, berth::Nodes nodes) const {
        std::set<std::string_view> used;
        auto placed = nodes.pods();
        auto volumes = placed.column(volumes_);
        for (std::uint32_t row = 0; row < placed.rows() && used.size() < names.size(); ++row) {
            if (!placed.exists(row) || !(placed.flags(row) & BERTH_FLAG_POD_HAS_VOLUMES)) continue;
            // A pod may be left on a node that is gone.
            if (!(nodes.raw()->node_flags[placed.slot(row)] & BERTH_FLAG_NODE_EXISTS)) continue;
            if (berth::view(placed.namespaces()[placed.namespace_code(row)]) != pod.name_space()) continue;
            auto list = volumes.value(row);
            for (std::size_t i = 0; i < list.size(); ++i)
                if (auto at = names.find(list.at(i)["persistentVolumeClaim"]["claimName"].string()); at != names.end())
                    used.insert(*at);
        }
        return static_cast<int>(used.size());
    }

    berth::Verdict count(berth::State state, berth::Pod other, int sign) const {
        auto *claims = state.get(state_);
        if (!claims) return berth::error("cannot read \"PreFilterVolumeRestrictions\" from cycleState");
        claims->in_use += sign * claims->references_of(other);
        return berth::ok;
    }

public:
    static constexpr const char *description = "Keeps disks and claims for one pod apart";
    static constexpr std::array watches{"v1/persistentvolumeclaims"};

    explicit VolumeRestrictions(const berth::Host &host)
        : host_(host),
          claims_(host.kind("", "v1", "persistentvolumeclaims")),
          volumes_(host.column(BERTH_COLUMN_POD_FIELD, "/spec/volumes")),
          state_(host.state_key<Claims>("PreFilterVolumeRestrictions")) {}

    void declare(berth::Declare d) const { d.watch("", "v1", "persistentvolumeclaims"); }

    berth::Verdict pre_filter(berth::Call, berth::State state, berth::Pod pod, berth::Nodes nodes) const {
        Claims claims;
        bool restricted = false;
        auto volumes = pod.at("/spec/volumes");
        for (std::size_t i = 0; i < volumes.size(); ++i) {
            restricted = restricted || RestrictedDisks::is_one(volumes.at(i));
            auto named = volumes.at(i)["persistentVolumeClaim"];
            if (named.is_null()) continue;
            auto claim = host_.get(claims_, pod.name_space(), named["claimName"].string());
            if (!claim) return berth::unresolvable(claim_not_found(named["claimName"].string()));
            if (once_only(claim)) claims.once.emplace(claim.name());
        }
        if (!claims.once.empty()) claims.in_use = used_claims(claims.once, pod, nodes);
        if (!restricted && claims.in_use == 0) return berth::skip();
        claims.disks = std::make_shared<const RestrictedDisks>(volumes);
        state.put(state_, std::move(claims));
        return berth::ok;
    }

    berth::Verdict add_pod(berth::Call, berth::State state, berth::Pod, berth::Pod other, berth::Node) const {
        return count(state, other, 1);
    }
    berth::Verdict remove_pod(berth::Call, berth::State state, berth::Pod, berth::Pod other, berth::Node) const {
        return count(state, other, -1);
    }

    void filter(berth::Call call, berth::State state, berth::Pod, berth::Nodes nodes, berth::Slots slots,
                berth::Verdicts &out) const {
        auto placed = nodes.pods();
        auto volumes = placed.column(volumes_);
        const auto *claims = state.get(state_);
        for (std::size_t i : call.each(slots)) {
            bool taken = false;
            if (claims && !claims->disks->none())
                for (auto row : placed.on(slots[i])) taken = taken || claims->disks->conflict(volumes.value(row));
            if (taken) out.reject(i, BERTH_STATUS_UNSCHEDULABLE, call.reason("node(s) had no available disk"));
            else if (!claims) out.set(i, berth::error("cannot read \"PreFilterVolumeRestrictions\" from cycleState"));
            else if (claims->in_use > 0)
                out.reject(i, BERTH_STATUS_UNSCHEDULABLE,
                           call.reason("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                                       "mode already in-use by another pod"));
            else out.accept(i);
        }
    }

    void events(berth::Events on) const {
        on.add_hinted("Pod", BERTH_EVENT_DELETE);
        on.add("Node", BERTH_EVENT_ADD);
        on.add_hinted("PersistentVolumeClaim", BERTH_EVENT_ADD);
    }
    berth::Hint hint(berth::Event event, berth::Pod pod) const {
        bool helps = false;
        if (event.resource() == "PersistentVolumeClaim") {
            helps = event.new_object() && uses_claim(pod, event.new_object(), false);
        } else if (auto gone = event.old_pod(); gone && gone->name_space() == pod.name_space()) {
            Claims mine;
            auto volumes = pod.at("/spec/volumes");
            for (std::size_t i = 0; i < volumes.size(); ++i)
                if (auto claim = volumes.at(i)["persistentVolumeClaim"]; !claim.is_null())
                    mine.once.emplace(claim["claimName"].string());
            helps = RestrictedDisks(volumes).conflict(gone->at("/spec/volumes")) || mine.references_of(*gone) > 0;
        }
        return helps ? berth::Hint::Queue : berth::Hint::Skip;
    }
};

}  // namespace kubernetes
