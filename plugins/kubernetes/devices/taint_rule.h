// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "slice.h"

#include <optional>
#include <string>
#include <string_view>

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

    /// Its texts are the rule's.
    berth_taint taint() const { return {berth::to_str(key_), berth::to_str(value_), berth::to_str(effect_)}; }
    bool same_taint(const TaintRule &other) const {
        return key_ == other.key_ && value_ == other.value_ && effect_ == other.effect_ && added_ == other.added_;
    }
    /// Whether it may mean devices of the slice.
    bool selects(const Slice &slice) const {
        return selects_ && (!driver_ || *driver_ == slice.driver) && (!pool_ || *pool_ == slice.pool);
    }
    /// Of a slice that selects() has said yes to.
    bool selects(const Device &device) const { return !device_ || *device_ == device.name; }
};

}  // namespace kubernetes::devices
