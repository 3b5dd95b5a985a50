// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allocated.h"
#include "request.h"

#include <algorithm>

namespace kubernetes::devices {

/// How much of a device's capacity a request consumes; nothing: it cannot have so much.
/// Formulas: consumable_capacity.go of the allocator, whose steps are whole units in 64 bits.
class CapacityRequest {
    const Capacity &capacity_;
    const Amount *requested_;  ///< nullptr: the request does not name the capacity

    static std::int64_t wrapping(std::uint64_t n) { return static_cast<std::int64_t>(n); }
    static std::uint64_t bits(std::int64_t n) { return static_cast<std::uint64_t>(n); }

    static Amount rounded_up(const Amount &wanted, const RequestPolicy::Range &range) {
        if (wanted.quantity < range.min->quantity) return *range.min;
        if (!range.step) return wanted;
        const auto step = range.step->quantity.value(), least = range.min->quantity.value();
        if (step <= 0) return wanted;
        const auto above = wrapping(bits(wanted.quantity.value()) - bits(least));
        const auto steps = bits(above / step) + (above % step != 0 ? 1 : 0);
        return Amount::binary(wrapping(bits(least) + bits(step) * steps));
    }
    static Amount rounded_up(const Amount &wanted, const std::vector<Amount> &values) {
        auto at = std::find_if(values.begin(), values.end(),
                               [&](const Amount &value) { return wanted.quantity <= value.quantity; });
        return at == values.end() ? wanted : *at;
    }
    Amount amount() const {
        const auto &policy = capacity_.policy;
        if (!requested_) return policy && policy->preset ? *policy->preset : capacity_.value;
        if (!policy) return *requested_;
        if (policy->valid_range && policy->valid_range->min) return rounded_up(*requested_, *policy->valid_range);
        if (policy->valid_values) return rounded_up(*requested_, *policy->valid_values);
        return *requested_;
    }
    bool allowed(const Amount &amount) const {
        if (!capacity_.policy) return true;
        const auto &policy = *capacity_.policy;
        if (policy.preset && amount.quantity == policy.preset->quantity && amount.text == policy.preset->text)
            return true;
        if (policy.valid_range) {
            const auto &range = *policy.valid_range;
            if (range.max && amount.quantity > range.max->quantity) return false;
            if (!range.step) return true;
            const auto step = range.step->quantity.value();
            if (step <= 0 || !range.min) return false;
            return wrapping(bits(amount.quantity.value()) - bits(range.min->quantity.value())) % step == 0;
        }
        if (!policy.valid_values || policy.valid_values->empty()) return true;
        return std::any_of(policy.valid_values->begin(), policy.valid_values->end(),
                           [&](const Amount &value) { return value.quantity == amount.quantity; });
    }

public:
    CapacityRequest(const Capacity &capacity, const Request &request) : capacity_(capacity), requested_(nullptr) {
        for (const auto &[name, wanted] : request.capacities)
            if (name == capacity.name) requested_ = &wanted;
    }

    Amount consumed() const { return amount(); }

    /// Whether that much is left beside what claims consume and what this attempt has taken already.
    bool fits(const berth::Quantity *in_use, const berth::Quantity *taken) const {
        auto total = amount();
        if (!allowed(total)) return false;
        if (in_use) total.quantity += *in_use;
        if (taken) total.quantity += *taken;
        return total.quantity <= capacity_.value.quantity;
    }
};

/// Whether a request for amounts can be served by the device.
inline bool capacity_suffices(const Device &device, const Request &request, const Use *use, const Use &taken) {
    for (const auto &[name, amount] : request.capacities)
        if (std::none_of(device.capacities.begin(), device.capacities.end(),
                         [&](const Capacity &capacity) { return capacity.name == name; }))
            return false;
    return std::all_of(device.capacities.begin(), device.capacities.end(), [&](const Capacity &capacity) {
        return CapacityRequest(capacity, request)
            .fits(use ? use->consumed_of(capacity.name) : nullptr, taken.consumed_of(capacity.name));
    });
}

}  // namespace kubernetes::devices
