// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parsed DeviceTaintRules, found by the devices that they select.

#include "slice.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kubernetes::devices {

/// A DeviceTaintRule: its taint counts as if the slices of the devices that it selects had it.
class TaintRule {
    bool selects_ = false;  ///< without a selector it means no device
    std::optional<std::string> driver_, pool_, device_;
    std::string key_, value_, effect_;
    std::string added_;  ///< when, as the object says it

    static std::optional<std::string> optional(berth::Value v) {
        if (!v.is_string()) return std::nullopt;
        return std::string(v.string());
    }

public:
    static TaintRule read(berth::Value spec) {
        TaintRule out;
        const auto selector = spec["deviceSelector"], taint = spec["taint"];
        out.selects_ = !selector.is_null();
        out.driver_ = optional(selector["driver"]);
        out.pool_ = optional(selector["pool"]);
        out.device_ = optional(selector["device"]);
        out.key_ = taint["key"].string();
        out.value_ = taint["value"].string();
        out.effect_ = taint["effect"].string();
        out.added_ = taint["timeAdded"].string();
        return out;
    }

    bool operator==(const TaintRule &) const = default;

    /// Its texts are the rule's.
    berth_taint taint() const { return {berth::to_str(key_), berth::to_str(value_), berth::to_str(effect_)}; }
    bool same_taint(const TaintRule &other) const {
        return key_ == other.key_ && value_ == other.value_ && effect_ == other.effect_ && added_ == other.added_;
    }
    /// Of the devices that it selects. Null: any.
    const std::optional<std::string> &driver() const { return driver_; }
    const std::optional<std::string> &pool() const { return pool_; }
    const std::optional<std::string> &device() const { return device_; }
    bool selects_any() const { return selects_; }
    /// Whether it may mean devices of the slice.
    bool selects(const Slice &slice) const {
        return selects_ && (!driver_ || *driver_ == slice.driver) && (!pool_ || *pool_ == slice.pool);
    }
    /// Of a slice that selects() has said yes to.
    bool selects(const Device &device) const { return !device_ || *device_ == device.name; }
};

using TaintRulePtr = std::shared_ptr<const TaintRule>;

/// DeviceTaintRules, found by what they select.
class TaintRules {
    /// A driver, a pool and a device; null: any. The texts are the rule's.
    using Key = std::array<std::optional<std::string_view>, 3>;
    std::map<Key, std::vector<TaintRulePtr>> by_key_;

    static Key key_of(const TaintRule &rule) { return {rule.driver(), rule.pool(), rule.device()}; }

public:
    void add(TaintRulePtr rule) {
        if (rule->selects_any()) by_key_[key_of(*rule)].push_back(std::move(rule));
    }
    /// Whether the taint of a rule about the device is as `is` wants it.
    template <class Is>
    bool any_taint(const Slice &slice, const Device &device, Is &&is) const {
        if (by_key_.empty()) return false;
        for (unsigned which = 0; which < 8; ++which) {
            Key key;
            if ((which & 1) != 0) key[0] = slice.driver;
            if ((which & 2) != 0) key[1] = slice.pool;
            if ((which & 4) != 0) key[2] = device.name;
            const auto at = by_key_.find(key);
            if (at != by_key_.end() &&
                std::ranges::any_of(at->second, [&](const TaintRulePtr &rule) { return is(rule->taint()); }))
                return true;
        }
        return false;
    }
};

}  // namespace kubernetes::devices
