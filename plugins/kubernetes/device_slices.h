// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The ResourceSlices and DeviceTaintRules of the cluster, kept up to date by watches.

#include "device_selectors.h"
#include "release.h"

#include <berth/plugin.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace kubernetes {

/// A change of a DeviceTaintRule, and whether it was one of taints.
struct TaintRuleChange {
    std::optional<berth::KeptObject> before, after;
    bool of_taints = false;
};

/// The ResourceSlices of the cluster as the allocator wants them, and the DeviceTaintRules about their devices, kept up
/// to date by their watches. Thread: loop.
class DeviceSlices {
    /// A slice reads texts of its object.
    struct Known {
        berth::KeptObject object;
        devices::Slice slice;
    };
    const berth::Host &host_;
    devices::Rules rules_;
    berth::Kind kind_;
    std::optional<berth::Kind> taint_rules_;  ///< unless they do not count
    DeviceSelectors &selectors_;
    std::map<std::string, devices::SlicePtr, std::less<>> by_name_;
    std::map<std::string, devices::TaintRulePtr, std::less<>> taint_rules_by_name_;
    std::shared_ptr<const devices::Inventory> inventory_;
    bool read_ = false;
    std::optional<TaintRuleChange> change_;  ///< the last one that somebody asked about

    void put(const berth::Object &object) {
        auto known = std::make_shared<Known>(
            Known{berth::KeptObject(host_, object.raw()), devices::Slice::read(object.name(), object.at("/spec"))});
        by_name_[std::string(object.name())] = devices::SlicePtr(known, &known->slice);
    }

    void put_rule(const berth::Object &object) {
        auto rule = std::make_shared<const devices::TaintRule>(devices::TaintRule::read(object.at("/spec")));
        auto &known = taint_rules_by_name_[std::string(object.name())];
        if (known && *known == *rule) return;  // it only reports in its status what it does
        known = std::move(rule);
        inventory_.reset();
    }

    void rule_changed(const berth::Object &before, const berth::Object &after) {
        if (!read_) return;
        if (after) return put_rule(after);
        inventory_.reset();
        taint_rules_by_name_.erase(std::string(before.name()));
    }

    void read() {
        if (std::exchange(read_, true)) return;
        host_.each(kind_, "", [this](const berth::Object &object) { put(object); });
        if (taint_rules_) host_.each(*taint_rules_, "", [this](const berth::Object &object) { put_rule(object); });
    }

    bool makes_other_taints(const std::optional<devices::TaintRule> &before,
                            const std::optional<devices::TaintRule> &after) {
        read();
        const bool same = before && after && before->same_taint(*after);
        return std::ranges::any_of(by_name_, [&](const auto &named) {
            const devices::Slice &slice = *named.second;
            const bool then = before && before->selects(slice), now = after && after->selects(slice);
            return (then || now) && std::ranges::any_of(slice.devices, [&](const devices::Device &device) {
                       const bool had = then && before->selects(device), has = now && after->selects(device);
                       return had != has || (has && !same);
                   });
        });
    }

public:
    /// Whether DeviceTaintRules count.
    static bool rules_count(const berth::Host &host) {
        return host.kubernetes().gate("DRADeviceTaintRules").value_or(false);
    }

    bool with_taint_rules() const { return taint_rules_.has_value(); }

    /// `with_taint_rules`: the plugin declares that it watches them.
    DeviceSlices(const berth::Host &host, DeviceSelectors &selectors, bool with_taint_rules)
        : host_(host),
          rules_(Rules(host).devices),
          kind_(host.kind("resource.k8s.io", "v1", "resourceslices")),
          selectors_(selectors) {
        if (with_taint_rules) {
            taint_rules_ = host.kind("resource.k8s.io", "v1", "devicetaintrules");
            host.subscribe(*taint_rules_, [this](const berth::Object &before, const berth::Object &after) {
                rule_changed(before, after);
            });
        }
        host.subscribe(kind_, [this](const berth::Object &before, const berth::Object &after) {
            if (!read_) return;
            inventory_.reset();
            const auto &object = after ? after : before;
            if (auto at = by_name_.find(object.name()); at != by_name_.end()) {
                selectors_.forget(*at->second);
                by_name_.erase(at);
            }
            if (after) put(after);
        });
    }

    /// All of them as they are now, by name.
    std::shared_ptr<const devices::Inventory> inventory() {
        read();
        if (!inventory_) {
            std::vector<devices::SlicePtr> all;
            for (const auto &[name, slice] : by_name_) all.push_back(slice);
            devices::TaintRules taint_rules;
            for (const auto &[name, rule] : taint_rules_by_name_) taint_rules.add(rule);
            inventory_ = std::make_shared<const devices::Inventory>(std::move(all), rules_, std::move(taint_rules));
        }
        return inventory_;
    }

    /// Whether that change of a DeviceTaintRule gives or takes a taint of some device. Every pod that waits asks.
    bool taints_changed(const berth::Object &before, const berth::Object &after) {
        auto is = [](const std::optional<berth::KeptObject> &kept, const berth::Object &object) {
            return (kept ? kept->raw() : nullptr) == object.raw();
        };
        if (change_ && is(change_->before, before) && is(change_->after, after)) return change_->of_taints;
        auto read = [](const berth::Object &object) {
            return object ? std::optional(devices::TaintRule::read(object.at("/spec"))) : std::nullopt;
        };
        change_.emplace();
        if (before) change_->before.emplace(host_, before.raw());
        if (after) change_->after.emplace(host_, after.raw());
        return change_->of_taints = makes_other_taints(read(before), read(after));
    }
};

}  // namespace kubernetes
