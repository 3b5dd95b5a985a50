// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The constraints of a claim's devices: matchAttribute and distinctAttribute.

#include "request.h"
#include "rules.h"
#include "slice.h"

#include <algorithm>

namespace kubernetes::devices {

/// What the devices of some requests of a claim must have in common (matchAttribute) or must not (distinctAttribute).
class Constraint {
    const Claim::Constraint &rule_;
    bool by_device_;
    const Attribute *common_ = nullptr;
    /// Of distinctAttribute: the values of all devices, or those of the devices added last for each request.
    std::vector<std::pair<std::string_view, const Attribute *>> distinct_;
    int devices_ = 0;

    static std::string_view base(const Request &request) {
        return request.parent.empty() ? request.name : request.parent;
    }
    bool concerns(const Request &request) const {
        if (rule_.requests.empty()) return true;
        return std::any_of(rule_.requests.begin(), rule_.requests.end(), [&](const std::string &name) {
            return name == base(request) || (!request.parent.empty() && name == request.full_name());
        });
    }

    /// By its full name, or by the part behind the domain if that is the driver's.
    static const Attribute *find(const Device &device, std::string_view driver, std::string_view name) {
        if (const auto *found = device.attribute(name)) return found;
        auto slash = name.find('/');
        if (slash == std::string_view::npos || name.substr(0, slash) != driver) return nullptr;
        return device.attribute(name.substr(slash + 1));
    }

    bool wants_distinct() const { return rule_.distinct_attribute && !rule_.match_attribute; }

    void forget(const Request &request) {
        if (by_device_ && !distinct_.empty()) distinct_.pop_back();
        else std::erase_if(distinct_, [&](const auto &one) { return one.first == base(request); });
    }

    bool suits(const Attribute &attribute) const {
        if (rule_.match_attribute) return attribute.type != Attribute::Type::Unknown && attribute == *common_;
        return std::all_of(distinct_.begin(), distinct_.end(), [&](const auto &other) {
            return attribute.type != Attribute::Type::Unknown && !(attribute == *other.second);
        });
    }

public:
    Constraint(const Claim::Constraint &rule, const Rules &rules) : rule_(rule), by_device_(rules.distinct_by_device) {}

    bool add(const Request &request, const Device &device, std::string_view driver) {
        if (!concerns(request)) return true;
        const auto *attribute =
            find(device, driver, rule_.match_attribute ? *rule_.match_attribute : *rule_.distinct_attribute);
        if (!attribute || (devices_ > 0 && !suits(*attribute))) return false;
        if (wants_distinct()) {
            if (!by_device_) forget(request);
            distinct_.emplace_back(base(request), attribute);
        } else if (devices_ == 0) {
            common_ = attribute;
        }
        ++devices_;
        return true;
    }
    /// Takes a successful add() back.
    void remove(const Request &request) {
        if (!concerns(request)) return;
        forget(request);
        --devices_;
    }
};

}  // namespace kubernetes::devices
